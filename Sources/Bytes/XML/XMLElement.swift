/// An element of an XML document.
package struct XMLElement: Sendable {
  /// The name without the prefix.
  package let name: String
  /// The line of its start tag, starting at 1.
  package let line: Int
  /// The values with their names, including prefixes.
  package var attributes: [(name: String, value: String)] = []
  /// The elements in it.
  package var children: [XMLElement] = []
  /// The text between its children.
  package var text = ""

  /// The maximum nesting depth.
  private static let depthLimit = 64

  package init(name: String, line: Int) { (self.name, self.line) = (name, line) }

  /// The root element of a document.
  package init(document bytes: ArraySlice<UInt8>) throws(XMLError) {
    var (reader, open) = (XMLReader(bytes), [XMLElement]())
    while let token = try reader.next() {
      switch token {
      case .text(let text): if !open.isEmpty { open[open.count - 1].text += text }
      case .start(let element, let isEmpty):
        open.append(element)
        guard open.count <= Self.depthLimit else { throw reader.error("elements are nested too deeply") }
        if isEmpty, let root = Self.close(&open) {
          self = root
          try Self.checkEnd(&reader)
          return
        }
      case .end(let name):
        guard let last = open.last, last.name == name else {
          throw reader.error("the end tag '\(name)' does not match" + (open.last.map { " '\($0.name)'" } ?? ""))
        }
        if let root = Self.close(&open) {
          self = root
          try Self.checkEnd(&reader)
          return
        }
      }
    }
    throw reader.error(open.last.map { "the end tag of '\($0.name)' is missing" } ?? "there is no element")
  }

  /// Only white space may follow the root element.
  private static func checkEnd(_ reader: inout XMLReader) throws(XMLError) {
    while let token = try reader.next() {
      if case .text(let text) = token, text.utf8.allSatisfy({ $0 <= 32 }) { continue }
      throw reader.error("there is something after the end of the document")
    }
  }

  /// Closes the innermost element, and returns it if it is the root.
  private static func close(_ open: inout [XMLElement]) -> XMLElement? {
    guard let element = open.popLast() else { return nil }
    if open.isEmpty { return element }
    open[open.count - 1].children.append(element)
    return nil
  }

  /// The value of an attribute with this name, with any prefix.
  package subscript(name: String) -> String? {
    attributes.first { Self.localName($0.name) == name && !$0.name.hasPrefix("xmlns:") }?.value
  }

  /// The first child of a name.
  package func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }
  /// All children of a name.
  package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The first element with this name: itself or a descendant.
  package func descendant(_ name: String) -> XMLElement? {
    if self.name == name { return self }
    for child in children {
      if let found = child.descendant(name) { return found }
    }
    return nil
  }

  /// A name without its prefix.
  package static func localName(_ name: String) -> String {
    guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
    return String(name[name.utf8.index(after: colon)...])
  }
}
