import Bytes
import ISOBMFF

/// The runs of samples of a track fragment.
extension FragmentParser {
  /// Adds the run at `offset` of the file, whose way from the file is `path`.
  mutating func append(_ run: TrackRunBox, at offset: Int, _ path: @autoclosure () -> BoxPath) {
    guard isOpen else { return noteLostHeader(path()) }
    if let offset = run.dataOffset {
      current.position = current.base?.addingReportingOverflow(Int(offset)).partialValue
    }
    guard let position = current.position else {
      return leaveOut(path(), at: offset, "its data follows data with a damaged description")
    }
    let (kept, isEndlessNothing) = values(of: run)
    let byteCount = kept.sizes.sum(kept.count)
    guard position >= 0, byteCount <= Int.max / 4, position <= Int.max / 4 else {
      current.position = nil
      return leaveOut(path(), at: offset, "its data is outside the file")
    }
    if isEndlessNothing {
      return leaveOut(path(), at: offset, "sample_count is \(run.sampleCount) for samples of no bytes")
    }
    add(kept, at: position..<(position + byteCount))
  }

  private mutating func add(_ run: SampleColumns.Run, at range: Range<Int>) {
    current.position = range.upperBound
    mediaEnd = max(mediaEnd, range.upperBound)
    noteEvidence(run, at: range)
    noteShift(range)
    current.fragment.sampleCount += run.count
    current.fragment.duration &+= UInt64(run.durations.sum(run.count))
    if !current.isKnown, ignoredTracks.contains(current.header.trackID) {
      table.ignoredSamples[sourceIndex, default: [:]][current.header.trackID, default: 0] += run.count
    }
    guard current.isKnown else { return }
    guard keepsSamples else { return noteData(range) }
    runCounts.append(run.count)
    table.samples[current.fragment.track].append(run, at: range)
  }

  private mutating func noteData(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    // The one that is open.
    let fragment = table.trackFragments.count
    if let last = table.dataRanges.last, last.trackFragment == fragment, last.range.upperBound == range.lowerBound {
      table.dataRanges[table.dataRanges.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      table.dataRanges.append((fragment, range))
    }
  }

  /// What a run says of its samples, with the defaults where it says nothing, and whether it is of no bytes without end.
  private mutating func values(of run: TrackRunBox) -> (run: SampleColumns.Run, isEndlessNothing: Bool) {
    let (header, defaults) = (current.header, current.defaults)
    let flags = run.flags
    let duration = header.defaultSampleDuration ?? defaults.defaultSampleDuration
    let size = header.defaultSampleSize ?? defaults.defaultSampleSize
    let sampleFlags = header.defaultSampleFlags ?? defaults.defaultSampleFlags
    let result = SampleColumns.Run(
      count: Int(run.sampleCount), durations: .init(common: duration, own: run.column(0x100)),
      sizes: .init(common: size, own: run.column(0x200)), flags: .init(common: sampleFlags, own: run.column(0x400)),
      firstFlags: run.firstSampleFlags, compositionOffsets: .init(common: 0, own: run.column(0x800)))
    if flags & 0x200 == 0, header.flags & 0x10 == 0, current.isKnown, result.count > 0 {
      evidence.usesDefaultSizes = true
    }
    let isNothing = flags & 0xf00 == 0 && size == 0
    if isNothing { emptySamples += result.count }
    return (result, isNothing && emptySamples > 1 << 20)
  }
}
