import ISOBMFF
import Support
import Testing

@testable import MP4

@Suite("Events as samples")
struct EventTimelineTests {
  private func event(
    _ id: UInt32, at start: Int64, for duration: Int64?, scheme: BoxString = "urn:x", data: [UInt8] = []
  ) -> TimedEvent {
    var message = EventMessageBox()
    message.schemeIDURI = scheme
    message.id = id
    message.messageData = data
    return TimedEvent(message: message, start: start, duration: duration)
  }
  /// Each sample as its time, its duration, and its events with their deltas.
  private func samples(_ timeline: EventTimeline) throws -> [String] {
    var offset = 0
    return try timeline.samples.map { sample in
      let bytes = timeline.bytes[offset..<(offset + sample.byteCount)]
      offset += sample.byteCount
      return "\(sample.time)+\(sample.duration): " + (try instances(bytes)).joined(separator: " ")
    }
  }
  private func instances(_ bytes: ArraySlice<UInt8>) throws -> [String] {
    var texts: [String] = []
    var rest = bytes
    while !rest.isEmpty {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      let payload = rest.prefix(size).dropFirst(8)
      rest = rest.dropFirst(size)
      guard type == "emib" else {
        texts.append(type)
        continue
      }
      let box = try EventMessageInstanceBox(decoding: payload)
      texts.append(
        "\(box.id)@\(box.presentationTimeDelta)" + (box.eventDuration == .max ? "?" : "/\(box.eventDuration)"))
    }
    return texts
  }
  private func lay(_ events: [TimedEvent], in range: Range<Int64> = 0..<100) throws -> [String] {
    try samples(EventTimeline(events, in: range, limit: 1 << 16))
  }

  @Test("A sample starts wherever an event starts or ends, and gaps are empty samples")
  func cuts() throws {
    #expect(
      try lay([event(1, at: 10, for: 30), event(2, at: 20, for: 10), event(3, at: 60, for: 40)]) == [
        "0+10: emeb", "10+10: 1@0/30", "20+10: 1@-10/30 2@0/10", "30+10: 1@-20/30", "40+20: emeb", "60+40: 3@0/40",
      ])
    #expect(try lay([]) == ["0+100: emeb"])
  }

  @Test("Adjacent events need no empty sample, and events with the same start share a sample")
  func neighbours() throws {
    #expect(
      try lay([event(2, at: 50, for: 50), event(1, at: 0, for: 50), event(3, at: 50, for: 50)]) == [
        "0+50: 1@0/50", "50+50: 2@0/50 3@0/50",
      ])
  }

  @Test("Events outside of the presentation are cut, announced, or counted")
  func edges() throws {
    let events = [
      event(1, at: -20, for: 30), event(2, at: -20, for: 20), event(3, at: 90, for: 50), event(4, at: 130, for: 5),
    ]
    #expect(try lay(events) == ["0+10: 1@-20/30", "10+80: emeb", "90+10: 3@0/50 4@40/5"])
    #expect(EventTimeline(events, in: 0..<100, limit: 1 << 16).pastCount == 1)
    #expect(try lay([event(4, at: 100, for: 5)]) == ["0+100: 4@100/5"])
    #expect(try lay(events, in: 5..<5).isEmpty)
  }

  @Test("An event without a duration is active for one unit, and one of unknown duration until the next of its kind")
  func durations() throws {
    #expect(try lay([event(1, at: 10, for: 0)]) == ["0+10: emeb", "10+1: 1@0/0", "11+89: emeb"])
    #expect(
      try lay([
        event(1, at: 10, for: nil), event(2, at: 10, for: nil), event(3, at: 40, for: nil, scheme: "urn:y"),
        event(4, at: 60, for: nil),
      ]) == [
        "0+10: emeb", "10+30: 1@0? 2@0?", "40+20: 1@-30? 2@-30? 3@0?", "60+40: 3@-20? 4@0?",
      ])
  }

  @Test("A sample whose duration would be too long is divided")
  func longSamples() throws {
    let most = Int64(UInt32.max)
    #expect(
      try lay([event(1, at: most + 5, for: most * 2)], in: 0..<(most * 2)) == [
        "0+\(most): emeb", "\(most)+5: emeb", "\(most + 5)+\(most - 5): 1@0/\(most - 1)",
      ])
  }

  @Test("Events that exceed the size limit are not converted")
  func limit() {
    let many = (0..<200).map { event(UInt32($0), at: Int64($0), for: 1000, data: zeros(100)) }
    let timeline = EventTimeline(many, in: 0..<1000, limit: 1 << 16)
    #expect(timeline.isTooLarge && timeline.samples.isEmpty && timeline.bytes.isEmpty)
    #expect(!EventTimeline(many, in: 0..<1000, limit: 1 << 23).isTooLarge)
    // A distant time.
    #expect(EventTimeline([], in: 0..<(1 << 61), limit: 1 << 16).isTooLarge)
  }

  @Test("The samples match a simulation of every time unit", arguments: 1...20)
  func bruteForce(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let events = (0..<12).map { id in
      event(UInt32(id), at: Int64(random.next() % 140) - 20, for: Int64(random.next() % 30))
    }
    let timeline = EventTimeline(events, in: 0..<100, limit: 1 << 20)
    #expect(timeline.samples.first?.time == 0)
    #expect(timeline.samples.reduce(0) { $0 + Int64($1.duration) } == 100)
    var offset = 0
    for (index, sample) in timeline.samples.enumerated() {
      let texts = try instances(timeline.bytes[offset..<(offset + sample.byteCount)])
      offset += sample.byteCount
      let isLast = index + 1 == timeline.samples.count
      for time in sample.time..<(sample.time + Int64(sample.duration)) {
        let active = events.filter { event in
          let end = event.start + max(1, event.duration ?? 0)
          return event.start <= time && time < end || isLast && event.start >= 100
        }
        let expected = active.map { "\($0.message.id)@\($0.start - sample.time)/\($0.duration ?? 0)" }
        #expect(Set(texts) == Set(expected.isEmpty ? ["emeb"] : expected), "at \(time)")
      }
    }
  }
}
