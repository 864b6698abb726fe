/// A partial segment, for low latency: EXT-X-PART (4.4.4.9).
public struct PartialSegment: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// Its URI; empty if missing.
    public let uri = AttributeSyntax("URI", .uri, required: true, missing: "")
    /// Its duration.
    public let duration = AttributeSyntax("DURATION", .seconds, required: true, missing: .zero)
    /// Whether it contains an independent frame.
    public let isIndependent = AttributeSyntax("INDEPENDENT", .yes, missing: false)
    /// The part of the resource; without an offset it follows the previous part.
    public let byteRange = AttributeSyntax("BYTERANGE", .byteRange)
    /// Whether it is missing.
    public let isGap = AttributeSyntax("GAP", .yes, missing: false)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// A part with this duration.
  public init(_ uri: String, duration: Duration, isIndependent: Bool = false) {
    self.duration = duration
    self.uri = uri
    self.isIndependent = isIndependent
  }
}

/// Information about partial segments: EXT-X-PART-INF (4.4.3.7).
public struct PartInformation: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// The maximum duration of partial segments.
    public let target = AttributeSyntax("PART-TARGET", .seconds, required: true, missing: .zero)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// Parts with at most this duration.
  public init(target: Duration) {
    self.target = target
  }
}
