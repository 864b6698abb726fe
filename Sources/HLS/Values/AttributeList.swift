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
  public var string: String { isQuoted ? String(Substring(text.utf8.dropFirst().dropLast())) : text }

  /// Whether variables can be replaced in the value.
  var hasVariable: Bool {
    guard let brace = text.utf8.firstIndex(of: UInt8(ascii: "{")) else { return false }
    return text.utf8[brace...].dropFirst().contains(UInt8(ascii: "$"))
  }
  /// The bytes of a hexadecimal sequence.
  var bytes: [UInt8]? {
    let digits = text.utf8
    guard digits.count > 2, digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) else { return nil }
    // An odd number of digits is read as if there were a leading 0.
    var bytes: [UInt8] = []
    var high: UInt8? = digits.count % 2 == 0 ? nil : 0
    for digit in digits.dropFirst(2) {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x41...0x46, 0x61...0x66: value = (digit | 0x20) - 0x57
      default: return nil
      }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    return bytes
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
  init?(_ text: some StringProtocol) {
    var rest = Substring(text).utf8[...]
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
      attributes.append(Attribute(name: String(Substring(name)), text: String(Substring(value))))
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
}

extension AttributeList: CustomStringConvertible {
  /// The list as written in playlists.
  public var description: String { attributes.map { "\($0.name)=\($0.text)" }.joined(separator: ",") }
}
