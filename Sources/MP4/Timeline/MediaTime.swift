/// A time as an integer number of units of 1/`timescale` s.
public struct MediaTime: Sendable {
  /// The number of units.
  public var value: Int64
  /// The number of units per second; never 0.
  public var timescale: UInt32

  /// `value` units of 1/`timescale` s; a timescale of 0 counts as 1.
  public init(_ value: Int64, _ timescale: UInt32) {
    self.value = value
    self.timescale = max(timescale, 1)
  }
  /// A whole number of seconds.
  public init(seconds: Int) { self.init(Int64(seconds), 1) }
  /// A number of seconds, rounded to the nearest unit and clamped to the range; 0 if it is not a number.
  public init(seconds: Double, timescale: UInt32 = 1_000_000) {
    let value = (seconds * Double(max(timescale, 1))).rounded()
    self.init(value.isNaN ? 0 : Int64(exactly: value) ?? (value < 0 ? .min : .max), timescale)
  }

  /// The same time in another timescale, rounded to the nearest unit, and whether it is exact.
  public func converted(to other: UInt32) -> (value: Int64, isExact: Bool) {
    if other == timescale { return (value, true) }
    let product = value.magnitude.multipliedFullWidth(by: UInt64(other))
    guard product.high < UInt64(timescale) else { return (value < 0 ? .min : .max, false) }
    let (quotient, rest) = UInt64(timescale).dividingFullWidth(product)
    let rounded = Int64(clamping: quotient &+ (rest &* 2 >= UInt64(timescale) ? 1 : 0))
    return (value < 0 ? -rounded : rounded, rest == 0 && quotient <= UInt64(Int64.max))
  }
}

extension MediaTime {
  /// The same time in a timescale of at most `limit`, and whether it is exact: in its own timescale, in that of the
  /// reduced fraction, or rounded to the nearest unit of 1/`limit` s.
  package func fitting(_ limit: UInt32) -> (time: MediaTime, isExact: Bool) {
    if timescale <= limit { return (self, true) }
    let divisor = Int64(greatestCommonDivisor(value.magnitude, UInt64(timescale)))
    let reduced = MediaTime(value / divisor, UInt32(Int64(timescale) / divisor))
    if reduced.timescale <= limit { return (reduced, true) }
    let (rounded, isExact) = converted(to: limit)
    return (MediaTime(rounded, limit), isExact)
  }

  /// The time in seconds, as exactly as a `Double` allows.
  public var seconds: Double { Double(value) / Double(timescale) }

  /// The sum, and whether it is exact. The timescale is one that can express both times exactly, if there is one,
  /// otherwise that of the first. A sum that overflows is the largest or smallest time.
  public func adding(_ other: MediaTime) -> (time: MediaTime, isExact: Bool) {
    combined(with: other) { $0.addingReportingOverflow($1) }
  }
  /// The difference, computed like `adding`.
  public func subtracting(_ other: MediaTime) -> (time: MediaTime, isExact: Bool) {
    combined(with: other) { $0.subtractingReportingOverflow($1) }
  }

  private func combined(
    with other: MediaTime, _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
  ) -> (time: MediaTime, isExact: Bool) {
    if let common = commonTimescale(timescale, other.timescale) {
      let (x, y) = (converted(to: common), other.converted(to: common))
      let (result, isTooLarge) = operation(x.value, y.value)
      if x.isExact, y.isExact, !isTooLarge { return (MediaTime(result, common), true) }
    }
    let rounded = other.converted(to: timescale)
    let (result, isTooLarge) = operation(value, rounded.value)
    // A sum can only overflow if both times have the same sign, which the result then has too.
    return (
      MediaTime(isTooLarge ? value < 0 ? .min : .max : result, timescale), rounded.isExact && !isTooLarge
    )
  }

  /// The sum, computed by `adding`.
  public static func + (a: MediaTime, b: MediaTime) -> MediaTime { a.adding(b).time }
  /// The difference, computed by `subtracting`.
  public static func - (a: MediaTime, b: MediaTime) -> MediaTime { a.subtracting(b).time }

  /// A duration in units of `timescale`, rounded to the nearest one and clamped to the range.
  public init(_ duration: Duration, timescale: UInt32) {
    let scale = max(timescale, 1)
    let (seconds, attoseconds) = duration.components
    // Less than a second is less than 2^60 attoseconds, so there are fewer units in it than `scale`.
    let second = UInt64(1_000_000_000_000_000_000)
    let (units, rest) = second.dividingFullWidth(attoseconds.magnitude.multipliedFullWidth(by: UInt64(scale)))
    let rounded = Int64(units) + (rest * 2 >= second ? 1 : 0)
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: Int64(scale))
    let (sum, hasNoRoom) = whole.addingReportingOverflow(attoseconds < 0 ? -rounded : rounded)
    self.init(isTooLarge || hasNoRoom ? seconds < 0 ? .min : .max : sum, scale)
  }
}

extension MediaTime: Hashable {
  /// Equal times in different timescales have the same hash.
  public func hash(into hasher: inout Hasher) {
    let divisor = max(greatestCommonDivisor(value.magnitude, UInt64(timescale)), 1)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(value < 0)
    hasher.combine(UInt64(timescale) / divisor)
  }
}

extension Duration {
  /// The time in attoseconds, rounded to the nearest one.
  public init(_ time: MediaTime) {
    let scale = Int64(time.timescale)
    let (whole, rest) = time.value.quotientAndRemainder(dividingBy: scale)
    // The remainder is below 2^32, and a second has less than 2^60 attoseconds.
    let product = rest.magnitude.multipliedFullWidth(by: 1_000_000_000_000_000_000)
    let (quotient, left) = UInt64(scale).dividingFullWidth(product)
    let attoseconds = Int64(quotient) + (left * 2 >= UInt64(scale) ? 1 : 0)
    self.init(secondsComponent: whole, attosecondsComponent: rest < 0 ? -attoseconds : attoseconds)
  }
}

extension MediaTime: Comparable {
  /// Whether both are the same time, regardless of timescales.
  public static func == (a: MediaTime, b: MediaTime) -> Bool {
    a.value.multipliedFullWidth(by: Int64(b.timescale)) == b.value.multipliedFullWidth(by: Int64(a.timescale))
  }
  /// Compares exactly, regardless of timescales.
  public static func < (a: MediaTime, b: MediaTime) -> Bool {
    let left = a.value.multipliedFullWidth(by: Int64(b.timescale))
    let right = b.value.multipliedFullWidth(by: Int64(a.timescale))
    return (left.high, left.low) < (right.high, right.low)
  }
}

extension MediaTime: CustomStringConvertible {
  /// Seconds with three decimals, truncated.
  public var description: String {
    let scale = UInt64(timescale)
    let thousandths = (value.magnitude % scale) * 1000 / scale
    let digits = String(thousandths)
    let padded = String(repeating: "0", count: 3 - digits.count) + digits
    return "\(value < 0 ? "-" : "")\(value.magnitude / scale).\(padded) s"
  }
}

/// The largest common divisor.
func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// The least common multiple of two timescales, if it is a valid timescale.
func commonTimescale(_ a: UInt32, _ b: UInt32) -> UInt32? {
  guard a > 0, b > 0 else { return nil }
  return UInt32(exactly: UInt64(a) / greatestCommonDivisor(UInt64(a), UInt64(b)) * UInt64(b))
}
