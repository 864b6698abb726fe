/// An element of an XML document, without namespaces: a subset of XML that is sufficient for machine-written messages.
struct XMLElement {
  /// The name without the prefix.
  let name: String
  /// The values by their names without prefixes.
  let attributes: [String: String]
  fileprivate(set) var children: [XMLElement] = []
  /// The text between its children.
  fileprivate(set) var text = ""

  /// The maximum nesting depth.
  private static let depthLimit = 64

  /// Parses a document and returns its root element; `nil` if it is not well-formed, or has a document type.
  static func document(_ bytes: ArraySlice<UInt8>) -> XMLElement? {
    var (scanner, open) = (XMLScanner(bytes), [XMLElement]())
    while let token = scanner.next() {
      switch token {
      case .text(let text): if !open.isEmpty { open[open.count - 1].text += text }
      case .start(let name, let attributes, let isEmpty):
        open.append(XMLElement(name: name, attributes: attributes))
        guard open.count <= depthLimit else { return nil }
        if isEmpty, let root = close(&open) { return root }
      case .end(let name):
        guard open.last?.name == name else { return nil }
        if let root = close(&open) { return root }
      }
    }
    return nil
  }

  /// Closes the innermost element, and returns it if it is the root.
  private static func close(_ open: inout [XMLElement]) -> XMLElement? {
    guard let element = open.popLast() else { return nil }
    if open.isEmpty { return element }
    open[open.count - 1].children.append(element)
    return nil
  }

  /// The first child of a name.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The first element with this name: itself or a descendant.
  func descendant(_ name: String) -> XMLElement? {
    if self.name == name { return self }
    for child in children {
      if let found = child.descendant(name) { return found }
    }
    return nil
  }
}

/// Splits a document into tags and text.
private struct XMLScanner {
  enum Token {
    case text(String)
    case start(name: String, attributes: [String: String], isEmpty: Bool)
    case end(String)
  }
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next token; `nil` at the end, and if it is not valid XML.
  mutating func next() -> Token? {
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest.dropFirst(text.count)
        return .text(Self.decoded(text))
      }
      if rest.starts(with: "<?".utf8) {
        guard skip(past: "?>") != nil else { return nil }
      } else if rest.starts(with: "<!--".utf8) {
        guard skip(past: "-->") != nil else { return nil }
      } else if rest.starts(with: "<![CDATA[".utf8) {
        rest = rest.dropFirst(9)
        return skip(past: "]]>").map { .text(String(decoding: $0, as: UTF8.self)) }
      } else if rest.starts(with: "<!".utf8) {
        return nil
      } else {
        return tag()
      }
    }
    return nil
  }

  /// The text before `end`, which is also skipped.
  private mutating func skip(past end: StaticString) -> ArraySlice<UInt8>? {
    let letters = Array(end.description.utf8)
    let start = rest
    while !rest.isEmpty {
      if rest.starts(with: letters) {
        defer { rest = rest.dropFirst(letters.count) }
        return start[start.startIndex..<rest.startIndex]
      }
      rest = rest.dropFirst()
    }
    return nil
  }

  private mutating func tag() -> Token? {
    rest = rest.dropFirst()
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest = rest.dropFirst() }
    let name = takeName()
    guard !name.isEmpty else { return nil }
    var attributes: [String: String] = [:]
    while true {
      rest = rest.drop(while: Self.isSpace)
      guard let first = rest.first else { return nil }
      if first == UInt8(ascii: ">") {
        rest = rest.dropFirst()
        return isEnd ? .end(name) : .start(name: name, attributes: attributes, isEmpty: false)
      }
      if rest.starts(with: "/>".utf8), !isEnd {
        rest = rest.dropFirst(2)
        return .start(name: name, attributes: attributes, isEmpty: true)
      }
      let attribute = takeName()
      rest = rest.drop(while: Self.isSpace)
      guard !attribute.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
      rest = rest.drop(while: Self.isSpace)
      guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
      let value = rest.prefix { $0 != quote }
      rest = rest.dropFirst(value.count)
      guard rest.popFirst() == quote else { return nil }
      attributes[attribute] = Self.decoded(value)
    }
  }

  /// A name without its prefix.
  private mutating func takeName() -> String {
    let name = rest.prefix { !Self.isSpace($0) && !"=/>".utf8.contains($0) }
    rest = rest.dropFirst(name.count)
    return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? name, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

  /// Decodes the five predefined entities.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
    let parts = text.split(separator: "&", omittingEmptySubsequences: false)
    return String(parts[0])
      + parts.dropFirst().map { part in
        let name = part.prefix { $0 != ";" }
        guard let letter = entities[String(name)], name.endIndex < part.endIndex else { return "&" + part }
        return letter + part[part.index(after: name.endIndex)...]
      }.joined()
  }
}
