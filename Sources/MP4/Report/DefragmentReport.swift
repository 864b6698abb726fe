public import ISOBMFF
public import MP4Bytes
package import MP4Records

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

extension DefragmentReport {
  /// Writes the report as one JSON object; the man page of `mp4tool defrag` lists its members.
  ///
  /// Numbers are integers. Times are beside their timescale, or in `movie_timescale`.
  public func writeJSON(to sink: any ByteSink) throws(IOError) { try write(to: sink) }
}

extension DefragmentReport: Record {
  package static let summary = "What was read and decided, and what is written."
  package static let members: [RecordMember<DefragmentReport>] = [
    .inputs(\.inputs),
    .output(\.output),
    .severity(\.diagnostics),
    RecordMember("movie_timescale", "the movie timescale of the output", onNewLine: true) { Int($0.movieTimescale) },
    RecordMember(
      "start", "the input time that was moved to 0 for all tracks; 0 if nothing was moved", onNewLine: true
    ) { TimeRecord($0.start) },
    RecordMember("totals", "sums over all tracks and inputs", onNewLine: true) { Totals($0) },
    RecordMember("tracks", "the tracks of the output", onNewLine: true) { report in
      report.tracks.map { TrackRecord($0) }
    },
    .diagnostics { ($0.diagnostics, $0.inputs) },
  ]

  private struct Totals: Record {
    static let summary = "Sums."
    let report: DefragmentReport
    init(_ report: DefragmentReport) { self.report = report }
    static let members: [RecordMember<Totals>] = [
      RecordMember("samples", "the number of samples in the output") { $0.report.sampleCount },
      RecordMember("lost_samples", "the number of lost samples, if known") { $0.report.lostSampleCount },
      RecordMember("fragments", "the number of movie fragments in the inputs") { $0.report.fragmentCount },
      RecordMember("media_bytes", "the number of bytes of samples that are copied") { $0.report.mediaByteCount },
    ]
  }

  private struct TrackRecord: Record {
    static let summary = "A track of the output."
    let track: Track
    init(_ track: Track) { self.track = track }
    static let members: [RecordMember<TrackRecord>] = [
      RecordMember("id", "its ID") { Int($0.track.id) },
      RecordMember("input", "the index of the input that has its `moov`; null for a track of events") {
        OrNull($0.track.input)
      },
      RecordMember("input_id", "its ID in that input, or null") { OrNull($0.track.inputID.map { Int($0) }) },
      RecordMember("handler", "its handler type, such as `vide` or `soun`") { $0.track.handler },
      RecordMember("timescale", "the timescale of the times in this object") { Int($0.track.timescale) },
      RecordMember("input_movie_timescale", "the movie timescale of the input") { Int($0.track.inputMovieTimescale) },
      RecordMember("samples", "the number of its samples") { $0.track.sampleCount },
      RecordMember("fragments", "the number of track fragments that they come from") { $0.track.fragmentCount },
      RecordMember("start", "the decode time of its first sample in the input, which becomes 0 in the output") {
        $0.track.start
      },
      RecordMember("media_duration", "the sum of the sample durations") { $0.track.mediaDuration },
      RecordMember("presentation_duration", "its presented duration, in units of `movie_timescale`") {
        $0.track.presentationDuration
      },
      RecordMember("edits", "its edit list") { $0.track.edits.map { EditRecord($0) } },
    ]
  }
}

extension DefragmentReport {
  /// The report on a fragmented movie.
  init(_ input: MovieInput, _ timeline: FragmentTimeline, _ layout: MediaLayout, _ edits: EditPlan) {
    let tracks = input.tracks
    let ids = TrackNumbering(input.groups).ids
    self.init(
      inputs: Self.inputs(input), movieTimescale: edits.timescale, start: edits.start,
      tracks: tracks.indices.map { index in
        let (track, samples, group) = (tracks[index], layout.tables[index].samples, input.group(of: index))
        let isGenerated = group.map { input.contents[$0.source].isGenerated } ?? false
        return Track(
          input: isGenerated ? nil : group?.source ?? 0, inputID: isGenerated ? nil : track.id, id: ids[index],
          handler: track.handler,
          timescale: track.timescale, inputMovieTimescale: group?.movie.timescale ?? edits.timescale,
          sampleCount: samples.count,
          fragmentCount: timeline.tracks[index].fragmentCount, start: timeline.tracks[index].start,
          mediaDuration: samples.duration,
          presentationDuration: edits.presentationDuration(
            of: index, mediaDuration: samples.duration, timescale: track.timescale),
          edits: edits.edits[index])
      }, mediaByteCount: layout.copies.byteCount)
  }

  /// The report on a file that is already progressive; `samples` describes the samples of each track.
  init(progressive input: MovieInput, _ movie: MovieDescription, samples: [ProgressiveTrack]) {
    self.init(
      inputs: Self.inputs(input), movieTimescale: movie.timescale, start: MediaTime(0, movie.timescale),
      tracks: zip(movie.tracks, samples).map { track, samples in
        Track(
          input: 0, inputID: track.id, id: track.id, handler: track.handler, timescale: track.timescale,
          inputMovieTimescale: movie.timescale, sampleCount: samples.sampleCount, fragmentCount: 0, start: 0,
          mediaDuration: samples.mediaDuration, presentationDuration: samples.presentationDuration, edits: track.edits)
      }, mediaByteCount: samples.reduce(0) { $0 + $1.byteCount })
  }

  /// A track of a progressive file, as its movie box describes it.
  struct ProgressiveTrack {
    var sampleCount = 0
    var byteCount = 0
    var mediaDuration: Int64 = 0
    var presentationDuration: UInt64 = 0
  }

  static func inputs(_ input: MovieInput) -> [Input] {
    zip(input.sources, input.contents).filter { !$1.isGenerated }.map { source, contents in
      Input(name: source.name, byteCount: source.byteCount, fragmentCount: contents.fragmentCount)
    }
  }
}

extension EditPlan {
  /// The presented duration of a track, in the movie timescale: that of its edits, or without edits that of its media.
  func presentationDuration(of track: Int, mediaDuration: Int64, timescale: UInt32) -> UInt64 {
    if edits[track].isEmpty { return inMovie(mediaDuration, timescale) }
    return edits[track].reduce(0) { $0 &+ $1.segmentDuration }
  }
}
