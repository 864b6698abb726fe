public import Bytes
public import ISOBMFF

/// All decisions of a defragmenter, as values: its inputs, its output, and diagnostics.
public struct DefragmentReport: Sendable {
  /// An input.
  public struct Input: Sendable, Equatable {
    /// Its name in messages.
    public var name: String
    /// Its size, if known.
    public var byteCount: Int?
    /// The number of its movie fragments.
    public var fragmentCount: Int
  }
  /// A track of the output.
  public struct Track: Sendable, Equatable {
    /// The index of the input with its movie box; `nil` for the event track.
    public var input: Int?
    /// Its ID in that input.
    public var inputID: UInt32?
    /// Its ID in the output.
    public var id: UInt32
    /// The handler type.
    public var handler: FourCC
    /// The media timescale.
    public var timescale: UInt32
    /// The movie timescale of the input, before it was raised or merged with others.
    public var inputMovieTimescale: UInt32
    /// The number of samples in the output.
    public var sampleCount: Int
    /// The number of track fragments with samples.
    public var fragmentCount: Int
    /// The decode time of its first sample in the input, which is 0 in the output.
    public var start: Int64
    /// The sum of the durations of its samples.
    public var mediaDuration: Int64
    /// Its presented duration, in the movie timescale.
    public var presentationDuration: UInt64
    /// Its edit list, with durations in the movie timescale; empty if it has none.
    public var edits: [EditListBox.Entry]
  }
  /// The output file.
  public struct Output: Sendable, Equatable {
    /// Its name in messages; `nil` if there is none.
    public var name: String?
    /// Its size.
    public var byteCount: Int
    /// Whether it was written, and not only planned or rejected.
    public var isWritten = false

    package init(name: String? = nil, byteCount: Int, isWritten: Bool = false) {
      (self.name, self.byteCount, self.isWritten) = (name, byteCount, isWritten)
    }
  }
  /// The inputs, in order.
  public var inputs: [Input]
  /// The output. The code that writes it sets its name and whether it was written.
  public var output = Output(byteCount: 0)
  /// The movie timescale of the output.
  public var movieTimescale: UInt32
  /// The input time that was moved to 0 for all tracks; 0 if nothing was moved.
  public var start: MediaTime
  /// The tracks of the output.
  public var tracks: [Track]
  /// The number of bytes of samples that are copied.
  public var mediaByteCount: Int
  /// Diagnostics, including repairs and data loss.
  public var diagnostics: [Diagnostic] = []

  /// The highest severity of the diagnostics; `nil` if there are none.
  public var severity: Diagnostic.Severity? { diagnostics.map(\.severity).max() }
  /// The number of samples in the output.
  public var sampleCount: Int { tracks.reduce(0) { $0 + $1.sampleCount } }
  /// The number of movie fragments in the inputs.
  public var fragmentCount: Int { inputs.reduce(0) { $0 + $1.fragmentCount } }
  /// The number of omitted samples, because their data is missing or other samples have their times.
  public var lostSampleCount: Int {
    diagnostics.reduce(0) { sum, diagnostic in
      switch diagnostic.kind {
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
  /// The decisions, if this is the plan of a defragmenter.
  public var report: DefragmentReport? {
    guard var report = decisions else { return nil }
    report.diagnostics = diagnostics
    report.output.byteCount = byteCount
    return report
  }
}
