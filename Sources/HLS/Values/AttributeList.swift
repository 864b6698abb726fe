/// One `NAME=VALUE` of an attribute list.
public struct Attribute: Hashable, Sendable {
  /// The name, such as `BANDWIDTH`.
  public var name: String
  /// The value as written, with its quotation marks.
  public var text: String

  /// An attribute with the value as written.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
  /// Whether the value is in quotation marks.
  public var isQuoted: Bool {
    text.utf8.count >= 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
  }
  /// The value without its quotation marks.
  public var string: String { isQuoted ? content.text : text }
  /// The bytes of the value without its quotation marks.
  var content: Substring.UTF8View { isQuoted ? text.utf8.dropFirst().dropLast() : text.utf8[...] }

  /// Whether variables can be replaced in the value.
  var hasVariable: Bool {
    guard let brace = text.utf8.firstIndex(of: UInt8(ascii: "{")) else { return false }
    return text.utf8[brace...].dropFirst().contains(UInt8(ascii: "$"))
  }
}

/// The attributes of a tag in order, known and unknown, each with its value as written.
///
/// Types such as ``Variant``, ``Rendition`` and ``EncryptionKey`` are views of it: they keep unknown attributes.
public struct AttributeList: Hashable, Sendable {
  /// The attributes.
  public var attributes: [Attribute] = []

  public init() {}

  /// Parses `NAME=VALUE,NAME="VALUE"`; `nil` if it is not such a list. Spaces around commas are accepted.
  init?(_ text: Substring.UTF8View) {
    var rest = text
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard !rest.isEmpty else { return }
      guard let equal = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ",") }),
        rest[equal] == UInt8(ascii: "="), equal != rest.startIndex
      else { return nil }
      let name = rest[..<equal]
      rest = rest[rest.index(after: equal)...]
      var end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
      if rest.first == UInt8(ascii: "\"") {
        guard let quote = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        end = rest.index(after: quote)
      }
      var value = rest[..<end]
      while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
      attributes.append(Attribute(name: name.text, text: value.text))
      rest = rest[end...].drop { $0 == 0x20 || $0 == 0x09 }
      if rest.isEmpty { return }
      guard rest.first == UInt8(ascii: ",") else { return nil }
      rest = rest.dropFirst()
    }
  }

  /// The attribute with a name. Setting it changes it in place or appends it, and `nil` removes it.
  public subscript(name: String) -> Attribute? {
    get { attributes.first { $0.name == name } }
    set {
      let index = attributes.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): attributes[index] = value
      case (let index?, nil): attributes.remove(at: index)
      case (nil, let value?): attributes.append(value)
      case (nil, nil): break
      }
    }
  }

  /// The value of an attribute. A missing or malformed one is `nil`. Setting `nil` removes it, and setting the current
  /// value changes nothing, so that the spelling is kept.
  public subscript<Value>(name: String, form: AttributeForm<Value>) -> Value? {
    get { self[name].flatMap(form.read) }
    set {
      let text = newValue.flatMap(form.write)
      if newValue != nil, text == self[name, form].flatMap(form.write) { return }
      self[name] = text.map { Attribute(name: name, text: $0) }
    }
  }
}

extension AttributeList: CustomStringConvertible {
  /// The list as written in playlists.
  public var description: String { attributes.map { "\($0.name)=\($0.text)" }.joined(separator: ",") }
}
