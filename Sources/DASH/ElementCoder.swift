import MP4Bytes

/// An element of a manifest. One declaration lists its attributes and children in the order in which they are written;
/// it is also how they are read.
protocol ManifestElement: Hashable, Sendable {
  /// An element without attributes and children.
  init()
  /// Passes all attributes, then all children in the order of the schema, to `coder`.
  mutating func fields(_ coder: inout ElementCoder)
}

/// A value of an attribute, or the text of an element.
protocol ManifestValue: Hashable, Sendable {
  /// The value as written in manifests, without escapes.
  var manifestText: String { get }
  /// Reads a value.
  init?(manifestText: String)
}

/// Writes elements as XML: attributes in the order of declaration, and each element on its own line. Or reads them from
/// XML: what is missing keeps its value, and what is not declared is ignored.
struct ElementCoder {
  /// The element that is read; `nil` if elements are written.
  private var source: XMLElement?
  /// The first value that could not be read.
  private(set) var problem: MPDError?
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var depth = 0
  /// Whether the start tag of the current element can get attributes.
  private var isInTag = false

  /// A coder that writes.
  init() {}
  /// A coder that reads `source`.
  init(_ source: XMLElement) { self.source = source }

  /// An attribute, omitted if it is `nil`.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value?) {
    if let source {
      guard let text = source[XMLElement.localName(name)] else { return }
      if let read = Value(manifestText: text) { value = read } else { refuse(name, text, source) }
    } else if let value {
      text += " \(name)=\"\(value.manifestText.escapedForHTML)\""
    }
  }
  /// An attribute that is always written.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value) {
    var own: Value? = value
    attribute(name, &own)
    if let own { value = own }
  }
  /// An attribute that is omitted if it has its default value.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value, default missing: Value) {
    var own: Value? = source == nil && value == missing ? nil : value
    attribute(name, &own)
    if let own { value = own }
  }

  /// A child, omitted if it is `nil`.
  mutating func child<Element: ManifestElement>(_ name: String, _ element: inout Element?) {
    if let source {
      if let own = source.first(XMLElement.localName(name)) { element = read(own) }
    } else if var written = element {
      write(name, &written)
    }
  }
  /// Children of one name.
  mutating func children<Element: ManifestElement>(_ name: String, _ elements: inout [Element]) {
    if let source {
      elements = source.all(XMLElement.localName(name)).map { read($0) }
    } else {
      for var written in elements { write(name, &written) }
    }
  }
  /// Children that contain only text.
  mutating func children(_ name: String, _ texts: inout [String]) {
    if let source {
      texts = source.all(XMLElement.localName(name)).map(\.trimmedText)
    } else {
      for text in texts { write(name) { $0.content(text) } }
    }
  }
  /// The line of the element that is read; 0 if it is written.
  var line: Int { source?.line ?? 0 }

  /// Reads an element and everything in it.
  mutating func read<Element: ManifestElement>(_ source: XMLElement) -> Element {
    var (coder, element) = (ElementCoder(source), Element())
    element.fields(&coder)
    problem = problem ?? coder.problem
    return element
  }

  private mutating func refuse(_ name: String, _ text: String, _ source: XMLElement) {
    let value = text.count > 80 ? text.prefix(80) + "…" : text[...]
    problem = problem ?? MPDError("\(source.name)@\(name) has no valid value: \"\(value)\"", line: source.line)
  }

  /// Writes an element and everything in it.
  mutating func write<Element: ManifestElement>(_ name: String, _ element: inout Element) {
    write(name) { element.fields(&$0) }
  }

  private mutating func content(_ content: String) {
    closeTag()
    text += content.escapedForHTML
  }

  private mutating func write(_ name: String, _ contents: (inout ElementCoder) -> Void) {
    if depth > 0 { closeTag() }
    if text.utf8.last == UInt8(ascii: ">") { text += "\n" }
    let indent = String(repeating: "  ", count: depth)
    text += "\(indent)<\(name)"
    (isInTag, depth) = (true, depth + 1)
    contents(&self)
    depth -= 1
    if isInTag {
      text += "/>"
    } else {
      if text.utf8.last == UInt8(ascii: ">"), !text.hasSuffix("<\(name)>") { text += "\n\(indent)" }
      text += "</\(name)>"
    }
    isInTag = false
  }
  private mutating func closeTag() {
    if isInTag { text += ">" }
    isInTag = false
  }
}

extension XMLElement {
  /// Its text without white space around it.
  fileprivate var trimmedText: String {
    let isSpace = { (byte: UInt8) in byte <= 32 }
    let text = text.utf8.drop(while: isSpace)
    return String(Substring(text.prefix(text.count - text.reversed().prefix(while: isSpace).count)))
  }
}
