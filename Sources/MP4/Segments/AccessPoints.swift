import ISOBMFF

extension MovieFragmentWriter {
  /// The access point at the first sample of the reference track in a segment.
  func accessPoint(of segment: Int) -> MediaSegment.AccessPoint {
    let parts = cuts.segments[segment]
    let start = cuts.positions[cuts.reference][parts.lowerBound]
    return accessPoint(at: start, before: cuts.positions[cuts.reference][parts.upperBound].sample).kind
  }

  /// The access point of the reference track at a sample, and the composition time from which all samples are presented
  /// if decoding starts there. Only considers samples before `end`.
  func accessPoint(at start: SampleCursor, before end: Int) -> (kind: MediaSegment.AccessPoint, time: Int64) {
    var walk = SampleWalk(tracks[cuts.reference].list, from: start)
    guard start.sample < end, walk.isSync else { return (.none, 0) }
    let first = walk.compositionTime
    var earliest = first
    var result = MediaSegment.AccessPoint.closed
    while walk.sample < end {
      // Leading pictures are decoded before the next sync sample, and before the pictures that follow the first one.
      if walk.sample > start.sample, walk.isSync || walk.time > first { break }
      let composition = walk.compositionTime
      if composition < first {
        earliest = min(earliest, composition)
        switch walk.flags.dependency >> 6 {
        case 1: return (.open, first)
        case 3: if result == .closed { result = .closedWithLeading }
        default: result = .unknown
        }
      }
      walk.advance()
    }
    return (result, result == .closedWithLeading ? earliest : first)
  }

  /// The index information about samples of the reference track in some parts.
  struct Subsegment {
    /// The earliest composition time of the list, and the latest end; `nil` without samples.
    var times: Range<Int64>?
    /// The first access point: whether it is the first sample, its kind, and the time from which all is presented.
    var access = (isFirst: false, kind: MediaSegment.AccessPoint.none, time: Int64(0))
  }

  /// The index information about samples of the reference track in some parts.
  func subsegment(_ parts: Range<Int>) -> Subsegment {
    let start = cuts.positions[cuts.reference][parts.lowerBound]
    var walk = SampleWalk(tracks[cuts.reference].list, from: start)
    let end = cuts.positions[cuts.reference][parts.upperBound].sample
    var result = Subsegment()
    while walk.sample < end {
      if result.access.kind == .none, walk.isSync {
        let (kind, time) = accessPoint(at: walk.position, before: end)
        result.access = (walk.sample == start.sample, kind, time)
      }
      let composition = walk.compositionTime
      let range = composition..<max(composition, composition &+ walk.duration)
      let times = result.times ?? range
      result.times = min(times.lowerBound, composition)..<max(times.upperBound, range.upperBound)
      walk.advance()
    }
    return result
  }
}

extension FragmentPlan {
  /// The first 64 KiB of the first sample of the reference track in a segment; `nil` if the segment has none.
  package func startOfFirstSample(ofSegment index: Int) throws(MovieError) -> ArraySlice<UInt8>? {
    let parts = writer.cuts.segments[index]
    let positions = writer.cuts.positions[reference]
    let start = positions[parts.lowerBound]
    guard start.sample < positions[parts.upperBound].sample else { return nil }
    return try movie.tracks[reference].samples[start.sample].bytes(1 << 16)[...]
  }
}
