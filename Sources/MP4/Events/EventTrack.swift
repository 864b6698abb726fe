import ISOBMFF
import MP4Bytes

/// The events between the fragments of a presentation, as a timed metadata track (ISO/IEC 23001-18).
struct EventTrack {
  /// The maximum size of its samples, each of which repeats all active events.
  private static let limit = 1 << 26

  private let clock: EventClock
  private let timescale: UInt32
  private let timeline: EventTimeline
  /// Diagnostics about the events.
  private(set) var diagnostics: [Diagnostic]

  /// Converts the events of a presentation to a track.
  init(_ input: MovieInput, _ clock: EventClock) throws(MovieError) {
    self.clock = clock
    let messages = try EventMessages(input, clock, limit: Self.limit)
    let timescale = Self.timescale(messages.events, clock)
    self.timescale = timescale
    let start = clock.start.converted(to: timescale).value
    let range = start..<max(start, clock.end.converted(to: timescale).value)
    timeline = EventTimeline(messages.events.map { $0.timed(in: timescale) }, in: range, limit: Self.limit)
    diagnostics = messages.diagnostics
    let file = input.nameOfEvents
    if messages.isTooLarge || timeline.isTooLarge {
      let size = "\(Self.limit >> 20) MiB"
      diagnostics.append(
        Diagnostic(.error, file, "the events would need more than \(size) as a track; not all of them are kept"))
    }
    if timeline.pastCount > 0 {
      let events = counted(timeline.pastCount, "event is", "events are")
      diagnostics.append(Diagnostic(.note, file, "\(events) over before the presentation starts; omitted"))
    }
  }

  /// A timescale in which the start of the presentation is a whole number. The times of events are whole numbers too,
  /// unless samples could not be as long as the presentation then.
  private static func timescale(_ events: [EventMessages.Event], _ clock: EventClock) -> UInt32 {
    let own = clock.start.timescale
    var common: UInt32? = own
    for event in events { common = common.flatMap { commonTimescale($0, event.offset.timescale) } }
    guard let common, clock.end.converted(to: common).value <= Int64(UInt32.max) else { return own }
    return common
  }

  /// Adds the track to the presentation as a separate movie, with its samples in an additional source. A track without
  /// samples is not added.
  func add(to input: inout MovieInput) {
    guard !timeline.samples.isEmpty else { return }
    let id = (input.tracks.map(\.id).max() ?? 0) &+ 1
    let track = TrackDescription(
      id: id, timescale: timescale, handler: "meta", edits: [], defaults: TrackExtendsBox(), alternateGroup: 0,
      hasSamples: false, externalDescriptions: [], groupDescriptions: [])
    let movie = MovieDescription(
      box: Box("moov", boxes: [EventTrackBoxes.track(id: id, timescale: timescale)]),
      timescale: input.groups[0].movie.timescale, tracks: [track])
    let source = input.sources.count
    // The boxes of this movie are not in any file.
    let header = input.groups[0].header
    let tracks = input.fragments.add(movie)
    input.groups.append(MovieGroup(movie: movie, header: header, source: source, fileType: nil, tracks: tracks))
    input.sources.append(MemorySource(timeline.bytes, name: "events"))
    input.contents.append(SourceContents(group: input.groups.count - 1, isGenerated: true))
    addFragments(to: &input.fragments, source: source, track: tracks.lowerBound)
  }

  /// Adds each sample to the movie fragment in whose time it starts, so that the samples are interleaved.
  private func addFragments(to table: inout FragmentTable, source: Int, track: Int) {
    let starts = clock.order.lazy.map(Int.init).compactMap { fragment in
      clock.fragments[fragment].map { (time: $0, fragment) }
    }
    var rest = starts[...]
    var fragment = rest.popFirst()?.1 ?? 0
    var offset = 0
    for sample in timeline.samples {
      while let next = rest.first, next.time <= MediaTime(sample.time, timescale) {
        fragment = next.1
        rest.removeFirst()
      }
      if table.trackFragments.last?.track != track || table.trackFragments.last?.fragment != fragment {
        var own = TrackFragment(
          source: source, fragment: fragment, track: track, descriptionIndex: 1,
          firstSample: table.samples[track].count)
        own.declaredTime = UInt64(max(0, sample.time))
        table.trackFragments.append(own)
      }
      table.samples[track].append(
        duration: sample.duration, size: UInt32(clamping: sample.byteCount), flags: 0x0200_0000, compositionOffset: 0,
        at: offset)
      offset += sample.byteCount
      table.trackFragments[table.trackFragments.count - 1].sampleCount += 1
      table.trackFragments[table.trackFragments.count - 1].duration &+= UInt64(sample.duration)
    }
  }
}
