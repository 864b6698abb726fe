/// Samples whose bytes are not there.
extension FragmentReader {
  /// Leaves out the samples of the current source that reach beyond its `size`, and says so. What follows such a sample
  /// in its track fragment is left out as well, so that the times of what is kept stay right.
  mutating func cut(toSize size: Int, firstTrackFragment: Int) {
    var lost: [Int: (samples: Int, fragment: Int)] = [:]
    for index in firstTrackFragment..<trackFragments.count {
      let fragment = trackFragments[index]
      let before = fragment.sampleCount
      guard fragment.runs.contains(where: { isBeyond(store.runs[$0], size) }) else { continue }
      cut(index, size)
      let samples = before - trackFragments[index].sampleCount
      lost[fragment.track] = (samples + (lost[fragment.track]?.samples ?? 0), lost[fragment.track]?.fragment ?? index)
    }
    for (track, loss) in lost.sorted(by: { $0.key < $1.key }) { noteLoss(track, loss.samples, loss.fragment) }
  }

  private func isBeyond(_ run: SampleRun, _ size: Int) -> Bool { run.offset + run.byteCount > size }

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
