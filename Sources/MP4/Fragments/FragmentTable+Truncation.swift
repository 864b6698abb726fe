import ISOBMFF
import MP4Bytes

/// Samples whose data is missing.
extension FragmentTable {
  /// Omits the samples of these track fragments whose data extends past the end of the source, or past the end of the
  /// box in which it starts, and returns diagnostics. Later samples of the same track fragment are omitted too, so that
  /// the times of the others stay correct.
  mutating func cut(_ indices: Range<Int>, toEndOf source: any ByteSource, _ contents: SourceContents) -> [Diagnostic] {
    guard source.byteCount != nil else { return [] }
    var limits = MediaLimits(of: source, contents)
    var lost: [LostSamples] = []
    var places = samples.map { _ in SampleColumns.Place() }
    var start = indices.lowerBound
    while start < indices.upperBound {
      var end = start + 1
      while end < indices.upperBound, trackFragments[end].fragment == trackFragments[start].fragment { end += 1 }
      cut(start..<end, &places, &limits, &lost)
      start = end
    }
    return diagnostics(of: lost, source.name)
  }

  /// The samples at the end of a track fragment whose data is missing.
  private struct LostSamples {
    var fragment: Int
    var samples: Int
    /// Their total duration.
    var duration: UInt64
  }

  /// One diagnostic for each track, with the times of the lost samples.
  private func diagnostics(of lost: [LostSamples], _ file: String) -> [Diagnostic] {
    guard let last = lost.last else { return [] }
    var spans: [Int: [Diagnostic.Span]] = [:]
    var ends: [Int: Int64] = [:]
    var rest = lost[...]
    for (index, fragment) in trackFragments[...last.fragment].enumerated() {
      let limit = TrackTimeline.limit
      let start = fragment.start(after: ends[fragment.track] ?? 0)
      let end = min(start + Int64(min(fragment.duration, UInt64(limit))), limit)
      if let loss = rest.first, loss.fragment == index {
        rest.removeFirst()
        let duration = Int64(min(loss.duration, UInt64(limit)))
        let span = Diagnostic.Span(time: end, duration: duration, samples: loss.samples)
        spans[fragment.track, default: []].append(joining: span)
      }
      ends[fragment.track] = min(end + Int64(min(fragment.information.emptyDuration, UInt64(limit))), limit)
    }
    return spans.sorted { $0.key < $1.key }.map { Diagnostic(.missingData($1), file, tracks.reference($0)) }
  }

  /// Cuts the track fragments of one movie fragment. If media data ends before a track fragment has all its data, later
  /// data belongs to other fragments.
  private mutating func cut(
    _ group: Range<Int>, _ places: inout [SampleColumns.Place], _ limits: inout MediaLimits, _ lost: inout [LostSamples]
  ) {
    limits.begin(fragmentEnd: headers[trackFragments[group.lowerBound].fragment].end)
    for index in group {
      let (track, samples) = (trackFragments[index].track, trackFragments[index].samples)
      self.samples.forEachExtent(of: track, in: samples, &places[track]) { limits.note($0.byteCount, at: $0.offset) }
    }
    guard limits.hasGap else { return }
    for index in group where extents(of: trackFragments[index]).contains(where: { isBeyond($0, &limits) }) {
      let (samples, duration) = (trackFragments[index].sampleCount, trackFragments[index].duration)
      cut(index, &limits)
      let rest = trackFragments[index]
      lost.append(
        LostSamples(fragment: index, samples: samples - rest.sampleCount, duration: duration &- rest.duration))
    }
  }

  private func isBeyond(_ extent: SampleColumns.Extent, _ limits: inout MediaLimits) -> Bool {
    extent.byteCount > limits.room(at: extent.offset)
  }

  private mutating func cut(_ index: Int, _ limits: inout MediaLimits) {
    var fragment = trackFragments[index]
    let columns = samples[fragment.track]
    for extent in extents(of: fragment) where isBeyond(extent, &limits) {
      let kept = columns.samples(of: extent, within: limits.room(at: extent.offset))
      fragment.sampleCount = extent.samples.lowerBound + kept - fragment.firstSample
      break
    }
    let duration = columns.duration(of: fragment.samples)
    // Fragments without a decode time start after the full declared duration.
    fragment.information.emptyDuration &+= fragment.duration &- duration
    fragment.duration = duration
    trackFragments[index] = fragment
  }
}

/// The limits of sample data: the end of the box in which it starts, and the end of the file.
struct MediaLimits {
  /// The boxes that can contain data, in file order.
  private let places: [SourceContents.Place]
  private let size: Int
  /// The end of the first incomplete data of the movie fragment. Later data belongs to other fragments.
  private var last = Int.max
  /// The end of the movie fragment box.
  private var fragmentEnd = Int.max
  /// The box that was looked up last. Consecutive fragments are usually in the same or the next box.
  private var latest = 0

  init(of source: any ByteSource, _ contents: SourceContents) {
    places = contents.places
    size = contents.trailingFree ?? source.byteCount ?? .max
  }

  /// Whether some of the recorded data is incomplete.
  var hasGap: Bool { last < .max }

  /// Starts a movie fragment whose box ends at this offset.
  mutating func begin(fragmentEnd: Int) { (self.fragmentEnd, last) = (fragmentEnd, .max) }

  /// Records data of the movie fragment. All data must be recorded before the other methods are called.
  mutating func note(_ byteCount: Int, at offset: Int) {
    let end = end(from: offset)
    // The offset in a movie box can be so large that an addition would overflow.
    if byteCount > end - offset { last = min(last, end) }
  }

  /// The number of bytes of the movie fragment that can be present from `offset` on; negative after the end of the
  /// data.
  mutating func room(at offset: Int) -> Int { offset >= last ? 0 : min(end(from: offset), last) - offset }

  /// The end of the box that contains `offset`; `offset` itself if no box contains it.
  private mutating func end(from offset: Int) -> Int {
    let low = firstPlace(endingBehind: offset)
    if low < places.count, places[low].range.contains(offset) { return min(size, places[low].range.upperBound) }
    // Data in a box of another type is unusual but present. Data is missing if its offset is the end of media data, or
    // is after the fragment and in none of these boxes.
    let isAtEnd = low > 0 && places[low - 1].range.upperBound == offset
    return isAtEnd || offset >= fragmentEnd ? offset : size
  }

  private mutating func firstPlace(endingBehind offset: Int) -> Int {
    // The next few boxes are tried first, before a binary search.
    for place in latest..<min(latest + 3, places.count) where places[place].range.upperBound > offset {
      guard place == 0 || places[place - 1].range.upperBound <= offset else { break }
      latest = place
      return place
    }
    latest = places.partition { $0.range.upperBound > offset }
    return latest
  }
}

extension SampleColumns {
  /// The number of samples of an extent within `byteCount` bytes.
  fileprivate func samples(of extent: Extent, within byteCount: Int) -> Int {
    if byteCount <= 0 { return 0 }
    let first = extent.samples.lowerBound
    let (index, _) = sizes.index(whereSumExceeds: sizes.sum(before: first) &+ Int64(byteCount))
    return min(max(index, first), extent.samples.upperBound) - first
  }
}

extension [Diagnostic.Span] {
  /// Appends a span, or extends the last one if they are adjacent.
  mutating func append(joining span: Diagnostic.Span) {
    guard let last = self.last, last.time &+ last.duration == span.time else { return append(span) }
    self[count - 1].duration = last.duration &+ span.duration
    self[count - 1].samples += span.samples
  }
}
