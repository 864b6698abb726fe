/// The attributes that EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF have in common (4.4.6.2 and 4.4.6.3).
public protocol StreamInformation: AttributeView {}

extension StreamInformation {
  /// The peak bit rate including renditions, in bits per second; 0 if missing.
  public var bandwidth: Int {
    get { attributes[integer: "BANDWIDTH"] ?? 0 }
    set { attributes[integer: "BANDWIDTH"] = newValue }
  }
  /// The average bit rate in bits per second.
  public var averageBandwidth: Int? {
    get { attributes[integer: "AVERAGE-BANDWIDTH"] }
    set { attributes[integer: "AVERAGE-BANDWIDTH"] = newValue }
  }
  /// Its preference; higher is better.
  public var score: Double? {
    get { attributes[decimal: "SCORE"] }
    set { attributes[decimal: "SCORE"] = newValue }
  }
  /// The codecs, separated by commas (RFC 6381).
  public var codecs: String? {
    get { attributes[string: "CODECS"] }
    set { attributes[string: "CODECS"] = newValue }
  }
  /// The codecs of enhancement layers with their brands, separated by commas.
  public var supplementalCodecs: String? {
    get { attributes[string: "SUPPLEMENTAL-CODECS"] }
    set { attributes[string: "SUPPLEMENTAL-CODECS"] = newValue }
  }
  /// The display size of the video.
  public var resolution: Resolution? {
    get { attributes[resolution: "RESOLUTION"] }
    set { attributes[resolution: "RESOLUTION"] = newValue }
  }
  /// The required output protection (HDCP): `NONE`, `TYPE-0`, `TYPE-1`.
  public var hdcpLevel: String? {
    get { attributes[word: "HDCP-LEVEL"] }
    set { attributes[word: "HDCP-LEVEL"] = newValue }
  }
  /// The allowed content protection configurations.
  public var allowedCPC: String? {
    get { attributes[string: "ALLOWED-CPC"] }
    set { attributes[string: "ALLOWED-CPC"] = newValue }
  }
  /// The dynamic range: `SDR`, `HLG`, `PQ`; `nil` is `SDR`.
  public var videoRange: String? {
    get { attributes[word: "VIDEO-RANGE"] }
    set { attributes[word: "VIDEO-RANGE"] = newValue }
  }
  /// The rendering that the video needs, such as `CH-STEREO`.
  public var requiredVideoLayout: String? {
    get { attributes[string: "REQ-VIDEO-LAYOUT"] }
    set { attributes[string: "REQ-VIDEO-LAYOUT"] = newValue }
  }
  /// An ID that stays the same when the URI changes.
  public var stableID: String? {
    get { attributes[string: "STABLE-VARIANT-ID"] }
    set { attributes[string: "STABLE-VARIANT-ID"] = newValue }
  }
  /// The group of video renditions.
  public var video: String? {
    get { attributes[string: "VIDEO"] }
    set { attributes[string: "VIDEO"] = newValue }
  }
  /// The pathway of content steering; `nil` is `.`.
  public var pathway: String? {
    get { attributes[string: "PATHWAY-ID"] }
    set { attributes[string: "PATHWAY-ID"] = newValue }
  }
}
