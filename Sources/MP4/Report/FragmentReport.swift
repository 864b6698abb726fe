import ISOBMFF
public import MP4Bytes
package import MP4Records

extension FragmentPlan {
  /// Writes a JSON report with all decisions; the man page of `mp4tool fragment` lists its members.
  ///
  /// `output` is the name of the file or folder in messages, `isWritten` whether it was written and not only planned,
  /// and `names` are those of the init segment and the media segments, if these are separate files.
  public func writeReport(
    to sink: any ByteSink, output: String?, isWritten: Bool, names: [String]? = nil
  ) throws(IOError) {
    let size =
      names == nil ? byteCount : segments.indices.reduce(initializationByteCount) { $0 + byteCount(ofSegment: $1) }
    let output = DefragmentReport.Output(name: output, byteCount: size, isWritten: isWritten)
    try FragmentReport(parts: FragmentParts(plan: self, names: names), output: output).write(to: sink)
  }
}

extension Movie {
  /// The input files for reports.
  package var inputs: [DefragmentReport.Input] { DefragmentReport.inputs(input) }
}

extension FragmentProfile {
  /// The identifier used in reports.
  fileprivate var word: String {
    switch self {
    case .source: "source"
    case .cmaf: "cmaf"
    case .cmf2: "cmf2"
    case .apple: "apple"
    }
  }
}

/// The report on a fragmented output.
package struct FragmentReport: Record {
  package static let summary = "What was decided, and what is written."
  let parts: FragmentParts
  let output: DefragmentReport.Output

  package static let members: [RecordMember<FragmentReport>] =
    [
      .inputs(\.parts.plan.movie.inputs),
      .output(\.output),
      .severity(\.parts.plan.diagnostics),
      RecordMember("profile", "the profile: `source`, `cmaf`, `cmf2` or `apple`", onNewLine: true) {
        $0.parts.plan.options.profile.word
      },
    ] + FragmentParts.members.map { $0.of(\.parts) }
    + [.diagnostics { ($0.parts.plan.diagnostics, $0.parts.plan.movie.inputs) }]
}

/// The brands, the tracks and the segments of a fragmented output.
package struct FragmentParts: Record {
  package static let summary = "The parts of a fragmented output."
  let plan: FragmentPlan
  /// The names of the init segment and the media segments, if these are separate files.
  let names: [String]?

  package init(plan: FragmentPlan, names: [String]?) { (self.plan, self.names) = (plan, names) }

  package var segments: [SegmentRecord] {
    (0...plan.segments.count).map { SegmentRecord(plan, number: $0, name: names?[$0]) }
  }

  package static let members: [RecordMember<FragmentParts>] = [
    RecordMember("cmaf_brands", "the structural CMAF brands of the output", onNewLine: true) {
      $0.plan.cmafBrands.map(\.description)
    },
    RecordMember("tracks", "its tracks", onNewLine: true) { parts in
      parts.plan.tracks.indices.map { TrackRecord(plan: parts.plan, index: $0) }
    },
    RecordMember("segments", "its segments; the first is the init segment", onNewLine: true) { $0.segments },
  ]

  private struct TrackRecord: Record {
    static let summary = "A track of the output."
    let plan: FragmentPlan
    let index: Int
    private var track: TrackFragmentWriter { plan.writer.tracks[index] }

    static let members: [RecordMember<TrackRecord>] = [
      RecordMember("id", "its ID") { Int($0.track.trackID) },
      RecordMember("input_id", "its ID in the input") { Int($0.plan.tracks[$0.index].id) },
      RecordMember("handler", "its handler type") { $0.plan.tracks[$0.index].handler },
      RecordMember("timescale", "the timescale of the times in this object") {
        Int($0.plan.tracks[$0.index].timescale)
      },
      RecordMember("movie_timescale", "the movie timescale") { Int($0.plan.movie.timescale) },
      RecordMember("samples", "the number of its samples") { $0.track.list.count },
      RecordMember("start", "the decode time of its first sample") { $0.track.placement.start },
      RecordMember("media_duration", "the sum of the sample durations") { $0.track.list.duration },
      RecordMember("edits", "its edit list") { $0.track.placement.edits.map { EditRecord($0) } },
      RecordMember("is_reference", "whether its sync samples determine where segments start") {
        $0.index == $0.plan.reference
      },
    ]
  }
}

/// An init segment, a media segment or a segment of text.
package struct SegmentRecord: Record {
  package static let summary = "A segment."
  private let name: String?
  private let size: Int
  private var number: Int?
  private var offset: Int?
  private var source: String?
  /// A media segment, and the number of bytes before it in its file.
  private var segment: (MediaSegment, front: Int, plan: FragmentPlan)?
  private var isInitialization = false

  /// A segment of text.
  package init(name: String, size: Int) { (self.name, self.size) = (name, size) }

  /// The init segment, whose number is 0, or a media segment. `name` is that of its file, if it is a file.
  fileprivate init(_ plan: FragmentPlan, number: Int, name: String?) {
    self.name = name
    isInitialization = number == 0
    guard number > 0 else {
      (size, source, offset) = (plan.initializationByteCount, plan.initializationSource, name == nil ? 0 : nil)
      return
    }
    let own = plan.segments[number - 1]
    let fileSize = plan.byteCount(ofSegment: number - 1)
    self.number = number
    size = name == nil ? own.byteCount : fileSize
    segment = (own, name == nil ? 0 : fileSize - own.byteCount, plan)
    if name == nil { (offset, source) = (plan.offset(ofSegment: number - 1), own.source) }
  }

  package static let members: [RecordMember<SegmentRecord>] = [
    RecordMember("type", "`initialization` or `separable`; missing for text") { record in
      record.isInitialization ? "initialization" : record.number == nil ? nil : "separable"
    },
    RecordMember("number", "the number of a media segment, starting at 1") { $0.number },
    RecordMember("name", "the name of its file, if it is a file") { $0.name },
    RecordMember("offset", "otherwise its offset in the output") { $0.offset },
    RecordMember("source", "the name of the file that it is a part of, if it was not written") { $0.source },
    RecordMember("size", "its size in bytes") { $0.size },
    RecordMember("start", "its presentation start") { $0.segment.map { TimeRecord($0.0.start) } },
    RecordMember("duration", "its duration") { $0.segment.map { TimeRecord($0.0.duration) } },
    RecordMember("fragments", "the number of its movie fragments") { $0.segment?.0.fragmentSizes.count },
    RecordMember("starts_with_sync", "whether decoding can start at the first sample of the reference track") {
      $0.segment.map { $0.0.accessPoint != .none }
    },
    RecordMember("tracks", "the tracks with samples in it") { record in
      record.segment.map { segment, front, plan in
        segment.tracks.map { SegmentTrackRecord(plan: plan, track: $0, front: front) }
      }
    },
  ]

  private struct SegmentTrackRecord: Record {
    static let summary = "A track in a segment."
    let plan: FragmentPlan
    let track: MediaSegment.Track
    /// The number of bytes before the segment in its file.
    let front: Int

    static let members: [RecordMember<SegmentTrackRecord>] = [
      RecordMember("id", "its ID") { Int($0.plan.trackIDs[$0.track.index]) },
      RecordMember("handler", "its handler type") { $0.plan.tracks[$0.track.index].handler },
      RecordMember("timescale", "the timescale of the times in this object") {
        Int($0.plan.tracks[$0.track.index].timescale)
      },
      RecordMember("samples", "the number of samples") { $0.track.sampleCount },
      RecordMember("decode_time", "the decode time of the first sample") { $0.track.decodeTime },
      RecordMember(
        "earliest_presentation_time", "the earliest presentation time; negative for samples that an edit list hides"
      ) { $0.track.earliestPresentationTime },
      RecordMember("duration", "the sum of the durations") { $0.track.duration },
      RecordMember("media_bytes", "the sum of the sizes") { $0.track.byteCount },
      RecordMember("first_sample", "the first sample") { FirstSample(sample: $0.track.firstSample, front: $0.front) },
    ]
  }

  private struct FirstSample: Record {
    static let summary = "A sample."
    let sample: MediaSegment.FirstSample
    let front: Int
    static let members: [RecordMember<FirstSample>] = [
      RecordMember("presentation_time", "its presentation time") { $0.sample.presentationTime },
      RecordMember("offset", "its offset from the start of the segment") { $0.sample.offset + $0.front },
      RecordMember("size", "its size in bytes") { $0.sample.length },
      RecordMember("is_sync", "whether it is a sync sample") { $0.sample.isSync },
    ]
  }
}
