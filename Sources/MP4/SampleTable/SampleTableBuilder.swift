import Bytes
import ISOBMFF

/// Collects the samples of one track and makes the boxes of its sample table.
struct SampleTableBuilder: Sendable {
  /// Samples that lie next to each other in the output and have one description.
  struct Chunk: Sendable {
    /// Where it starts, counted from the start of the media data.
    var offset: Int
    var sampleCount: UInt32
    var descriptionIndex: UInt32
  }
  private var durations = RunLengths()
  private var compositionOffsets = RunLengths()
  private var sizes = SampleColumn<UInt32>()
  /// What the flags of the samples say besides sync.
  private var dependencies = DependencyColumns()
  /// Sync samples as ranges of sample numbers counted from 1, and how many there are.
  private var syncRanges: [Range<Int>] = []
  private var syncCount = 0
  private(set) var chunks: [Chunk] = []
  private(set) var sampleCount = 0
  /// The sum of the durations.
  private(set) var duration: Int64 = 0
  /// The smallest composition time, and the largest end of a sample in composition time.
  private(set) var compositionStart: Int64 = .max
  private(set) var compositionEnd: Int64 = 0
  private var leastOffset: Int32 = .max
  private var greatestOffset: Int32 = .min
  /// Durations that did not fit into 32 bits and were cut.
  private(set) var cutDurations = 0

  /// Whether sizes take few bits where they can.
  private let isCompact: Bool

  /// A table for so many samples.
  init(expectedCount: Int, isCompact: Bool = false) {
    self.isCompact = isCompact
    sizes.expectedCount = expectedCount
  }

  /// Adds samples of a track; `stretch` is added to the duration of the last of them, unless all durations are scaled.
  mutating func append(
    _ samples: SampleColumns, in range: Range<Int>, stretch: Int64, scale: TimeScaling? = nil
  ) {
    guard let final = range.last else { return }
    appendSizes(samples, range)
    appendFlags(samples, range)
    sampleCount += range.count
    if var scale {
      for index in range {
        let duration = scale.advance(by: UInt64(samples.duration(index)))
        appendTimes(UInt32(clamping: duration), samples.compositionOffset(index), count: 1)
      }
      return
    }
    var index = range.lowerBound
    while index < final {
      let (duration, offset) = (samples.durations.run(at: index), samples.compositionOffsets.run(at: index))
      let end = min(duration.end, offset.end, final)
      appendTimes(UInt32(truncatingIfNeeded: duration.value), offset.value, count: end - index)
      index = end
    }
    let last = Int64(samples.duration(final)) &+ stretch
    if last < 0 || last > Int64(UInt32.max) { cutDurations += 1 }
    appendTimes(UInt32(clamping: last), samples.compositionOffset(final), count: 1)
  }

  private mutating func appendTimes(_ sampleDuration: UInt32, _ offset: Int64, count: Int) {
    guard count > 0 else { return }
    let offset = Int32(truncatingIfNeeded: offset)
    durations.append(sampleDuration, count: count)
    compositionOffsets.append(UInt32(bitPattern: offset), count: count)
    leastOffset = min(leastOffset, offset)
    greatestOffset = max(greatestOffset, offset)
    compositionStart = min(compositionStart, duration &+ Int64(offset))
    duration = duration &+ Int64(sampleDuration) &* Int64(count)
    compositionEnd = max(compositionEnd, duration &+ Int64(offset))
  }

  private mutating func appendSizes(_ samples: SampleColumns, _ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let run = samples.sizes.run(at: index)
      let end = min(run.end, range.upperBound)
      sizes.append(UInt32(truncatingIfNeeded: run.value), count: end - index)
      index = end
    }
  }

  private mutating func appendFlags(_ samples: SampleColumns, _ range: Range<Int>) {
    let shift = sampleCount + 1 - range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound {
      let run = samples.flags.run(at: index)
      let end = min(run.end, range.upperBound)
      appendFlags(SampleFlags(rawValue: UInt32(truncatingIfNeeded: run.value)), (index + shift)..<(end + shift))
      index = end
    }
  }

  /// The flags of the samples with these numbers.
  private mutating func appendFlags(_ flags: SampleFlags, _ numbers: Range<Int>) {
    if flags.isSync { appendSync(numbers) }
    dependencies.append(flags, count: numbers.count)
  }

  private mutating func appendSync(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    syncCount += range.count
    if let last = syncRanges.last, last.upperBound == range.lowerBound {
      syncRanges[syncRanges.count - 1] = last.lowerBound..<range.upperBound
    } else {
      syncRanges.append(range)
    }
  }

  /// No more samples come.
  mutating func finish() {
    durations.finish()
    compositionOffsets.finish()
  }

  /// Adds a chunk for the samples that come next.
  mutating func append(_ chunk: Chunk) { chunks.append(chunk) }

  /// Whether samples are composed before they are decoded, which takes version 1 of `ctts`.
  var hasNegativeOffsets: Bool { sampleCount > 0 && leastOffset < 0 }

  // MARK: Boxes

  /// The boxes of the sample table without `stsd` and without the chunk offsets, which depend on the size of the rest.
  func boxes() -> [Box] {
    var boxes = [Box(timeToSample)]
    if !compositionOffsets.isZero {
      boxes.append(Box(compositionOffset))
      if hasNegativeOffsets { boxes.append(Box(compositionToDecode)) }
    }
    // Without this box every sample is a sync sample.
    if syncCount < sampleCount { boxes.append(Box(syncSample)) }
    return boxes + dependencies.boxes + [Box(sampleToChunk), compactSampleSize ?? Box(sampleSize)]
  }

  /// The offsets of the chunks in the file, where the media data starts at `mediaStart`.
  func chunkOffsets(mediaStart: Int, large: Bool) -> Box {
    if large {
      var co64 = ChunkLargeOffsetBox()
      co64.offsets = Table(integers: chunks.map { UInt64(mediaStart + $0.offset) })
      return Box(co64)
    }
    var stco = ChunkOffsetBox()
    stco.offsets = Table(integers: chunks.map { UInt32(truncatingIfNeeded: mediaStart + $0.offset) })
    return Box(stco)
  }

  private var timeToSample: TimeToSampleBox {
    var box = TimeToSampleBox()
    box.entries = durations.table()
    return box
  }
  private var compositionOffset: CompositionOffsetBox {
    var box = CompositionOffsetBox()
    box.header.version = hasNegativeOffsets ? 1 : 0
    box.entries = compositionOffsets.table()
    return box
  }
  private var syncSample: SyncSampleBox {
    var box = SyncSampleBox()
    var numbers = ByteWriter()
    for range in syncRanges { for number in range { numbers.integer(UInt32(truncatingIfNeeded: number)) } }
    box.sampleNumbers = Table(encoded: numbers.bytes, count: syncCount)
    return box
  }
  private var compositionToDecode: CompositionToDecodeBox {
    var box = CompositionToDecodeBox()
    box.compositionToDTSShift = max(0, -Int64(leastOffset))
    box.leastDecodeToDisplayDelta = Int64(leastOffset)
    box.greatestDecodeToDisplayDelta = Int64(greatestOffset)
    box.compositionStartTime = compositionStart
    box.compositionEndTime = compositionEnd
    let values = [compositionStart, compositionEnd, box.compositionToDTSShift]
    box.header.version = values.allSatisfy { Int32(exactly: $0) != nil } ? 0 : 1
    return box
  }
  private var sampleSize: SampleSizeBox {
    var box = SampleSizeBox()
    box.sampleCount = UInt32(clamping: sampleCount)
    box.sampleSize = sizes.common ?? 0
    // A common size of 0 says that a table follows.
    if box.sampleSize == 0 { box.sizes = Table(encoded: sizes.bytes, count: sampleCount) }
    return box
  }
  /// The sizes in few bits each; `nil` where they do not fit, or one for all samples is smaller still.
  private var compactSampleSize: Box? {
    guard isCompact, sizes.common ?? 0 == 0 else { return nil }
    return CompactSampleSizeBox(bigEndian: sizes.bytes).map { Box($0) }
  }
  private var sampleToChunk: SampleToChunkBox {
    var box = SampleToChunkBox()
    var entries: [SampleToChunkBox.Entry] = []
    for (index, chunk) in chunks.enumerated() {
      if let last = entries.last, last.samplesPerChunk == chunk.sampleCount,
        last.sampleDescriptionIndex == chunk.descriptionIndex
      {
        continue
      }
      let entry = SampleToChunkBox.Entry(
        firstChunk: UInt32(truncatingIfNeeded: index + 1), samplesPerChunk: chunk.sampleCount,
        sampleDescriptionIndex: chunk.descriptionIndex)
      entries.append(entry)
    }
    box.entries = Table(entries)
    return box
  }
}
