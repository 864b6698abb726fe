import Bytes

/// Comparison of samples that are declared twice.
extension SampleColumns {
  /// The first of these samples that starts at least `time` after the first one, or their end.
  func index(at time: Int64, in samples: Range<Int>) -> Int {
    guard time > 0, !samples.isEmpty else { return samples.lowerBound }
    let target = durations.sum(before: samples.lowerBound) &+ time
    let (index, sum) = durations.index(whereSumExceeds: target &- 1)
    // The sample found has not ended by then, so if it starts earlier, the next one is the first that starts later.
    return min(max(sum >= target ? index : index + 1, samples.lowerBound), samples.upperBound)
  }

  /// Whether all samples of `copy` equal the first samples of `whole` and have the same times.
  func isStart(_ copy: TrackFragment, of whole: TrackFragment, _ sources: [any ByteSource]) throws(IOError) -> Bool {
    let (own, other) = (copy.samples, whole.samples)
    let last = copy.sampleCount - 1
    guard last < other.count,
      duration(of: own.prefix(last)) == duration(of: other.prefix(last))
    else { return false }
    return try isSame(own, other, sources.isEmpty ? nil : (sources[copy.source], sources[whole.source]))
  }

  /// Whether other samples start with these samples, compared by their bytes in both sources or, without sources, by
  /// their sizes.
  func isSame(
    _ samples: Range<Int>, _ others: Range<Int>, _ sources: ((any ByteSource), (any ByteSource))? = nil
  ) throws(IOError) -> Bool {
    guard samples.count <= others.count else { return false }
    let others = others.prefix(samples.count)
    for (own, other) in zip(samples, others) where size(own) != size(other) { return false }
    guard let sources else { return true }
    return try Self.isSame(ranges(of: samples), in: sources.0, ranges(of: others), in: sources.1)
  }

  private func ranges(of samples: Range<Int>) -> [Range<Int>] {
    extents(in: samples).filter { $0.byteCount > 0 }.map { $0.offset..<($0.offset + $0.byteCount) }
  }

  /// Whether ranges of two sources with equal total sizes have the same bytes.
  private static func isSame(
    _ a: [Range<Int>], in first: any ByteSource, _ b: [Range<Int>], in second: any ByteSource
  ) throws(IOError) -> Bool {
    var (left, right) = (a[...], b[...])
    var windows = (ByteWindow(first), ByteWindow(second))
    while let x = left.first, let y = right.first {
      let count = min(x.count, y.count, 1 << 16)
      let bytes = try windows.0.slice(at: x.lowerBound, count: count)
      guard bytes == (try windows.1.slice(at: y.lowerBound, count: count)) else { return false }
      left[left.startIndex] = (x.lowerBound + count)..<x.upperBound
      right[right.startIndex] = (y.lowerBound + count)..<y.upperBound
      if count == x.count { left.removeFirst() }
      if count == y.count { right.removeFirst() }
    }
    return left.isEmpty && right.isEmpty
  }
}
