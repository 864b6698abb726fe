/// One of several versions of the same sound, picture or text: EXT-X-MEDIA (4.4.6.1).
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

  /// What a rendition is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case audio = "AUDIO"
    case video = "VIDEO"
    case subtitles = "SUBTITLES"
    case closedCaptions = "CLOSED-CAPTIONS"
  }
  /// TYPE; nil when it is missing or unknown.
  public var kind: Kind? {
    get { attributes[word: "TYPE"].flatMap(Kind.init) }
    set { attributes[word: "TYPE"] = newValue?.rawValue }
  }
  /// The group it belongs to, which variants name; empty when that is missing.
  public var group: String {
    get { attributes[string: "GROUP-ID"] ?? "" }
    set { attributes[string: "GROUP-ID"] = newValue }
  }
  /// A name for people, in the language of the rendition; empty when that is missing.
  public var name: String {
    get { attributes[string: "NAME"] ?? "" }
    set { attributes[string: "NAME"] = newValue }
  }
  /// Where the media playlist is, or nil when it is inside that of the variants.
  public var uri: String? {
    get { attributes[string: "URI"] }
    set { attributes[string: "URI"] = newValue }
  }
  /// The language (RFC 5646).
  public var language: String? {
    get { attributes[string: "LANGUAGE"] }
    set { attributes[string: "LANGUAGE"] = newValue }
  }
  /// A language that goes with it in another role.
  public var associatedLanguage: String? {
    get { attributes[string: "ASSOC-LANGUAGE"] }
    set { attributes[string: "ASSOC-LANGUAGE"] = newValue }
  }
  /// What identifies it when the URI changes.
  public var stableID: String? {
    get { attributes[string: "STABLE-RENDITION-ID"] }
    set { attributes[string: "STABLE-RENDITION-ID"] = newValue }
  }
  /// Whether it is played when the user chose nothing.
  public var isDefault: Bool {
    get { attributes[flag: "DEFAULT"] }
    set { attributes[flag: "DEFAULT"] = newValue }
  }
  /// Whether a player can choose it by itself, as it fits the language of the system.
  public var isAutoselected: Bool {
    get { attributes[flag: "AUTOSELECT"] }
    set { attributes[flag: "AUTOSELECT"] = newValue }
  }
  /// Whether the subtitles are shown even to those who want none.
  public var isForced: Bool {
    get { attributes[flag: "FORCED"] }
    set { attributes[flag: "FORCED"] = newValue }
  }
  /// Which captions inside the video: `CC1` to `CC4`, `SERVICE1` to `SERVICE63`.
  public var inStreamID: String? {
    get { attributes[string: "INSTREAM-ID"] }
    set { attributes[string: "INSTREAM-ID"] = newValue }
  }
  /// Bits per sample of the sound.
  public var bitDepth: Int? {
    get { attributes[integer: "BIT-DEPTH"] }
    set { attributes[integer: "BIT-DEPTH"] = newValue }
  }
  /// Samples of the sound per second.
  public var sampleRate: Int? {
    get { attributes[integer: "SAMPLE-RATE"] }
    set { attributes[integer: "SAMPLE-RATE"] = newValue }
  }
  /// Media characteristics, divided by commas.
  public var characteristics: String? {
    get { attributes[string: "CHARACTERISTICS"] }
    set { attributes[string: "CHARACTERISTICS"] = newValue }
  }
  /// The number of channels, then `/` and what is special about them.
  public var channels: String? {
    get { attributes[string: "CHANNELS"] }
    set { attributes[string: "CHANNELS"] = newValue }
  }
}
