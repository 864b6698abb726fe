import ISOBMFF
import MP4Bytes

/// The samples of one track as the boxes of a sample table, and their chunks.
struct SampleTable: Sendable {
  /// Adjacent samples in the output with the same description.
  struct Chunk: Sendable {
    /// Its offset, relative to the start of the media data.
    var offset: Int
    var sampleCount: UInt32
    var descriptionIndex: UInt32
  }
  let samples: SampleList
  /// Other information about the samples.
  let details: SampleAuxiliaryInfo
  private(set) var chunks: [Chunk] = []
  /// Whether sizes are written in fewer bits where possible.
  private let isCompact: Bool

  init(_ samples: SampleList, _ details: SampleAuxiliaryInfo, isCompact: Bool) {
    (self.samples, self.details, self.isCompact) = (samples, details, isCompact)
  }

  /// Reserves memory for this number of chunks, so that they are not moved when more are added.
  mutating func reserve(_ chunkCount: Int) { chunks.reserveCapacity(chunkCount) }
  /// Adds a chunk for the next samples.
  mutating func append(_ chunk: Chunk) { chunks.append(chunk) }

  /// Whether there are negative composition offsets, which need version 1 of `ctts`.
  var hasNegativeOffsets: Bool { samples.compositionOffsets.lowerBound < 0 }

  private var columns: SampleColumns { samples.columns }
  private var all: Range<Int> { 0..<samples.count }

  // MARK: Boxes

  /// The boxes of the sample table without `stsd` and without the chunk offsets, which depend on the size of the rest.
  func boxes() -> [Box] {
    var boxes = [Box(timeToSample)]
    if samples.compositionOffsets != 0...0 {
      boxes.append(Box(compositionOffset))
      if hasNegativeOffsets { boxes.append(Box(compositionToDecode)) }
    }
    // Without `stss`, every sample is a sync sample.
    if !samples.isAllSync { boxes.append(Box(syncSample)) }
    return boxes + dependencyBoxes + [Box(sampleToChunk), compactSampleSize ?? Box(sampleSize)] + details.boxes
  }

  /// The offsets of the chunks in the file, where the media data starts at `mediaStart`.
  func chunkOffsets(mediaStart: Int, large: Bool) -> Box {
    if large {
      var co64 = ChunkLargeOffsetBox()
      co64.offsets = BoxTable(integers: chunks.map { UInt64(mediaStart + $0.offset) })
      return Box(co64)
    }
    var (stco, writer) = (ChunkOffsetBox(), ByteWriter())
    writer.numbers(chunks.count) { UInt32(truncatingIfNeeded: mediaStart + chunks[$0].offset) }
    stco.offsets = BoxTable(encoded: writer.bytes, count: chunks.count)
    return Box(stco)
  }

  private var timeToSample: TimeToSampleBox {
    var box = TimeToSampleBox()
    box.entries = BoxTable(runsOf: columns.durations, in: all)
    return box
  }
  private var compositionOffset: CompositionOffsetBox {
    var box = CompositionOffsetBox()
    box.header.version = hasNegativeOffsets ? 1 : 0
    box.entries = BoxTable(runsOf: columns.compositionOffsets, in: all)
    return box
  }
  private var syncSample: SyncSampleBox {
    var box = SyncSampleBox()
    var numbers = ByteWriter()
    var (number, count) = (0, 0)
    columns.flags.forEachRun(in: all) { flags, samples in
      if SampleFlags(rawValue: UInt32(truncatingIfNeeded: flags)).isSync {
        for sample in 1...samples { numbers.integer(UInt32(truncatingIfNeeded: number + sample)) }
        count += samples
      }
      number += samples
    }
    box.sampleNumbers = BoxTable(encoded: numbers.bytes, count: count)
    return box
  }
  private var compositionToDecode: CompositionToDecodeBox {
    var box = CompositionToDecodeBox()
    box.leastDecodeToDisplayDelta = samples.compositionOffsets.lowerBound
    box.greatestDecodeToDisplayDelta = samples.compositionOffsets.upperBound
    box.compositionToDTSShift = max(0, -box.leastDecodeToDisplayDelta)
    box.compositionStartTime = samples.compositionStart
    box.compositionEndTime = samples.compositionEnd
    let values = [samples.compositionStart, samples.compositionEnd, box.compositionToDTSShift]
    box.header.version = values.allSatisfy { Int32(exactly: $0) != nil } ? 0 : 1
    return box
  }
  private var sampleSize: SampleSizeBox {
    var box = SampleSizeBox()
    box.sampleSize = columns.sizes.constant(in: all).map { UInt32(truncatingIfNeeded: $0) } ?? 0
    // A common size of 0 means that a table follows.
    if box.sampleSize == 0 {
      box.sizes = BoxTable(encoded: columns.sizes.bigEndian, count: samples.count)
    } else {
      box.sameSizeCount = UInt32(clamping: samples.count)
    }
    return box
  }
  /// The sizes with few bits each; `nil` if they do not fit, or if a common size takes less space.
  private var compactSampleSize: Box? {
    guard isCompact, columns.sizes.constant(in: all) ?? 0 == 0 else { return nil }
    return CompactSampleSizeBox(bigEndian: columns.sizes.bigEndian).map { Box($0) }
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
    box.entries = BoxTable(entries)
    return box
  }

  // MARK: Flags

  /// The sample flags other than sync, as `sdtp`, `stdp` and `padb`. A box without information is omitted.
  private var dependencyBoxes: [Box] {
    var (saysDependencies, saysPriorities, saysPaddings) = (false, false, false)
    columns.flags.forEachRun(in: all) { value, _ in
      let flags = SampleFlags(rawValue: UInt32(truncatingIfNeeded: value))
      // The sync flag already implies that a sync sample is independent and another sample is not.
      if flags.dependency != 0, flags.dependency != (flags.isSync ? 0x20 : 0x10) { saysDependencies = true }
      if flags.degradationPriority != 0 { saysPriorities = true }
      if flags.paddingValue != 0 { saysPaddings = true }
    }
    var boxes: [Box] = []
    if saysDependencies {
      var sdtp = SampleDependencyTypeBox()
      sdtp.entries = BoxTable(
        encoded: flagBytes { writer, flags in writer.integer(flags.dependency) }, count: samples.count)
      boxes.append(Box(sdtp))
    }
    if saysPriorities {
      var stdp = DegradationPriorityBox()
      stdp.priorities = BoxTable(
        encoded: flagBytes { writer, flags in writer.integer(flags.degradationPriority) }, count: samples.count)
      boxes.append(Box(stdp))
    }
    if saysPaddings { boxes.append(Box(PaddingBitsBox(flagBytes { $0.integer($1.paddingValue) }))) }
    return boxes
  }

  /// The bytes that `write` produces for all samples.
  private func flagBytes(_ write: (inout ByteWriter, SampleFlags) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    columns.flags.forEachRun(in: all) { value, samples in
      for _ in 0..<samples { write(&writer, SampleFlags(rawValue: UInt32(truncatingIfNeeded: value))) }
    }
    return writer.bytes
  }
}
