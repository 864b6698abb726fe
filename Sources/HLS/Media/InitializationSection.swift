/// The initialization section of segments, such as the init segment of fragmented MP4: EXT-X-MAP (4.4.4.5).
public struct InitializationSection: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// An init segment, or a part of a resource.
  public init(_ uri: String, byteRange: ByteRange? = nil) {
    attributes = AttributeList()
    self.uri = uri
    self.byteRange = byteRange
  }
  /// Its URI; empty if missing.
  public var uri: String {
    get { attributes[string: "URI"] ?? "" }
    set { attributes[string: "URI"] = newValue }
  }
  /// The part of the resource, or `nil` for all of it; without an offset it starts at 0.
  public var byteRange: ByteRange? {
    get { attributes[byteRange: "BYTERANGE"] }
    set { attributes[byteRange: "BYTERANGE"] = newValue }
  }
}
