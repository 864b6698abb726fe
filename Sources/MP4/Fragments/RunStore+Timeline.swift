import ISOBMFF

/// What a timeline asks of the samples of two fragments that overlap.
extension RunStore {
  /// How many samples of a fragment start less than `time` after its first, and when the last of these ends.
  func samples(of fragment: TrackFragment, startingBefore time: Int64) -> (count: Int, end: Int64) {
    var at: UInt64 = 0
    var count = 0
    for run in runs[fragment.runs] {
      for index in 0..<run.count {
        guard at < UInt64(max(0, time)) else { return (count, Int64(clamping: at)) }
        at &+= UInt64(duration(run, index))
        count += 1
      }
    }
    return (count, Int64(clamping: at))
  }

  /// Whether the samples of `a` from the one at `first` on have the sizes that `b` starts with.
  func sameSizes(_ a: TrackFragment, from first: Int, _ b: TrackFragment) -> Bool {
    guard a.sampleCount - first <= b.sampleCount else { return false }
    let other = sizes(of: b, from: 0, count: a.sampleCount - first)
    return sizes(of: a, from: first, count: a.sampleCount - first) == other
  }
  /// Whether `b` starts with the samples of `a` from the one at `first` on; without `sources` their sizes tell.
  func isAgain(_ a: TrackFragment, from first: Int, _ b: TrackFragment, _ sources: [any ByteSource]) throws(IOError)
    -> Bool
  {
    guard sameSizes(a, from: first, b) else { return false }
    return sources.isEmpty ? true : try sameBytes(a, from: first, b, sources)
  }
  /// Whether all samples of `a` are those that `b` starts with, and have their times.
  func startsAlike(_ a: TrackFragment, _ b: TrackFragment, _ sources: [any ByteSource]) throws(IOError) -> Bool {
    guard !runs.isEmpty, duration(of: a, first: a.sampleCount - 1) == duration(of: b, first: a.sampleCount - 1) else {
      return false
    }
    return try isAgain(a, from: 0, b, sources)
  }
  /// The sum of the durations of the first `count` samples of a fragment.
  private func duration(of fragment: TrackFragment, first count: Int) -> UInt64 {
    var sum: UInt64 = 0
    var left = count
    for run in runs[fragment.runs] where left > 0 {
      sum &+= duration(of: run, first: min(left, run.count))
      left -= min(left, run.count)
    }
    return sum
  }
  /// Whether the samples of `a` from the one at `first` on have the bytes that `b` starts with; they have its sizes.
  private func sameBytes(
    _ a: TrackFragment, from first: Int, _ b: TrackFragment, _ sources: [any ByteSource]
  ) throws(IOError) -> Bool {
    var (left, right) = (ranges(of: a, from: first)[...], ranges(of: b, from: 0)[...])
    var windows = (ByteWindow(sources[a.source]), ByteWindow(sources[b.source]))
    while let x = left.first, let y = right.first {
      let count = min(x.count, y.count, 1 << 16)
      let bytes = try windows.0.slice(at: x.lowerBound, count: count)
      guard bytes == (try windows.1.slice(at: y.lowerBound, count: count)) else { return false }
      left[left.startIndex] = (x.lowerBound + count)..<x.upperBound
      right[right.startIndex] = (y.lowerBound + count)..<y.upperBound
      if count == x.count { left.removeFirst() }
      if count == y.count { right.removeFirst() }
    }
    return left.isEmpty
  }
  /// Where the bytes of the samples are, from the one at `first` on.
  private func ranges(of fragment: TrackFragment, from first: Int) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var skipped = first
    for run in runs[fragment.runs] {
      let count = min(skipped, run.count)
      skipped -= count
      let start = run.offset + byteCount(of: run, first: count)
      if start < run.offset + run.byteCount { result.append(start..<(run.offset + run.byteCount)) }
    }
    return result
  }
  private func sizes(of fragment: TrackFragment, from first: Int, count: Int) -> [UInt32] {
    var result: [UInt32] = []
    var position = 0
    for run in runs[fragment.runs] {
      for index in 0..<run.count {
        if result.count == count { return result }
        if position >= first { result.append(size(run, index)) }
        position += 1
      }
    }
    return result
  }
}
