/// The value of a decimal-integer: only digits, at most `Int.max`.
func decimalInteger(_ text: some StringProtocol) -> Int? {
  var value = 0
  guard !text.isEmpty else { return nil }
  for byte in text.utf8 {
    guard byte >= 0x30, byte <= 0x39 else { return nil }
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(Int(byte - 0x30))
    guard !overflow, !carry else { return nil }
    value = sum
  }
  return value
}

/// The text before the first `separator`, and the text after it, if any.
func halves(_ text: some StringProtocol, at separator: Unicode.Scalar) -> (Substring, Substring?) {
  let text = Substring(text)
  guard let mark = text.utf8.firstIndex(of: UInt8(ascii: separator)) else { return (text, nil) }
  return (text[..<mark], text[text.utf8.index(after: mark)...])
}

/// The sum, clamped to `Int.max`.
func saturatingSum(_ a: Int, _ b: Int) -> Int {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? .max : sum
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
  init?(decimal text: some StringProtocol, signed: Bool = false) {
    var digits = text.utf8[...]
    let negative = signed && digits.first == UInt8(ascii: "-")
    if negative { digits = digits.dropFirst() }
    var seconds: Int64 = 0
    var fraction: Int64 = 0
    var scale: Int64 = 1_000_000_000_000_000_000
    var isFraction = false
    var count = 0
    for byte in digits {
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
    self = negative ? .zero - value : value
  }

  /// Seconds with as many decimals as needed, and at least `decimals`.
  func decimalText(decimals: Int) -> String {
    let (seconds, attoseconds) = components
    let isNegative = seconds < 0 || attoseconds < 0
    var fraction = Array(String(attoseconds.magnitude).utf8)
    fraction = Array(repeating: 0x30, count: 18 - fraction.count) + fraction
    while fraction.count > decimals, fraction.last == 0x30 { fraction.removeLast() }
    let point = fraction.isEmpty ? "" : "."
    return (isNegative ? "-" : "") + String(seconds.magnitude) + point + String(decoding: fraction, as: UTF8.self)
  }
}

extension Double {
  /// Parses a decimal-floating-point, rounded to thousandths.
  init?(decimal text: some StringProtocol) {
    guard let duration = Duration(decimal: text) else { return nil }
    let (seconds, attoseconds) = duration.components
    self = Double(seconds * 1000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000) / 1000
  }

  /// The number rounded to three decimals, for frame rates; 0 if it is out of range.
  package var withThreeDecimals: String {
    let value = Int64(exactly: (self * 1000).rounded()) ?? 0
    let digits = String(value.magnitude % 1000)
    let padding = String(repeating: "0", count: 3 - digits.count)
    return "\(value < 0 ? "-" : "")\(value.magnitude / 1000).\(padding)\(digits)"
  }
}
