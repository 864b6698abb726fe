/// An I-frame playlist, for trick play: EXT-X-I-FRAME-STREAM-INF (4.4.6.3).
public struct IFrameVariant: StreamInformation {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// The media playlist at `uri`, with its peak bit rate.
  public init(_ uri: String, bandwidth: Int) {
    attributes = AttributeList()
    self.bandwidth = bandwidth
    self.uri = uri
  }

  /// The URI of the media playlist; empty if missing.
  public var uri: String {
    get { attributes[string: "URI"] ?? "" }
    set { attributes[string: "URI"] = newValue }
  }
}
