import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Events between fragments become a track on request")
struct EventTrackTests {
  /// `emsg` version 0, whose time counts from the start of the next segment.
  private func relative(_ id: UInt32, delta: UInt32, duration: UInt32, timescale: UInt32 = 1000) -> [UInt8] {
    fullBox(
      "emsg", ascii("urn:x\0"), ascii("1\0"), big(timescale), big(delta), big(duration), big(id), [UInt8(id)])
  }
  /// `emsg` version 1 with a presentation time.
  private func absolute(_ id: UInt32, at time: UInt64, duration: UInt32, timescale: UInt32 = 1000) -> [UInt8] {
    fullBox(
      "emsg", version: 1, big(timescale), big(time), big(duration), big(id), ascii("urn:x\0"), ascii("1\0"),
      [UInt8(id)])
  }
  private func keeping(_ sources: [UInt8]..., change: (inout Defragmenter.Options) -> Void = { _ in }) throws -> Output
  {
    var options = Defragmenter.Options()
    options.reading.keepsEvents = true
    change(&options)
    return try Output(Defragmenter(options).plan(named(sources)))
  }

  /// The events of a track, with their start and duration in milliseconds of the presentation as declared by each of
  /// their samples, and the sample starts.
  private struct Events: Equatable {
    var active: [UInt32: Set<[Int]>] = [:]
    var cuts: [Int] = []
  }
  private func events(_ result: Output, _ id: UInt32, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> Events
  {
    let track = try #require(result[id], sourceLocation: sourceLocation)
    let scale = track.timescale
    let delay = track.edits.first.map { $0.mediaTime < 0 ? Int($0.duration) * scale / result.movie.timescale : 0 } ?? 0
    var found = Events()
    for sample in track.samples {
      let time = sample.decodeTime + delay
      found.cuts.append(time * 1000 / scale)
      var rest = sample.payload[...]
      while !rest.isEmpty {
        let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let isEvent = rest.dropFirst(4).starts(with: ascii("emib"))
        #expect(isEvent || sample.payload == [0, 0, 0, 8] + ascii("emeb"), sourceLocation: sourceLocation)
        if isEvent {
          let box = try EventMessageInstanceBox(decoding: rest.prefix(size).dropFirst(8))
          #expect(box.schemeIDURI == "urn:x" && box.value == "1" && box.messageData == [UInt8(box.id)])
          let start = (time + Int(box.presentationTimeDelta)) * 1000 / scale
          found.active[box.id, default: []].insert([start, Int(box.eventDuration) * 1000 / scale])
        }
        rest = rest.dropFirst(size)
      }
    }
    return found
  }

  @Test("Relative events count from the next segment, absolute ones from the presentation; duplicates are removed")
  func times() throws {
    // A fragment of audio has 1024 samples of 1/48000 s: 48 fragments last 1.024 s.
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(relative(1, delta: 100, duration: 400))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    file.addBoxes(
      relative(2, delta: 0, duration: 500), absolute(3, at: 1200, duration: 300), relative(1, delta: 9, duration: 400))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    let built = file.build()
    let result = try keeping(built.bytes)
    #expect(result.movie.tracks.map(\.id) == [2, 3])
    let found = try events(result, 3)
    #expect(found.active == [1: [[100, 400]], 2: [[1024, 500]], 3: [[1200, 300]]])
    #expect(found.cuts == [0, 100, 500, 1024, 1200, 1500, 1524])
    #expect(result[3]?.samples.reduce(0) { $0 + $1.duration } == result[2]?.samples.reduce(0) { $0 + $1.duration })
    #expect(result.diagnostics.isEmpty)
    // The other track is the same as without events.
    let without = try Output.defragmenting(built.bytes)
    #expect(difference([2: without[2]?.samples ?? []], [2: result[2]?.samples ?? []]) == nil)
    #expect(without.diagnostics.map(\.severity) == [.note])
  }

  @Test("The media keeps its interleaving when events are inserted")
  func keepsInterleave() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addBoxes(absolute(1, at: 100, duration: 400))
    file.addFragments(2, samples: 100)
    let bytes = file.build().bytes
    let (without, result) = (try Output.defragmenting(bytes), try keeping(bytes))
    // The tracks of the chunks in file order, without the event track.
    func order(_ output: Output) throws -> [Int] {
      let source = MemorySource(output.bytes)
      let moov = try #require(try [Box](reading: source).first { $0.type == "moov" })
      var chunks: [(offset: UInt32, track: Int)] = []
      for (track, trak) in moov.boxes.filter({ $0.type == "trak" }).prefix(2).enumerated() {
        let stco = try #require(trak.first("mdia", "minf", "stbl", "stco"))
        let offsets = try stco.payload(as: ChunkOffsetBox.self, from: source).get().offsets
        chunks += offsets.map { ($0, track) }
      }
      return chunks.sorted { $0.offset < $1.offset }.map(\.track)
    }
    #expect(try order(result) == order(without))
  }

  @Test("The track has the boxes of an event message track, and other readers accept it")
  func boxes() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(relative(1, delta: 100, duration: 400))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    let result = try keeping(file.build().bytes)
    let boxes = try [Box](reading: MemorySource(result.bytes))
    let trak = try #require(boxes.first { $0.type == "moov" }?.boxes.last { $0.type == "trak" })
    #expect(trak.first("mdia", "minf")?.boxes.map(\.type) == ["nmhd", "dinf", "stbl"])
    #expect(trak.first("mdia", "minf", "stbl", "stsd")?.boxes.map(\.type) == ["evte"])
    let source = MemorySource(result.bytes)
    let handler = try #require(try trak.first("mdia", "hdlr")?.payload(as: HandlerBox.self, from: source).get())
    #expect(handler.handlerType == "meta")
    #expect(try Output.defragmenting(result.bytes).movie.tracks.count == 2)
  }

  @Test("The report lists only the given inputs, without one for the event track")
  func report() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(relative(1, delta: 100, duration: 400))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    var options = Defragmenter.Options()
    options.reading.keepsEvents = true
    let report = try #require(try Defragmenter(options).plan(named([file.build().bytes])).report)
    #expect(report.inputs.map(\.name) == ["init.mp4"])
    #expect(report.tracks.map(\.input) == [0, nil] && report.tracks.map(\.inputID) == [2, nil])
    let sink = MemorySink()
    try report.writeJSON(to: sink)
    let text = String(decoding: sink.bytes, as: UTF8.self)
    #expect(text.contains("{\"id\":3,\"input\":null,\"input_id\":null,"), "\(text)")
  }

  @Test("Events move with the tracks if the presentation starts later than 0, or keep their time with its start")
  func rebased() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addBoxes(relative(1, delta: 250, duration: 100), absolute(2, at: 100_500, duration: 100))
    file.addBoxes(absolute(3, at: 99_000, duration: 500), absolute(4, at: 99_900, duration: 600))
    file.addFragment { fragment in
      fragment.addTraf(1) {
        $0.decodeTime = 1_280_000
        $0.addRun(.samples(25))
      }
      fragment.addTraf(2) {
        $0.decodeTime = 4_824_000
        $0.addRun(.samples(48))
      }
    }
    let built = file.build()
    let result = try keeping(built.bytes)
    #expect(try events(result, 3).active == [1: [[250, 100]], 2: [[500, 100]], 4: [[-100, 600]]])
    #expect(
      result.texts(.note) == [
        "init.mp4: 1 event is over before the presentation starts; omitted",
        "init.mp4: the presentation starts at 100.000 s; all tracks were moved to 0",
      ])
    let kept = try keeping(built.bytes) { $0.reading.keepsStart = true }
    #expect(try events(kept, 3).active == [1: [[100_250, 100]], 2: [[100_500, 100]], 4: [[99_900, 600]]])
  }

  @Test("Events of a presentation with edits and reordered pictures keep their presentation times")
  func edits() throws {
    // The composition time of the first sample is 1024 units after its decode time, which the edit compensates.
    let video = TrackSpec.video().with(\.edits, [.media(from: 1024)])
    var file = FragmentedFileBuilder([video])
    for _ in 0..<2 {
      file.addFragment { $0.addTraf(1, .samples(25, offset: 1024), firstSampleFlags: .sync) }
      file.addBoxes(relative(UInt32(file.parts.count), delta: 0, duration: 40))
    }
    file.addFragment { $0.addTraf(1, .samples(25, offset: 1024), firstSampleFlags: .sync) }
    let result = try keeping(file.build().bytes)
    #expect(try events(result, 2).active == [1: [[1000, 40]], 3: [[2000, 40]]])
  }

  @Test("Events of unordered segments and of two groups of inputs are sorted, without duplicates")
  func groups() throws {
    func group(_ track: TrackSpec, _ count: Int) -> BuiltFile {
      var file = FragmentedFileBuilder([track])
      for number in 0..<2 {
        file.addBoxes(relative(UInt32(number + 1), delta: 100, duration: 50))
        file.addFragment { $0.addTraf(track.id, .samples(count)) }
      }
      return file.build()
    }
    let (video, audio) = (group(.video(), 25), group(.audio(id: 1), 48))
    let result = try keeping(
      video.initialization, video.segments[1], video.segments[0], audio.initialization, audio.segments[0],
      audio.segments[1])
    #expect(result.movie.tracks.map(\.id) == [1, 2, 3])
    #expect(try events(result, 3).active == [1: [[100, 50]], 2: [[1100, 50]]])
  }

  @Test("Damaged events are reported, and endless or countless events are limited")
  func damage() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(box("emsg", [0, 0]), absolute(1, at: .max, duration: .max, timescale: 0))
    file.addBoxes(absolute(2, at: 0, duration: .max, timescale: .max))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    let result = try keeping(file.build().bytes)
    #expect(result.texts(.error).count == 1 && result.texts(.error)[0].hasPrefix("init.mp4: emsg: "))
    #expect(result[3]?.samples.isEmpty == false)
  }

  @Test("Events are near the samples of their time")
  func interleave() throws {
    var file = FragmentedFileBuilder([.audio()])
    for number in 0..<4 {
      file.addBoxes(relative(UInt32(number + 1), delta: 100, duration: 50))
      file.addFragment { $0.addTraf(2, .samples(48)) }
    }
    let result = try keeping(file.build().bytes)
    let (events, sound) = (try #require(result[3]), try #require(result[2]))
    let places = events.samples.map(\.decodeTime)
    #expect(places.count == 9 && sound.samples.count == 192)
    let boxes = try [Box](reading: MemorySource(result.bytes))
    let trak = try #require(boxes.first { $0.type == "moov" }?.boxes.last { $0.type == "trak" })
    let source = MemorySource(result.bytes)
    let stco = try #require(
      try trak.first("mdia", "minf", "stbl", "stco")?.payload(as: ChunkOffsetBox.self, from: source).get())
    #expect(stco.offsets.count >= 4)
    #expect(Array(stco.offsets) == stco.offsets.sorted())
  }
}
