/// One segment of a fragmented movie: what Apple's writer reports of it, and where its bytes are.
public struct MediaSegment: Sendable, Equatable {
  /// How decoding can start at the first sample of a segment, ISO/IEC 14496-12:2022, annex I.
  public enum AccessPoint: UInt8, Sendable {
    /// It cannot.
    case none = 0
    /// All that follows is presented after the first sample.
    case closed = 1
    /// What is presented before the first sample can be decoded too.
    case closedWithLeading = 2
    /// What is presented before the first sample needs what came before.
    case open = 3
    /// Something is presented before the first sample, and it is not known what it needs.
    case unknown = 7

    /// Whether all that is presented from there on can be decoded without what is before.
    public var isIndependent: Bool { self == .closed || self == .closedWithLeading }
  }
  /// The samples of one track in it.
  public struct Track: Sendable, Equatable {
    /// Which of the tracks of the plan.
    public var index: Int
    /// The number of samples.
    public var sampleCount: Int
    /// The decode time of the first of them in the file.
    public var decodeTime: Int64
    /// When the first of them is presented, in the timescale of the track: negative for what an edit list takes away.
    public var earliestPresentationTime: Int64
    /// The sum of their durations.
    public var duration: Int64
    /// The sum of their sizes.
    public var byteCount: Int
    /// The first of them.
    public var firstSample: FirstSample
  }
  /// Where the first sample of a track is.
  public struct FirstSample: Sendable, Equatable {
    /// When it is presented, in the timescale of the track.
    public var presentationTime: Int64
    /// Where its data is, counted from the start of the segment.
    public var offset: Int
    /// The size of its data.
    public var length: Int
    /// Whether decoding can start at it.
    public var isSync: Bool
  }
  /// When it starts in the presentation.
  public var start: MediaTime
  /// How long it lasts, until the next one starts.
  public var duration: MediaTime
  /// The name of the source that it is a range of; `nil` where it is written.
  public var source: String?
  /// Where it starts in that source, or in the file of all segments.
  public var offset = 0
  /// The number of bytes of its fragments and of the events in front of them, without what else can stand before.
  public var byteCount = 0
  /// The sizes of its movie fragments, each with its media data.
  public var fragmentSizes: [Int] = []
  /// How decoding can start.
  public var accessPoint = AccessPoint.none
  /// Its tracks; those without samples in it are not there.
  public var tracks: [Track] = []
  /// Which of the track fragments in its first movie fragment is that of the reference track.
  var referenceTrackFragment = 0
  /// The number of bytes of what is between two cuts each; of the first, with the events.
  var partSizes: [Int] = []
  /// The number of bytes of the events.
  var eventByteCount = 0
}
