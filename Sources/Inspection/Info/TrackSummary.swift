public import Bytes
import ISOBMFF
public import MP4

/// What a track is, in the words that people use.
public struct TrackSummary: Sendable {
  /// Its track ID.
  public let id: UInt32
  /// `video`, `audio`, `text`, `timecode`, `metadata`, or the handler type.
  public let kind: String
  /// The codec as in RFC 6381, such as `avc1.64001F`.
  public let codec: String
  /// The codec as people call it, such as `H.264 High@3.1`.
  public let codecName: String
  /// What it is for: its language, name and alternates.
  public let role: Role
  /// Its pictures; `nil` if there are none.
  public let video: Video?
  /// Its sound; `nil` if there is none.
  public internal(set) var audio: Audio?
  /// Its samples.
  public let samples: SampleStatistics
  /// When it is presented; `nil` if it never is.
  public let presented: Range<MediaTime>?
  /// Its edit list; empty if it changes nothing.
  public let edits: [Edit]
  /// How it is encrypted; `nil` if it is not.
  public let encryption: Encryption?
  /// The timecode of its first sample, such as `01:00:00:00`; `nil` if it has none.
  public let timecode: String?

  /// What a track is for.
  public struct Role: Sendable {
    /// The shortest tag of its language (BCP 47); `nil` if it is unknown.
    public let language: String?
    /// Its name in user data or its handler; `nil` without one that says more than the kind.
    public let name: String?
    /// Whether it is presented by default.
    public let isEnabled: Bool
    /// Tracks with the same number are alternatives, of which one is presented; `nil` for none.
    public let alternateGroup: Int?
    /// Whether it contains the chapters of another track.
    public let isChapters: Bool
  }

  /// An edit: what is presented for some time.
  public struct Edit: Sendable {
    /// The time in the media from which it is presented; `nil` if nothing is.
    public let mediaTime: MediaTime?
    /// How long it lasts; `nil` for to the end.
    public let duration: MediaTime?
    /// The speed in thousandths of the normal one; 0 for a picture that stands still.
    public let speed: Int
    /// The edit in words.
    public let words: String
  }

  /// How the samples of a track are encrypted.
  public struct Encryption: Sendable {
    /// The scheme, such as `cenc`.
    public let scheme: FourCC
    /// The default key ID as a UUID; `nil` if samples are clear by default.
    public let keyID: String?
    /// The key IDs of all samples as UUIDs, in the order of their first samples.
    public let keyIDs: [String]
  }

  /// Examines a track; `fragments` are the indices of the first samples in its movie fragments. At most 64 KiB of its
  /// first sync sample are read, and the first sample of a timecode track.
  init(_ track: Track) throws(MovieError) {
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
    timecode = try Timecode.first(of: track)?.description
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
