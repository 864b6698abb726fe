package import MP4Bytes

/// The type of JSON values.
package indirect enum RecordSchema: Sendable {
  /// One of JSON Schema's types.
  case type(StaticText)
  /// An array of such values.
  case array(RecordSchema)
  /// One of these.
  case oneOf([RecordSchema])
  /// An object with these members and no others.
  case object(String, [Member])

  /// A member of an object.
  package struct Member: Sendable {
    let name: StaticText
    let meaning: String
    let schema: RecordSchema
    let isRequired: Bool

    package init(name: StaticText, meaning: String, _ schema: RecordSchema, isRequired: Bool) {
      (self.name, self.meaning, self.schema, self.isRequired) = (name, meaning, schema, isRequired)
    }
  }

  /// The type of a value that is not null.
  package var value: RecordSchema {
    if case .oneOf(let schemas) = self, let first = schemas.first { return first.value }
    return self
  }
  /// The type of a member of an object; `nil` if there is no such member.
  package func member(_ name: String) -> RecordSchema? {
    guard case .object(_, let members) = value else { return nil }
    return members.first { $0.name.description == name }?.schema
  }
  /// The names of the members of an object.
  package var memberNames: [String] {
    guard case .object(_, let members) = value else { return [] }
    return members.map(\.name.description)
  }

  /// The paths of all members in an output, such as `tracks[].id`, and their meanings.
  package var paths: [(path: String, meaning: String)] {
    switch self {
    case .type: []
    case .array(let element): element.paths.map { ("[]" + ($0.path.hasPrefix("[]") ? "" : ".") + $0.path, $0.meaning) }
    case .oneOf(let schemas): schemas.flatMap(\.paths)
    case .object(_, let members):
      members.flatMap { member in
        [("\(member.name)", member.meaning)]
          + member.schema.paths.map { path, meaning in
            ("\(member.name)" + (path.hasPrefix("[]") ? "" : ".") + path, meaning)
          }
      }
    }
  }

  /// Writes the JSON Schema (2020-12) of an output of such values.
  package func write(to sink: any ByteSink) throws(IOError) {
    var json = JSONWriter(sink)
    json.beginObject()
    json.key("$schema")
    json.value("https://json-schema.org/draft/2020-12/schema")
    writeMembers(&json, nil)
    json.endObject()
    json.finish()
    if let failure = json.failure { throw failure }
  }

  private func write(_ json: inout JSONWriter, _ meaning: String? = nil) {
    json.beginObject()
    writeMembers(&json, meaning)
    json.endObject()
  }

  private func writeMembers(_ json: inout JSONWriter, _ meaning: String?) {
    switch self {
    case .type(let name):
      json.key("type")
      json.value(name.description)
      json.describe(meaning)
    case .oneOf(let schemas):
      json.describe(meaning)
      json.key("oneOf")
      json.beginArray()
      for schema in schemas {
        json.element(onNewLine: true)
        schema.write(&json)
      }
      json.endArray()
    case .array(let element):
      json.key("type")
      json.value("array")
      json.describe(meaning)
      json.key("items")
      element.write(&json)
    case .object(let summary, let members):
      json.key("type")
      json.value("object")
      json.describe(meaning ?? summary)
      json.key("properties", onNewLine: true)
      json.beginObject()
      for member in members {
        json.key(member.name, onNewLine: true)
        member.schema.write(&json, member.meaning)
      }
      json.endObject()
      json.key("required", onNewLine: true)
      members.filter(\.isRequired).map(\.name.description).write(to: &json)
      json.key("additionalProperties")
      json.value(false)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func describe(_ meaning: String?) {
    guard let meaning else { return }
    key("description")
    value(meaning)
  }
}
