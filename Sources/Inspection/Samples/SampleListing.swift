public import Bytes
public import MP4

/// A list of samples of a movie: all of them, or the selected ones.
public struct SampleListing: Sendable {
  /// Selects samples, which must meet every condition.
  public struct Selection: Sendable {
    /// Only sync samples.
    public var keyframesOnly = false
    /// Only samples that are at least partly presented in this range of times.
    public var times: Range<MediaTime>?
    /// Only samples with these numbers in their tracks, starting at 1.
    public var numbers: ClosedRange<Int>?
    /// Only the sample that is presented at this time, and the preceding sync sample where decoding starts.
    public var time: MediaTime?

    /// Selects all samples.
    public init() {}
  }

  let movie: Movie
  /// Whether the timescales of the movie are known. Without them, only times in units of the media are written.
  public var hasTimescales = true
  private let selection: Selection
  /// The value added to presentation times, and the prefix of track headings; `nil` for files.
  let shift: MediaTime?, heading: String?

  /// The samples of `movie` that `selection` selects.
  public init(_ movie: Movie, _ selection: Selection = Selection()) {
    self.init(movie, selection, shift: nil, heading: nil)
  }

  /// The same for a part of a presentation.
  init(_ movie: Movie, _ selection: Selection, shift: MediaTime?, heading: String?) {
    (self.movie, self.selection, self.shift, self.heading) = (movie, selection, shift, heading)
  }

  /// Calls `body` for the selected samples of a track, in decoding order.
  package func forEach(of track: Track, _ body: (Sample) throws(IOError) -> Void) throws(IOError) {
    let samples = track.samples
    if let time = selection.time {
      guard let shown = samples.index(atPresentationTime: time) else { return }
      var start = samples.syncIndex(atOrBefore: shown)
      // A sample that is presented before its sync sample needs the previous sync sample.
      if let own = start, own > 0, samples[shown].compositionTime < samples[own].compositionTime {
        start = samples.syncIndex(atOrBefore: own - 1) ?? own
      }
      if let start, start < shown, includes(samples[start]) { try body(samples[start]) }
      if includes(samples[shown]) { try body(samples[shown]) }
      return
    }
    let wanted = range(of: samples)
    // The sample that is seen when a range of times starts.
    let first = selection.times.flatMap { samples.index(atPresentationTime: $0.lowerBound) }
    if wanted.count == samples.count {
      for sample in samples where includes(sample, first) { try body(sample) }
    } else {
      for index in wanted where includes(samples[index], first) { try body(samples[index]) }
    }
  }

  /// The indices that the selected numbers cover.
  private func range(of samples: Samples) -> Range<Int> {
    guard let numbers = selection.numbers else { return 0..<samples.count }
    let first = min(max(0, numbers.lowerBound - 1), samples.count)
    return first..<max(first, min(numbers.upperBound, samples.count))
  }

  private func includes(_ sample: Sample, _ first: Int? = nil) -> Bool {
    if selection.keyframesOnly, !sample.isSync { return false }
    guard let times = selection.times else { return true }
    // It is seen until the next one, so its duration, which is that of its decoding, does not matter.
    return sample.index == first || sample.presentations.contains { times.contains($0.lowerBound) }
  }

  /// Writes the selected samples.
  ///
  /// - Returns: The number of samples.
  @discardableResult public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) -> Int {
    var output = RecordOutput<SampleRecord>(format, to: sink)
    var count = 0
    for track in movie.tracks {
      let (id, timescale) = (track.id, track.timescale)
      try forEach(of: track) { (sample) throws(IOError) in
        try output.write(SampleRecord(sample, track: id, timescale: timescale, hasSeconds: hasTimescales))
        count += 1
      }
    }
    try output.finish()
    return count
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(PlacedRecord<SampleRecord>.schema).write(to: sink)
  }
}
