import Bytes
import ISOBMFF

/// Tables by which players find segments and fragments.
extension FragmentPlan {
  /// The `sidx` of all segments, whose first follows it: ISO/IEC 14496-12:2022, 8.16.3.
  var index: [Box] {
    index(zip(writer.cuts.segments, segments).map { ($0, $1.byteCount) }, end: presentedEnd)
  }
  var indexSize: Int { size(index) }

  /// The `sidx` of the fragments of a segment, whose first follows it.
  func index(ofSegment index: Int) -> [Box] {
    let parts = zip(writer.cuts.segments[index], segments[index].partSizes).map { (part, size) in
      (part..<part + 1, size)
    }
    let next = writer.cuts.segments.indices.contains(index + 1) ? writer.cuts.segments[index + 1].lowerBound : nil
    return self.index(parts, end: next.map { presentedStart(writer.subsegment($0..<$0 + 1), $0) } ?? presentedEnd)
  }

  private func index(_ parts: [(parts: Range<Int>, byteCount: Int)], end: Int64) -> [Box] {
    let subsegments = parts.map { writer.subsegment($0.parts) }
    let starts = zip(subsegments, parts).map { presentedStart($0, $1.parts.lowerBound) }
    var sidx = SegmentIndexBox()
    sidx.header.version = 1
    sidx.referenceID = trackIDs[reference]
    sidx.timescale = tracks[reference].timescale
    sidx.earliestPresentationTime = UInt64(clamping: starts.first ?? 0)
    var references: [SegmentIndexBox.Reference] = []
    for (number, subsegment) in subsegments.enumerated() {
      var reference = SegmentIndexBox.Reference()
      reference.referencedSize = UInt32(clamping: parts[number].byteCount)
      let next = number + 1 < starts.count ? starts[number + 1] : end
      reference.subsegmentDuration = UInt32(clamping: next &- starts[number])
      let access = subsegment.access
      reference.startsWithSAP = access.isFirst
      if access.kind != .none {
        reference.sapType = access.kind == .unknown ? 0 : access.kind.rawValue
        let delta = access.time &+ writer.tracks[self.reference].placement.presentedShift &- starts[number]
        // There are 28 bits for it.
        reference.sapDeltaTime = UInt32(clamping: min(max(delta, 0), 0xfff_ffff))
      }
      references.append(reference)
    }
    sidx.references = BoxTable(references)
    return [Box(sidx)]
  }

  /// When the output presents the first sample of the reference track in some parts, of which `part` is the first; not
  /// before the presentation starts. Without samples, when the part starts.
  private func presentedStart(_ subsegment: MovieFragmentWriter.Subsegment, _ part: Int) -> Int64 {
    let placement = writer.tracks[reference].placement
    if let times = subsegment.times { return max(0, times.lowerBound &+ placement.presentedShift) }
    let start = writer.cuts.times[part].converted(to: tracks[reference].timescale).value
    return start &+ placement.presentedShift &- placement.presentationShift
  }
  private var presentedEnd: Int64 {
    let placement = writer.tracks[reference].placement
    let offset = placement.presentedShift &- placement.presentationShift
    return (segments.last.map { $0.start.value &+ $0.duration.value } ?? 0) &+ offset
  }

  /// Rejects an index that has too many segments.
  func checkIndexCount() throws(MovieError) {
    let count = max(writer.cuts.segments.count, writer.cuts.segments.map(\.count).max() ?? 0)
    try checkIndex(count > UInt16.max ? .count(count) : nil)
  }

  /// Refuses an index that has no room for what its segments are.
  func checkIndex() throws(MovieError) {
    var limit: SegmentObstacle.IndexLimit?
    if segments.contains(where: { $0.byteCount > Int32.max }) { limit = .size }
    if segments.contains(where: { $0.duration.value > UInt32.max }) { limit = .duration }
    try checkIndex(limit)
  }

  private func checkIndex(_ limit: SegmentObstacle.IndexLimit?) throws(MovieError) {
    guard options.hasIndex, let limit else { return }
    throw .impossible(file: movie.name, SegmentObstacle.noIndex(limit))
  }

  /// The `mfra` with the place of every fragment of the reference track at which decoding can start.
  var randomAccess: Box {
    var tfra = TrackFragmentRandomAccessBox()
    tfra.header.version = 1
    tfra.trackID = trackIDs[reference]
    var entries: [TrackFragmentRandomAccessBox.Entry] = []
    for (index, segment) in segments.enumerated() where segment.accessPoint != .none {
      var entry = TrackFragmentRandomAccessBox.Entry()
      entry.time = UInt64(clamping: mediaTime(ofSegment: index))
      entry.moofOffset = UInt64(segment.offset + segment.eventByteCount)
      entry.trafNumber = UInt32(segment.referenceTrackFragment + 1)
      entries.append(entry)
    }
    tfra.entries = BoxTable(entries)
    var mfro = MovieFragmentRandomAccessOffsetBox()
    mfro.parentSize = UInt32(clamping: size([Box("mfra", boxes: [Box(tfra), Box(mfro)])]))
    return Box("mfra", boxes: [Box(tfra), Box(mfro)])
  }
  var randomAccessSize: Int { size([randomAccess]) }

  /// The composition time of the first sample of the reference track in a segment, as the file has it.
  private func mediaTime(ofSegment index: Int) -> Int64 {
    let track = writer.tracks[reference]
    let first = writer.cuts.positions[reference][writer.cuts.segments[index].lowerBound]
    return first.time &+ track.placement.start &+ track.list.compositionOffset(first.sample)
      &- track.placement.offsetShift
  }
}
