/// Features of the server of a live playlist: EXT-X-SERVER-CONTROL (4.4.3.8).
public struct ServerControl: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// Delta updates can skip segments that are older than this, relative to the end.
    public let canSkipUntil = AttributeSyntax("CAN-SKIP-UNTIL", .seconds)
    /// Whether delta updates can also skip date ranges.
    public let canSkipDateRanges = AttributeSyntax("CAN-SKIP-DATERANGES", .yes, missing: false)
    /// The distance from the end at which playback should start.
    public let holdBack = AttributeSyntax("HOLD-BACK", .seconds)
    /// The distance from the end at which playback should start with partial segments.
    public let partHoldBack = AttributeSyntax("PART-HOLD-BACK", .seconds)
    /// Whether the server can block its response until the playlist has the requested segment.
    public let canBlockReload = AttributeSyntax("CAN-BLOCK-RELOAD", .yes, missing: false)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
}

/// A resource that a client can request before it is available: EXT-X-PRELOAD-HINT (4.4.5.3).
public struct PreloadHint: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// TYPE; `nil` if missing or unknown; the hint must then be ignored.
    public let kind = AttributeSyntax("TYPE", .word(Kind.allCases), required: true)
    /// Its URI; empty if missing.
    public let uri = AttributeSyntax("URI", .uri, required: true, missing: "")
    /// Its first byte; `nil` is 0.
    public let start = AttributeSyntax("BYTERANGE-START", .integer)
    /// Its number of bytes, or `nil` up to the end of the resource.
    public let length = AttributeSyntax("BYTERANGE-LENGTH", .integer)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A hint for a part or an initialization section.
  public init(_ kind: Kind, uri: String) {
    self.kind = kind
    self.uri = uri
  }

  /// The type of the resource.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case part = "PART"
    case map = "MAP"
  }
}

/// The state of another rendition: EXT-X-RENDITION-REPORT (4.4.5.4).
public struct RenditionReport: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The URI of its media playlist; empty if missing.
    public let uri = AttributeSyntax("URI", .uri, required: true, missing: "")
    /// The media sequence number of its last segment.
    public let lastSequence = AttributeSyntax("LAST-MSN", .integer)
    /// The index of its last part.
    public let lastPart = AttributeSyntax("LAST-PART", .integer)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A report for the rendition at `uri`.
  public init(_ uri: String, lastSequence: Int, lastPart: Int? = nil) {
    self.uri = uri
    self.lastSequence = lastSequence
    self.lastPart = lastPart
  }
}

/// The segments that a delta update omits: EXT-X-SKIP (4.4.5.2).
public struct SkippedSegments: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The number of omitted segments.
    public let count = AttributeSyntax("SKIPPED-SEGMENTS", .integer, required: true, missing: 0)
    /// The IDs of date ranges that were recently removed.
    public let removedDateRanges = AttributeSyntax("RECENTLY-REMOVED-DATERANGES", .tabbed, missing: [])
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// This number of segments.
  public init(_ count: Int) {
    self.count = count
  }
}

extension AttributeForm<[String]> {
  /// Texts separated by tabs, which no other quoted string can contain.
  fileprivate static var tabbed: Self {
    Self(
      "a string in quotation marks", isQuoted: true, read: { $0.content.split(separator: 9).map(\.text) },
      write: { texts in
        let list = texts.map { singleLine($0, quoted: true) }.joined(separator: "\t")
        return texts.isEmpty ? nil : "\"\(list)\""
      })
  }
}
