import MP4
import MP4Bytes
import MP4Inspection
import Support
import Testing

@Suite("Listing events by time")
struct EventListingTests {
  private func relative(_ id: UInt32, delta: UInt32, duration: UInt32) -> [UInt8] {
    fullBox(
      "emsg", ascii("urn:x\0"), ascii("1\0"), big(UInt32(1000)), big(delta), big(duration), big(id), [UInt8(id)])
  }
  private func absolute(_ id: UInt32, at time: UInt64, _ scheme: String, _ data: [UInt8]) -> [UInt8] {
    fullBox(
      "emsg", version: 1, big(UInt32(1000)), big(time), big(UInt32.max), big(id), ascii(scheme + "\0"), ascii("\0"),
      data)
  }
  private func texts(_ listing: EventListing) -> [String] {
    listing.events.map { event in
      var words: [String] = [event.time.map { "\($0.seconds)" } ?? "?"]
      if let duration = event.duration { words.append("+\(duration.seconds)") }
      words.append(event.kind.rawValue)
      if let id = event.id { words.append("\(id)") }
      if let track = event.track { words.append("track \(track)") }
      return (words + [event.summary]).joined(separator: " ")
    }
  }

  @Test("Messages of both versions have their times and are listed once, including those before the first sample")
  func messages() throws {
    var file = FragmentedFileBuilder([.audio()])
    let tag = ascii("ID3") + [4, 0, 0, 0, 0, 0, 13] + ascii("TIT2") + [0, 0, 0, 3, 0, 0, 3] + ascii("ab")
    file.addBoxes(
      relative(1, delta: 250, duration: 100), absolute(2, at: 100_500, "urn:y", tag), absolute(3, at: 9, "urn:z", []))
    for number in 0..<2 {
      file.addFragment { fragment in
        fragment.addTraf(2) {
          $0.decodeTime = 4_800_000 + UInt64(number) * 48 * 1024
          $0.addRun(.samples(48))
        }
      }
      file.addBoxes(relative(1, delta: 999, duration: 100), relative(4, delta: 0, duration: 0))
    }
    let built = file.build()
    let expected = [
      "-99.991 event 3 urn:z: no payload", "0.25 +0.1 event 1 urn:x: 1 unknown byte", "0.5 id3 2 ID3v2.4: Title ab",
      "1.024 +0.0 event 4 urn:x: 1 unknown byte",
    ]
    let found = try listing([built.bytes])
    #expect(texts(found) == expected)
    let events = found.events
    #expect(events.map(\.payload) == [[], [1], [], [4]] && events.map(\.value) == ["", "1", "", "1"])
  }

  @Test("Chapters, timecodes of all samples, and the time of day of fragments")
  func others() throws {
    let entry = box("tmcd", zeros(6), big(UInt16(1)), zeros(8), big(UInt32(25_000)), big(UInt32(1000)), [25, 0])
    var timecode = TrackSpec.text(id: 3)
    (timecode.handler, timecode.sampleEntries, timecode.timescale) = ("tmcd", [entry], 25)
    var file = FragmentedFileBuilder([.audio(), timecode])
    let ntp = UInt64(3_913_056_000) << 32 | 1 << 31
    file.addBoxes(fullBox("prft", version: 1, flags: 24, big(UInt32(2)), big(ntp), big(UInt64(0))))
    file.addFragment { fragment in
      fragment.addTraf(2, .samples(48))
      fragment.addTraf(3, .samples(2, size: 4, duration: 12))
    }
    file.addBoxes(fullBox("prft", flags: 2, big(UInt32(2)), big(ntp), big(UInt32(96_000))))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    let built = file.build()
    var movie = built.initialization
    let start = try #require(movie.indices.first { movie[$0...].starts(with: ascii("moov")) }) - 4
    let chapters = big(UInt64(5_000_000)) + [3] + ascii("One") + big(UInt64(6_000_000)) + [0]
    movie += box("udta", fullBox("chpl", version: 1, zeros(4), [2], chapters))
    movie.replaceSubrange(start..<(start + 4), with: big(UInt32(movie.count - start)))
    let found = try texts(listing([movie] + built.segments))
    let frames = try #require(built.samples[3]).map { sample in
      sample.payload.reduce(into: 0) { number, byte in number = number << 8 | Int(byte) }
    }
    func clock(_ frame: Int) -> String {
      let numbers: [Int] = [frame / 90_000, frame / 1500 % 60, frame / 25 % 60, frame % 25]
      return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
    #expect(
      found == [
        "0.0 +0.48 timecode track 3 timecode \(clock(frames[0]))",
        "0.0 producer_time track 2 produced at 2024-01-01T00:00:00.500000Z (captured)",
        "0.48 +0.48 timecode track 3 timecode \(clock(frames[1]))", "0.5 chapter chapter \"One\"",
        "0.6 chapter chapter without a title",
        "2.0 producer_time track 2 produced at 2024-01-01T00:00:00.500000Z (finalized)",
      ])
  }

  @Test("Samples of a URI metadata track can be ID3; those of an event message track are boxes, or damaged")
  func metadata() throws {
    let uri = fullBox("uri ", ascii("https://aomedia.org/emsg/ID3\0"))
    var tag = ascii("ID3") + [4, 0, 0, 0, 0, 0, 13]
    tag += ascii("TIT2") + [0, 0, 0, 3, 0, 0, 3] + ascii("ab")
    func listing(_ entry: [UInt8]) throws -> EventListing {
      var track = TrackSpec.text(id: 3)
      (track.handler, track.sampleEntries, track.timescale) = ("meta", [entry], 1000)
      var file = FragmentedFileBuilder([track])
      file.addFragment { $0.addTraf(3, .samples(3, size: UInt32(tag.count), duration: 500)) }
      let built = file.build()
      var bytes = built.bytes
      bytes.replaceSubrange(try #require(built.places[3]?[1]), with: tag)
      return try self.listing([bytes])
    }
    let addressed = try listing(box("urim", zeros(6), big(UInt16(1)), uri))
    #expect(texts(addressed) == ["0.5 +0.5 id3 track 3 ID3v2.4: Title ab"] && addressed.diagnostics.isEmpty)
    #expect(addressed.events.first?.scheme == "https://aomedia.org/emsg/ID3")
    let events = try listing(box("evte", zeros(6), big(UInt16(1))))
    #expect(events.events.isEmpty)
    #expect(events.diagnostics.map(\.text) == ["track 3: 3 samples are damaged; skipped"])
  }

  private func listing(_ sources: [[UInt8]]) throws -> EventListing {
    try EventListing(Movie(reading: sources.map { MemorySource($0, name: "a.mp4") }))
  }
}
