/// Why a document is not well-formed XML, or has what is not supported, and where.
package struct XMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  package let reason: String
  /// The line, starting at 1.
  package let line: Int
  /// The column in bytes, starting at 1.
  package let column: Int

  package init(_ reason: String, line: Int, column: Int) {
    (self.reason, self.line, self.column) = (reason, line, column)
  }

  /// Such as `line 3, column 7: this entity is not supported`.
  package var description: String { "line \(line), column \(column): \(reason)" }
}

/// Reads the tags and the text of an XML document in UTF-8, one by one.
///
/// A document type is an error: it can define entities that grow without limit. Names of tags have no prefixes.
package struct XMLReader {
  /// A part of the document.
  package enum Token {
    /// A start tag; without contents, it is also the end tag.
    case start(XMLElement, isEmpty: Bool)
    /// An end tag.
    case end(String)
    /// Text without references.
    case text(String)
  }
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  /// The start of the latest token.
  private var start: Int
  /// The number of line breaks before a place.
  private var lines = 0
  private var counted: Int

  /// A reader of a document that may begin with a byte order mark.
  package init(_ bytes: ArraySlice<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    self.bytes = bytes
    index = bytes.startIndex + (bytes.starts(with: mark) ? mark.count : 0)
    (start, counted) = (index, index)
  }

  /// The name of the root element of a document that starts with these bytes; `nil` if they do not include its start
  /// tag.
  package static func rootName(_ bytes: [UInt8]) -> String? {
    guard bytes.contains(UInt8(ascii: "<")) else { return nil }
    var reader = XMLReader(bytes[...])
    while let token = try? reader.next() {
      switch token {
      case .text(let text) where text.utf8.allSatisfy { $0 <= 32 }: continue
      case .start(let element, _): return element.name
      default: return nil
      }
    }
    return nil
  }

  /// The next part; `nil` at the end. Comments and instructions are omitted.
  package mutating func next() throws(XMLError) -> Token? {
    while index < bytes.endIndex {
      start = index
      guard bytes[index] == UInt8(ascii: "<") else {
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
        let text = index..<end
        index = end
        return .text(try decoded(text))
      }
      if skip("<?") {
        _ = try contents(to: "?>")
      } else if skip("<!--") {
        _ = try contents(to: "-->")
      } else if skip("<![CDATA[") {
        return .text(String(decoding: bytes[try contents(to: "]]>")], as: UTF8.self))
      } else if skip("<!") {
        throw error("a document type is not supported, because it can define entities", at: start)
      } else {
        return try tag()
      }
    }
    return nil
  }

  /// The line of a place, starting at 1. Places must not go back by more than a token.
  private mutating func line(at place: Int) -> Int {
    if place < counted { return lines + 1 - bytes[place..<counted].count { $0 == 0x0A } }
    lines += bytes[counted..<place].count { $0 == 0x0A }
    counted = place
    return lines + 1
  }

  /// An error at the start of the latest token.
  package mutating func error(_ reason: String) -> XMLError { error(reason, at: start) }

  private mutating func error(_ reason: String, at place: Int) -> XMLError {
    let line = line(at: place)
    let lineStart = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.startIndex
    return XMLError(reason, line: line, column: place - lineStart + 1)
  }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  /// The range up to `end`, which is also skipped.
  private mutating func contents(to end: String) throws(XMLError) -> Range<Int> {
    let from = index
    while index < bytes.endIndex {
      let place = index
      if skip(end) { return from..<place }
      index += 1
    }
    throw error("'\(end)' is missing", at: start)
  }

  private mutating func tag() throws(XMLError) -> Token {
    index += 1
    let isEnd = index < bytes.endIndex && bytes[index] == UInt8(ascii: "/")
    if isEnd { index += 1 }
    let name = takeName()
    guard !name.isEmpty else { throw error("a name is missing after '<'; text must have '&lt;' instead", at: start) }
    var element = XMLElement(name: XMLElement.localName(name), line: line(at: start))
    while true {
      skipSpace()
      guard index < bytes.endIndex else { throw error("the tag '\(name)' has no end", at: start) }
      if skip(">") { return isEnd ? .end(element.name) : .start(element, isEmpty: false) }
      if !isEnd, skip("/>") { return .start(element, isEmpty: true) }
      let place = index
      let attribute = takeName()
      skipSpace()
      guard !isEnd, !attribute.isEmpty, skip("=") else {
        throw error("the tag '\(name)' has something that is not an attribute", at: place)
      }
      skipSpace()
      guard index < bytes.endIndex, case let quote = bytes[index], quote == 0x22 || quote == 0x27,
        let end = bytes[(index + 1)...].firstIndex(of: quote)
      else { throw error("the value of '\(attribute)' is not in quotation marks", at: place) }
      let value = index + 1..<end
      index = end + 1
      if element.attributes.contains(where: { $0.name == attribute }) {
        throw error("the attribute '\(attribute)' is there twice", at: place)
      }
      guard element.attributes.count < 100 else { throw error("the tag '\(name)' has over 100 attributes", at: start) }
      element.attributes.append((attribute, try decoded(value)))
    }
  }

  private mutating func skipSpace() {
    while index < bytes.endIndex, [9, 10, 13, 32].contains(bytes[index]) { index += 1 }
  }

  private mutating func takeName() -> String {
    let name = bytes[index...].prefix { $0 > 32 && !"=/><\"'".utf8.contains($0) }
    index = name.endIndex
    return String(decoding: name, as: UTF8.self)
  }

  /// Text with the five predefined entities and references to characters replaced.
  private mutating func decoded(_ range: Range<Int>) throws(XMLError) -> String {
    guard bytes[range].contains(UInt8(ascii: "&")) else { return String(decoding: bytes[range], as: UTF8.self) }
    var (result, rest): ([UInt8], Range<Int>) = ([], range)
    while let mark = bytes[rest].firstIndex(of: UInt8(ascii: "&")) {
      result += bytes[rest.lowerBound..<mark]
      guard let end = bytes[mark..<min(mark + 12, range.upperBound)].firstIndex(of: UInt8(ascii: ";")),
        let character = Self.character(bytes[mark + 1..<end])
      else { throw error("this entity is not supported; a plain '&' is written '&amp;'", at: mark) }
      result += Array(String(character).utf8)
      rest = end + 1..<range.upperBound
    }
    return String(decoding: result + bytes[rest], as: UTF8.self)
  }

  private static func character(_ name: ArraySlice<UInt8>) -> Character? {
    switch String(decoding: name, as: UTF8.self) {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    case let text:
      guard text.hasPrefix("#") else { return nil }
      let number = text.hasPrefix("#x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text.dropFirst())
      guard let number, number > 0, let scalar = Unicode.Scalar(number) else { return nil }
      return Character(scalar)
    }
  }
}
