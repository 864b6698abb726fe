import ISOBMFF
import MP4Bytes

/// The events between the fragments of a presentation, without duplicates.
struct EventMessages {
  /// An event that starts at the sum of `base` and `offset`.
  struct Event {
    var message: EventMessageBox
    var base: MediaTime
    var offset: MediaTime
    /// The input that contains it.
    var source: Int

    /// Converts the event to another timescale.
    func timed(in timescale: UInt32) -> TimedEvent {
      let start =
        Self.bounded(base.converted(to: timescale).value) + Self.bounded(offset.converted(to: timescale).value)
      // A value of all ones means that it is unknown.
      let isKnown = message.eventDuration != .max
      let duration = MediaTime(Int64(message.eventDuration), offset.timescale).converted(to: timescale).value
      return TimedEvent(message: message, start: start, duration: isKnown ? Self.bounded(duration) : nil)
    }
    /// Limits a time to values that real files stay within.
    private static func bounded(_ time: Int64) -> Int64 { max(-1 << 61, min(time, 1 << 61)) }
  }
  /// Messages with the same scheme, value and number are the same message. Some writers give all messages the number 0.
  private struct Identity: Hashable {
    var kind: TimedEvent.Kind
    var id: UInt32
    var data: [UInt8]
  }
  private(set) var events: [Event] = []
  /// Whether the events exceed the limit; then only the first ones are listed.
  private(set) var isTooLarge = false
  private(set) var diagnostics: [Diagnostic] = []
  private var seen: Set<Identity> = []

  /// Reads the events until their boxes exceed `limit` bytes in total.
  init(_ input: MovieInput, _ clock: EventClock, limit: Int) throws(MovieError) {
    var byteCount = 0
    for (index, (source, contents)) in zip(input.sources, input.contents).enumerated() {
      for (header, fragment) in contents.eventMessages {
        byteCount += header.size
        guard byteCount <= limit else {
          isTooLarge = true
          return
        }
        // The fragments that represent movie boxes come first.
        let next = clock.segmentStart(fragment + input.fragments.movieCount)
        try read(header, of: source, index, segmentStart: next)
      }
    }
  }

  private mutating func read(
    _ header: BoxHeader, of source: any ByteSource, _ index: Int, segmentStart: MediaTime
  ) throws(MovieError) {
    var box = Box(EventMessageBox())
    box.fields = .unchanged(header.payload)
    let result: Result<EventMessageBox, BoxError> = try io(box.payload(from: source))
    switch result {
    case .failure(let error): diagnostics.append(Diagnostic(.error, source.name, "emsg: \(error); omitted"))
    case .success(let message):
      // In version 0, times are relative to the start of the segment.
      let time = message.version == 0 ? UInt64(message.presentationTimeDelta) : message.presentationTime
      let offset = MediaTime(Int64(clamping: time), message.timescale)
      let event = Event(
        message: message, base: message.version == 0 ? segmentStart : MediaTime(0, message.timescale), offset: offset,
        source: index)
      let kind = TimedEvent(message: message, start: 0).kind
      let identity = Identity(kind: kind, id: message.id, data: message.messageData)
      if seen.insert(identity).inserted { events.append(event) }
    }
  }
}
