import ISOBMFF
import MP4Bytes

/// An event with a duration, in presentation time and in the timescale of the event track.
struct TimedEvent: Sendable {
  /// The event itself, without its times.
  var message: EventMessageBox
  var start: Int64
  /// Its duration; `nil` if unknown.
  var duration: Int64?

  /// An event of unknown duration ends when the next one of the same kind starts.
  struct Kind: Hashable {
    var scheme: [UInt8]
    var value: [UInt8]
  }
  var kind: Kind { Kind(scheme: message.schemeIDURI.bytes, value: message.value.bytes) }
}

/// The samples of an event message track (ISO/IEC 23001-18). A new sample starts wherever an event starts or ends, and
/// contains all events that are active then.
///
/// The samples cover the presentation. The first sample contains events that are already active when the presentation
/// starts. The last one announces events that start after the presentation ends. An event of unknown duration ends when
/// the next one of its kind starts. An event without a duration is active for one time unit.
struct EventTimeline: Sendable {
  struct Sample: Sendable, Equatable {
    var time: Int64
    var duration: UInt32
    var byteCount: Int
  }
  private(set) var samples: [Sample] = []
  /// The bytes of all samples.
  private(set) var bytes: [UInt8] = []
  /// The number of events that end before the presentation starts.
  private(set) var pastCount = 0
  /// Whether the samples would exceed the limit; there are no samples then.
  private(set) var isTooLarge = false

  /// An event and the time for which it is active, within the presentation.
  private struct Span {
    var event: TimedEvent
    var active: Range<Int64>
  }

  /// The approximate memory overhead of a sample.
  private static let sampleCost = 128
  private var cost: Int { bytes.count + samples.count * Self.sampleCost }

  /// Arranges `events` in the presentation time `range`. The samples take at most `limit` bytes together, in the file
  /// and in memory.
  init(_ events: [TimedEvent], in range: Range<Int64>, limit: Int) {
    guard !range.isEmpty else { return }
    let spans = spans(of: events.sorted { $0.start < $1.start }, in: range)
    let within = spans.filter { $0.event.start < range.upperBound }
    let future = spans.filter { $0.event.start >= range.upperBound }
    let cuts = Set(within.flatMap { [$0.active.lowerBound, $0.active.upperBound] } + [range.lowerBound])
      .subtracting([range.upperBound]).sorted()
    var active: [Span] = []
    var next = within[...]
    for (index, time) in cuts.enumerated() {
      active.removeAll { $0.active.upperBound <= time }
      while let span = next.first, span.active.lowerBound <= time { active.append(next.removeFirst()) }
      let isLast = index + 1 == cuts.count
      let end = isLast ? range.upperBound : cuts[index + 1]
      append(active.map(\.event) + (isLast ? future.map(\.event) : []), time..<end, limit: limit)
      guard cost <= limit else {
        (samples, bytes, isTooLarge) = ([], [], true)
        return
      }
    }
  }

  /// The times during which the events are active, sorted by start. Counts the events that have already ended.
  private mutating func spans(of events: [TimedEvent], in range: Range<Int64>) -> [Span] {
    let ends = Self.ends(of: events, in: range)
    var result: [Span] = []
    for (event, end) in zip(events, ends) {
      if end <= range.lowerBound {
        pastCount += 1
      } else {
        let start = min(max(event.start, range.lowerBound), range.upperBound)
        result.append(Span(event: event, active: start..<max(start, min(end, range.upperBound))))
      }
    }
    return result
  }

  private static func ends(of events: [TimedEvent], in range: Range<Int64>) -> [Int64] {
    // For each kind: the start of the event after the current one, and the first start later than that.
    var starts: [TimedEvent.Kind: (next: Int64, later: Int64)] = [:]
    var ends: [Int64] = []
    for event in events.reversed() {
      var after = starts[event.kind] ?? (range.upperBound, range.upperBound)
      if after.next > event.start { after = (event.start, after.next) }
      starts[event.kind] = after
      let (end, overflow) = event.start.addingReportingOverflow(max(event.duration ?? 0, 1))
      ends.append(event.duration == nil ? max(after.later, end) : overflow ? .max : end)
    }
    return ends.reversed()
  }

  /// Adds a sample with these events, or several samples if the time is too long for one.
  private mutating func append(_ events: [TimedEvent], _ time: Range<Int64>, limit: Int) {
    var start = time.lowerBound
    while start < time.upperBound, cost <= limit {
      let duration = UInt32(clamping: time.upperBound - start)
      let first = bytes.count
      if events.isEmpty { bytes += [0, 0, 0, 8] + Array("emeb".utf8) }
      for event in events where bytes.count <= limit { append(event, in: start) }
      samples.append(Sample(time: start, duration: duration, byteCount: bytes.count - first))
      start += Int64(duration)
    }
  }

  /// Adds the box of an event in a sample that is presented at `time`.
  private mutating func append(_ event: TimedEvent, in time: Int64) {
    var box = EventMessageInstanceBox()
    box.presentationTimeDelta = event.start - time
    // A value of all ones means an unknown duration.
    box.eventDuration = event.duration.map { UInt32(clamping: min($0, Int64(UInt32.max) - 1)) } ?? .max
    box.id = event.message.id
    box.schemeIDURI = BoxString(event.message.schemeIDURI.bytes)
    box.value = BoxString(event.message.value.bytes)
    box.messageData = event.message.messageData
    // Only a declaration that needs a context can fail.
    guard let fields = try? box.encoded() else { return }
    var header = ByteWriter()
    header.integer(UInt32(clamping: fields.count + 8))
    header.integer(EventMessageInstanceBox.info.type.rawValue)
    bytes += header.bytes + fields
  }
}
