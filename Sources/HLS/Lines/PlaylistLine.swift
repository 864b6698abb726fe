/// A line of a playlist: what it says, and how it is written.
///
/// A line that was read keeps its spelling until what it says is changed.
public struct PlaylistLine: Hashable, Sendable {
  /// What a line can say.
  public enum Content: Hashable, Sendable {
    case blank
    case comment
    /// A line that begins with `#EXT` and is none of the tags of ``TagName``.
    case unknownTag
    /// A URI: of a segment, or of the variant above it.
    case uri
    case tag(TagName, TagValue)
  }
  /// How a line ends.
  public enum Ending: Hashable, Sendable { case lineFeed, carriageReturnLineFeed, none }

  /// What it says.
  public let content: Content
  /// The line as it is written, without its ending.
  public let text: String
  /// The ending it was read with, or nil for one that is new: then it takes that of the playlist.
  public var ending: Ending?

  /// A tag in its canonical spelling.
  public init(_ name: TagName, _ value: TagValue = .none) {
    let value = value.written
    content = .tag(name, value)
    text = value == .none ? "#\(name.rawValue)" : "#\(name.rawValue):\(value)"
  }
  /// A URI.
  public init(uri: String) {
    content = .uri
    text = singleLine(uri)
  }
  /// Any line, such as a comment or a tag of one's own; it can break the playlist if it is not one line of it.
  public init(parsing text: String) throws(PlaylistError) {
    try self.init(parsing: text, line: 0)
  }
  init(parsing text: String, line: Int) throws(PlaylistError) {
    self.text = text
    content = try PlaylistLine.content(of: text, line: line)
  }
  init(text: String, content: Content) {
    self.text = text
    self.content = content
  }

  /// The tag, when it is one that is known.
  public var tag: TagName? {
    if case .tag(let name, _) = content { name } else { nil }
  }
  /// The value of the tag.
  public var value: TagValue? {
    if case .tag(_, let value) = content { value } else { nil }
  }
  /// The URI, when it is one, without spaces around it.
  public var uri: String? {
    content == .uri ? trimmed(text[...]) : nil
  }

  /// Whether it says the same as a line in canonical spelling.
  func says(_ other: PlaylistLine) -> Bool {
    guard case .tag(let name, let value) = content, case .tag(let otherName, let otherValue) = other.content else {
      return text == other.text || uri.map { PlaylistLine(uri: $0).text } == other.text && other.content == .uri
    }
    // The canonical spelling tells apart what is equal in value, such as one moment in two time zones.
    return name == otherName && value == otherValue && PlaylistLine(name, value).text == other.text
  }

  private static func content(of text: String, line: Int) throws(PlaylistError) -> Content {
    guard let first = text.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return .blank }
    guard first == UInt8(ascii: "#") else { return .uri }
    guard text.utf8.starts(with: "#EXT".utf8) else { return .comment }
    let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let name = text[text.utf8.index(after: text.startIndex)..<end]
    guard let tag = TagName.byName[trimmed(name)] else { return .unknownTag }
    let value = end == text.endIndex ? "" : text[text.utf8.index(after: end)...]
    guard tag == .dateRange else { return .tag(tag, try TagValue(tag, parsing: value, line: line)) }
    // Clients ignore date ranges that they cannot read (4.4.5.1).
    do throws(PlaylistError) {
      return .tag(tag, try TagValue(tag, parsing: value, line: line))
    } catch {
      return .unknownTag
    }
  }
}

/// The text without spaces and tabs at both ends.
func trimmed(_ text: Substring) -> String {
  let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
  if !isBlank(text.utf8.first), !isBlank(text.utf8.last) { return String(text) }
  var bytes = text.utf8[...].drop { $0 == 0x20 || $0 == 0x09 }
  while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
  return String(Substring(bytes))
}
