/// An entry of an edit list.
public struct EditSpec: Equatable, Sendable {
  /// In the timescale of the movie.
  public var duration: UInt64
  /// The start in the media; -1 for an empty edit.
  public var mediaTime: Int64

  /// An edit at normal speed.
  public init(duration: UInt64, mediaTime: Int64) {
    self.duration = duration
    self.mediaTime = mediaTime
  }

  /// An empty edit.
  public static func empty(_ duration: UInt64) -> EditSpec { EditSpec(duration: duration, mediaTime: -1) }
  /// The media from this time on; a duration of 0 means to its end.
  public static func media(from time: Int64, duration: UInt64 = 0) -> EditSpec {
    EditSpec(duration: duration, mediaTime: time)
  }
}

/// The defaults of `trex`.
public struct TrackDefaults: Sendable {
  /// default_sample_description_index
  public var description: UInt32 = 1
  /// default_sample_duration
  public var duration: UInt32 = 0
  /// default_sample_size
  public var size: UInt32 = 0
  /// default_sample_flags
  public var flags: UInt32 = 0

  /// These defaults.
  public init(description: UInt32 = 1, duration: UInt32 = 0, size: UInt32 = 0, flags: UInt32 = 0) {
    self.description = description
    self.duration = duration
    self.size = size
    self.flags = flags
  }
}

/// A track of the file to build.
public struct TrackSpec: Sendable {
  /// The kind of media.
  public enum Kind: Sendable {
    /// AVC video.
    case video
    /// AAC audio.
    case audio
    /// Timed text.
    case text
  }

  /// track_ID
  public var id: UInt32
  /// The kind of media.
  public var kind: Kind
  /// The handler if it is not the usual one of the kind, such as `tmcd`.
  public var handler: String?
  /// The timescale.
  public var timescale: UInt32
  /// The entries of `stsd`, whole boxes.
  public var sampleEntries: [[UInt8]]
  /// The defaults of the fragments; `nil` omits `trex`.
  public var trex: TrackDefaults?
  /// The edit list; `nil` omits it.
  public var edits: [EditSpec]?
  /// 0 or 1.
  public var editListVersion: UInt8 = 0
  /// Three letters.
  public var language = "und"
  /// The duration in `tkhd`, in the timescale of the movie.
  public var trackDuration: UInt64 = 0
  /// The duration in `mdhd`.
  public var mediaDuration: UInt64 = 0
  /// Samples in the tables of `moov`, before all fragments.
  public var samples: [SampleSpec] = []
  /// The group descriptions in `moov`, by group type; fragments contain those that are missing here.
  public var groupDescriptions: [String: [[UInt8]]] = [:]
  /// Whole boxes at the end of the container with this type: trak, mdia, minf or stbl.
  public var boxes: [String: [UInt8]] = [:]

  /// Timescale 12,800, 512 units per sample; samples depend on others unless declared otherwise.
  public static func video(id: UInt32 = 1) -> TrackSpec {
    TrackSpec(
      id: id, kind: .video, timescale: 12_800, sampleEntries: [EntryBytes.avc1()],
      trex: TrackDefaults(duration: 512, size: 0, flags: .depends))
  }

  /// Timescale 48,000, 1024 units per sample; all samples are sync samples.
  public static func audio(id: UInt32 = 2) -> TrackSpec {
    TrackSpec(
      id: id, kind: .audio, timescale: 48_000, sampleEntries: [EntryBytes.mp4a()],
      trex: TrackDefaults(duration: 1024, size: 0, flags: .sync))
  }

  /// Timescale 1000, 500 units per sample; all samples are sync samples.
  public static func text(id: UInt32 = 3) -> TrackSpec {
    TrackSpec(
      id: id, kind: .text, timescale: 1000, sampleEntries: [EntryBytes.wvtt()],
      trex: TrackDefaults(duration: 500, size: 0, flags: .sync))
  }

  /// The same track with a changed property.
  public func with<Value>(_ property: WritableKeyPath<TrackSpec, Value>, _ value: Value) -> TrackSpec {
    var track = self
    track[keyPath: property] = value
    return track
  }
}
