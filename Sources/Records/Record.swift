package import MP4Bytes

/// A result with named members. JSON, CSV, the JSON Schema and the man pages are all generated from one declaration of
/// the members, so that they agree.
package protocol Record: RecordValue, Sendable {
  /// A description of one record, as a phrase.
  static var summary: String { get }
  /// Its members, in order.
  static var members: [RecordMember<Self>] { get }
}

/// A member of a record.
package struct RecordMember<Owner>: Sendable {
  /// Its name in JSON and in the first line of CSV.
  package let name: StaticText
  /// Its meaning, as a phrase.
  package let meaning: String
  /// The type of its values in the JSON Schema.
  let schema: RecordSchema
  /// Whether every record has it.
  let isRequired: Bool
  let write: @Sendable (Owner, inout JSONWriter) -> Void
  /// Writes it as a CSV cell; `nil` if it is not a single value.
  let writeCell: (@Sendable (Owner, inout TextBuffer) -> Void)?

  /// A member whose value `value` returns. It and the objects of its list can begin on a new line.
  package init<Value: RecordValue>(
    _ name: StaticText, _ meaning: String, onNewLine: Bool = false, _ value: @escaping @Sendable (Owner) -> Value
  ) {
    (self.name, self.meaning) = (name, meaning)
    (schema, isRequired) = (Value.schema, !Value.isOptional)
    write = { owner, json in
      let value = value(owner)
      guard !value.isMissing else { return }
      json.key(name, onNewLine: onNewLine)
      if onNewLine { value.writeLines(to: &json) } else { value.write(to: &json) }
    }
    if Value.isSingle {
      writeCell = { owner, text in value(owner).writeCell(to: &text) }
    } else {
      writeCell = nil
    }
  }
}

extension RecordMember {
  /// The same member of a type that contains an `Owner`.
  package func of<Whole>(_ owner: @escaping @Sendable (Whole) -> Owner) -> RecordMember<Whole> {
    let (write, writeCell) = (write, writeCell)
    var cell: (@Sendable (Whole, inout TextBuffer) -> Void)?
    if let writeCell { cell = { whole, text in writeCell(owner(whole), &text) } }
    return RecordMember<Whole>(
      name, meaning, schema, isRequired: isRequired, { whole, json in write(owner(whole), &json) }, cell)
  }

  /// The same member of a type that can contain an `Owner`.
  package func ofOptional<Whole>(_ owner: @escaping @Sendable (Whole) -> Owner?) -> RecordMember<Whole> {
    let (write, writeCell) = (write, writeCell)
    var cell: (@Sendable (Whole, inout TextBuffer) -> Void)?
    if let writeCell { cell = { whole, text in if let owner = owner(whole) { writeCell(owner, &text) } } }
    return RecordMember<Whole>(
      name, meaning, schema, isRequired: false, { whole, json in if let owner = owner(whole) { write(owner, &json) } },
      cell)
  }

  private init(
    _ name: StaticText, _ meaning: String, _ schema: RecordSchema, isRequired: Bool,
    _ write: @escaping @Sendable (Owner, inout JSONWriter) -> Void,
    _ writeCell: (@Sendable (Owner, inout TextBuffer) -> Void)?
  ) {
    (self.name, self.meaning, self.schema, self.isRequired) = (name, meaning, schema, isRequired)
    (self.write, self.writeCell) = (write, writeCell)
  }
}

extension Record {
  package static var schema: RecordSchema {
    .object(
      summary,
      members.map { RecordSchema.Member(name: $0.name, meaning: $0.meaning, $0.schema, isRequired: $0.isRequired) })
  }
  package static var isSingle: Bool { false }

  package func write(to json: inout JSONWriter) {
    json.beginObject()
    for member in Self.members { member.write(self, &json) }
    json.endObject()
  }
  package func writeCell(to text: inout TextBuffer) {}
}

extension Record {
  /// Writes it as the only object of an output.
  package func write(to sink: any ByteSink) throws(IOError) {
    var json = JSONWriter(sink)
    write(to: &json)
    json.finish()
    if let failure = json.failure { throw failure }
  }

  /// The names and meanings of its members, for man pages.
  package static var documentation: [(name: String, meaning: String)] {
    members.map { ($0.name.description, $0.meaning) }
  }
}
