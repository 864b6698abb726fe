import ISOBMFF
import MP4Bytes

/// All samples of one track in decoding order, with the durations that the timeline gives them.
struct SampleList: Sendable {
  private(set) var columns = SampleColumns()
  /// The sources of the samples: for each, the first sample that uses it.
  private(set) var sources: [(firstSample: Int, source: Int)] = []
  /// The descriptions of the samples: for each, the first sample that uses it.
  private(set) var descriptions: [(firstSample: Int, index: UInt32)] = []
  /// The sum of the durations.
  var duration: Int64 { columns.time(count) }
  /// The smallest composition time, and the largest composition end of a sample.
  private(set) var compositionStart: Int64 = 0
  private(set) var compositionEnd: Int64 = 0
  /// The smallest and the largest composition offset.
  private(set) var compositionOffsets: ClosedRange<Int64> = 0...0
  /// The number of durations that did not fit into 32 bits and were reduced.
  var cutDurations = 0
  /// Whether decoding can start at every sample.
  private(set) var isAllSync = true

  /// The number of samples.
  var count: Int { columns.count }
  var byteCount: Int { columns.byteCount(of: 0..<count) }

  /// The duration of all samples except the last one, if they are equal; durations that are rounded to the timescale
  /// are equal on average.
  var constantDuration: Int64? {
    guard count > 2 else { return nil }
    return columns.durations.constant(in: 0..<(count - 1)).flatMap { $0 > 0 ? $0 : nil }
  }

  func duration(_ index: Int) -> Int64 { columns.durations[index] }
  func size(_ index: Int) -> Int { columns.size(index) }
  func flags(_ index: Int) -> SampleFlags { columns.flags(index) }
  func isSync(_ index: Int) -> Bool { columns.flags(index).isSync }
  func compositionOffset(_ index: Int) -> Int64 { columns.compositionOffsets[index] }

  /// No samples.
  init() {}

  /// Takes the samples of a track that its timeline uses.
  init(_ timeline: TrackTimeline, _ fragments: FragmentTable, track: Int) {
    let samples = fragments.samples[track]
    // If nothing was moved, shortened or omitted, the samples can be used as they were read.
    let isWhole = timeline.isInOrderOfReading && timeline.sampleCount == samples.count
    var next = 0
    for (number, entry) in timeline.entries.enumerated() where entry.used > 0 {
      let fragment = fragments.trackFragments[entry.index]
      begin(source: fragment.source, descriptionIndex: fragment.descriptionIndex, at: next)
      next += entry.used
      guard !isWhole else { continue }
      cutDurations += columns.append(
        samples, in: entry.first..<(entry.first + entry.used), stretch: timeline.stretch(number),
        scale: timeline.scale(of: entry, fragment, samples))
    }
    if isWhole { columns = samples }
    measure()
  }

  /// Prepares to add samples of a source that have a description.
  mutating func begin(source: Int, descriptionIndex: UInt32, at sample: Int? = nil) {
    let sample = sample ?? count
    if sources.last?.source != source { sources.append((sample, source)) }
    if descriptions.last?.index != descriptionIndex { descriptions.append((sample, descriptionIndex)) }
  }

  /// Adds samples, the last one of which is extended by `stretch`.
  mutating func append(_ other: SampleColumns, _ samples: Range<Int>, stretch: Int64) {
    cutDurations += columns.append(other, in: samples, stretch: stretch)
  }

  /// All samples of these columns, which are in one source.
  init(_ columns: SampleColumns, descriptions: [(firstSample: Int, index: UInt32)], source: Int) {
    (self.columns, self.descriptions, sources) = (columns, descriptions, [(0, source)])
    measure()
  }

  /// Samples of another list in this order, ascending, with new times. `nil` are new samples, which follow each other
  /// in a source, and are described like the sample before them.
  init(
    _ list: SampleList, _ samples: [Int?], _ durations: [UInt32], _ compositionOffsets: [Int32],
    new: (source: Int, size: Int)
  ) {
    var walk = SampleWalk(list)
    var end = 0
    var description = 0
    var offset = 0
    var newOffset = 0
    for (number, sample) in samples.enumerated() {
      guard let sample else {
        let index = descriptions.last?.index ?? list.descriptions.first?.index ?? 1
        begin(source: new.source, descriptionIndex: index)
        columns.append(
          duration: durations[number], size: UInt32(clamping: new.size), flags: list.flags(0).rawValue,
          compositionOffset: compositionOffsets[number], at: newOffset)
        newOffset += new.size
        continue
      }
      while walk.sample < sample {
        end = end &+ walk.gap &+ walk.size
        walk.advance()
      }
      offset = end &+ walk.gap
      while description + 1 < list.descriptions.count, list.descriptions[description + 1].firstSample <= sample {
        description += 1
      }
      begin(source: list.source(of: sample), descriptionIndex: list.descriptions[description].index)
      columns.append(
        duration: durations[number], size: UInt32(clamping: walk.size), flags: walk.flags.rawValue,
        compositionOffset: compositionOffsets[number], at: offset)
    }
    measure()
  }

  /// The same samples with other columns.
  func with(_ columns: SampleColumns) -> SampleList {
    var result = self
    result.columns = columns
    result.measure()
    return result
  }

  /// Finds the range of composition times, and whether all samples are sync samples.
  mutating func measure() {
    guard count > 0 else { return }
    if let offset = columns.compositionOffsets.constant(in: 0..<count) {
      (compositionStart, compositionEnd, compositionOffsets) = (offset, max(0, duration &+ offset), offset...offset)
    } else {
      var (walk, smallest, largest) = (SampleWalk(self), Int64.max, Int64.min)
      (compositionStart, compositionEnd) = (.max, 0)
      while walk.sample < count {
        let offset = walk.compositionOffset
        (smallest, largest) = (min(smallest, offset), max(largest, offset))
        compositionStart = min(compositionStart, walk.time &+ offset)
        walk.advance()
        compositionEnd = max(compositionEnd, walk.time &+ offset)
      }
      compositionOffsets = smallest...largest
    }
    var index = 0
    while index < count, isAllSync {
      let flags = columns.flags.run(at: index)
      isAllSync = SampleFlags(rawValue: UInt32(truncatingIfNeeded: flags.value)).isSync
      index = flags.end
    }
  }

  /// The sync samples of another list, each presented at its time until the next one, and their indexes there.
  static func keyFrames(of list: SampleList) -> (list: SampleList, samples: [Int]) {
    var result = SampleList()
    var samples: [Int] = []
    var times: [Int64] = []
    var places: [(source: Int, offset: Int)] = []
    var walk = SampleWalk(list)
    while walk.sample < list.count {
      if walk.isSync {
        places.append((list.source(of: walk.sample), list.columns.offset(walk.sample)))
        samples.append(walk.sample)
        times.append(walk.compositionTime)
      }
      walk.advance()
    }
    times.append(list.compositionEnd)
    let first = Int32(clamping: times[0])
    var description = 0
    for (number, sample) in samples.enumerated() {
      while description + 1 < list.descriptions.count, list.descriptions[description + 1].firstSample <= sample {
        description += 1
      }
      result.begin(
        source: places[number].source, descriptionIndex: list.descriptions[description].index)
      result.columns.append(
        duration: UInt32(clamping: times[number + 1] &- times[number]), size: UInt32(clamping: list.size(sample)),
        flags: list.flags(sample).rawValue, compositionOffset: first, at: places[number].offset)
    }
    result.measure()
    return (result, samples)
  }

  /// Appends a sample at the start of a source that differs from the last sample only in size and duration.
  mutating func append(duration: UInt32, size: UInt32, source: Int) {
    guard count > 0 else { return }
    sources.append((count, source))
    columns.append(
      duration: duration, size: size, flags: flags(count - 1).rawValue,
      compositionOffset: Int32(truncatingIfNeeded: compositionOffset(count - 1)), at: 0)
    measure()
  }

  /// Increases the description indexes of the first `end` samples by `count`.
  mutating func useDescriptions(after count: UInt32, before end: Int) {
    var result: [(firstSample: Int, index: UInt32)] = []
    for (number, own) in descriptions.enumerated() {
      let next = number + 1 < descriptions.count ? descriptions[number + 1].firstSample : self.count
      if own.firstSample < end { result.append((own.firstSample, own.index &+ count)) }
      if next > end { result.append((max(own.firstSample, end), own.index)) }
    }
    descriptions = result
  }

  /// Calls `body` with the bytes of some samples, as ranges of the sources.
  func forEachRange(of samples: Range<Int>, _ body: (Range<Int>, Int) -> Void) {
    guard !samples.isEmpty else { return }
    var number = sources.partition { $0.firstSample > samples.lowerBound } - 1
    var first = samples.lowerBound
    while first < samples.upperBound {
      let next = number + 1 < sources.count ? sources[number + 1].firstSample : Int.max
      let end = min(next, samples.upperBound)
      let source = sources[number].source
      columns.forEachExtent(in: first..<end) { body($0.offset..<($0.offset + $0.byteCount), source) }
      (first, number) = (end, number + 1)
    }
  }
}

extension SampleList {
  /// The source with the data of a sample.
  func source(of sample: Int) -> Int { sources[sources.partition { $0.firstSample > sample } - 1].source }

  /// The bytes of some samples, as ranges of the sources.
  func copies(of samples: Range<Int>) -> CopyPlan {
    var plan = CopyPlan()
    forEachRange(of: samples) { plan.append($0, of: $1) }
    return plan
  }
}

/// Binary search for samples by time.
extension SampleList {
  /// The sample that is decoded at a time relative to the first sample; `nil` before the first sample and after the
  /// last one.
  func index(atTime time: Int64) -> Int? {
    time >= 0 && time < duration ? columns.durations.index(whereSumExceeds: time).index : nil
  }

  /// The sample with the greatest composition time that is not after a time; if there are several, the last one. `nil`
  /// before the first sample and after the last one.
  func index(atCompositionTime time: Int64) -> Int? {
    guard time >= compositionStart, time < compositionEnd else { return nil }
    // Samples that are decoded later usually have later composition times.
    var (index, start) = columns.durations.index(whereSumExceeds: time &- compositionOffsets.lowerBound)
    if index == count { (index, start) = (count - 1, columns.time(count - 1)) }
    var best: (index: Int, time: Int64)?
    while index >= 0, best.map({ start &+ compositionOffsets.upperBound > $0.time }) ?? true {
      let composition = start &+ compositionOffset(index)
      if composition <= time, best.map({ composition > $0.time }) ?? true { best = (index, composition) }
      index -= 1
      if index >= 0 { start = start &- duration(index) }
    }
    return best?.index
  }

  /// The number of the description of a sample, starting at 1.
  func descriptionIndex(of sample: Int) -> UInt32 {
    let next = descriptions.partition { $0.firstSample > sample }
    return next > 0 ? descriptions[next - 1].index : 1
  }
}
