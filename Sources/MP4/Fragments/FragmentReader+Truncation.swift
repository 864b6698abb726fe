import ISOBMFF

/// Samples whose bytes are not there.
extension FragmentReader {
  /// Leaves out the samples of these track fragments that reach beyond the end of their source, and says so. What
  /// follows such a sample in its track fragment is left out as well, so that the times of what is kept stay right.
  mutating func cut(_ indices: Range<Int>, toEndOf source: any ByteSource) -> [Notice] {
    guard let size = source.byteCount else { return [] }
    var lost: [Int: (samples: Int, fragment: Int)] = [:]
    for index in indices {
      let fragment = trackFragments[index]
      let before = fragment.sampleCount
      guard fragment.runs.contains(where: { isBeyond(store.runs[$0], size) }) else { continue }
      cut(index, size)
      let samples = before - trackFragments[index].sampleCount
      lost[fragment.track] = (samples + (lost[fragment.track]?.samples ?? 0), lost[fragment.track]?.fragment ?? index)
    }
    return lost.sorted { $0.key < $1.key }.map { loss($0, of: $1.samples, from: $1.fragment, source.name) }
  }

  private func loss(_ track: Int, of samples: Int, from fragment: Int, _ file: String) -> Notice {
    let (id, timescale) = (movie.tracks[track].id, movie.tracks[track].timescale)
    let time = trackFragments[fragment].declaredTime.map {
      " from \(MediaTime(Int64(clamping: $0), timescale)) on"
    }
    let count = samples == 1 ? "1 sample" : "\(samples) samples"
    return Notice(.loss, file, "track \(id): the file ends before the data of \(count)\(time ?? ""); left out")
  }

  // An offset of a movie box can be so large that nothing can be added to it.
  private func isBeyond(_ run: SampleRun, _ size: Int) -> Bool { run.byteCount > size - run.offset }

  private mutating func cut(_ index: Int, _ size: Int) {
    var isCut = false
    var count = 0
    var duration: UInt64 = 0
    for run in trackFragments[index].runs {
      if isCut {
        store.runs[run].count = 0
      } else if isBeyond(store.runs[run], size) {
        isCut = true
        store.runs[run].count = store.samples(of: store.runs[run], within: size - store.runs[run].offset)
      }
      store.runs[run].byteCount = store.byteCount(of: store.runs[run], first: store.runs[run].count)
      count += store.runs[run].count
      duration &+= store.duration(of: store.runs[run], first: store.runs[run].count)
    }
    trackFragments[index].sampleCount = count
    trackFragments[index].duration = duration
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
