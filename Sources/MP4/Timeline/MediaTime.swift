/// A time as a whole number of units, of which `timescale` make a second.
public struct MediaTime: Sendable {
  /// The number of units.
  public var value: Int64
  /// How many units make a second; never 0.
  public var timescale: UInt32

  /// `value` units of a second divided by `timescale`; a timescale of 0 counts as 1.
  public init(_ value: Int64, _ timescale: UInt32) {
    self.value = value
    self.timescale = max(timescale, 1)
  }
  /// The same time in another timescale, rounded to the nearest unit, and whether it is exact.
  public func converted(to other: UInt32) -> (value: Int64, isExact: Bool) {
    let product = value.magnitude.multipliedFullWidth(by: UInt64(other))
    guard product.high < UInt64(timescale) else { return (value < 0 ? .min : .max, false) }
    let (quotient, rest) = UInt64(timescale).dividingFullWidth(product)
    let rounded = Int64(clamping: quotient &+ (rest &* 2 >= UInt64(timescale) ? 1 : 0))
    return (value < 0 ? -rounded : rounded, rest == 0 && quotient <= UInt64(Int64.max))
  }
}

extension MediaTime: Comparable {
  /// Whether both are the same time, whatever the timescales are.
  public static func == (a: MediaTime, b: MediaTime) -> Bool {
    a.value.multipliedFullWidth(by: Int64(b.timescale)) == b.value.multipliedFullWidth(by: Int64(a.timescale))
  }
  /// Compares exactly, whatever the timescales are.
  public static func < (a: MediaTime, b: MediaTime) -> Bool {
    let left = a.value.multipliedFullWidth(by: Int64(b.timescale))
    let right = b.value.multipliedFullWidth(by: Int64(a.timescale))
    return (left.high, left.low) < (right.high, right.low)
  }
}

extension MediaTime: CustomStringConvertible {
  /// Seconds with three decimals, cut off.
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

/// The least common multiple of two timescales, when it is one itself.
func commonTimescale(_ a: UInt32, _ b: UInt32) -> UInt32? {
  guard a > 0, b > 0 else { return nil }
  return UInt32(exactly: UInt64(a) / greatestCommonDivisor(UInt64(a), UInt64(b)) * UInt64(b))
}
