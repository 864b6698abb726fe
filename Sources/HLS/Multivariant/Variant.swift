/// A variant of the presentation: EXT-X-STREAM-INF and the URI after it (4.4.6.2).
public struct Variant: StreamInformation {
  /// The attributes, known and unknown.
  public var attributes: AttributeList

  /// The view of some attributes.
  public init(attributes: AttributeList) { self.attributes = attributes }
  /// The media playlist at `uri`, with its peak bit rate.
  public init(_ uri: String, bandwidth: Int) {
    attributes = AttributeList()
    self.uri = uri
    self.bandwidth = bandwidth
  }

  /// The URI of the media playlist, relative to the multivariant playlist; empty if the line is missing.
  public var uri = ""
  /// The maximum frame rate, written with three decimals.
  public var frameRate: Double? {
    get { attributes[decimal: "FRAME-RATE"] }
    set { attributes[decimal: "FRAME-RATE"] = newValue }
  }
  /// The group of audio renditions.
  public var audio: String? {
    get { attributes[string: "AUDIO"] }
    set { attributes[string: "AUDIO"] = newValue }
  }
  /// The group of subtitle renditions.
  public var subtitles: String? {
    get { attributes[string: "SUBTITLES"] }
    set { attributes[string: "SUBTITLES"] = newValue }
  }
  /// The group of closed captions, or ``ClosedCaptions/none``.
  public var closedCaptions: ClosedCaptions? {
    get {
      attributes["CLOSED-CAPTIONS"].map { $0.text == "NONE" ? .none : .group($0.string) }
    }
    set {
      switch newValue {
      case nil: attributes["CLOSED-CAPTIONS"] = nil
      case .some(.none): attributes[word: "CLOSED-CAPTIONS"] = "NONE"
      case .group(let group): attributes[string: "CLOSED-CAPTIONS"] = group
      }
    }
  }

  /// Closed captions in the video.
  public enum ClosedCaptions: Hashable, Sendable {
    /// No variant has closed captions.
    case none
    /// The renditions of this group describe them.
    case group(String)
  }
}
