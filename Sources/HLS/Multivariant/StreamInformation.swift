/// What EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF both say of a stream (4.4.6.2 and 4.4.6.3).
public protocol StreamInformation: AttributeView {}

extension StreamInformation {
  /// The most bits per second of any segment, with its renditions; 0 when it is missing.
  public var bandwidth: Int {
    get { attributes[integer: "BANDWIDTH"] ?? 0 }
    set { attributes[integer: "BANDWIDTH"] = newValue }
  }
  /// The average number of bits per second.
  public var averageBandwidth: Int? {
    get { attributes[integer: "AVERAGE-BANDWIDTH"] }
    set { attributes[integer: "AVERAGE-BANDWIDTH"] = newValue }
  }
  /// How desirable it is among the others; more is better.
  public var score: Double? {
    get { attributes[decimal: "SCORE"] }
    set { attributes[decimal: "SCORE"] = newValue }
  }
  /// The formats, divided by commas (RFC 6381).
  public var codecs: String? {
    get { attributes[string: "CODECS"] }
    set { attributes[string: "CODECS"] = newValue }
  }
  /// The formats of enhancement layers with their brands, divided by commas.
  public var supplementalCodecs: String? {
    get { attributes[string: "SUPPLEMENTAL-CODECS"] }
    set { attributes[string: "SUPPLEMENTAL-CODECS"] = newValue }
  }
  /// The size at which to show the video.
  public var resolution: Resolution? {
    get { attributes[resolution: "RESOLUTION"] }
    set { attributes[resolution: "RESOLUTION"] = newValue }
  }
  /// The copy protection that outputs need: `NONE`, `TYPE-0`, `TYPE-1`.
  public var hdcpLevel: String? {
    get { attributes[word: "HDCP-LEVEL"] }
    set { attributes[word: "HDCP-LEVEL"] = newValue }
  }
  /// The content protection configurations that are allowed.
  public var allowedCPC: String? {
    get { attributes[string: "ALLOWED-CPC"] }
    set { attributes[string: "ALLOWED-CPC"] = newValue }
  }
  /// The dynamic range: `SDR`, `HLG`, `PQ`; nil is `SDR`.
  public var videoRange: String? {
    get { attributes[word: "VIDEO-RANGE"] }
    set { attributes[word: "VIDEO-RANGE"] = newValue }
  }
  /// What rendering the video needs, such as `CH-STEREO`.
  public var requiredVideoLayout: String? {
    get { attributes[string: "REQ-VIDEO-LAYOUT"] }
    set { attributes[string: "REQ-VIDEO-LAYOUT"] = newValue }
  }
  /// What identifies it when the URI changes.
  public var stableID: String? {
    get { attributes[string: "STABLE-VARIANT-ID"] }
    set { attributes[string: "STABLE-VARIANT-ID"] = newValue }
  }
  /// The group of video renditions.
  public var video: String? {
    get { attributes[string: "VIDEO"] }
    set { attributes[string: "VIDEO"] = newValue }
  }
  /// The pathway of content steering; nil is `.`.
  public var pathway: String? {
    get { attributes[string: "PATHWAY-ID"] }
    set { attributes[string: "PATHWAY-ID"] = newValue }
  }
}
