/// A segment of a fragmented movie: its properties for reports, and the position of its bytes.
public struct MediaSegment: Sendable, Equatable {
  /// How decoding can start at the first sample of a segment, ISO/IEC 14496-12:2022, annex I.
  public enum AccessPoint: UInt8, Sendable {
    /// It cannot.
    case none = 0
    /// All other samples are presented after the first one.
    case closed = 1
    /// Samples presented before the first one can be decoded too.
    case closedWithLeading = 2
    /// Samples presented before the first one depend on previous ones.
    case open = 3
    /// Some samples are presented before the first one, and their dependencies are unknown.
    case unknown = 7

    /// Whether everything presented from the first sample on can be decoded without previous samples.
    public var isIndependent: Bool { self == .closed || self == .closedWithLeading }
  }
  /// The samples of one track in it.
  public struct Track: Sendable, Equatable {
    /// The index of the track in the plan.
    public var index: Int
    /// The number of samples.
    public var sampleCount: Int
    /// The decode time of its first sample in the file.
    public var decodeTime: Int64
    /// The presentation time of its first sample, in the timescale of the track: negative for samples that an edit list
    /// hides.
    public var earliestPresentationTime: Int64
    /// The total duration.
    public var duration: Int64
    /// The total size.
    public var byteCount: Int
    /// Its first sample.
    public var firstSample: FirstSample
  }
  /// The first sample of a track.
  public struct FirstSample: Sendable, Equatable {
    /// Its presentation time, in the timescale of the track.
    public var presentationTime: Int64
    /// The offset of its data, relative to the start of the segment.
    public var offset: Int
    /// The size of its data.
    public var length: Int
    /// Whether decoding can start at it.
    public var isSync: Bool
  }
  /// Its start in the presentation.
  public var start: MediaTime
  /// Its duration, up to the start of the next one.
  public var duration: MediaTime
  /// The name of the source that contains it; `nil` if it is written.
  public var source: String?
  /// Its offset in that source, or in the file of all segments.
  public var offset = 0
  /// The size of its fragments and of the events before them, without other boxes.
  public var byteCount = 0
  /// The sizes of its movie fragments, each including its media data.
  public var fragmentSizes: [Int] = []
  /// How decoding can start.
  public var accessPoint = AccessPoint.none
  /// Its tracks, except those without samples in it.
  public var tracks: [Track] = []
  /// The index of the reference track's fragment in the first movie fragment.
  var referenceTrackFragment = 0
  /// The size of the data between cuts; the first one includes the events.
  var partSizes: [Int] = []
  /// The number of bytes of the events.
  var eventByteCount = 0
}
