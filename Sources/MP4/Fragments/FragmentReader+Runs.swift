import ISOBMFF

/// The runs of samples of a track fragment.
extension FragmentReader {
  /// Adds the run at `offset` of the file, whose way from the file is `path`.
  mutating func append(_ run: TrackRunBox, at offset: Int, _ path: @autoclosure () -> BoxPath) {
    guard isOpen else { return noteLostHeader(path()) }
    if run.flags & 0x1 != 0 {
      current.position = current.base?.addingReportingOverflow(Int(run.dataOffset)).partialValue
    }
    guard let position = current.position else {
      return leaveOut(path(), at: offset, "its data follows data whose description is damaged")
    }
    let (kept, isEndlessNothing) = values(of: run)
    guard position >= 0, kept.byteCount <= Int.max / 4, position <= Int.max / 4 else {
      current.position = nil
      return leaveOut(path(), at: offset, "its data lies outside of the file")
    }
    if isEndlessNothing {
      return leaveOut(path(), at: offset, "sample_count is \(run.sampleCount) for samples of no bytes")
    }
    add(kept, at: position)
  }

  private mutating func add(_ run: SampleRun, at position: Int) {
    current.position = position + run.byteCount
    mediaEnd = max(mediaEnd, position + run.byteCount)
    noteEvidence(run, at: position)
    noteShift(position..<position + run.byteCount)
    current.fragment.sampleCount += run.count
    current.fragment.duration &+= store.duration(of: run, first: run.count)
    if !current.isKnown, ignoredTracks.contains(current.header.trackID) {
      ignoredSamples[sourceIndex, default: [:]][current.header.trackID, default: 0] += run.count
    }
    guard keepsSamples else {
      noteData(position..<position + run.byteCount)
      return store.forget()
    }
    guard current.isKnown else { return }
    var kept = run
    kept.offset = position
    store.runs.append(kept)
  }

  private mutating func noteData(_ range: Range<Int>) {
    guard current.isKnown, !range.isEmpty else { return }
    // The one that is open.
    let fragment = trackFragments.count
    if let last = dataRanges.last, last.trackFragment == fragment, last.range.upperBound == range.lowerBound {
      dataRanges[dataRanges.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      dataRanges.append((fragment, range))
    }
  }

  /// What a run says of its samples, with the defaults where it says nothing, and whether it is of no bytes without end.
  private mutating func values(of run: TrackRunBox) -> (run: SampleRun, isEndlessNothing: Bool) {
    let (header, defaults) = (current.header, current.defaults)
    let flags = run.flags
    let duration = header.flags & 0x08 != 0 ? header.defaultSampleDuration : defaults.defaultSampleDuration
    let size = header.flags & 0x10 != 0 ? header.defaultSampleSize : defaults.defaultSampleSize
    let sampleFlags = header.flags & 0x20 != 0 ? header.defaultSampleFlags : defaults.defaultSampleFlags
    var result = SampleRun(
      offset: 0, byteCount: 0, count: Int(run.sampleCount), durations: .same(duration), sizes: .same(size),
      flags: .same(sampleFlags), compositionOffsets: .same(0))
    if flags & 0x4 != 0 { result.firstFlags = run.firstSampleFlags }
    if flags & 0x100 != 0 { result.durations.start = store.durations.count }
    if flags & 0x200 != 0 { result.sizes.start = store.sizes.count }
    if flags & 0x400 != 0 { result.flags.start = store.flags.count }
    if flags & 0x800 != 0 { result.compositionOffsets.start = store.compositionOffsets.count }
    store.append(run)
    result.byteCount = store.byteCount(of: result, first: result.count)
    if flags & 0x200 == 0, header.flags & 0x10 == 0, current.isKnown, result.count > 0 {
      evidence.usesDefaultSizes = true
    }
    let isNothing = flags & 0xf00 == 0 && size == 0
    if isNothing { emptySamples += result.count }
    return (result, isNothing && emptySamples > 1 << 20)
  }
}
