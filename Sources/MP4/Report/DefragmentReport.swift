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

extension DefragmentReport {
  /// Writes the report as one JSON object; the man page of `mp4tool defrag` lists its members.
  ///
  /// Numbers are integers. Times are beside their timescale, or in `movie_timescale`.
  public func writeJSON(to sink: any ByteSink) throws(IOError) {
    var json = JSONWriter(sink)
    json.beginObject()
    json.member("inputs", inputs.count) { json, index in Self.write(inputs[index], &json) }
    json.key("output", onNewLine: true)
    json.write(output)
    json.write(severity)
    json.key("movie_timescale", onNewLine: true)
    json.value(Int64(movieTimescale))
    json.key("start", onNewLine: true)
    json.write(start)
    json.key("totals", onNewLine: true)
    writeTotals(&json)
    json.member("tracks", tracks.count) { json, index in Self.write(tracks[index], &json) }
    json.member("diagnostics", diagnostics.count) { json, index in diagnostics[index].write(&json, inputs) }
    json.endObject()
    json.finish()
    if let failure = json.failure { throw failure }
  }

  private func writeTotals(_ json: inout JSONWriter) {
    json.beginObject()
    json.member("samples", sampleCount)
    json.member("lost_samples", lostSampleCount)
    json.member("fragments", fragmentCount)
    json.member("media_bytes", mediaByteCount)
    json.endObject()
  }

  package static func write(_ input: Input, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("name", input.name)
    if let size = input.byteCount { json.member("size", size) }
    json.member("fragments", input.fragmentCount)
    json.endObject()
  }

  private static func write(_ track: Track, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("id", Int(track.id))
    json.key("input")
    if let input = track.input { json.value(Int64(input)) } else { json.null() }
    json.key("input_id")
    if let id = track.inputID { json.value(Int64(id)) } else { json.null() }
    json.member("handler", track.handler.description)
    json.member("timescale", Int(track.timescale))
    json.member("input_movie_timescale", Int(track.inputMovieTimescale))
    json.member("samples", track.sampleCount)
    json.member("fragments", track.fragmentCount)
    json.member("start", Int(track.start))
    json.member("media_duration", Int(track.mediaDuration))
    json.key("presentation_duration")
    json.value(track.presentationDuration)
    json.write(edits: track.edits)
    json.endObject()
  }
}

extension JSONWriter {
  package mutating func member(_ name: StaticText, _ text: String) {
    key(name)
    value(text)
  }
  package mutating func member(_ name: StaticText, _ number: Int) {
    key(name)
    value(number)
  }
  /// An array with an element on each line.
  package mutating func member(_ name: StaticText, _ count: Int, element write: (inout JSONWriter, Int) -> Void) {
    key(name, onNewLine: true)
    beginArray()
    for index in 0..<count {
      element(onNewLine: true)
      write(&self, index)
    }
    endArray()
  }
  /// An array of texts in one line.
  package mutating func write(_ texts: [String]) {
    beginArray()
    for text in texts {
      element()
      value(text)
    }
    endArray()
  }
  mutating func write(_ time: MediaTime) {
    beginObject()
    member("value", Int(time.value))
    member("timescale", Int(time.timescale))
    endObject()
  }
  mutating func write(edits: [EditListBox.Entry]) {
    key("edits")
    beginArray()
    for edit in edits {
      element()
      beginObject()
      key("segment_duration")
      value(edit.segmentDuration)
      member("media_time", Int(edit.mediaTime))
      member("media_rate_integer", Int(edit.mediaRateInteger))
      member("media_rate_fraction", Int(edit.mediaRateFraction))
      endObject()
    }
    endArray()
  }
  package mutating func write(_ severity: Diagnostic.Severity?) {
    key("severity", onNewLine: true)
    if let severity { value(severity.name) } else { null() }
  }
  package mutating func write(_ output: DefragmentReport.Output) {
    beginObject()
    key("name")
    if let name = output.name { value(name) } else { null() }
    member("size", output.byteCount)
    key("is_written")
    value(output.isWritten)
    endObject()
  }
}

extension Diagnostic.Severity {
  /// The name of the case.
  package var name: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
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
