/// Iterates over the tags of an XML document.
struct TagScanner {
  /// A start tag. Names have no prefixes; the name of a namespace declaration is `xmlns`.
  struct Tag {
    var name: String
    var attributes: [(name: String, value: String)] = []
    /// Whether it is also the end of its element.
    var isEmpty = false

    /// The value of an attribute.
    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }
  /// A part of the document.
  enum Part {
    case start(Tag)
    /// The end tag of an element with a name.
    case end(String)
    /// Text with its references.
    case text(String)
  }
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  /// The next start tag.
  mutating func next() -> Tag? {
    while let part = nextPart() {
      if case .start(let tag) = part { return tag }
    }
    return nil
  }

  /// The next tag or text; comments and declarations are omitted.
  mutating func nextPart() -> Part? {
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        return .text(String(Substring(text)))
      }
      rest = rest.dropFirst()
      if rest.starts(with: "!--".utf8) {
        skipComment()
      } else if rest.starts(with: "![CDATA[".utf8) {
        return .text(sectionText())
      } else if rest.first == UInt8(ascii: "/") {
        rest = rest.dropFirst()
        let name = Self.localName(word())
        skipTag()
        return .end(name)
      } else if let first = rest.first, first != UInt8(ascii: "!"), first != UInt8(ascii: "?") {
        return .start(readTag())
      } else {
        skipTag()
      }
    }
    return nil
  }

  private mutating func skipTag() {
    rest = rest.drop { $0 != UInt8(ascii: ">") }.dropFirst()
  }

  /// The text of a CDATA section, with references for the characters that would be markup outside of it.
  private mutating func sectionText() -> String {
    rest = rest.dropFirst(8)
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]"), rest.starts(with: "]>".utf8) {
        rest = rest.dropFirst(2)
        break
      }
      switch byte {
      case UInt8(ascii: "&"): text += Array("&amp;".utf8)
      case UInt8(ascii: "<"): text += Array("&lt;".utf8)
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text between the last tag and the next one.
  func textBeforeTag() -> String { String(Substring(rest.prefix { $0 != UInt8(ascii: "<") })) }

  private mutating func skipComment() {
    var dashes = 0
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: ">"), dashes >= 2 { return }
      dashes = byte == UInt8(ascii: "-") ? dashes + 1 : 0
    }
  }

  private mutating func readTag() -> Tag {
    var tag = Tag(name: Self.localName(word()))
    while true {
      let gap = rest.prefix { isBlank($0) || $0 == UInt8(ascii: "/") }
      rest = rest[gap.endIndex...]
      tag.isEmpty = gap.last == UInt8(ascii: "/")
      guard let byte = rest.first, byte != UInt8(ascii: ">") else { break }
      let name = word()
      rest = rest.drop(while: isBlank)
      guard rest.first == UInt8(ascii: "=") else {
        // Skips a character that cannot start an attribute.
        if name.isEmpty { rest = rest.dropFirst() }
        continue
      }
      rest = rest.dropFirst().drop(while: isBlank)
      guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { continue }
      let value = rest.dropFirst().prefix { $0 != quote }
      rest = rest[value.endIndex...].dropFirst()
      let isNamespace = name.utf8.starts(with: "xmlns".utf8)
      tag.attributes.append((isNamespace ? "xmlns" : Self.localName(name), String(Substring(value))))
    }
    rest = rest.dropFirst()
    return tag
  }

  private mutating func word() -> Substring {
    let word = rest.prefix { !isBlank($0) && ![0x3d, 0x3e, 0x2f, 0x22, 0x27, 0x3c].contains($0) }
    rest = rest[word.endIndex...]
    return Substring(word)
  }
  private static func localName(_ name: Substring) -> String {
    let parts = name.utf8.split(separator: UInt8(ascii: ":"))
    return parts.last.map { String(Substring($0)) } ?? ""
  }
}
