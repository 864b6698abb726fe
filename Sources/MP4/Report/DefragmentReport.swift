public import Bytes
public import ISOBMFF

/// Everything that a defragmenter decided, as values: what it read, what it makes, and what it met on the way.
public struct DefragmentReport: Sendable {
  /// One of the inputs.
  public struct Input: Sendable, Equatable {
    /// What messages call it.
    public var name: String
    /// Its size, where that is known.
    public var byteCount: Int?
    /// How many movie fragments it has.
    public var fragmentCount: Int
  }
  /// One of the tracks of the output.
  public struct Track: Sendable, Equatable {
    /// Which of the inputs has its movie box; `nil` for the track that is made of events.
    public var input: Int?
    /// Its ID there.
    public var inputID: UInt32?
    /// Its ID in the output.
    public var id: UInt32
    /// The kind of media.
    public var handler: FourCC
    /// Units of a second for its media.
    public var timescale: UInt32
    /// The timescale of the movie in the input, before it was raised or put together with others.
    public var inputMovieTimescale: UInt32
    /// The number of samples in the output.
    public var sampleCount: Int
    /// The number of track fragments with samples.
    public var fragmentCount: Int
    /// The decode time of its first sample in the input, which is 0 in the output.
    public var start: Int64
    /// The sum of the durations of its samples.
    public var mediaDuration: Int64
    /// How long it is presented, in the timescale of the movie.
    public var presentationDuration: UInt64
    /// Its edit list, durations in the timescale of the movie; empty when it has none.
    public var edits: [EditListBox.Entry]
  }
  /// The file that is made.
  public struct Output: Sendable, Equatable {
    /// What messages call it; `nil` when there is none.
    public var name: String?
    /// Its size.
    public var byteCount: Int
    /// Whether it was made, and not only planned or refused.
    public var isMade = false

    package init(name: String? = nil, byteCount: Int, isMade: Bool = false) {
      (self.name, self.byteCount, self.isMade) = (name, byteCount, isMade)
    }
  }
  /// The inputs in their order.
  public var inputs: [Input]
  /// The output. The code that writes it sets its name and that it was made.
  public var output = Output(byteCount: 0)
  /// The timescale of the movie in the output.
  public var movieTimescale: UInt32
  /// The time of the inputs that was moved to 0 for all tracks alike; 0 when nothing was moved.
  public var start: MediaTime
  /// The tracks of the output.
  public var tracks: [Track]
  /// The number of bytes of samples that are copied.
  public var mediaByteCount: Int
  /// What was met, repaired and lost.
  public var notices: [Notice] = []

  /// How much the most severe of the notices matters; `nil` when there are none.
  public var severity: Notice.Severity? { notices.map(\.severity).max() }
  /// The number of samples in the output.
  public var sampleCount: Int { tracks.reduce(0) { $0 + $1.sampleCount } }
  /// The number of movie fragments in the inputs.
  public var fragmentCount: Int { inputs.reduce(0) { $0 + $1.fragmentCount } }
  /// How many samples were left out, since their bytes are not there or since others have their times.
  public var lostSampleCount: Int {
    notices.reduce(0) { sum, notice in
      switch notice.kind {
      case .missingData(let spans), .timing(.replaced, let spans), .timing(.replacedAsAsked, let spans),
        .timing(.keptAsAsked, let spans):
        sum + spans.reduce(0) { $0 + $1.samples }
      case .lostTrack(_, let samples): sum + samples
      default: sum
      }
    }
  }
}

extension OutputPlan {
  /// What was decided, when the plan is that of a defragmenter.
  public var report: DefragmentReport? {
    guard var report = decisions else { return nil }
    report.notices = notices
    report.output.byteCount = byteCount
    return report
  }
}
