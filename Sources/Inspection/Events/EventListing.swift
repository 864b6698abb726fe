public import Bytes
import ISOBMFF
public import MP4

/// The events of a movie: event messages between its fragments and in tracks, ID3 tags and splice information,
/// chapters, timecodes, and producer reference times.
public struct EventListing: Sendable {
  /// The events sorted by presentation time; those without a time are last.
  public let events: [TimelineEvent]
  /// Diagnostics about events that could not be listed.
  public let diagnostics: [Diagnostic]

  /// Collects the events of a movie. Of its media, only the samples of metadata, chapter and timecode tracks are read.
  public init(_ movie: Movie) throws(MovieError) {
    var found = movie.eventMessages.map { message in
      var event = TimelineEvent(message.message, at: message.time, lasting: message.duration)
      event.source = message.source
      return event
    }
    var samples = MetadataSamples(file: movie.name)
    for track in movie.tracks {
      try samples.read(track)
      found += try Self.timecodes(of: track)
    }
    found += samples.events
    found += try Chapter.list(of: movie).map { TimelineEvent($0) }
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

  private static func timecodes(of track: Track) throws(MovieError) -> [TimelineEvent] {
    guard track.decoderConfigurations.contains(where: { $0.fields is TimecodeSampleEntry }) else { return [] }
    var events: [TimelineEvent] = []
    for sample in track.samples {
      guard let timecode = try Timecode(sample, of: track) else { continue }
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
