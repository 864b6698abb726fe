/// A JSON value, read strictly: anything that is not standard JSON is an error, and so is a duplicate key.
public indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The member of an object.
  public subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
  /// The element of an array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
  /// The elements of an array; empty for any other value.
  public var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  /// The keys of an object, sorted; empty for any other value.
  public var keys: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }
  /// The text of a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The digits of a number as written.
  public var number: String? { if case .number(let text) = self { text } else { nil } }

  /// Reads one value, which must not be followed by anything.
  public init(_ text: [UInt8]) throws {
    var reader = JSONReader(text: text)
    self = try reader.value(depth: 0)
    try reader.end()
  }
}

struct JSONError: Error { var what: String, offset: Int }

private struct JSONReader {
  let text: [UInt8]
  var at = 0

  private func fail(_ what: String) -> JSONError { JSONError(what: what, offset: at) }
  private mutating func skipSpace() { while at < text.count, [0x20, 0x0a, 0x0d, 0x09].contains(text[at]) { at += 1 } }
  private var next: UInt8? { at < text.count ? text[at] : nil }
  private mutating func take(_ character: Character) -> Bool {
    skipSpace()
    guard next == character.asciiValue else { return false }
    at += 1
    return true
  }
  mutating func end() throws {
    skipSpace()
    if at != text.count { throw fail("more than one value") }
  }

  mutating func value(depth: Int) throws -> JSONValue {
    // jq 1.6 accepts 256 levels, and counts two for an object with a key.
    guard depth < 170 else { throw fail("too deep") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth))
    case UInt8(ascii: "["): return .array(try array(depth))
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }
  private mutating func array(_ depth: Int) throws -> [JSONValue] {
    at += 1
    if take("]") { return [] }
    var elements = [try value(depth: depth + 1)]
    while take(",") { elements.append(try value(depth: depth + 1)) }
    guard take("]") else { throw fail("no end of an array") }
    return elements
  }
  private mutating func object(_ depth: Int) throws -> [String: JSONValue] {
    at += 1
    var members: [String: JSONValue] = [:]
    if take("}") { return members }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fail("no key") }
      let key = try string()
      guard take(":") else { throw fail("no colon") }
      guard members.updateValue(try value(depth: depth + 1), forKey: key) == nil else { throw fail("\(key) twice") }
    } while take(",")
    guard take("}") else { throw fail("no end of an object") }
    return members
  }
  private mutating func string() throws -> String {
    at += 1
    var bytes: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fail("a control character") }
      at += 1
      if byte == UInt8(ascii: "\\") { bytes += try escaped() } else { bytes.append(byte) }
    }
    at += 1
    let string = String(decoding: bytes, as: UTF8.self)
    guard Array(string.utf8) == bytes, at <= text.count else { throw fail("not UTF-8, or no end") }
    return string
  }
  private mutating func escaped() throws -> [UInt8] {
    guard let letter = next else { throw fail("no end") }
    at += 1
    if letter == UInt8(ascii: "\"") || letter == UInt8(ascii: "\\") { return [letter] }
    guard letter == UInt8(ascii: "u"), at + 4 <= text.count,
      let code = UInt32(String(decoding: text[at..<at + 4], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(code)
    else { throw fail("an escape that we never write") }
    at += 4
    return Array(String(scalar).utf8)
  }
  private mutating func word() throws -> JSONValue {
    let start = at
    while let byte = next, ![0x2c, 0x5d, 0x7d, 0x0a, 0x20].contains(byte) { at += 1 }
    let word = String(decoding: text[start..<at], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true", "false": return .bool(word == "true")
    default:
      guard Double(word) != nil, word.allSatisfy({ "-+.0123456789e".contains($0) }) else { throw fail(word) }
      let digits = word.drop { $0 == "-" }
      guard !digits.hasPrefix("0") || digits == "0" || digits.hasPrefix("0.") else { throw fail(word) }
      return .number(word)
    }
  }
}
