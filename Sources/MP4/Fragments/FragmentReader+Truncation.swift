import ISOBMFF

/// Samples whose bytes are not there.
extension FragmentReader {
  /// Leaves out the samples of these track fragments that reach beyond the end of their source, or of the place for
  /// data in which they start, and says so. What follows such a sample in its track fragment is left out as well, so that the
  /// times of what is kept stay right.
  mutating func cut(_ indices: Range<Int>, toEndOf source: any ByteSource, places: [Range<Int>]) -> [Notice] {
    guard let size = source.byteCount else { return [] }
    var lost: [Int: (samples: Int, fragment: Int)] = [:]
    var start = indices.lowerBound
    while start < indices.upperBound {
      var end = start + 1
      while end < indices.upperBound, trackFragments[end].fragment == trackFragments[start].fragment { end += 1 }
      cut(start..<end, MediaLimits(places: places, size: size), &lost)
      start = end
    }
    return lost.sorted { $0.key < $1.key }.map { loss($0, of: $1.samples, from: $1.fragment, source.name) }
  }

  private func loss(_ track: Int, of samples: Int, from fragment: Int, _ file: String) -> Notice {
    let (id, timescale) = (tracks[track].id, tracks[track].timescale)
    let time = trackFragments[fragment].declaredTime.map {
      " from \(MediaTime(Int64(clamping: $0), timescale)) on"
    }
    let count = samples == 1 ? "1 sample" : "\(samples) samples"
    return Notice(.loss, file, "track \(id): there is no data for \(count)\(time ?? ""); left out")
  }

  /// Cuts the track fragments of one movie fragment. Where media data ends before one of them has all of its own, what
  /// lies further behind belongs to others.
  private mutating func cut(
    _ group: Range<Int>, _ all: MediaLimits, _ lost: inout [Int: (samples: Int, fragment: Int)]
  ) {
    var all = all
    all.fragmentEnd = headers[trackFragments[group.lowerBound].fragment].end
    var limits = all
    for index in group {
      for run in store.runs[trackFragments[index].runs] where all.isBeyond(run) {
        limits.last = min(limits.last, all.end(of: run))
      }
    }
    guard limits.last < .max else { return }
    for index in group where trackFragments[index].runs.contains(where: { limits.isBeyond(store.runs[$0]) }) {
      let (track, before) = (trackFragments[index].track, trackFragments[index].sampleCount)
      cut(index, limits)
      let samples = before - trackFragments[index].sampleCount
      lost[track] = (samples + (lost[track]?.samples ?? 0), lost[track]?.fragment ?? index)
    }
  }

  private mutating func cut(_ index: Int, _ limits: MediaLimits) {
    var isCut = false
    var count = 0
    var duration: UInt64 = 0
    for run in trackFragments[index].runs {
      if isCut {
        store.runs[run].count = 0
      } else if limits.isBeyond(store.runs[run]) {
        isCut = true
        let available = limits.end(of: store.runs[run]) - store.runs[run].offset
        store.runs[run].count = store.samples(of: store.runs[run], within: available)
      }
      store.runs[run].byteCount = store.byteCount(of: store.runs[run], first: store.runs[run].count)
      count += store.runs[run].count
      duration &+= store.duration(of: store.runs[run], first: store.runs[run].count)
    }
    // Fragments that do not say when they start follow all of it.
    trackFragments[index].information.emptyDuration &+= trackFragments[index].duration &- duration
    trackFragments[index].sampleCount = count
    trackFragments[index].duration = duration
  }
}

/// How far the data of samples can go: to the end of the box in which it starts, and of the file.
private struct MediaLimits {
  /// The boxes in which data can be, in the order of the file.
  let places: [Range<Int>]
  let size: Int
  /// Beyond this there is nothing more of a movie fragment.
  var last = Int.max
  /// Where the box of the movie fragment itself ends.
  var fragmentEnd = Int.max

  // An offset of a movie box can be so large that nothing can be added to it.
  func isBeyond(_ run: SampleRun) -> Bool { run.byteCount > end(of: run) - run.offset }

  /// Where the data of a run has to end; where it starts when there is no place for any.
  func end(of run: SampleRun) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].upperBound <= run.offset { low = middle + 1 } else { high = middle }
    }
    if run.offset >= last { return run.offset }
    if low < places.count, places[low].contains(run.offset) { return min(size, places[low].upperBound, last) }
    // Data in a box of another kind is odd, but it is there. Right behind media data it is that of others, and behind its
    // fragment its own is missing.
    let isBehind = low > 0 && places[low - 1].upperBound == run.offset
    return isBehind || run.offset >= fragmentEnd ? run.offset : min(size, last)
  }
}

extension RunStore {
  /// How many of the samples of a run lie within `byteCount` bytes.
  fileprivate func samples(of run: SampleRun, within byteCount: Int) -> Int {
    if byteCount <= 0 { return 0 }
    if run.sizes.isConstant { return min(run.count, byteCount / max(1, Int(run.sizes.constant))) }
    var left = byteCount
    for index in 0..<run.count {
      left -= Int(size(run, index))
      if left < 0 { return index }
    }
    return run.count
  }
}
