import ISOBMFF

/// Collects the samples found for a track into sample table columns.
struct RecoveredTrack {
  private let pattern: RecoveryPattern.Track
  private(set) var columns = SampleColumns()
  private(set) var chunks: [SampleTable.Chunk] = []
  /// The number of samples, including those that are not in the columns yet.
  private(set) var count = 0
  private(set) var byteCount = 0
  /// The number of missing samples whose time is kept.
  private(set) var missingCount = 0
  /// The last sample, if its duration depends on how many samples are missing after it, and its number.
  private var held: (offset: Int, size: Int, isSync: Bool, index: Int)?

  /// The number of samples, including missing ones.
  var timeCount: Int { count + missingCount }
  /// Pictures whose times depend on the following ones.
  private var waiting: [RecoveredPicture] = []
  private var orders: RecoveredOrders
  /// Whether unknown bytes follow the last sample.
  private var isAfterHole = false
  /// Whether samples follow unknown bytes that follow others.
  private(set) var hasHoles = false
  /// The number of samples in the last chunk that makes it complete.
  private let chunkCount: Int

  init(_ pattern: RecoveryPattern.Track) {
    self.pattern = pattern
    orders = pattern.orders
    let half = Int(pattern.timescale) / 2
    chunkCount = max(1, half / max(1, pattern.duration.sum / pattern.duration.count))
  }

  /// Whether there is no room for more samples in a sample table.
  var isFull: Bool { count >= Int(UInt32.max) >> 1 }

  /// The decode time of a sample.
  func time(_ index: Int) -> Int { pattern.time(index) }
  private func duration(_ range: Range<Int>) -> UInt32 {
    UInt32(clamping: time(range.upperBound) - time(range.lowerBound))
  }

  /// Adds a sample at `place` in the output; `continues` means that it directly follows the previous sample there.
  mutating func append(_ sample: RecoveryScan.Found, at offset: Int, place: Int, continues: Bool) {
    if sample.picture?.startsOrder == true { flush(isEnd: false) }
    addToChunk(1, place, continues)
    // Pictures can also be missing where all bytes were assigned.
    if !sample.continues { isAfterHole = true }
    if isAfterHole, count > 0 { hasHoles = true }
    count += 1
    byteCount += sample.byteCount
    let isSync = sample.picture?.isSync ?? true
    if pattern.isReordered || pattern.orders.step > 0, let picture = sample.picture, let order = picture.order {
      waiting.append(
        RecoveredPicture(
          offset: offset, size: sample.byteCount, isSync: isSync, order: order, isAfterHole: isAfterHole,
          followsIDR: !sample.continues && picture.canFollowIDR))
    } else {
      flush(isEnd: false)
      let time = columns.count + missingCount
      append(
        offset, sample.byteCount, isSync, compositionOffset: pattern.firstOffset, duration: duration(time..<time + 1))
    }
    isAfterHole = false
  }

  /// Adds a sample that lasts until the next one, although samples between them may be missing.
  mutating func appendHeld(at offset: Int, size: Int, place: Int, continues: Bool) {
    addToChunk(1, place, continues)
    let index = held == nil ? 0 : timeCount
    release(before: index)
    held = (offset, size, pattern.isAllSync, index)
    count += 1
    byteCount += size
  }

  /// Leaves room for the times of missing samples.
  mutating func skip(_ number: Int) { missingCount += number }

  /// Records that samples may be missing after the last one.
  mutating func noteHole() { isAfterHole = true }

  /// Adds the last sample, which lasts until the one with this number.
  private mutating func release(before next: Int) {
    guard let last = held else { return }
    held = nil
    append(
      last.offset, last.size, last.isSync, compositionOffset: pattern.firstOffset,
      duration: duration(last.index..<next))
  }

  /// Adds several samples of the same size.
  mutating func append(_ number: Int, of size: Int, at offset: Int, place: Int, continues: Bool) {
    guard number > 0 else { return }
    var (continues, left, place) = (continues, number, place)
    while left > 0 {
      let part = min(left, chunkCount)
      addToChunk(part, place, continues)
      (continues, left, place) = (true, left - part, place + part * size)
    }
    func common(_ value: UInt32) -> SampleColumns.Run.Values { SampleColumns.Run.Values(common: value) }
    func add(_ number: Int, _ duration: UInt32, _ from: Int) {
      let run = SampleColumns.Run(
        count: number, durations: common(duration), sizes: common(UInt32(clamping: size)),
        flags: common(pattern.isAllSync ? 0 : 0x1_0000), firstFlags: nil, compositionOffsets: common(0))
      columns.append(run, at: from..<from + number * size)
    }
    if pattern.duration.count == 1 {
      add(number, UInt32(clamping: pattern.duration.sum), offset)
    } else {
      for index in 0..<number { add(1, duration(count + index..<count + index + 1), offset + index * size) }
    }
    count += number
    byteCount += number * size
  }

  private mutating func addToChunk(_ number: Int, _ place: Int, _ continues: Bool) {
    if continues, let last = chunks.indices.last, Int(chunks[last].sampleCount) + number <= chunkCount {
      chunks[last].sampleCount += UInt32(number)
    } else {
      chunks.append(SampleTable.Chunk(offset: place, sampleCount: UInt32(clamping: number), descriptionIndex: 1))
    }
  }

  /// Adds the last samples.
  mutating func finish() {
    if let held { release(before: held.index + 1) }
    flush(isEnd: true)
  }

  /// Determines the composition offsets of the waiting pictures. With `isEnd`, the recording may have been cut off.
  private mutating func flush(isEnd: Bool) {
    guard !waiting.isEmpty else { return }
    let first = columns.count + missingCount
    let places = orders.places(waiting, isEnd: isEnd)
    var next = first
    for (index, picture) in waiting.enumerated() {
      // A sample lasts until the next one, although others between them may be missing.
      let (time, number) = (next, places.numbers[index])
      next += 1 + (index + 1 < waiting.count ? places.missing[index + 1] : 0)
      append(
        picture.offset, picture.size, picture.isSync,
        compositionOffset: Int64(self.time(first + number) - self.time(time)) + pattern.firstOffset,
        duration: duration(time..<next))
    }
    missingCount += places.missing.reduce(0, +)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Changes the duration of the only sample.
  mutating func setDuration(_ duration: UInt32) {
    guard columns.count == 1 else { return }
    var result = SampleColumns()
    columns.forEachExtent(in: 0..<1) { extent in
      result.append(
        duration: duration, size: UInt32(clamping: columns.size(0)), flags: columns.flags(0).rawValue,
        compositionOffset: Int32(clamping: columns.compositionOffset(0)), at: extent.offset)
    }
    columns = result
  }

  private mutating func append(
    _ offset: Int, _ size: Int, _ isSync: Bool, compositionOffset: Int64, duration: UInt32
  ) {
    columns.append(
      duration: duration, size: UInt32(clamping: size), flags: isSync || pattern.isAllSync ? 0 : 0x1_0000,
      compositionOffset: Int32(clamping: compositionOffset), at: offset)
  }
}
