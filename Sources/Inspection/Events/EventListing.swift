import ISOBMFF
public import MP4
public import MP4Bytes
import MP4HLS
import MP4Packaging
import MP4Presentations
public import MP4Records
import TimedText

/// The events of a movie: event messages between its fragments and in tracks, ID3 tags and splice information,
/// chapters, timecodes, and producer reference times.
public struct EventListing: Sendable {
  /// The events sorted by presentation time; those without a time are last.
  public let events: [TimelineEvent]
  /// Diagnostics about events that could not be listed.
  public let diagnostics: [Diagnostic]

  /// Collects the events of a movie. Of its media, only the samples of metadata, chapter and timecode tracks are read,
  /// and, if `hasCaptions`, the closed captions of all channels.
  public init(_ movie: Movie, hasCaptions: Bool = false) throws(MovieError) {
    var found = movie.eventMessages.map { message in
      var event = TimelineEvent(message.message, at: message.time, lasting: message.duration)
      event.source = message.source
      return event
    }
    var samples = MetadataSamples(file: movie.name)
    for track in movie.tracks {
      try samples.read(track)
      found += try Self.timecodes(of: track)
      if hasCaptions { found += try Self.captions(of: track) }
    }
    found += samples.events
    found += try movie.chapters().map(TimelineEvent.init)
    var problems = samples.diagnostics
    try movie.forEachProducerTime { box, source in
      if let box {
        found.append(TimelineEvent(box, in: movie))
      } else {
        problems.append(Diagnostic(.error, source.name, "a `prft` box is damaged; skipped"))
      }
    }
    self.init(sorting: found, problems)
  }

  /// Sorts events.
  init(sorting found: [TimelineEvent], _ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
    // Events at the same time keep their order.
    let order = found.indices.sorted { first, second in
      switch (found[first].time, found[second].time) {
      case (let one?, let other?): one == other ? first < second : one < other
      case (nil, nil): first < second
      case (let one, _): one != nil
      }
    }
    events = order.map { found[$0] }
  }

  private static func captions(of track: Track) throws(MovieError) -> [TimelineEvent] {
    guard track.canHaveCaptions, track.protectionScheme == nil else { return [] }
    let captions = try track.captions()
    return captions.channels.flatMap { channel in
      captions.cues(of: channel).map { cue in
        let text = CueText(cue.text).text.split(separator: "\n").joined(separator: " / ")
        let start = MediaTime(cue.start, timescale: 1000)
        var event = TimelineEvent(.caption, at: start, "\(channel) \"\(text)\"")
        (event.track, event.duration) = (track.id, MediaTime(cue.end, timescale: 1000) - start)
        (event.value, event.details) = (channel.description, [TimelineEvent.Detail("text", cue.text)])
        return event
      }
    }
  }

  private static func timecodes(of track: Track) throws(MovieError) -> [TimelineEvent] {
    guard track.decoderConfigurations.contains(where: { $0.fields is TimecodeSampleEntry }) else { return [] }
    var events: [TimelineEvent] = []
    for sample in track.samples {
      guard let timecode = try Timecode.shown(sample, of: track) else { continue }
      var event = TimelineEvent(.timecode, at: sample.presentationTime, "timecode \(timecode)")
      (event.track, event.duration) = (track.id, sample.duration)
      event.details = [
        TimelineEvent.Detail("frame", timecode.frame),
        TimelineEvent.Detail("frames_per_second", timecode.format.framesPerSecond),
        TimelineEvent.Detail("drop_frame", timecode.format.dropsFrames),
      ]
      events.append(event)
    }
    return events
  }

  /// Writes the events.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    guard events.contains(where: { $0.place != nil }) else {
      return try TimelineEvent.write(events, format, to: sink)
    }
    try PlacedRecord.write(
      events.map { PlacedRecord(element: $0, playlist: $0.place?.playlist, line: $0.place?.line) }, format, to: sink)
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(PlacedRecord<TimelineEvent>.schema).write(to: sink)
  }
}

extension TimelineEvent {
  /// An event for a message.
  init(_ message: EventMessageBox, at time: MediaTime?, lasting duration: MediaTime?) {
    let scheme = message.schemeIDURI.description
    let payload = EventPayload(message.messageData[...], scheme: scheme)
    self.init(payload, scheme: scheme, data: message.messageData, at: time)
    (self.duration, value, id) = (duration, message.value.description, message.id)
  }

  /// An event for the start of a chapter.
  fileprivate init(_ chapter: Chapter) {
    self.init(
      .chapter, at: chapter.time, chapter.title.isEmpty ? "chapter without a title" : "chapter \"\(chapter.title)\"")
  }

  /// An event for a payload.
  init(_ payload: EventPayload, scheme: String?, data: [UInt8], at time: MediaTime?) {
    let words = payload.kind == .event ? (scheme ?? "event") + ": " : ""
    self.init(payload.kind, at: time, words + payload.summary)
    (self.scheme, details, problem) = (scheme, payload.details, payload.problem)
    if !payload.isComplete { self.payload = data }
    if payload.kind == .id3 { tags = data }
  }

  /// An event for a producer reference time, at the presentation time of its sample.
  fileprivate init(_ box: ProducerReferenceTimeBox, in movie: Movie) {
    let track = movie.tracks.first { $0.id == box.referenceTrackID }
    let date = NTPTimestamp.text(box.ntpTimestamp)
    let moment: String? =
      switch box.header.flags & 0x1f {
      case 0: "encoder input"
      case 1: "encoder output"
      case 2: "finalized"
      case 4: "written"
      case 8: "arbitrary"
      case 0x18: "captured"
      default: nil
      }
    self.init(
      .producerTime, at: track?.presentationTime(ofMediaTime: Int64(clamping: box.mediaTime)),
      "produced at \(date ?? "an unknown time")" + (moment.map { " (\($0))" } ?? ""))
    self.track = box.referenceTrackID
    details = [
      Detail("ntp_timestamp", box.ntpTimestamp, date), Detail("media_time", box.mediaTime),
      Detail("flags", box.header.flags, moment),
    ]
  }
}

extension Track {
  /// The presentation time of the sample with this decode time; the time itself if there is no such sample.
  fileprivate func presentationTime(ofMediaTime time: Int64) -> MediaTime? {
    let index = (0..<samples.count).partition { samples[$0].decodeTime.value >= time }
    guard index < samples.count, samples[index].decodeTime.value == time else {
      return MediaTime(time, timescale) - mediaStart
    }
    return samples[index].presentationTime
  }
}

/// The events of a presentation: those of its media, and those in its playlists.
extension EventListing {
  /// Collects the events of the first variant with its renditions. Events that several of these have are listed once.
  public init(_ movies: PresentationMovies, hasCaptions: Bool = false) throws(MovieError) {
    var (found, diagnostics) = ([TimelineEvent](), [Diagnostic]())
    for part in movies.parts {
      let own = try EventListing(part.movie, hasCaptions: hasCaptions)
      diagnostics += own.diagnostics
      for var event in own.events {
        event.time = event.time.map { $0 + part.shift }
        let segment = event.source.flatMap { part.segment(ofSource: $0) } ?? event.time.flatMap { part.segment(at: $0) }
        event.place = TimelineEvent.Place(playlist: part.playlist.name, line: segment?.line)
        found.append(event)
      }
    }
    for playlist in movies.playlists { found += PlaylistDates(playlist).dateRanges }
    if let first = movies.playlists.first { found += PlaylistDates(first).changes }
    var seen: Set<TimelineEvent.Identity> = []
    self.init(sorting: found.filter { seen.insert($0.identity).inserted }, diagnostics)
  }
}

extension TimelineEvent {
  /// The place of an event in a presentation.
  struct Place: Sendable {
    let playlist: String
    let line: Int?
  }

  /// The properties by which an event is recognized in several playlists.
  fileprivate struct Identity: Hashable {
    let kind: Kind
    let time: MediaTime?
    let duration: MediaTime?
    let scheme: String?
    let value: String?
    let id: UInt32?
    let summary: String
    let details: [String]
    let payload: [UInt8]
  }
  fileprivate var identity: Identity {
    Identity(
      kind: kind, time: time, duration: duration, scheme: scheme, value: value, id: id, summary: summary,
      details: details.map { "\($0.name)=\($0.value)" }, payload: payload)
  }
}

/// The events that a media playlist declares.
private struct PlaylistDates {
  private let playlist: OpenedPlaylist
  /// The segments with a date.
  private let dated: [(date: DateTime, segment: ResolvedSegment)]

  init(_ playlist: OpenedPlaylist) {
    self.playlist = playlist
    dated = playlist.segments.compactMap { segment in
      segment.declared.programDateTime.map { ($0, segment.declared) }
    }
  }

  /// Smaller differences between dates are rounding errors.
  private static let allowedDifference = Duration.milliseconds(100)

  private func event(_ kind: TimelineEvent.Kind, at time: Duration?, _ summary: String, line: Int) -> TimelineEvent {
    var event = TimelineEvent(kind, at: time.map(MediaTime.init), summary)
    event.place = TimelineEvent.Place(playlist: playlist.name, line: line)
    return event
  }

  /// Discontinuities, the first date, and dates that do not continue the previous ones.
  var changes: [TimelineEvent] {
    guard let media = playlist.playlist else { return [] }
    var (events, line) = ([TimelineEvent](), media.header.count)
    var (next, hasDate) = (DateTime?.none, false)
    for (segment, own) in zip(media.segments, playlist.segments) {
      let start = own.declared.start
      for (index, written) in segment.lines.enumerated() {
        switch written.content {
        case .tag(.discontinuity, _):
          events.append(event(.discontinuity, at: start, "discontinuity", line: line + index + 1))
        case .tag(.programDateTime, .date(let date)):
          // Times before the first date are calculated back from it.
          let jump = hasDate ? next.map { date.sinceEpoch - $0.sinceEpoch } : nil
          hasDate = true
          if let jump, jump.magnitude <= Self.allowedDifference { continue }
          let words = jump.map { jump in
            let direction = jump > .zero ? "later" : "earlier"
            return " (\(MediaTime(jump.magnitude)) \(direction) than the duration of the preceding segments)"
          }
          var found = event(.programDateTime, at: start, "date \(date)" + (words ?? ""), line: line + index + 1)
          found.details = [TimelineEvent.Detail("EXT-X-PROGRAM-DATE-TIME", date)]
          events.append(found)
        default: break
        }
      }
      line += segment.lines.count
      next = own.declared.programDateTime.map { $0 + own.declared.duration }
    }
    return events
  }

  /// Date ranges, at their start; those that only signal their end (SCTE35-IN) are at the end.
  var dateRanges: [TimelineEvent] {
    guard let media = playlist.playlist else { return [] }
    var (events, line) = ([TimelineEvent](), 0)
    for lines in [media.header] + media.segments.map(\.lines) + [media.trailer] {
      for written in lines {
        line += 1
        guard case .tag(.dateRange, .attributes(let list)) = written.content else { continue }
        events.append(event(DateRange(attributes: list), line: line))
      }
    }
    return events
  }

  private func event(_ range: DateRange, line: Int) -> TimelineEvent {
    let messages = ["SCTE35-CMD", "SCTE35-OUT", "SCTE35-IN"]
    let declared = range.duration ?? range.end.flatMap { end in range.start.map { end.sinceEpoch - $0.sinceEpoch } }
    // An end before the start is a playlist error, not a duration.
    let duration = declared.flatMap { $0 < .zero ? nil : $0 }
    var words = "date range \"\(range.id)\"" + (range.classIdentifier.map { " of class \($0)" } ?? "")
    var (details, payload) = ([TimelineEvent.Detail](), [UInt8]())
    for attribute in range.attributes.attributes {
      details.append(TimelineEvent.Detail(attribute.name, attribute.string))
      guard messages.contains(attribute.name), let bytes = bytes(of: attribute.name, in: range) else { continue }
      let message = EventPayload(bytes[...], scheme: "urn:scte:scte35:2013:bin")
      words += "; \(attribute.name): \(message.summary)"
      details += message.details.map { detail in
        TimelineEvent.Detail("\(attribute.name).\(detail.name)", label: detail.label, detail.value, detail.meaning)
      }
      if !message.isComplete { payload += bytes }
    }
    let endsOnly = range.scte35In != nil && range.scte35Out == nil && range.scte35Command == nil
    let start = range.start.map { endsOnly ? $0 + (duration ?? .zero) : $0 }
    var found = event(.dateRange, at: start.flatMap(time), words, line: line)
    found.duration = endsOnly ? nil : (duration ?? range.plannedDuration).map(MediaTime.init)
    (found.scheme, found.details, found.payload) = (range.classIdentifier, details, payload)
    return found
  }

  private func bytes(of name: String, in range: DateRange) -> [UInt8]? {
    switch name {
    case "SCTE35-CMD": range.scte35Command
    case "SCTE35-OUT": range.scte35Out
    default: range.scte35In
    }
  }

  /// The presentation time of a date: in the segment that has it, or extrapolated from the first or the last one.
  private func time(of date: DateTime) -> Duration? {
    let own =
      dated.last { $0.date <= date && date < $0.date + $0.segment.duration }
      ?? (dated.first.map { date < $0.date } == true ? dated.first : dated.last { $0.date <= date })
    return own.map { $0.segment.start + (date.sinceEpoch - $0.date.sinceEpoch) }
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension EventListing {
  /// Writes a line for each event, and a line for each of its values.
  public func writeText(to sink: any ByteSink) throws(IOError) {
    var table = TextTable(to: sink)
    let clocks = events.map { $0.time?.clock ?? "unknown" }
    let (time, kind) = (Self.widest(clocks), Self.widest(events.map(\.kind.rawValue)))
    for (event, clock) in zip(events, clocks) {
      let places = [
        event.track.map { "track \($0)" }, event.id.map { "id \($0)" }, event.duration.map { "lasts \($0)" },
        event.place.flatMap { place in place.line.map { "\(place.playlist) line \($0)" } },
      ].compactMap(\.self).joined(separator: ", ")
      let start =
        Self.padding(clock, time) + clock + "  " + event.kind.rawValue + Self.padding(event.kind.rawValue, kind)
      table.line(Self.printable("\(start)  \(event.summary)" + (places.isEmpty ? "" : " [\(places)]")))
      for detail in event.details {
        let label = detail.label.map { " (\($0))" } ?? ""
        let meaning = detail.meaning.map { " (\($0))" } ?? ""
        table.line(Self.printable("    \(detail.name)\(label): \(detail.value)\(meaning)"))
      }
      if !event.payload.isEmpty { table.line("    payload: \(hexText(event.payload))") }
    }
    if events.isEmpty { table.line("no events") }
    try table.finish()
  }

  private static func widest(_ texts: [String]) -> Int { texts.map(\.utf8.count).max() ?? 0 }
  private static func padding(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  /// Control characters could end the line, or affect the terminal.
  static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.value < 0x20 || 0x7f..<0xa0 ~= $0.value ? "\u{fffd}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
