import MP4Bytes

/// A value read from JSON.
package indirect enum JSONNode: Sendable, Equatable {
  case object([Member])
  case array([JSONNode])
  case string(String)
  /// A number as it was written.
  case number(String)
  case bool(Bool)
  case null

  /// A member of an object.
  package struct Member: Sendable, Equatable {
    package let name: String
    package let value: JSONNode
  }

  /// Reads one value; `nil` if the text is not JSON, or nests more than 64 levels.
  package init?(_ text: some Collection<UInt8>) {
    var reader = JSONReader(Array(text))
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// The member with this name of an object.
  package subscript(name: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}

extension Record {
  /// Its JSON as a value.
  package var json: JSONNode {
    let text = MemorySink()
    // Memory does not fail.
    try? write(to: text)
    return JSONNode(text.bytes) ?? .null
  }
}

private struct JSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private static let depthLimit = 64

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { index += 1 }
  }

  /// Whether only blanks follow.
  var isAtEnd: Bool { bytes[index...].allSatisfy { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

  /// Skips blanks and this character; whether it was there.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    let word = Array(word.description.utf8)
    guard bytes[index...].starts(with: word) else { return false }
    index += word.count
    return true
  }

  mutating func value(depth: Int) -> JSONNode? {
    guard depth < Self.depthLimit else { return nil }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSONNode.string)
    case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSONNode? {
    index += 1
    var members: [JSONNode.Member] = []
    if take("}") { return .object(members) }
    repeat {
      skipBlanks()
      guard let name = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
      members.append(JSONNode.Member(name: name, value: value))
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSONNode? {
    index += 1
    var values: [JSONNode] = []
    if take("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while take(",")
    return take("]") ? .array(values) : nil
  }

  private mutating func number() -> JSONNode? {
    let start = index
    while let byte = next, byte >= 0x30 && byte <= 0x39 || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte) { index += 1 }
    guard index > start else { return nil }
    return .number(String(decoding: bytes[start..<index], as: UTF8.self))
  }

  private mutating func string() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    index += 1
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return nil }
        text += escaped
      default: text.append(byte)
      }
    }
    return nil
  }

  /// The UTF-8 of an escape sequence after its backslash.
  private mutating func escape() -> [UInt8]? {
    guard let byte = next else { return nil }
    index += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "u"):
      guard var scalar = hexadecimal() else { return nil }
      // A character beyond the first plane is a pair of surrogates.
      if scalar & 0xfc00 == 0xd800, take(word: "\\u"), let low = hexadecimal(), low & 0xfc00 == 0xdc00 {
        scalar = 0x10000 + (scalar & 0x3ff) << 10 + low & 0x3ff
      }
      return Array(String(Unicode.Scalar(scalar) ?? "\u{fffd}").utf8)
    default: return [byte]
    }
  }

  private mutating func hexadecimal() -> UInt32? {
    guard bytes.count - index >= 4 else { return nil }
    defer { index += 4 }
    return UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
  }
}
