/// One of several versions of the same audio, video or text: EXT-X-MEDIA (4.4.6.1).
public struct Rendition: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// TYPE; `nil` if missing or unknown.
    public let kind = AttributeSyntax("TYPE", .word(Kind.allCases), required: true)
    /// The URI of its media playlist, or `nil` if it is part of the variants.
    public let uri = AttributeSyntax("URI", .uri)
    /// Its group, to which variants refer; empty if missing.
    public let group = AttributeSyntax("GROUP-ID", .string, required: true, missing: "")
    /// The language (RFC 5646).
    public let language = AttributeSyntax("LANGUAGE", .string)
    /// An associated language in another role.
    public let associatedLanguage = AttributeSyntax("ASSOC-LANGUAGE", .string)
    /// Its name for users, in its language; empty if missing.
    public let name = AttributeSyntax("NAME", .string, required: true, missing: "")
    /// An ID that stays the same when the URI changes.
    public let stableID = AttributeSyntax("STABLE-RENDITION-ID", .string)
    /// Whether it is played unless the user chooses another.
    public let isDefault = AttributeSyntax("DEFAULT", .yesOrNo, missing: false)
    /// Whether a player can choose it automatically by the system language.
    public let isAutoselected = AttributeSyntax("AUTOSELECT", .yesOrNo, missing: false)
    /// Whether the subtitles are shown even if the user has disabled subtitles.
    public let isForced = AttributeSyntax("FORCED", .yesOrNo, missing: false)
    /// The captions in the video: `CC1` to `CC4`, `SERVICE1` to `SERVICE63`.
    public let inStreamID = AttributeSyntax("INSTREAM-ID", .string)
    /// The bits per sample of the audio.
    public let bitDepth = AttributeSyntax("BIT-DEPTH", .integer)
    /// The sample rate of the audio.
    public let sampleRate = AttributeSyntax("SAMPLE-RATE", .integer)
    /// Media characteristics, separated by commas.
    public let characteristics = AttributeSyntax("CHARACTERISTICS", .string)
    /// The number of channels, optionally followed by `/` and parameters.
    public let channels = AttributeSyntax("CHANNELS", .string)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A rendition of a group.
  public init(_ kind: Kind, group: String, name: String, uri: String? = nil) {
    self.kind = kind
    self.group = group
    self.name = name
    self.uri = uri
  }

  /// The type of a rendition.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case audio = "AUDIO"
    case video = "VIDEO"
    case subtitles = "SUBTITLES"
    case closedCaptions = "CLOSED-CAPTIONS"
  }
}
