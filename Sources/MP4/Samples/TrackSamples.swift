import MP4Bytes

/// Samples of a track that follow each other in its source and have the same description. There can be one run for
/// every sample, so it is small.
struct SampleRun: Sendable {
  /// The number of its first sample among the samples of the track, which have 32-bit numbers in a sample table.
  var first: UInt32
  /// The index of its source.
  var source: UInt32
  /// The number of its sample description, from 1.
  var descriptionIndex: UInt32
  /// Whether its durations had to be scaled, so that they cannot be used to measure a chunk.
  var isScaled = false
  /// Its position among the runs of all tracks, so that the interleaving of the source is kept.
  var rank: Int
  /// The extension of its last sample up to the next run.
  var stretch: Int64 = 0
}

/// The samples of one track on its timeline, in runs. Reading ends in them, and operations choose and join them.
struct TrackSamples: Sendable {
  private(set) var timescale: UInt32
  /// The decode time of the first sample in the source.
  private(set) var start: Int64 = 0
  private(set) var list = SampleList()
  private(set) var details: SampleAuxiliaryInfo
  private(set) var runs: [SampleRun] = []

  /// The samples that a timeline of fragments uses. `ranks` are the positions of the movie fragments.
  init(_ timeline: TrackTimeline, _ table: FragmentTable, track: Int, ranks: [UInt32]) {
    (timescale, start) = (table.tracks[track].timescale, timeline.start)
    list = SampleList(timeline, table, track: track)
    details = SampleAuxiliaryInfo(table.information[track], timeline, table.trackFragments)
    runs.reserveCapacity(timeline.entries.count)
    var end = 0
    for (number, entry) in timeline.entries.enumerated() where entry.used > 0 {
      let fragment = table.trackFragments[entry.index]
      var run = SampleRun(
        first: UInt32(clamping: end), source: UInt32(clamping: fragment.source),
        descriptionIndex: fragment.descriptionIndex, isScaled: timeline.scaledDurations[entry.index] != nil,
        rank: ranks.indices.contains(fragment.fragment) ? Int(ranks[fragment.fragment]) : 0)
      end += entry.used
      if timeline.stretch(number) != 0 {
        run.stretch = list.duration(end - 1) - Int64(table.samples[track].duration(entry.first + entry.used - 1))
      }
      runs.append(run)
    }
  }

  /// No samples of a track with these sample groups.
  init(timescale: UInt32, _ groups: SampleGroups) {
    (self.timescale, details) = (timescale, SampleAuxiliaryInfo(groups))
  }

  /// The same samples in another timescale; `nil` if that is not exact.
  func converted(to timescale: UInt32) -> TrackSamples? {
    guard timescale != self.timescale else { return self }
    guard let columns = list.columns.converted(from: self.timescale, to: timescale) else { return nil }
    var result = self
    (result.timescale, result.list) = (timescale, list.with(columns))
    for index in runs.indices {
      result.runs[index].stretch = MediaTime(runs[index].stretch, self.timescale).converted(to: timescale).value
    }
    return result
  }

  // MARK: Runs

  /// The index of the run that contains a sample.
  func run(ofSample sample: Int) -> Int { runs.partition { $0.first > sample } - 1 }
  /// A run and the numbers of its samples.
  func run(at number: Int) -> (run: SampleRun, samples: Range<Int>) {
    let end = number + 1 < runs.count ? Int(runs[number + 1].first) : list.count
    return (runs[number], Int(runs[number].first)..<end)
  }

  /// Takes the durations on the timeline for the declared ones, also where these are wrong.
  mutating func acceptDurations() {
    for index in runs.indices { (runs[index].isScaled, runs[index].stretch) = (false, 0) }
  }

  // MARK: Choosing and joining

  /// What changes when samples are added to those of another track.
  struct Change {
    /// The value added to the ranks.
    var rank = 0
    /// The index of their source; `nil` if it does not change.
    var source: Int?
    /// The new numbers of their descriptions, starting with that of number 1; `nil` if they do not change.
    var descriptions: [UInt32]?
    /// The new numbers of their groups; `nil` if they do not change.
    var groups: SampleGroups.Numbers?
  }

  /// Adds the descriptions of the groups of another track, and returns the numbers of its groups here.
  mutating func merge(_ other: TrackSamples) -> SampleGroups.Numbers { details.merge(other.details) }

  /// Adds samples of another track, whose last one is extended by `stretch`. Call `measure` after the last ones.
  mutating func append(
    _ other: TrackSamples, _ samples: Range<Int>, stretch: Int64 = 0, _ change: Change = Change()
  ) {
    details.append(other.details, samples, after: list.count, change.groups)
    guard let last = samples.last else { return }
    let shift = list.count - samples.lowerBound
    var number = other.run(ofSample: samples.lowerBound)
    while number < other.runs.count, other.runs[number].first <= last {
      var (run, all) = other.run(at: number)
      if all.upperBound > samples.upperBound { run.stretch = 0 }
      run.first = UInt32(clamping: max(Int(run.first), samples.lowerBound) + shift)
      run.rank += change.rank
      run.source = change.source.map { UInt32(clamping: $0) } ?? run.source
      if let numbers = change.descriptions {
        let own = Int(run.descriptionIndex) - 1
        run.descriptionIndex = numbers.indices.contains(own) ? numbers[own] : 1
      }
      begin(run)
      number += 1
    }
    list.append(other.list.columns, samples, stretch: stretch)
    runs[runs.count - 1].stretch &+= list.duration(list.count - 1) - other.list.duration(last)
  }

  /// Adds the only sample of some columns, which takes the place of a sample of another track.
  mutating func append(
    _ sample: SampleColumns, source: Int, insteadOf number: Int, of other: TrackSamples, rank: Int = 0
  ) {
    var (run, all) = other.run(at: other.run(ofSample: number))
    if all.upperBound > number + 1 { run.stretch = 0 }
    (run.first, run.source) = (UInt32(clamping: list.count), UInt32(clamping: source))
    run.rank += rank
    begin(run)
    details.appendNone(after: list.count)
    list.append(sample, 0..<1, stretch: 0)
  }

  private mutating func begin(_ run: SampleRun) {
    list.begin(source: Int(run.source), descriptionIndex: run.descriptionIndex)
    runs.append(run)
  }

  /// Replaces some samples, in ascending order, by samples of one source that have the same durations and information.
  mutating func replace(_ new: [(number: Int, sample: SampleColumns)], source: Int) {
    var result = TrackSamples(timescale: timescale, details.groupDescriptions)
    var next = 0
    for (number, sample) in new {
      result.append(self, next..<number)
      result.append(sample, source: source, insteadOf: number, of: self)
      next = number + 1
    }
    result.append(self, next..<list.count)
    result.measure()
    result.list.cutDurations = list.cutDurations
    (list, runs) = (result.list, result.runs)
  }

  /// Marks these samples as ones at which decoding cannot start.
  mutating func setNoSync(_ samples: [Int]) {
    let chosen = Set(samples)
    guard let first = samples.min() else { return }
    var columns = list.columns
    let old = columns.flags
    columns.setFlags(0x1_0000, from: first) {
      chosen.contains($0 + first) ? 0x1_0000 : UInt32(truncatingIfNeeded: old[$0 + first])
    }
    list = list.with(columns)
  }

  /// Determines the range of the composition times of the added samples.
  mutating func measure() { list.measure() }

  /// Numbers the ranks of all tracks without gaps.
  static func numberRanks(of tracks: inout [TrackSamples]) {
    let used = Set(tracks.lazy.flatMap { $0.runs.lazy.map(\.rank) }).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($0.element, $0.offset) })
    for track in tracks.indices {
      for run in tracks[track].runs.indices {
        tracks[track].runs[run].rank = numbers[tracks[track].runs[run].rank] ?? 0
      }
    }
  }
}
