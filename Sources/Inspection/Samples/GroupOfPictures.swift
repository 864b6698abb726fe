public import MP4
public import MP4Bytes
public import MP4Records

/// A GOP: a sync sample and the samples up to the next one.
public struct GroupOfPictures: Sendable {
  /// The ID of its track.
  public let track: UInt32
  /// The indices of its samples in decoding order.
  public let samples: Range<Int>
  /// The decode time of its first sample, as in the file.
  public let decodeTime: MediaTime
  /// The decode time of its first sample, relative to the start of the presentation.
  public let relativeDecodeTime: MediaTime
  /// The presentation time of its sync sample; `nil` if no edit shows it.
  public let presentationTime: MediaTime?
  /// The sum of the durations of its samples.
  public let duration: MediaTime
  /// The sum of the sizes of its samples.
  public let byteCount: Int
  /// The number of its samples that are presented before its sync sample.
  public let leadingCount: Int
  /// Whether it starts with a sync sample, which is always the case except for the first GOP.
  public let hasSyncSample: Bool
}

extension GroupOfPictures {
  /// The same GOP in a presentation, `shift` later.
  func moved(by shift: MediaTime) -> GroupOfPictures {
    GroupOfPictures(
      track: track, samples: samples, decodeTime: decodeTime,
      relativeDecodeTime: relativeDecodeTime + shift, presentationTime: presentationTime.map { $0 + shift },
      duration: duration, byteCount: byteCount, leadingCount: leadingCount, hasSyncSample: hasSyncSample)
  }
}

extension Track {
  /// Calls `body` for each GOP, in decoding order.
  public func forEachGroupOfPictures<Failure: Error>(_ body: (GroupOfPictures) throws(Failure) -> Void) throws(Failure)
  {
    var start: Sample?
    var (byteCount, leadingCount) = (0, 0)
    func finish(_ end: Int, _ endTime: MediaTime) throws(Failure) {
      guard let start else { return }
      try body(
        GroupOfPictures(
          track: id, samples: start.index..<end, decodeTime: start.decodeTime,
          relativeDecodeTime: start.relativeDecodeTime, presentationTime: start.presentationTime,
          duration: endTime - start.decodeTime, byteCount: byteCount,
          leadingCount: leadingCount, hasSyncSample: start.isSync))
    }
    var (last, firstTime) = (MediaTime(0, timescale), MediaTime(0, timescale))
    for sample in samples {
      let time = sample.decodeTime
      if start == nil || sample.isSync {
        try finish(sample.index, time)
        (start, byteCount, leadingCount, firstTime) = (sample, 0, 0, sample.compositionTime)
      } else if sample.compositionTime < firstTime {
        leadingCount += 1
      }
      byteCount += sample.size
      last = MediaTime(time.value &+ sample.duration.value, timescale)
    }
    try finish(samples.count, last)
  }
}

extension GroupOfPictures: Record {
  package static let summary = "A sync sample and the samples up to the next one."
  package static let members: [RecordMember<GroupOfPictures>] = [
    RecordMember("track", "the ID of its track") { Int($0.track) },
    RecordMember("first_sample", "the number of its first sample, starting at 1") { $0.samples.lowerBound + 1 },
    RecordMember("samples", "the number of its samples") { $0.samples.count },
    RecordMember(
      "decode_seconds", "the decode time of its first sample in seconds, relative to the start of the presentation"
    ) {
      $0.relativeDecodeTime
    },
    RecordMember(
      "presentation_seconds",
      "the presentation time of its first sample in seconds; missing if that sample is never presented"
    ) {
      $0.presentationTime
    },
    RecordMember("duration_seconds", "the sum of the durations of its samples, in seconds") { $0.duration },
    RecordMember("bytes", "the sum of the sizes of its samples") { $0.byteCount },
    RecordMember(
      "leading_samples",
      "the number of samples that are presented before its sync sample; more than 0 in an open GOP"
    ) {
      $0.leadingCount
    },
    RecordMember("starts_with_keyframe", "whether it starts with a sync sample; can be false only for the first GOP") {
      $0.hasSyncSample
    },
  ]
}

/// The GOPs of video tracks.
public struct GroupListing: Sendable {
  private let movie: Movie
  private let times: Range<MediaTime>?
  /// The value added to presentation times, and the prefix of track headings; `nil` for files.
  let shift: MediaTime?, heading: String?

  /// The GOPs of the tracks of `movie` whose samples are not all sync samples, or of all its tracks if there are none;
  /// in a range of `times`, only those that are at least partly presented then.
  public init(_ movie: Movie, in times: Range<MediaTime>? = nil) {
    self.init(movie, in: times, shift: nil, heading: nil)
  }

  /// The same for a part of a presentation.
  init(_ movie: Movie, in times: Range<MediaTime>?, shift: MediaTime?, heading: String?) {
    (self.times, self.shift, self.heading) = (times, shift, heading)
    let tracks = movie.tracks.indices.filter { !movie.tracks[$0].samples.areAllSync }
    self.movie = tracks.isEmpty ? movie : movie.keeping(tracks: tracks)
  }

  /// The tracks whose GOPs are listed.
  public var tracks: [Track] { movie.tracks }

  /// Calls `body` for each listed GOP of a track.
  func forEach(of track: Track, _ body: (GroupOfPictures) throws(IOError) -> Void) throws(IOError) {
    try track.forEachGroupOfPictures { (group) throws(IOError) in
      if let times {
        guard let start = group.presentationTime, start < times.upperBound, start + group.duration > times.lowerBound
        else { return }
      }
      try body(group)
    }
  }

  /// Writes the GOPs.
  ///
  /// - Returns: The number of GOPs.
  @discardableResult public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) -> Int {
    var output = RecordOutput<GroupOfPictures>(format, to: sink)
    var count = 0
    for track in tracks {
      try forEach(of: track) { (group) throws(IOError) in
        try output.write(group)
        count += 1
      }
    }
    try output.finish()
    return count
  }

  /// Adds the GOPs to an output for several movies. Returns their number.
  package func add(to output: inout RecordOutput<RecordInFile<GroupOfPictures>>) throws(IOError) -> Int {
    var count = 0
    for track in tracks {
      try forEach(of: track) { (group) throws(IOError) in
        try output.write(RecordInFile(group, in: movie.name))
        count += 1
      }
    }
    return count
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(RecordInFile<GroupOfPictures>.schema).write(to: sink)
  }
}
