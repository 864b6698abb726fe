/// A partial segment, for low latency: EXT-X-PART (4.4.4.9).
public struct PartialSegment: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// A part with this duration.
  public init(_ uri: String, duration: Duration, isIndependent: Bool = false) {
    attributes = AttributeList()
    self.duration = duration
    self.uri = uri
    self.isIndependent = isIndependent
  }
  /// Its URI; empty if missing.
  public var uri: String {
    get { attributes[string: "URI"] ?? "" }
    set { attributes[string: "URI"] = newValue }
  }
  /// Its duration.
  public var duration: Duration {
    get { attributes[seconds: "DURATION"] ?? .zero }
    set { attributes[seconds: "DURATION"] = newValue }
  }
  /// Whether it contains an independent frame.
  public var isIndependent: Bool {
    get { attributes[flag: "INDEPENDENT"] }
    set { attributes[flag: "INDEPENDENT"] = newValue }
  }
  /// The part of the resource; without an offset it follows the previous part.
  public var byteRange: ByteRange? {
    get { attributes[byteRange: "BYTERANGE"] }
    set { attributes[byteRange: "BYTERANGE"] = newValue }
  }
  /// Whether it is missing.
  public var isGap: Bool {
    get { attributes[flag: "GAP"] }
    set { attributes[flag: "GAP"] = newValue }
  }
}

/// Information about partial segments: EXT-X-PART-INF (4.4.3.7).
public struct PartInformation: AttributeView {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// Parts with at most this duration.
  public init(target: Duration) {
    attributes = AttributeList()
    self.target = target
  }
  /// The maximum duration of partial segments.
  public var target: Duration {
    get { attributes[seconds: "PART-TARGET"] ?? .zero }
    set { attributes[seconds: "PART-TARGET"] = newValue }
  }
}
