import ISOBMFF
import MP4Bytes

/// The events between the fragments of a movie (`emsg`), in the time of its presentation.
struct MovieEvents: Sendable {
  /// The maximum size of the events of a movie.
  private static let limit = 1 << 26

  /// The events in time order. Messages have version 1 and contain the same times.
  private(set) var all: [(time: MediaTime, message: EventMessageBox)] = []
  /// The same events as declared in the inputs, including those that end before the presentation starts.
  private(set) var declared: [EventMessages.Event] = []

  /// No events.
  init() {}

  /// Reads the events of `presentation`, whose `start` becomes 0.
  init(
    of input: inout MovieInput, _ timeline: FragmentTimeline, _ tracks: [EditPlan.TrackTimes],
    start: MediaTime
  ) throws(MovieError) {
    guard input.contents.contains(where: { !$0.eventMessages.isEmpty }) else { return }
    let clock = EventClock(input.fragments, timeline, tracks, start: start)
    let messages = try EventMessages(input, clock, limit: Self.limit)
    let file = input.nameOfEvents
    input.diagnostics += messages.diagnostics
    if messages.isTooLarge {
      let text = "the events exceed \(Self.limit >> 20) MiB; not all of them are kept"
      input.diagnostics.append(Diagnostic(.error, file, text))
    }
    declared = messages.events
    var pastCount = 0
    for event in declared {
      if let message = Self.message(of: event, start) {
        all.append((MediaTime(Int64(clamping: message.presentationTime), message.timescale), message))
      } else {
        pastCount += 1
      }
    }
    if pastCount > 0 {
      let events = counted(pastCount, "event is", "events are")
      input.diagnostics.append(Diagnostic(.note, file, "\(events) over before the presentation starts; omitted"))
    }
    for index in input.contents.indices { input.contents[index].events["emsg"] = nil }
    // Events at the same time keep their order.
    let order = all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }
    all = order.map { all[$0] }
  }

  /// The message of an event, in version 1 and relative to `start`; `nil` if the event ends before. An event that is
  /// active at `start` starts there.
  private static func message(of event: EventMessages.Event, _ start: MediaTime) -> EventMessageBox? {
    let own = max(event.message.timescale, 1)
    // Uses another timescale if rounding would be necessary, unless the duration does not fit in it.
    var timescale = own
    if !event.base.converted(to: own).isExact || !start.converted(to: own).isExact {
      timescale = commonTimescale(own, event.base.timescale).flatMap { commonTimescale($0, start.timescale) } ?? own
    }
    if let duration = event.timed(in: timescale).duration, duration >= Int64(UInt32.max) { timescale = own }
    let timed = event.timed(in: timescale)
    var time = timed.start - min(start.converted(to: timescale).value, 1 << 61)
    var duration = timed.duration
    if time < 0 {
      if let whole = duration {
        guard whole + time > 0 else { return nil }
        duration = whole + time
      }
      time = 0
    }
    var message = event.message
    message.header.version = 1
    (message.timescale, message.presentationTime) = (timescale, UInt64(time))
    message.presentationTimeDelta = 0
    // A value of all ones means an unknown duration.
    message.eventDuration = duration.map { UInt32(clamping: min($0, Int64(UInt32.max) - 1)) } ?? .max
    return message
  }

  /// The boxes of the events of each segment; `starts` are the start times of the segments. Events before the first
  /// segment belong to the first one, and those after the last segment to the last one. `offset` is added to all times.
  func boxes(ofSegments starts: [MediaTime], offset: MediaTime) -> [[Box]] {
    var result: [[Box]] = starts.map { _ in [] }
    guard !starts.isEmpty else { return result }
    var segment = 0
    for (time, message) in all {
      while segment + 1 < starts.count, starts[segment + 1] <= time { segment += 1 }
      result[segment].append(Box(message.later(by: offset)))
    }
    return result
  }
}

extension EventMessageBox {
  /// The same message at a later time.
  fileprivate func later(by offset: MediaTime) -> EventMessageBox {
    guard offset.value > 0 else { return self }
    var result = self
    let (common, time) = (commonTimescale(timescale, offset.timescale), Int64(clamping: presentationTime))
    if let common, !offset.converted(to: timescale).isExact {
      let duration = MediaTime(Int64(eventDuration), timescale).converted(to: common).value
      if eventDuration == .max || duration < Int64(UInt32.max) {
        result.timescale = common
        result.presentationTime = UInt64(clamping: MediaTime(time, timescale).converted(to: common).value)
        if eventDuration != .max { result.eventDuration = UInt32(clamping: duration) }
      }
    }
    result.presentationTime += UInt64(clamping: offset.converted(to: result.timescale).value)
    return result
  }
}
