import MP4Bytes

/// A value that a camera or a drone recorded at a time.
public enum TelemetryValue: Sendable, Equatable {
  /// Where it was.
  case position(GeographicPosition)
  /// A measurement.
  case measurement(Measurement)

  /// One value of a series, such as the three axes of an accelerometer.
  public struct Measurement: Sendable, Equatable {
    /// The name of the series in its format: the key of GPMF, the name in the `camm` specification, or a key.
    public var name: String
    /// The name that the file declares for people; `nil` if it declares none.
    public var label: String?
    /// The unit, or the units of the numbers separated by commas; `nil` if unknown.
    public var unit: String?
    /// The numbers, multiplied and divided as the format says.
    public var numbers: [Double]
  }
}

/// A position on the Earth (WGS 84).
public struct GeographicPosition: Sendable, Equatable {
  /// What the receiver knew.
  public enum Fix: String, Sendable {
    /// No position: the values are those of the receiver without satellites.
    case none
    /// Latitude and longitude.
    case twoDimensional = "2d"
    /// Also the altitude.
    case threeDimensional = "3d"

    /// The fix with this number of dimensions; others are unknown.
    init?(dimensions: Int) {
      switch dimensions {
      case 0: self = .none
      case 2: self = .twoDimensional
      case 3: self = .threeDimensional
      default: return nil
      }
    }
  }

  /// Degrees, positive in the north.
  public var latitude: Double
  /// Degrees, positive in the east.
  public var longitude: Double
  /// Meters; `nil` if unknown. The format decides what they are above.
  public var altitude: Double?
  /// Meters per second over ground; `nil` if unknown.
  public var speed: Double?
  /// Microseconds since the start of 1970, UTC; `nil` if unknown.
  public var utc: Int64?
  /// The fix; `nil` if unknown.
  public var fix: Fix?
  /// The dilution of precision (DOP); `nil` if unknown.
  public var dilution: Double?
  /// The horizontal accuracy in meters; `nil` if unknown.
  public var accuracy: Double?

  /// `nil` if there is no such place.
  init?(latitude: Double, longitude: Double) {
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// Whether the receiver had a position. Receivers without one write zeros.
  package var isKnown: Bool { fix != Fix.none && (latitude != 0 || longitude != 0) }
  /// Such as `2024-02-29T12:30:05.250Z`; `nil` if the time is unknown.
  package var utcText: String? { utc.flatMap(UTC.text) }
}

/// The times of telemetry: microseconds since the start of 1970.
enum UTC {
  /// The years that can be written with four digits.
  private static let range = -62_135_596_800_000_000..<Int64(253_402_300_800_000_000)

  /// A time of a day; `nil` if there is none with these numbers.
  static func time(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, microsecond: Int = 0
  ) -> Int64? {
    // A leap second is the last one of a minute.
    guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day, 0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second else {
      return nil
    }
    let days = Int64(CalendarDate(year: year, month: month, day: day).daysSince1970)
    return ((days * 86_400) + Int64(hour * 3600 + minute * 60 + second)) * 1_000_000 + Int64(microsecond)
  }

  /// A number of seconds since the start of 1970; `nil` if it cannot be written with a year of four digits.
  static func time(seconds: Double) -> Int64? {
    let microseconds = (seconds * 1_000_000).rounded()
    guard let time = Int64(exactly: microseconds), range.contains(time) else { return nil }
    return time
  }

  static func text(_ time: Int64) -> String? {
    guard range.contains(time) else { return nil }
    var (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
    let moment = CalendarTime(secondsSince1970: Int(seconds))
    let fraction = rest % 1000 == 0 ? padded(Int(rest / 1000), 3) : padded(Int(rest), 6)
    return "\(moment.dateText)T\(moment.clockText).\(fraction)Z"
  }
}

/// A value of a sample, and the part of its duration to which it belongs.
struct SampleValue: Equatable {
  var value: TelemetryValue
  /// The number of the part, from 0.
  var part = 0
  /// The number of parts of equal duration; at least 1.
  var parts = 1
}

extension ArraySlice<UInt8> {
  /// The unsigned big-endian number of at most seven bytes.
  var bigEndianNumber: Int { reduce(0) { $0 << 8 | Int($1) } }

  /// The integer `distance` bytes after the start; `nil` if the bytes end before its end.
  func integer<T: FixedWidthInteger & BitwiseCopyable>(_ distance: Int, as _: T.Type = T.self) -> T? {
    raw.bigEndian(at: distance)
  }

  /// A rational number of two unsigned numbers, as in Exif; `nil` without a denominator.
  func rational(_ distance: Int = 0) -> Double? {
    guard let numerator: UInt32 = integer(distance), let denominator: UInt32 = integer(distance + 4), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// Degrees, minutes and seconds as rational numbers; minutes and seconds can be missing.
  var degrees: Double? {
    guard let degrees = rational() else { return nil }
    return (degrees * 3600 + (rational(8) ?? 0) * 60 + (rational(16) ?? 0)) / 3600
  }

  /// Latin-1 text up to the first zero, without spaces at its ends.
  var latinText: String {
    let text = prefix { $0 != 0 }.drop { $0 == 0x20 }
    let end = text.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? text.startIndex
    return String(String.UnicodeScalarView(text[..<end].map { Unicode.Scalar($0) }))
  }
}
