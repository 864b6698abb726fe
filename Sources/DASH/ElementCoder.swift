import MP4Bytes

/// An element of a manifest. One declaration lists its attributes and children in the order in which they are written.
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
}

/// Writes elements as XML: attributes in the order of declaration, and each element on its own line.
struct ElementCoder {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var depth = 0
  /// Whether the start tag of the current element can get attributes.
  private var isInTag = false

  init() {}

  /// An attribute, omitted if it is `nil`.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value?) {
    guard let value else { return }
    text += " \(name)=\"\(value.manifestText.escapedForHTML)\""
  }
  /// An attribute that is always written.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value) {
    var written: Value? = value
    attribute(name, &written)
  }
  /// An attribute that is omitted if it has its default value.
  mutating func attribute<Value: ManifestValue>(_ name: String, _ value: inout Value, default missing: Value) {
    var written: Value? = value == missing ? nil : value
    attribute(name, &written)
  }

  /// A child, omitted if it is `nil`.
  mutating func child<Element: ManifestElement>(_ name: String, _ element: inout Element?) {
    guard var written = element else { return }
    write(name, &written)
  }
  /// Children of one name.
  mutating func children<Element: ManifestElement>(_ name: String, _ elements: inout [Element]) {
    for var written in elements { write(name, &written) }
  }
  /// Children that contain only text.
  mutating func children(_ name: String, _ texts: inout [String]) {
    for text in texts { write(name) { $0.content(text) } }
  }
  /// The text of the element.
  mutating func content(_ text: inout String) { content(text) }

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

extension String: ManifestValue {
  var manifestText: String { self }
}
extension Bool: ManifestValue {
  var manifestText: String { self ? "true" : "false" }
}
extension Int: ManifestValue {
  var manifestText: String { String(self) }
}
extension UInt64: ManifestValue {
  var manifestText: String { String(self) }
}
/// A list of words, separated by commas.
extension [String]: ManifestValue {
  var manifestText: String { joined(separator: ",") }
}
/// A byte range as in HTTP: the offsets of its first and last byte.
extension Range<Int>: ManifestValue {
  var manifestText: String { "\(lowerBound)-\(upperBound - 1)" }
}
/// A duration of ISO 8601 in hours, minutes and seconds, such as `PT1M2.5S`. It is exact if nine decimals are
/// sufficient, and otherwise rounded up, so that no media is after the end of the presentation.
extension Duration: ManifestValue {
  var manifestText: String {
    var (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return "PT0S" }
    var nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds &+ 1, 0) }
    var result = "PT"
    if seconds >= 3600 { result += "\(seconds / 3600)H" }
    if seconds % 3600 >= 60 { result += "\(seconds % 3600 / 60)M" }
    if seconds % 60 > 0 || nanoseconds > 0 || seconds == 0 {
      result += String(seconds % 60)
      if nanoseconds > 0 {
        var digits = String(String(1_000_000_000 + nanoseconds).dropFirst())
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        result += "." + digits
      }
      result += "S"
    }
    return result
  }
}
