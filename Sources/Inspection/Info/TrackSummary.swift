import ISOBMFF
public import MP4
public import MP4Bytes
import MP4Packaging

/// A summary of a track.
public struct TrackSummary: Sendable {
  /// Its track ID.
  public let id: UInt32
  /// `video`, `audio`, `text`, `timecode`, `metadata`, or the handler type.
  public let kind: String
  /// The codec as in RFC 6381, such as `avc1.64001F`.
  public let codec: String
  /// The common name of the codec, such as `H.264 High@3.1`.
  public let codecName: String
  /// Its role: language, name and alternates.
  public let role: Role
  /// Its video properties; `nil` if it is not video.
  public let video: Video?
  /// Its audio properties; `nil` if it is not audio.
  public internal(set) var audio: Audio?
  /// Its samples.
  public let samples: SampleStatistics
  /// The time span in which it is presented; `nil` if it never is.
  public let presented: Range<MediaTime>?
  /// Its edit list; empty if it has no effect.
  public let edits: [Edit]
  /// Its encryption; `nil` if it is clear.
  public let encryption: Encryption?
  /// Its closed captions; `nil` if they were not looked for, or if its format cannot have any.
  public let captions: CaptionSummary?
  /// The timecode of its first sample, such as `01:00:00:00`; `nil` if it has none.
  public let timecode: String?
  /// The timecode of its last frame; `nil` if it has none.
  public let lastTimecode: String?

  /// The role of a track.
  public struct Role: Sendable {
    /// The shortest language tag (BCP 47); `nil` if unknown.
    public let language: String?
    /// Its name in user data or its handler; `nil` if there is none that is more specific than the kind.
    public let name: String?
    /// Whether it is presented by default.
    public let isEnabled: Bool
    /// Tracks with the same number are alternatives, of which one is presented; `nil` for none.
    public let alternateGroup: Int?
    /// Whether it contains the chapters of another track.
    public let isChapters: Bool
  }

  /// An edit: the media presented for some time.
  public struct Edit: Sendable {
    /// The media time from which it presents; `nil` for an empty edit.
    public let mediaTime: MediaTime?
    /// Its duration; `nil` if it extends to the end.
    public let duration: MediaTime?
    /// The speed in thousandths of normal speed; 0 for a still picture.
    public let speed: Int
    /// The edit in words.
    public let words: String
  }

  /// The encryption of the samples of a track.
  public struct Encryption: Sendable {
    /// The scheme, such as `cenc`.
    public let scheme: FourCC
    /// The default key ID as a UUID; `nil` if samples are clear by default.
    public let keyID: String?
    /// The key IDs of all samples as UUIDs, in the order of their first samples.
    public let keyIDs: [String]
  }

  /// Examines a track. At most 64 KiB of its first sync sample are read, the first sample of a timecode track, and what
  /// the search for captions needs.
  init(_ track: Track, captions search: CaptionSearch) throws(MovieError) {
    let configuration = track.decoderConfigurations.first
    id = track.id
    kind = Self.kind(track.handler)
    codec = track.codecs.joined(separator: ",")
    codecName = configuration?.name ?? "no sample description"
    role = Role(track)
    let statistics = SampleStatistics(track)
    samples = statistics
    video = try configuration.flatMap { (configuration) throws(MovieError) in
      try Video(track, configuration, statistics)
    }
    audio = try configuration.flatMap { (configuration) throws(MovieError) in try Audio(track, configuration) }
    presented = track.presentedTimes
    edits = Edit.list(of: track)
    encryption = track.protectionScheme.map {
      Encryption(scheme: $0, keyID: track.defaultKeyID.map(UUIDText.text), keyIDs: track.keyIDs.map(UUIDText.text))
    }
    captions = try CaptionSummary(track, search)
    timecode = try Timecode.first(of: track)?.description
    lastTimecode = try Timecode.last(of: track)?.description
  }

  /// The common name of the codec without its level and its maker, such as `H.264 High` and `ProRes 422 HQ`.
  public var codecProfile: String {
    let name = codecName.prefix { $0 != "@" }
    return String(name.hasPrefix("Apple ProRes") ? name.dropFirst(6) : name)
  }
  /// The level of the codec, such as `3.1`; `nil` if it has none.
  public var codecLevel: String? {
    let level = codecName.drop { $0 != "@" }.dropFirst()
    return level.isEmpty ? nil : String(level)
  }

  private static func kind(_ handler: FourCC) -> String {
    switch handler {
    case "vide": "video"
    case "soun": "audio"
    case "text", "sbtl", "subt", "clcp": "text"
    case "tmcd": "timecode"
    case "meta": "metadata"
    case "pict", "auxv": "picture"
    default: handler.description
    }
  }
}

extension TrackSummary.Role {
  init(_ track: Track) {
    language = track.language.map(LanguageTag.shortest).flatMap { $0 == "und" ? nil : $0 }
    isEnabled = track.isEnabled
    alternateGroup = track.alternateGroup == 0 ? nil : Int(track.alternateGroup)
    isChapters = track.isChapters ?? false
    name = track.name
  }
}
