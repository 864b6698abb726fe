package import MP4
package import MP4Bytes
package import MP4Records

/// Numbers with units as text.
package enum Quantity {
  /// Three digits and a unit prefix, such as `1.57 MB` or `98 kb/s`. Prefixes are powers of 1000.
  package static func text(_ value: Int, _ unit: String) -> String {
    var (scale, prefix) = (UInt64(1), 0)
    let value = UInt64(max(0, value))
    // A value that rounds to 1000 gets the next prefix.
    while value >= 1000 * scale - scale / 2, prefix < 5 { (scale, prefix) = (scale * 1000, prefix + 1) }
    let name = ["", "k", "M", "G", "T", "P"][prefix] + unit
    guard prefix > 0 else { return "\(value) \(name)" }
    if value >= 100 * scale - scale / 20 { return "\((value + scale / 2) / scale) \(name)" }
    let digits = value >= 10 * scale - scale / 200 ? 1 : 2
    let unit = scale / (digits == 1 ? 10 : 100)
    return decimal((value + unit / 2) / unit, digits) + " " + name
  }

  /// A count with a comma after each three digits, such as `31,000`.
  package static func grouped(_ value: Int) -> String {
    let digits = Array(String(max(0, value)))
    return digits.enumerated().reduce(into: "") { text, digit in
      if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text += "," }
      text.append(digit.element)
    }
  }

  /// A number in units of 10 to the power of minus `digits`, without trailing zeros.
  package static func decimal(_ value: UInt64, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(UInt64(1)) { scale, _ in scale * 10 }
    var fraction = String(value % scale)
    fraction = String(repeating: "0", count: max(0, digits - fraction.utf8.count)) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return "\(value / scale)" + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// The bit rate of bytes in a time; `nil` without a time.
  package static func bitsPerSecond(_ byteCount: Int, in time: MediaTime) -> Int? {
    guard time.value > 0 else { return nil }
    let product = UInt64(max(0, byteCount)).multipliedFullWidth(by: UInt64(time.timescale) * 8)
    guard product.high < UInt64(time.value) else { return nil }
    return Int(clamping: UInt64(time.value).dividingFullWidth(product).quotient)
  }
}

extension FrameRate {
  /// Frames per second with at most three decimals.
  package var text: String {
    let product = UInt64(max(0, numerator)).multipliedReportingOverflow(by: 1000)
    guard !product.overflow else { return "\(numerator)/\(denominator)" }
    return Quantity.decimal((product.partialValue + UInt64(denominator) / 2) / UInt64(denominator), 3)
  }
}

/// A decimal number.
package struct Decimal: RecordValue {
  private let value: UInt64
  private let digits: Int
  /// A number in units of 10 to the power of minus `digits`; a negative one becomes 0.
  package init(_ value: Int, _ digits: Int) { (self.value, self.digits) = (UInt64(max(0, value)), digits) }
  /// The number without trailing zeros.
  package var text: String { Quantity.decimal(value, digits) }
  package static var schema: RecordSchema { .type("number") }
  package func write(to json: inout JSONWriter) { writeCell(to: &json.out) }
  package func writeCell(to text: inout TextBuffer) { text.text(self.text) }
}
