/// Features of the server of a live playlist: EXT-X-SERVER-CONTROL (4.4.3.8).
public struct ServerControl: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  public init() { attributes = AttributeList() }

  /// Delta updates can skip segments that are older than this, relative to the end.
  public var canSkipUntil: Duration? {
    get { attributes[seconds: "CAN-SKIP-UNTIL"] }
    set { attributes[seconds: "CAN-SKIP-UNTIL"] = newValue }
  }
  /// Whether delta updates can also skip date ranges.
  public var canSkipDateRanges: Bool {
    get { attributes[flag: "CAN-SKIP-DATERANGES"] }
    set { attributes[flag: "CAN-SKIP-DATERANGES"] = newValue }
  }
  /// The distance from the end at which playback should start.
  public var holdBack: Duration? {
    get { attributes[seconds: "HOLD-BACK"] }
    set { attributes[seconds: "HOLD-BACK"] = newValue }
  }
  /// The distance from the end at which playback should start with partial segments.
  public var partHoldBack: Duration? {
    get { attributes[seconds: "PART-HOLD-BACK"] }
    set { attributes[seconds: "PART-HOLD-BACK"] = newValue }
  }
  /// Whether the server can block its response until the playlist has the requested segment.
  public var canBlockReload: Bool {
    get { attributes[flag: "CAN-BLOCK-RELOAD"] }
    set { attributes[flag: "CAN-BLOCK-RELOAD"] = newValue }
  }
}

/// A resource that a client can request before it is available: EXT-X-PRELOAD-HINT (4.4.5.3).
public struct PreloadHint: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A hint for a part or an initialization section.
  public init(_ kind: Kind, uri: String) {
    attributes = AttributeList()
    self.kind = kind
    self.uri = uri
  }

  /// The type of the resource.
  public enum Kind: String, Hashable, Sendable {
    case part = "PART"
    case map = "MAP"
  }
  /// TYPE; `nil` if missing or unknown; the hint must then be ignored.
  public var kind: Kind? {
    get { attributes[word: "TYPE"].flatMap(Kind.init) }
    set { attributes[word: "TYPE"] = newValue?.rawValue }
  }
  /// Its URI; empty if missing.
  public var uri: String {
    get { attributes[string: "URI"] ?? "" }
    set { attributes[string: "URI"] = newValue }
  }
  /// Its first byte; `nil` is 0.
  public var start: Int? {
    get { attributes[integer: "BYTERANGE-START"] }
    set { attributes[integer: "BYTERANGE-START"] = newValue }
  }
  /// Its number of bytes, or `nil` up to the end of the resource.
  public var length: Int? {
    get { attributes[integer: "BYTERANGE-LENGTH"] }
    set { attributes[integer: "BYTERANGE-LENGTH"] = newValue }
  }
}

/// The state of another rendition: EXT-X-RENDITION-REPORT (4.4.5.4).
public struct RenditionReport: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A report for the rendition at `uri`.
  public init(_ uri: String, lastSequence: Int, lastPart: Int? = nil) {
    attributes = AttributeList()
    self.uri = uri
    self.lastSequence = lastSequence
    self.lastPart = lastPart
  }
  /// The URI of its media playlist; empty if missing.
  public var uri: String {
    get { attributes[string: "URI"] ?? "" }
    set { attributes[string: "URI"] = newValue }
  }
  /// The media sequence number of its last segment.
  public var lastSequence: Int? {
    get { attributes[integer: "LAST-MSN"] }
    set { attributes[integer: "LAST-MSN"] = newValue }
  }
  /// The index of its last part.
  public var lastPart: Int? {
    get { attributes[integer: "LAST-PART"] }
    set { attributes[integer: "LAST-PART"] = newValue }
  }
}

/// The segments that a delta update omits: EXT-X-SKIP (4.4.5.2).
public struct SkippedSegments: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// This number of segments.
  public init(_ count: Int) {
    attributes = AttributeList()
    self.count = count
  }
  /// The number of omitted segments.
  public var count: Int {
    get { attributes[integer: "SKIPPED-SEGMENTS"] ?? 0 }
    set { attributes[integer: "SKIPPED-SEGMENTS"] = newValue }
  }
  /// The IDs of date ranges that were recently removed.
  public var removedDateRanges: [String] {
    get { (attributes[string: name] ?? "").utf8.split(separator: 9).map { String(Substring($0)) } }
    set {
      // The IDs are separated by tabs, which no other quoted string can contain.
      let ids = newValue.map { singleLine($0, quoted: true) }.joined(separator: "\t")
      attributes[name] = newValue.isEmpty ? nil : Attribute(name: name, text: "\"\(ids)\"")
    }
  }
  private var name: String { "RECENTLY-REMOVED-DATERANGES" }
}
