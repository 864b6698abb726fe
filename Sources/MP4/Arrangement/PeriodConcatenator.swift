import ISOBMFF
import MP4Bytes

/// Concatenates the periods of a presentation: each starts at the end of the longest track of the previous one, as soon
/// as no track has two samples at the same time. All of its tracks are moved by the same amount, so that they stay in
/// sync.
struct PeriodConcatenator {
  /// One track in one period.
  private struct Stretch {
    var track: Int
    var timeline: TrackTimeline
    /// The decode times of its start and end.
    var start: Int64
    var end: Int64
    /// The composition times of its start and end.
    var shown: Range<Int64>
    /// The additional media that the edit list of the period hides, compared with that of the output.
    var hiddenMore: Int64
  }
  /// The track fragments of each period and track.
  private var indices: [[Int: [Int]]] = []
  /// The current end of each track, in decode and composition times.
  private var ends: [Int: Int64] = [:]
  private var shownEnds: [Int: Int64] = [:]
  private var starts: [(source: Int, time: MediaTime)] = []

  /// Changes the times of the fragments, and keeps the starts of the periods after the first for notes about them.
  static func place(_ input: inout MovieInput) throws(MovieError) {
    guard !input.parts.isEmpty else { return }
    input.fragments.rescale(input.trackTimes)
    var placement = PeriodConcatenator(input)
    for period in placement.indices.indices { try placement.place(period, &input) }
    input.periodStarts = placement.starts
  }

  private init(_ input: MovieInput) {
    for (index, fragment) in input.fragments.trackFragments.enumerated() {
      guard fragment.source < input.parts.count else { continue }
      let period = input.parts[fragment.source].period
      while indices.count <= period, indices.count <= input.parts.count { indices.append([:]) }
      guard indices.indices.contains(period) else { continue }
      indices[period][fragment.track, default: []].append(index)
    }
    indices.removeAll(where: \.isEmpty)
  }

  private mutating func place(_ period: Int, _ input: inout MovieInput) throws(MovieError) {
    var stretches: [Stretch] = []
    for (track, own) in indices[period].sorted(by: { $0.key < $1.key }) {
      if let stretch = try stretch(track, own, input) { stretches.append(stretch) }
    }
    if !ends.isEmpty, let distance = distance(stretches, input) {
      for stretch in stretches { move(stretch, indices[period][stretch.track] ?? [], by: distance, &input) }
    } else {
      for stretch in stretches { extend(stretch, by: 0) }
    }
  }

  private mutating func extend(_ stretch: Stretch, by shift: Int64) {
    func moved(_ time: Int64) -> Int64 { min(max(time + shift, 0), TrackTimeline.limit - 1) }
    ends[stretch.track] = max(ends[stretch.track] ?? 0, moved(stretch.end))
    shownEnds[stretch.track] = max(shownEnds[stretch.track] ?? 0, moved(stretch.shown.upperBound))
  }

  private func stretch(_ track: Int, _ own: [Int], _ input: MovieInput) throws(MovieError) -> Stretch? {
    let fragments = input.fragments.trackFragments
    let timeline = try io(TrackTimeline(fragments, of: own, SampleColumns()))
    guard let first = timeline.entries.first, let end = timeline.entries.map(\.end).max() else { return nil }
    let times = input.trackTimes[track] ?? []
    let source = fragments[first.index].source
    let timescale = input.tracks[track].timescale
    func hidden(_ times: TrackTimes?) -> Int64 {
      let value = times.map { MediaTime($0.hidden, $0.timescale).converted(to: timescale).value } ?? 0
      return min(max(value, -TrackTimeline.limit / 2), TrackTimeline.limit / 2)
    }
    let columns = input.fragments.samples[track]
    var shown: Range<Int64>?
    for entry in timeline.entries {
      var time = entry.start
      for sample in fragments[entry.index].samples {
        let start = min(max(time + Int64(columns.compositionOffset(sample)), -TrackTimeline.limit), TrackTimeline.limit)
        let end = min(start + Int64(columns.duration(sample)), TrackTimeline.limit)
        shown = min(shown?.lowerBound ?? start, start)..<max(shown?.upperBound ?? end, end)
        time = min(time + Int64(columns.duration(sample)), TrackTimeline.limit)
      }
    }
    return Stretch(
      track: track, timeline: timeline, start: first.start, end: end, shown: shown ?? first.start..<end,
      hiddenMore: hidden(times.holding(for: source)) - hidden(times.first))
  }

  /// The distance by which a period is moved so that it starts after the end of the previous periods and no track has
  /// two samples at the same time.
  private func distance(_ stretches: [Stretch], _ input: MovieInput) -> MediaTime? {
    let tracks = input.tracks
    let end = shownEnds.map { MediaTime($0.value, tracks[$0.key].timescale) }.max()
    let start = stretches.map { MediaTime($0.shown.lowerBound - $0.hiddenMore, tracks[$0.track].timescale) }.min()
    guard let end, let start else { return nil }
    let whole = MediaTime(end.value - start.limited(to: end.timescale), end.timescale)
    let own = stretches.compactMap { stretch in
      ends[stretch.track].map { MediaTime($0 - stretch.start + stretch.hiddenMore, tracks[stretch.track].timescale) }
    }
    return max(whole, own.max() ?? whole)
  }

  private mutating func move(
    _ stretch: Stretch, _ own: [Int], by distance: MediaTime, _ input: inout MovieInput
  ) {
    let timescale = input.tracks[stretch.track].timescale
    var shift = distance.limited(to: timescale) - stretch.hiddenMore
    // Rounding must not make the period overlap the previous one.
    if let end = ends[stretch.track] { shift = max(shift, end - stretch.start) }
    func moved(_ time: Int64) -> Int64 { min(max(time + shift, 0), TrackTimeline.limit - 1) }
    for entry in stretch.timeline.entries {
      input.fragments.trackFragments[entry.index].declaredTime = UInt64(moved(entry.start))
      input.fragments.trackFragments[entry.index].isNarrowTime = false
    }
    // Track fragments without samples also advance the time.
    for index in own where input.fragments.trackFragments[index].sampleCount == 0 {
      let time = input.fragments.trackFragments[index].declaredTime
      guard let time, time < UInt64(TrackTimeline.limit) else { continue }
      input.fragments.trackFragments[index].declaredTime = UInt64(moved(Int64(time)))
      input.fragments.trackFragments[index].isNarrowTime = false
    }
    let source = input.fragments.trackFragments[own[0]].source
    let start = MediaTime(moved(stretch.shown.lowerBound), timescale)
    if starts.last.map({ input.parts[$0.source].period != input.parts[source].period }) ?? true {
      starts.append((source, start))
    }
    extend(stretch, by: shift)
  }

  /// The note about the starts of periods, relative to the media time that becomes 0.
  static func diagnostics(_ input: MovieInput, from zero: MediaTime) -> [Diagnostic] {
    let starts = input.periodStarts.map { (source: $0.source, time: $0.time - zero) }
    guard let first = starts.first else { return [] }
    let names = input.sources
    if starts.count == 1 {
      let text =
        "discontinuity; playback continues at \(first.time), after the longest track before it"
      return [Diagnostic(.note, names[first.source].name, text)]
    }
    let shown = starts.prefix(10).map(\.time.description).joined(separator: ", ")
    let text =
      "\(starts.count) discontinuities; each part continues after the longest track before it, at "
      + "\(shown)\(starts.count > 10 ? " and so on" : "")"
    return [Diagnostic(.note, names[first.source].name, text)]
  }
}

extension MediaTime {
  /// The nearest value in another timescale, limited to values that real times stay within.
  fileprivate func limited(to timescale: UInt32) -> Int64 {
    min(max(converted(to: timescale).value, -TrackTimeline.limit), TrackTimeline.limit)
  }
}

extension FragmentTable {
  /// Converts the fragments of a track to its timescale, if a movie box that continues the track has another one.
  mutating func rescale(_ times: [Int: [TrackTimes]]) {
    let concerned = times.filter { track, times in times.contains { $0.timescale != tracks[track].timescale } }
    for (track, times) in concerned {
      var rescaled = SampleColumns()
      for index in trackFragments.indices where trackFragments[index].track == track {
        let timescale = times.holding(for: trackFragments[index].source)?.timescale
        rescale(index, from: timescale ?? tracks[track].timescale, into: &rescaled)
      }
      samples[track] = rescaled
    }
  }

  private mutating func rescale(_ index: Int, from old: UInt32, into columns: inout SampleColumns) {
    var fragment = trackFragments[index]
    let (own, new) = (samples[fragment.track], tracks[fragment.track].timescale)
    func scaled(_ time: Int64) -> Int64 { MediaTime(time, old).converted(to: new).value }
    let limit = UInt64(TrackTimeline.limit)
    var time = Int64(min(fragment.declaredTime ?? 0, limit))
    let start = scaled(time)
    if let declared = fragment.declaredTime, declared < limit, old != new {
      fragment.declaredTime = UInt64(min(start, TrackTimeline.limit))
      fragment.isNarrowTime = false
    }
    let first = columns.count
    // The end of each sample is converted, so that rounding errors do not add up.
    var end = start
    var offset = fragment.sampleCount > 0 ? own.offset(fragment.firstSample) : 0
    for sample in fragment.samples {
      time = min(time + Int64(own.duration(sample)), TrackTimeline.limit)
      let next = scaled(time)
      if sample > fragment.firstSample { offset = offset &+ Int(own.gaps[sample]) }
      columns.append(
        duration: old == new ? own.duration(sample) : UInt32(clamping: next - end),
        size: UInt32(clamping: own.size(sample)), flags: own.flags(sample).rawValue,
        compositionOffset: Int32(
          clamping: old == new ? own.compositionOffset(sample) : scaled(own.compositionOffset(sample))),
        at: offset)
      offset = offset &+ own.size(sample)
      end = next
    }
    fragment.firstSample = first
    if old != new { fragment.duration = UInt64(max(end - start, 0)) }
    trackFragments[index] = fragment
  }
}
