/// A line of a playlist: its meaning and its spelling.
///
/// A line that was read keeps its spelling until its meaning is changed.
public struct PlaylistLine: Hashable, Sendable {
  /// The meaning of a line.
  public enum Content: Hashable, Sendable {
    case blank
    case comment
    /// A line that begins with `#EXT` but is not a tag of ``TagName``.
    case unknownTag
    /// A URI: of a segment, or of the variant declared before it.
    case uri
    case tag(TagName, TagValue)
  }
  /// How a line ends.
  public enum Ending: Hashable, Sendable { case lineFeed, carriageReturnLineFeed, none }

  /// Its meaning.
  public let content: Content
  /// Its text, without the line ending.
  public let text: String
  /// The line ending as read, or `nil` for a new line, which gets that of the playlist.
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
  /// Any line, such as a comment or a custom tag; the caller must ensure that it is valid.
  public init(parsing text: String) throws(PlaylistError) {
    try self.init(parsing: text, line: 0)
  }
  /// Parses a line. If it `isTolerated`, a tag that cannot be read becomes an unknown one, or loses the attributes that
  /// cannot be read; the rules report this.
  init(parsing text: String, line: Int, isTolerated: Bool = false) throws(PlaylistError) {
    self.text = text
    content = try PlaylistLine.content(of: text, line: line, isTolerated: isTolerated)
  }
  /// A tag that is not one of ``TagName``.
  package init(unknownTag text: String) { self.init(text: singleLine(text), content: .unknownTag) }
  init(text: String, content: Content) {
    self.text = text
    self.content = content
  }

  /// The tag, if it is a known one.
  public var tag: TagName? {
    if case .tag(let name, _) = content { name } else { nil }
  }
  /// The value of the tag.
  public var value: TagValue? {
    if case .tag(_, let value) = content { value } else { nil }
  }
  /// Whether it is this tag with a value that cannot be read.
  func isUnreadable(_ tag: TagName) -> Bool {
    content == .unknownTag && text.utf8.starts(with: "#\(tag.rawValue):".utf8)
  }
  /// The URI without surrounding spaces, if the line is one.
  public var uri: String? {
    content == .uri ? text.utf8[...].trimmed.text : nil
  }

  /// Whether it has the same meaning as a line in canonical spelling.
  func says(_ other: PlaylistLine) -> Bool {
    guard case .tag(let name, let value) = content, case .tag(let otherName, let otherValue) = other.content else {
      return text == other.text || uri.map { PlaylistLine(uri: $0).text } == other.text && other.content == .uri
    }
    // Values can be equal but have different canonical spellings, such as one moment in two time zones.
    return name == otherName && value == otherValue && PlaylistLine(name, value).text == other.text
  }

  private static func content(of text: String, line: Int, isTolerated: Bool) throws(PlaylistError) -> Content {
    guard let first = text.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return .blank }
    guard first == UInt8(ascii: "#") else { return .uri }
    guard text.utf8.starts(with: "#EXT".utf8) else { return .comment }
    let (name, rest) = text.utf8.dropFirst().halves(at: ":")
    guard let tag = TagName.byName[name.trimmed.text] else { return .unknownTag }
    let value = rest ?? name[name.endIndex...]
    do throws(PlaylistError) {
      let checksAttributes = !isTolerated || tag == .dateRange
      return .tag(tag, try TagValue(tag, parsing: value, line: line, checksAttributes: checksAttributes))
    } catch {
      // Clients ignore date ranges that they cannot read (4.4.5.1).
      if tag == .dateRange || isTolerated { return .unknownTag }
      throw error
    }
  }
}
