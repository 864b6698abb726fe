import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Events between fragments are kept")
struct FragmentEventTests {
  /// An event as read from a file: its start, duration and ID.
  private struct Event: Equatable {
    var time: Seconds
    var duration: Seconds?
    var id: Int
  }

  private func relative(_ id: UInt32, after delta: UInt32, duration: UInt32, timescale: UInt32 = 1000) -> [UInt8] {
    fullBox("emsg", ascii("urn:x\0"), ascii("1\0"), big(timescale), big(delta), big(duration), big(id), [UInt8(id)])
  }
  private func absolute(_ id: UInt32, at time: UInt64, duration: UInt32, timescale: UInt32 = 1000) -> [UInt8] {
    fullBox(
      "emsg", version: 1, big(timescale), big(time), big(duration), big(id), ascii("urn:x\0"), ascii("1\0"), [UInt8(id)]
    )
  }
  /// The events of a file, and the fragment before which each is.
  private func events(_ file: [UInt8]) throws -> [(fragment: Int, event: Event)] {
    var fragment = 0
    var result: [(Int, Event)] = []
    for box in try BoxOutline.all(in: file) {
      if box.type == "moof" { fragment += 1 }
      guard box.type == "emsg" else { continue }
      let payload = box.payload
      #expect(payload[0] == 1 && payload[24...].elementsEqual(ascii("urn:x\u{0}1\u{0}") + [payload[23]]))
      let timescale = number(payload, 4)
      let duration = number(payload, 16)
      result.append(
        (
          fragment,
          Event(
            time: Seconds(number(payload, 8, 8), timescale),
            duration: duration == 0xffff_ffff ? nil : Seconds(duration, timescale), id: number(payload, 20))
        ))
    }
    return result
  }

  /// Video and audio from `start` on, in fragments of a second, with these boxes before each.
  private func file(from start: UInt64 = 0, _ boxes: [Int: [UInt8]]) -> [UInt8] {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for number in 0..<8 {
      if let own = boxes[number] { file.addBoxes(own) }
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = (start + UInt64(number)) * 12_800
          $0.addRun(.samples(25), firstSampleFlags: .sync)
        }
        fragment.addTraf(2) {
          $0.decodeTime = (start + UInt64(number)) * 48_000
          $0.addRun(.samples(10, duration: 4800))
        }
      }
    }
    return file.build().bytes
  }

  @Test("Each event is before the segment in whose time range it starts, with a presentation time", arguments: [0, 77])
  func places(start: UInt64) throws {
    let input = file(
      from: start,
      [
        0: absolute(1, at: (start + 5) * 1000 + 250, duration: 500),
        1: relative(2, after: 1500, duration: .max) + relative(2, after: 1500, duration: .max),
        3: relative(3, after: 7, duration: 90_000, timescale: 90_000),
        8: [], 7: relative(4, after: 100_000, duration: 0),
      ])
    let expected = [
      Event(time: Seconds(5, 2), duration: nil, id: 2),
      Event(time: Seconds(3, 1) + Seconds(7, 90_000), duration: Seconds(1, 1), id: 3),
      Event(time: Seconds(21, 4), duration: Seconds(1, 2), id: 1),
      Event(time: Seconds(107, 1), duration: Seconds(0, 1), id: 4),
    ]
    var output = try FragmentedOutput(input) {
      ($0.cutting, $0.hasIndex, $0.hasRandomAccess) = (.interval(time(2)), true, true)
    }
    #expect(try events(output.bytes).map(\.event) == expected)
    #expect(try events(output.bytes).map(\.fragment) == [1, 1, 2, 3])
    #expect(!output.plan.diagnostics.contains { $0.description.contains("emsg") })
    try checkPlaces(output)
    // The same with other cuts.
    output = try FragmentedOutput(output.bytes) { $0.cutting = .interval(time(1)) }
    #expect(try events(output.bytes).map(\.event) == expected)
    #expect(try events(output.bytes).map(\.fragment) == [2, 3, 5, 7])
    let apple = try FragmentedOutput(named([input]), options: .apple)
    let later = expected.map { Event(time: $0.time + Seconds(10, 1), duration: $0.duration, id: $0.id) }
    #expect(try events(apple.bytes).map(\.event) == later)
  }

  /// Indexes and reports include the events.
  private func checkPlaces(_ output: FragmentedOutput) throws {
    let boxes = try BoxOutline.all(in: output.bytes)
    let sidx = try #require(boxes.first { $0.type == "sidx" })
    var offset = sidx.range.upperBound
    for (index, segment) in output.plan.segments.enumerated() {
      #expect(segment.offset == offset && number(sidx.payload, 32 + index * 12) == segment.byteCount)
      offset += segment.byteCount
    }
    let mfra = try #require(boxes.last)
    #expect(mfra.type == "mfra" && mfra.range.lowerBound == offset)
    let tfra = try mfra.all("tfra")[0].payload
    let moofs = (0..<number(tfra, 12)).map { number(tfra, 24 + $0 * 19, 8) }
    #expect(moofs == boxes.filter { $0.type == "moof" }.map(\.range.lowerBound))
    let sink = MemorySink()
    try output.plan.writeSegment(1, to: sink)
    #expect(try BoxOutline.all(in: sink.bytes).map(\.type) == ["styp", "sidx", "emsg", "emsg", "moof", "mdat"])
  }

  @Test("Events before the presentation are omitted, and those still active start with it")
  func past() throws {
    let past = absolute(1, at: 99_000, duration: 500) + absolute(2, at: 99_000, duration: 1500)
    let input = file(from: 100, [0: past + absolute(3, at: 5, duration: .max)])
    let output = try FragmentedOutput(input)
    #expect(
      try events(output.bytes).map(\.event) == [
        Event(time: Seconds(0, 1), duration: Seconds(1, 2), id: 2), Event(time: Seconds(0, 1), duration: nil, id: 3),
      ])
    #expect(output.texts(.note).contains("init.mp4: 1 event is over before the presentation starts; omitted"))
  }

  @Test("A damaged event is omitted and reported, and events of video are not in audio alone")
  func damagedAndAlone() throws {
    let input = file([0: box("emsg", [0, 0]), 2: relative(1, after: 0, duration: 1)])
    let output = try FragmentedOutput(input)
    #expect(try events(output.bytes).map(\.event.id) == [1])
    #expect(output.texts(.error).count == 1 && output.texts(.error)[0].hasPrefix("init.mp4: emsg: "))
    let movie = try Movie(reading: named([input]))
    for (tracks, count) in [([0], 1), ([1], 0), ([0, 1], 1)] {
      let sink = MemorySink()
      try Fragmenter().plan(movie.keeping(tracks: tracks)).write(to: sink)
      #expect(try events(sink.bytes).count == count)
    }
    let frames = MemorySink()
    try Fragmenter().plan(movie.keyFrames(ofTrack: 0)).write(to: frames)
    #expect(try events(frames.bytes).isEmpty)
    var selection = ReadingOptions()
    selection.tracks = TrackSelection([.id(2)])
    let sound = try FragmentedOutput(named([input]), reading: selection)
    #expect(try events(sound.bytes).map(\.event.id) == [1])
  }

  @Test("The defragmented event track of the output equals that of the input")
  func asTrack() throws {
    let input = file([
      0: absolute(1, at: 1250, duration: 500), 2: relative(2, after: 300, duration: 900),
      5: relative(3, after: 0, duration: .max, timescale: 90_000),
    ])
    var options = Defragmenter.Options()
    options.reading.keepsEvents = true
    let before = try Output(Defragmenter(options).plan(named([input])))
    let output = try FragmentedOutput(input) { $0.cutting = .interval(time(3)) }
    let after = try Output(Defragmenter(options).plan(named([output.bytes])))
    let tracks = [before, after].map { $0.movie.tracks.first { $0.handler == "meta" } }
    #expect(tracks[0] != nil && tracks[0]?.samples.count == tracks[1]?.samples.count)
    func rows(_ track: TrackReading?) -> [Seconds] {
      track.map { track in track.samples.map { Seconds($0.duration, track.timescale) } } ?? []
    }
    #expect(rows(tracks[0]) == rows(tracks[1]))
  }
}
