package import Bytes
package import MP4

/// A value of a record member.
package protocol RecordValue: SendableMetatype {
  /// Its type in a JSON Schema.
  static var schema: RecordSchema { get }
  /// Whether it can be missing.
  static var isOptional: Bool { get }
  /// Whether it is a single value, which has a column in CSV.
  static var isSingle: Bool { get }
  /// Whether there is no value.
  var isMissing: Bool { get }
  /// Writes it as JSON.
  func write(to json: inout JSONWriter)
  /// Writes it as a cell of CSV.
  func writeCell(to text: inout TextBuffer)
}

extension RecordValue {
  package static var isOptional: Bool { false }
  package static var isSingle: Bool { true }
  package var isMissing: Bool { false }
}

extension Int: RecordValue {
  package static var schema: RecordSchema { .type("integer") }
  package func write(to json: inout JSONWriter) { json.value(self) }
  package func writeCell(to text: inout TextBuffer) { text.signed(Int64(self)) }
}

extension Bool: RecordValue {
  package static var schema: RecordSchema { .type("boolean") }
  package func write(to json: inout JSONWriter) { json.value(self) }
  package func writeCell(to text: inout TextBuffer) { text.byte(self ? 0x31 : 0x30) }
}

extension String: RecordValue {
  package static var schema: RecordSchema { .type("string") }
  package func write(to json: inout JSONWriter) { json.value(self) }
  package func writeCell(to text: inout TextBuffer) { text.cell(self) }
}

extension FourCC: RecordValue {
  package static var schema: RecordSchema { .type("string") }
  package func write(to json: inout JSONWriter) { json.code(self) }
  package func writeCell(to text: inout TextBuffer) { description.writeCell(to: &text) }
}

/// Seconds with six decimals, rounded.
extension MediaTime: RecordValue {
  package static var schema: RecordSchema { .type("number") }
  package func write(to json: inout JSONWriter) { writeCell(to: &json.out) }
  package func writeCell(to text: inout TextBuffer) {
    if value < 0 { text.byte(0x2d) }
    text.seconds(value.magnitude, timescale: timescale)
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

extension Optional: RecordValue where Wrapped: RecordValue {
  package static var schema: RecordSchema { Wrapped.schema }
  package static var isOptional: Bool { true }
  package static var isSingle: Bool { Wrapped.isSingle }
  package var isMissing: Bool { self == nil }
  package func write(to json: inout JSONWriter) { self?.write(to: &json) }
  package func writeCell(to text: inout TextBuffer) { self?.writeCell(to: &text) }
}

extension Array: RecordValue where Element: RecordValue {
  package static var schema: RecordSchema { .array(Element.schema) }
  package static var isSingle: Bool { false }
  package func write(to json: inout JSONWriter) {
    json.beginArray()
    for element in self {
      json.element()
      element.write(to: &json)
    }
    json.endArray()
  }
  package func writeCell(to text: inout TextBuffer) {}
}
