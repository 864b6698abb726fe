import MP4Bytes

extension Substring.UTF8View {
  /// The bytes as text.
  var text: String { String(Substring(self)) }
  /// The bytes without spaces and tabs at either end.
  var trimmed: Substring.UTF8View {
    var bytes = drop { $0 == 0x20 || $0 == 0x09 }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
    return bytes
  }
  /// The bytes before the first `separator`, and those after it, if any.
  func halves(at separator: Unicode.Scalar) -> (Substring.UTF8View, Substring.UTF8View?) {
    guard let mark = firstIndex(of: UInt8(ascii: separator)) else { return (self, nil) }
    return (self[..<mark], self[index(after: mark)...])
  }
}

/// The sum, clamped to `Int.max`.
package func saturatingSum(_ a: Int, _ b: Int) -> Int {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? .max : sum
}

extension Int {
  /// Parses a decimal-integer: only digits, at most `Int.max`.
  init?(decimal digits: Substring.UTF8View) {
    self = 0
    guard !digits.isEmpty else { return nil }
    for byte in digits {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (product, overflow) = multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - 0x30))
      guard !overflow, !carry else { return nil }
      self = sum
    }
  }
}

extension Duration {
  /// The maximum number of seconds of a duration or offset in a playlist: about 317 years, so that sums cannot
  /// overflow.
  static let mostSeconds: Int64 = 9_999_999_999

  /// The duration of `value` units of 1/`timescale` s, rounded to the nearest microsecond.
  ///
  /// To avoid drift, compute the durations of consecutive segments as differences of such times. A timescale of 0
  /// counts as 1.
  public static func units(_ value: Int64, timescale: UInt32) -> Duration {
    let scale = UInt64(max(timescale, 1))
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: scale)
    let micro = (rest * 1_000_000 + scale / 2) / scale
    let time =
      Duration.seconds(Int64(clamping: min(whole, UInt64(mostSeconds)))) + .microseconds(Int64(clamping: micro))
    return value < 0 ? .zero - time : time
  }

  /// The nearest number of whole seconds; halves are rounded up.
  public var roundedSeconds: Int {
    let (seconds, attoseconds) = components
    return saturatingSum(Int(clamping: seconds), attoseconds >= 500_000_000_000_000_000 ? 1 : 0)
  }

  /// Parses a decimal-floating-point without floating-point arithmetic: digits after the 18th are dropped.
  package init?(decimal text: Substring.UTF8View, signed: Bool = false) {
    let isNegative = signed && text.first == UInt8(ascii: "-")
    var seconds: Int64 = 0
    var fraction: Int64 = 0
    var scale: Int64 = 1_000_000_000_000_000_000
    var isFraction = false
    var count = 0
    for byte in isNegative ? text.dropFirst() : text {
      if byte == UInt8(ascii: "."), !isFraction, count > 0 {
        isFraction = true
        continue
      }
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      count += 1
      if isFraction {
        scale /= 10
        fraction += scale * Int64(byte - 0x30)
      } else {
        seconds = seconds * 10 + Int64(byte - 0x30)
        guard seconds <= Duration.mostSeconds else { return nil }
      }
    }
    guard count > 0 else { return nil }
    let value = Duration(secondsComponent: seconds, attosecondsComponent: fraction)
    self = isNegative ? .zero - value : value
  }

  /// Seconds with as many decimals as needed, and at least `decimals`.
  package func decimalText(decimals: Int) -> String {
    let (seconds, attoseconds) = components
    var (fraction, count) = (Int(attoseconds.magnitude), 18)
    while count > decimals, fraction % 10 == 0 { (fraction, count) = (fraction / 10, count - 1) }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return sign + String(seconds.magnitude) + (count > 0 ? "." + padded(fraction, count) : "")
  }
}

extension Double {
  /// Parses a decimal-floating-point, rounded to thousandths.
  init?(decimal text: Substring.UTF8View) {
    guard let duration = Duration(decimal: text) else { return nil }
    let (seconds, attoseconds) = duration.components
    self = Double(seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000) / 1000
  }

  /// The number rounded to three decimals, for frame rates; 0 if it is out of range.
  package var withThreeDecimals: String {
    let value = Int64(exactly: (self * 1000).rounded()) ?? 0
    return (value < 0 ? "-" : "") + "\(value.magnitude / 1000)." + padded(Int(value.magnitude % 1000), 3)
  }
}
