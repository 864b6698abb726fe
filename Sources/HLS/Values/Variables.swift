import MP4Bytes

/// The variables of a playlist (draft-pantos-hls-rfc8216bis, 4.3), and their replacement in texts.
public struct Variables: Hashable, Sendable {
  /// The values by name.
  public private(set) var values: [String: String] = [:]
  /// The maximum size of a text after replacement: nested definitions could double it each time.
  static let longestText = 65_536

  public init() {}

  /// The variables of a list of definitions, in order.
  ///
  /// - Parameters:
  ///   - definitions: The definitions.
  ///   - imported: The variables of the multivariant playlist to which a media playlist belongs.
  ///   - uri: The URI of the playlist, whose query has the values of parameters.
  public init(
    _ definitions: [VariableDefinition], importing imported: Variables = Variables(), uri: URIReference? = nil
  ) throws(PlaylistError) {
    for definition in definitions {
      if let name = definition.name {
        values[name] = try substituted(definition.value ?? "")
      } else if let name = definition.imported {
        guard let value = imported.values[name] else { throw PlaylistError(.undefinedVariable(name), line: 0) }
        values[name] = value
      } else if let name = definition.queryParameter {
        guard let value = uri?.queryValues(name).first else { throw PlaylistError(.undefinedVariable(name), line: 0) }
        values[name] = URIReference.percentDecoded(value)
      }
    }
  }

  /// The text with `{$NAME}` replaced by values.
  public func substituted(_ text: String) throws(PlaylistError) -> String {
    var rest = text.utf8[...]
    var output = ""
    while let name = Variables.firstReference(in: rest) {
      guard let value = values[rest[name].text] else {
        throw PlaylistError(.undefinedVariable(rest[name].text), line: 0)
      }
      output += Substring(rest[..<rest.index(name.lowerBound, offsetBy: -2)])
      output += value
      guard output.utf8.count <= Variables.longestText else {
        throw PlaylistError(.tooLong(limit: Variables.longestText), line: 0)
      }
      rest = rest[rest.index(after: name.upperBound)...]
    }
    return output.isEmpty ? rest.text : output + Substring(rest)
  }
  /// The attributes with `{$NAME}` replaced by values.
  public func substituted(_ list: AttributeList) throws(PlaylistError) -> AttributeList {
    guard list.attributes.contains(where: \.hasVariable) else { return list }
    var list = list
    for index in list.attributes.indices where list.attributes[index].hasVariable {
      list.attributes[index].text = try substituted(list.attributes[index].text)
    }
    return list
  }

  /// The names to which a text refers.
  static func references(in text: String) -> [String] {
    var rest = text.utf8[...]
    var names: [String] = []
    while let name = firstReference(in: rest) {
      names.append(rest[name].text)
      rest = rest[name.upperBound...]
    }
    return names
  }
  /// Whether a name has only valid characters.
  static func isName(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(isNameByte) }
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
  /// The name between the first `{$` and `}` that is valid.
  private static func firstReference(in text: Substring.UTF8View) -> Range<String.Index>? {
    var rest = text
    while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
      rest = rest[rest.index(after: brace)...]
      guard rest.first == UInt8(ascii: "$") else { continue }
      rest = rest.dropFirst()
      let end = rest.firstIndex { !isNameByte($0) } ?? rest.endIndex
      if end > rest.startIndex, end < rest.endIndex, rest[end] == UInt8(ascii: "}") { return rest.startIndex..<end }
      rest = rest[end...]
    }
    return nil
  }
}

extension URIReference {
  /// The text with `%XX` decoded; unchanged if the result is not UTF-8.
  public static func percentDecoded(_ text: String) -> String { PercentEncoding.decoded(text) }
}
