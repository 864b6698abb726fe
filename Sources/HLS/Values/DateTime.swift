import MP4Bytes

/// An exact date and time (ISO 8601), with the time zone in which it is written.
public struct DateTime: Hashable, Sendable {
  /// The time since the start of 1970, in UTC.
  public var sinceEpoch: Duration
  /// The time zone in minutes east of UTC, or `nil` if none is written, which means UTC.
  public var zone: Int?

  /// The time `sinceEpoch` after the start of 1970, written in a zone with this offset in minutes east of UTC.
  public init(sinceEpoch: Duration, zone: Int? = 0) {
    self.sinceEpoch = sinceEpoch
    self.zone = zone
  }

  /// Parses `2024-05-01T09:30:00.250Z`, `…+02:00`, `…+0200` or a time without a zone; `nil` for anything else.
  public init?(_ text: String) {
    var rest = text.utf8[...]
    func take(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      rest = rest.dropFirst(count)
      return digits.count == count ? Int(decimal: digits) : nil
    }
    func skip(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = take(4), skip(0x2D), let month = take(2), skip(0x2D), let day = take(2),
      (1...12).contains(month), (1...31).contains(day), skip(0x54) || skip(0x74) || skip(0x20),
      let hour = take(2), hour <= 24, skip(0x3A), let minute = take(2), minute < 60
    else { return nil }
    var second = Duration.zero
    if skip(0x3A) {
      let end = rest.firstIndex { !($0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E) } ?? rest.endIndex
      guard let value = Duration(decimal: rest[..<end]), value < .seconds(61) else { return nil }
      second = value
      rest = rest[end...]
    }
    if rest.isEmpty {
      zone = nil
    } else if skip(0x5A) || skip(0x7A) {
      zone = 0
    } else {
      let isWest = rest.first == 0x2D
      guard skip(0x2D) || skip(0x2B), let hours = take(2), hours < 24 else { return nil }
      _ = skip(0x3A)
      guard let minutes = rest.isEmpty ? 0 : take(2), minutes < 60 else { return nil }
      zone = (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
    guard rest.isEmpty else { return nil }
    let date = CalendarDate(year: year, month: month, day: day)
    let days = date.daysSince1970
    // Such as 30 February.
    guard CalendarDate(daysSince1970: days) == date else { return nil }
    let minutes = days * 1440 + hour * 60 + minute - (zone ?? 0)
    sinceEpoch = .seconds(minutes * 60) + second
  }

  /// A later time.
  public static func + (date: DateTime, time: Duration) -> DateTime {
    DateTime(sinceEpoch: date.sinceEpoch + time, zone: date.zone)
  }
  /// An earlier time.
  public static func - (date: DateTime, time: Duration) -> DateTime {
    DateTime(sinceEpoch: date.sinceEpoch - time, zone: date.zone)
  }
}

extension DateTime: Comparable {
  /// Whether both are the same moment, regardless of time zones.
  public static func == (a: DateTime, b: DateTime) -> Bool { a.sinceEpoch == b.sinceEpoch }
  /// Whether the first moment is earlier.
  public static func < (a: DateTime, b: DateTime) -> Bool { a.sinceEpoch < b.sinceEpoch }
  /// Hashes the moment.
  public func hash(into hasher: inout Hasher) { hasher.combine(sinceEpoch) }
}

extension DateTime: CustomStringConvertible {
  /// Such as `2024-05-01T09:30:00.250Z`: in the original time zone, with at least milliseconds.
  public var description: String {
    let local = sinceEpoch + .seconds((zone ?? 0) * 60)
    var (seconds, attoseconds) = local.components
    if attoseconds < 0 { (seconds, attoseconds) = (seconds - 1, attoseconds + 1_000_000_000_000_000_000) }
    let time = CalendarTime(secondsSince1970: Int(seconds))
    let fraction = Duration(secondsComponent: 0, attosecondsComponent: attoseconds).decimalText(decimals: 3).dropFirst()
    return "\(time.dateText)T\(time.clockText)\(fraction)\(zoneText)"
  }
  private var zoneText: String {
    guard let zone else { return "" }
    guard zone != 0 else { return "Z" }
    return "\(zone < 0 ? "-" : "+")\(padded(abs(zone) / 60, 2)):\(padded(abs(zone) % 60, 2))"
  }
}
