package import MP4Bytes

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
  /// Writes it as JSON, with each object of a list on a line of its own.
  func writeLines(to json: inout JSONWriter)
  /// Writes it as a cell of CSV.
  func writeCell(to text: inout TextBuffer)
}

extension RecordValue {
  package static var isOptional: Bool { false }
  package static var isSingle: Bool { true }
  package var isMissing: Bool { false }
  package func writeLines(to json: inout JSONWriter) { write(to: &json) }
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

extension Int64: RecordValue {
  package static var schema: RecordSchema { .type("integer") }
  package func write(to json: inout JSONWriter) { json.value(self) }
  package func writeCell(to text: inout TextBuffer) { text.signed(self) }
}

extension UInt64: RecordValue {
  package static var schema: RecordSchema { .type("integer") }
  package func write(to json: inout JSONWriter) { json.value(self) }
  package func writeCell(to text: inout TextBuffer) { text.unsigned(self) }
}

extension Double: RecordValue {
  package static var schema: RecordSchema { .type("number") }
  package var isMissing: Bool { !isFinite }
  package func write(to json: inout JSONWriter) { if isFinite { json.out.text(shortText) } else { json.null() } }
  package func writeCell(to text: inout TextBuffer) { if isFinite { text.text(shortText) } }

  /// The shortest digits that mean the same number, without a point if it is whole.
  package var shortText: String { description.hasSuffix(".0") ? String(description.dropLast(2)) : description }
}

/// A value that is null in JSON if there is none.
package struct OrNull<Value: RecordValue>: RecordValue {
  private let value: Value?
  package init(_ value: Value?) { self.value = value }
  package static var schema: RecordSchema { .oneOf([Value.schema, .type("null")]) }
  package static var isSingle: Bool { Value.isSingle }
  package func write(to json: inout JSONWriter) { if let value { value.write(to: &json) } else { json.null() } }
  package func writeCell(to text: inout TextBuffer) { value?.writeCell(to: &text) }
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
  package func write(to json: inout JSONWriter) { write(to: &json, onLines: false) }
  package func writeLines(to json: inout JSONWriter) { write(to: &json, onLines: !Element.isSingle) }
  private func write(to json: inout JSONWriter, onLines: Bool) {
    json.beginArray()
    for element in self {
      json.element(onNewLine: onLines)
      element.write(to: &json)
    }
    json.endArray()
  }
  package func writeCell(to text: inout TextBuffer) {}
}
