/// The attributes that EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF have in common (4.4.6.2 and 4.4.6.3).
public protocol StreamInformation: AttributeView {}

extension StreamInformation {
  /// The value of an attribute that all streams have.
  public subscript<Value>(dynamicMember attribute: KeyPath<StreamTable, AttributeSyntax<Value>>) -> Value {
    get { StreamTable.shared[keyPath: attribute].get(attributes) }
    set { StreamTable.shared[keyPath: attribute].set(&attributes, newValue) }
  }
}

/// The attributes that all streams have.
public struct StreamTable: AttributeTable {
  /// The peak bit rate including renditions, in bits per second; 0 if missing.
  public let bandwidth = AttributeSyntax("BANDWIDTH", .integer, required: true, missing: 0)
  /// The average bit rate in bits per second.
  public let averageBandwidth = AttributeSyntax("AVERAGE-BANDWIDTH", .integer)
  /// Its preference; higher is better.
  public let score = AttributeSyntax("SCORE", .number)
  /// The codecs, separated by commas (RFC 6381).
  public let codecs = AttributeSyntax("CODECS", .string)
  /// The codecs of enhancement layers with their brands, separated by commas.
  public let supplementalCodecs = AttributeSyntax("SUPPLEMENTAL-CODECS", .string)
  /// The display size of the video.
  public let resolution = AttributeSyntax("RESOLUTION", .resolution)
  /// The required output protection (HDCP): `NONE`, `TYPE-0`, `TYPE-1`.
  public let hdcpLevel = AttributeSyntax("HDCP-LEVEL", .word(["NONE", "TYPE-0", "TYPE-1"]))
  /// The allowed content protection configurations.
  public let allowedCPC = AttributeSyntax("ALLOWED-CPC", .string)
  /// The dynamic range: `SDR`, `HLG`, `PQ`; `nil` is `SDR`.
  public let videoRange = AttributeSyntax("VIDEO-RANGE", .word(["SDR", "HLG", "PQ"]))
  /// The rendering that the video needs, such as `CH-STEREO`.
  public let requiredVideoLayout = AttributeSyntax("REQ-VIDEO-LAYOUT", .string)
  /// An ID that stays the same when the URI changes.
  public let stableID = AttributeSyntax("STABLE-VARIANT-ID", .string)
  /// The group of video renditions.
  public let video = AttributeSyntax("VIDEO", .string)
  /// The pathway of content steering; `nil` is `.`.
  public let pathway = AttributeSyntax("PATHWAY-ID", .string)
  /// An obsolete attribute, without a meaning since version 6 of the protocol.
  public let programID = AttributeSyntax("PROGRAM-ID", .integer)

  static let shared = StreamTable()
}

/// A variant of the presentation: EXT-X-STREAM-INF and the URI after it (4.4.6.2).
public struct Variant: StreamInformation {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    let stream = StreamTable.shared
    /// The maximum frame rate, written with three decimals.
    public let frameRate = AttributeSyntax("FRAME-RATE", .number)
    /// The group of audio renditions.
    public let audio = AttributeSyntax("AUDIO", .string)
    /// The group of subtitle renditions.
    public let subtitles = AttributeSyntax("SUBTITLES", .string)
    /// The group of closed captions, or ``ClosedCaptions/none``.
    public let closedCaptions = AttributeSyntax("CLOSED-CAPTIONS", .captions)
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// The media playlist at `uri`, with its peak bit rate.
  public init(_ uri: String, bandwidth: Int) {
    self.uri = uri
    self.bandwidth = bandwidth
  }

  /// The URI of the media playlist, relative to the multivariant playlist; empty if the line is missing.
  public var uri = ""

  /// Closed captions in the video.
  public enum ClosedCaptions: Hashable, Sendable {
    /// No variant has closed captions.
    case none
    /// The renditions of this group describe them.
    case group(String)
  }
}

extension AttributeForm<Variant.ClosedCaptions> {
  /// A quoted string, or the word `NONE` without quotation marks.
  fileprivate static var captions: Self {
    Self(
      "a string in quotation marks or NONE",
      read: { $0.text == "NONE" ? Variant.ClosedCaptions.none : .group($0.string) },
      write: { captions in
        if case .group(let group) = captions { AttributeForm<String>.string.write(group) } else { "NONE" }
      },
      isValid: { $0.isQuoted || $0.text == "NONE" })
  }
}

/// An I-frame playlist, for trick play: EXT-X-I-FRAME-STREAM-INF (4.4.6.3).
public struct IFrameVariant: StreamInformation {
  /// The attributes of the tag.
  public struct Table: AttributeTable {
    let stream = StreamTable.shared
    /// The URI of the media playlist; empty if missing.
    public let uri = AttributeSyntax("URI", .uri, required: true, missing: "")
  }
  public static let table = Table()
  public var attributes = AttributeList()

  public init() {}
  /// The media playlist at `uri`, with its peak bit rate.
  public init(_ uri: String, bandwidth: Int) {
    self.bandwidth = bandwidth
    self.uri = uri
  }
}
