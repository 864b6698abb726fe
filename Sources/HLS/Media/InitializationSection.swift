/// The initialization section of segments, such as the init segment of fragmented MP4: EXT-X-MAP (4.4.4.5).
public struct InitializationSection: AttributeView {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    /// Its URI; empty if missing.
    public let uri = AttributeSyntax("URI", .uri, required: true, missing: "")
    /// The part of the resource, or `nil` for all of it; without an offset it starts at 0.
    public let byteRange = AttributeSyntax("BYTERANGE", .byteRange)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// An init segment, or a part of a resource.
  public init(_ uri: String, byteRange: ByteRange? = nil) {
    self.uri = uri
    self.byteRange = byteRange
  }
}
