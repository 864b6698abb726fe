import Bytes
import ISOBMFF

/// A place between the samples of a fragment.
struct SamplePosition: Sendable {
  /// How many samples of the fragment are before it.
  var sample = 0
  /// The run that goes on here.
  var run: Int
  /// How many samples of that run are before it, and how many bytes they have.
  var index = 0
  var byteCount = 0
  /// The sum of the durations of all samples before it.
  var duration: UInt64 = 0

  /// Before the first sample.
  init(startOf fragment: TrackFragment) { run = fragment.runs.lowerBound }
}

extension RunStore {
  /// Goes after the next sample of the fragment, and returns its size and duration. There has to be one.
  @discardableResult
  func advance(_ position: inout SamplePosition) -> (size: UInt32, duration: UInt32) {
    while position.index == runs[position.run].count {
      (position.run, position.index, position.byteCount) = (position.run + 1, 0, 0)
    }
    let (run, index) = (runs[position.run], position.index)
    let sample = (size: size(run, index), duration: duration(run, index))
    position.sample += 1
    position.index += 1
    position.byteCount = position.byteCount &+ Int(sample.size)
    position.duration &+= UInt64(sample.duration)
    return sample
  }

  /// Goes to the first sample that starts `time` after the first of its fragment, or later; or after the last one.
  func advance(_ position: inout SamplePosition, in fragment: TrackFragment, to time: Int64) {
    let time = UInt64(max(0, time))
    while position.sample < fragment.sampleCount, position.duration < time { advance(&position) }
  }

  /// Whether all samples of `copy` are those that `whole` starts with, and have their times.
  func isStart(_ copy: TrackFragment, of whole: TrackFragment, _ sources: [any ByteSource]) throws(IOError) -> Bool {
    let (first, second) = (SamplePosition(startOf: copy), SamplePosition(startOf: whole))
    var (end, other) = (first, second)
    for _ in 0..<(copy.sampleCount - 1) {
      advance(&end)
      advance(&other)
    }
    guard end.duration == other.duration else { return false }
    return try isSame(copy, at: first, whole, at: second, count: copy.sampleCount, sources)
  }

  /// Whether the `count` samples of `a` from `first` on are those that `b` has from `second` on: by their bytes in
  /// `sources`, or without these by their sizes.
  func isSame(
    _ a: TrackFragment, at first: SamplePosition, _ b: TrackFragment, at second: SamplePosition, count: Int,
    _ sources: [any ByteSource]
  ) throws(IOError) -> Bool {
    guard first.sample + count <= a.sampleCount, second.sample + count <= b.sampleCount else { return false }
    var (left, right) = (first, second)
    for _ in 0..<count where advance(&left).size != advance(&right).size { return false }
    if sources.isEmpty { return true }
    let ranges = (self.ranges(of: a, from: first, count: count), self.ranges(of: b, from: second, count: count))
    return try Self.isSame(ranges.0, in: sources[a.source], ranges.1, in: sources[b.source])
  }

  /// Where the bytes of so many samples are.
  private func ranges(of fragment: TrackFragment, from first: SamplePosition, count: Int) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var left = count
    for number in first.run..<fragment.runs.upperBound where left > 0 {
      let isFirst = number == first.run
      let whole = runs[number]
      let own = min(left, whole.count - (isFirst ? first.index : 0))
      let part =
        isFirst || own < whole.count
        ? part(of: whole, from: isFirst ? first.index : 0, count: own, behind: isFirst ? first.byteCount : 0) : whole
      if part.byteCount > 0 { result.append(part.offset..<(part.offset + part.byteCount)) }
      left -= own
    }
    return result
  }

  /// Whether ranges of two sources, of as many bytes in all, hold the same ones.
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
