/// One of several versions of the same audio, video or text: EXT-X-MEDIA (4.4.6.1).
public struct Rendition: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A rendition of a group.
  public init(_ kind: Kind, group: String, name: String, uri: String? = nil) {
    attributes = AttributeList()
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
  /// TYPE; `nil` if missing or unknown.
  public var kind: Kind? {
    get { attributes[word: "TYPE"].flatMap(Kind.init) }
    set { attributes[word: "TYPE"] = newValue?.rawValue }
  }
  /// Its group, to which variants refer; empty if missing.
  public var group: String {
    get { attributes[string: "GROUP-ID"] ?? "" }
    set { attributes[string: "GROUP-ID"] = newValue }
  }
  /// Its name for users, in its language; empty if missing.
  public var name: String {
    get { attributes[string: "NAME"] ?? "" }
    set { attributes[string: "NAME"] = newValue }
  }
  /// The URI of its media playlist, or `nil` if it is part of the variants.
  public var uri: String? {
    get { attributes[string: "URI"] }
    set { attributes[string: "URI"] = newValue }
  }
  /// The language (RFC 5646).
  public var language: String? {
    get { attributes[string: "LANGUAGE"] }
    set { attributes[string: "LANGUAGE"] = newValue }
  }
  /// An associated language in another role.
  public var associatedLanguage: String? {
    get { attributes[string: "ASSOC-LANGUAGE"] }
    set { attributes[string: "ASSOC-LANGUAGE"] = newValue }
  }
  /// An ID that stays the same when the URI changes.
  public var stableID: String? {
    get { attributes[string: "STABLE-RENDITION-ID"] }
    set { attributes[string: "STABLE-RENDITION-ID"] = newValue }
  }
  /// Whether it is played unless the user chooses another.
  public var isDefault: Bool {
    get { attributes[flag: "DEFAULT"] }
    set { attributes[flag: "DEFAULT"] = newValue }
  }
  /// Whether a player can choose it automatically by the system language.
  public var isAutoselected: Bool {
    get { attributes[flag: "AUTOSELECT"] }
    set { attributes[flag: "AUTOSELECT"] = newValue }
  }
  /// Whether the subtitles are shown even if the user has disabled subtitles.
  public var isForced: Bool {
    get { attributes[flag: "FORCED"] }
    set { attributes[flag: "FORCED"] = newValue }
  }
  /// The captions in the video: `CC1` to `CC4`, `SERVICE1` to `SERVICE63`.
  public var inStreamID: String? {
    get { attributes[string: "INSTREAM-ID"] }
    set { attributes[string: "INSTREAM-ID"] = newValue }
  }
  /// The bits per sample of the audio.
  public var bitDepth: Int? {
    get { attributes[integer: "BIT-DEPTH"] }
    set { attributes[integer: "BIT-DEPTH"] = newValue }
  }
  /// The sample rate of the audio.
  public var sampleRate: Int? {
    get { attributes[integer: "SAMPLE-RATE"] }
    set { attributes[integer: "SAMPLE-RATE"] = newValue }
  }
  /// Media characteristics, separated by commas.
  public var characteristics: String? {
    get { attributes[string: "CHARACTERISTICS"] }
    set { attributes[string: "CHARACTERISTICS"] = newValue }
  }
  /// The number of channels, optionally followed by `/` and parameters.
  public var channels: String? {
    get { attributes[string: "CHANNELS"] }
    set { attributes[string: "CHANNELS"] = newValue }
  }
}
