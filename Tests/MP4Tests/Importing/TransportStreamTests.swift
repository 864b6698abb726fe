import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Transport streams as movies")
struct TransportStreamTests {
  private let sound = TransportStreamBuilder.Stream(
    257, type: 0x0f, streamID: 0xc0, descriptors: [10, 4, 0x64, 0x65, 0x75, 0])
  private let picture = TransportStreamBuilder.Stream(256, type: 0x1b, streamID: 0xe0)

  /// A frame of AAC at 48 kHz, which lasts 1920 units of 1/90000 s.
  private func adts(_ payload: [UInt8]) -> [UInt8] {
    let size = payload.count + 7
    return [
      0xff, 0xf1, 0x4c, 0x80 | UInt8(size >> 11), UInt8(size >> 3 & 255), UInt8(size & 7) << 5 | 0x1f, 0xfc,
    ] + payload
  }
  private func payload(_ number: Int) -> [UInt8] {
    (0..<(50 + number * 37 % 200)).map { UInt8(($0 * 7 + number) % 251) }
  }

  private func read(_ bytes: [UInt8]) throws -> (movie: Movie, diagnostics: [Diagnostic]) {
    let source = MemorySource(bytes, name: "in.ts")
    let stream = try #require(try TransportStream(source))
    let movie = try Movie(reading: [source])
    #expect(movie.diagnostics.prefix(stream.diagnostics.count) == stream.diagnostics[...])
    return (movie, stream.diagnostics)
  }
  private func obstacle(_ bytes: [UInt8]) -> Obstacle? {
    do throws(MovieError) {
      _ = try TransportStream(MemorySource(bytes, name: "in"))
      return nil
    } catch { return error.obstacle }
  }
  private func starts(_ track: Track) -> [Int64] {
    track.samples.map { $0.decodeTime.converted(to: 90_000).value }
  }

  /// PES packets of three frames each, from a time on.
  private func addSound(_ builder: inout TransportStreamBuilder, _ packets: Range<Int>, from time: Int64 = 90_000) {
    for packet in packets {
      let frames = (packet * 3..<packet * 3 + 3).flatMap { adts(payload($0)) }
      builder.add(frames, to: 0, at: time + Int64(packet - packets.lowerBound) * 5760)
    }
  }
  private func sounds(_ count: Int, from time: Int64 = 90_000) -> TransportStreamBuilder {
    var builder = TransportStreamBuilder([sound])
    builder.addTables()
    addSound(&builder, 0..<count, from: time)
    return builder
  }

  /// `splice_insert()` that starts a break of 10 s at a time.
  private func splice(at time: Int64) -> [UInt8] {
    var section: [UInt8] = [0xfc, 0x30, 0x25, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xf0, 0x14, 5, 0, 0, 0, 7, 0x7f, 0xef]
    section += [0xfe | UInt8(time >> 32 & 1)] + big(UInt32(truncatingIfNeeded: time))
    section += [0xfe] + big(UInt32(900_000)) + [0, 1, 0, 0, 0, 0]
    return section + big(SpliceInformation.checksum(section[...]))
  }

  @Test(
    "Timed metadata and splice information are events with their own times",
    arguments: [90_000, 8_589_933_692] as [Int64])
  func events(start: Int64) throws {
    let metadata = TransportStreamBuilder.Stream(
      258, type: 0x15, streamID: 0xbd, descriptors: [0x26, 4] + ascii("xxID"))
    let splices = TransportStreamBuilder.Stream(259, type: 0x86, streamID: 0)
    var builder = TransportStreamBuilder([sound, metadata, splices])
    builder.addTables()
    builder.addSplice(splice(at: start + 45_000), pid: 259)
    addSound(&builder, 0..<4, from: start)
    builder.add(ascii("ID3") + [4, 0, 0, 0, 0, 0, 1, 9], to: 1, at: start + 9000)
    // The same message again, a damaged one, and a sign of life.
    builder.addSplice(splice(at: start + 45_000), pid: 259)
    builder.addSplice(Array(splice(at: start).dropLast()) + [1], pid: 259)
    let null: [UInt8] = [0xfc, 0x30, 0x11, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xf0, 0, 0, 0, 0]
    builder.addSplice(null + big(SpliceInformation.checksum(null[...])), pid: 259)
    addSound(&builder, 4..<30, from: start + 4 * 5760)
    builder.add(ascii("ID3") + [4, 0, 0, 0, 0, 0, 1, 8], to: 1, at: start + 90_000)
    let (movie, diagnostics) = try read(builder.bytes())
    #expect(movie.tracks.count == 1)
    let events = movie.eventMessages
    let schemes = events.map { String(decoding: $0.message.schemeIDURI.bytes, as: UTF8.self) }
    let id3 = "https://aomedia.org/emsg/ID3"
    #expect(schemes == [id3, id3, "urn:scte:scte35:2013:bin"])
    #expect(events.map { $0.time.converted(to: 90_000).value } == [9000, 90_000, 45_000])
    #expect(events[0].message.messageData.last == 9 && events[2].message.messageData == splice(at: start + 45_000))
    #expect(events[2].duration == MediaTime(900_000, 90_000) && events[0].duration == nil)
    #expect(diagnostics.map(\.text) == ["1 splice message (SCTE-35) cannot be read; omitted"], "\(diagnostics)")
  }

  @Test("Packets of all sizes, also after bytes that are cut off", arguments: [188, 192, 204], [0, 1, 77])
  func sizes(stride: Int, cut: Int) throws {
    var bytes = sounds(12).bytes(stride: stride)
    if cut > 0 { bytes = Array(repeating: 9, count: cut) + bytes }
    let (movie, diagnostics) = try read(bytes)
    let track = try #require(movie.tracks.first)
    #expect(diagnostics.map(\.severity) == (cut == 0 ? [] : [.error]))
    #expect(try track.samples.map { try $0.bytes() } == (0..<36).map(payload))
    #expect(starts(track) == (0..<36).map { $0 * 1920 })
    #expect(track.language == "deu" && movie.tracks.count == 1)
  }

  @Test("Headers that extend over packets", arguments: [1, 5, 9, 13])
  func headers(size: Int) throws {
    var builder = TransportStreamBuilder([sound])
    builder.headerSplit = size
    builder.addTables()
    addSound(&builder, 0..<4)
    let (movie, diagnostics) = try read(builder.bytes())
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == (0..<12).map(payload))
    #expect(diagnostics.isEmpty)
  }

  @Test("Times wrap around")
  func wrap() throws {
    let (movie, diagnostics) = try read(sounds(12, from: (1 << 33) - 9000).bytes())
    #expect(starts(movie.tracks[0]) == (0..<36).map { $0 * 1920 } && diagnostics.isEmpty)
  }

  @Test("Later sound, and a gap in it, keep their times")
  func gap() throws {
    var builder = TransportStreamBuilder([
      sound, .init(258, type: 0x0f, streamID: 0xc1),
    ])
    builder.addTables()
    addSound(&builder, 0..<4)
    addSound(&builder, 4..<8, from: 90_000 + 4 * 5760 + 45_000)
    for number in 0..<6 { builder.add(adts(payload(number)), to: 1, at: 99_000 + Int64(number) * 1920) }
    let (movie, diagnostics) = try read(builder.bytes())
    #expect(starts(movie.tracks[0]) == (0..<24).map { $0 * 1920 + ($0 < 12 ? 0 : 45_000) })
    let shown = movie.tracks[1].samples.map { $0.presentationTime?.converted(to: 90_000).value }
    #expect(shown == (0..<6).map { 9000 + $0 * 1920 })
    #expect(diagnostics.map(\.severity) == [.warning])
    let text = "sound is missing at 1 place, 0.500 s in all, the first 0.256 s after its start; what follows keeps"
    #expect(diagnostics.first?.text.contains(text) == true, "\(diagnostics)")
  }

  @Test("Lost packets are errors; repeated ones, and counters that start again, are not")
  func counters() throws {
    var builder = sounds(8)
    builder.removePacket(9)
    let (movie, diagnostics) = try read(builder.bytes())
    #expect(diagnostics.contains { $0.severity == .error && $0.text.contains("packets are missing at 1 place") })
    #expect(movie.tracks[0].samples.count < 24)
    builder = sounds(8)
    for index in [12, 5, 3] { builder.repeatPacket(index) }
    #expect(try read(builder.bytes()).diagnostics.isEmpty)
    builder = sounds(4)
    builder.counters = [:]
    builder.addTables()
    addSound(&builder, 4..<8, from: 90_000 + 4 * 5760)
    let result = try read(builder.bytes())
    #expect(result.diagnostics.isEmpty)
    #expect(starts(result.movie.tracks[0]) == (0..<24).map { $0 * 1920 })
  }

  @Test("Another recording continues where the first ends")
  func jump() throws {
    var builder = sounds(4, from: 900_000)
    addSound(&builder, 4..<8, from: 5_000)
    let (movie, diagnostics) = try read(builder.bytes())
    #expect(starts(movie.tracks[0]) == (0..<24).map { $0 * 1920 })
    #expect(diagnostics.map(\.severity) == [.warning] && diagnostics[0].text.contains("the times jump by"))
  }

  @Test("Files that are concatenated have no lost packets, although counters start again")
  func concatenation() throws {
    for count in 3...6 {
      let bytes = sounds(count, from: 900_000).bytes() + sounds(4, from: 5_000).bytes()
      let (movie, diagnostics) = try read(bytes)
      #expect(movie.tracks[0].samples.count == (count + 4) * 3)
      #expect(diagnostics.map(\.severity) == [.warning], "\(diagnostics)")
    }
  }

  @Test("Scrambled streams, and those of SAMPLE-AES, are refused")
  func encryption() {
    var builder = TransportStreamBuilder([sound])
    builder.addTables()
    builder.isScrambled = true
    addSound(&builder, 0..<4)
    #expect(obstacle(builder.bytes())?.code == "encrypted")
    builder = TransportStreamBuilder([.init(257, type: 0xcf, streamID: 0xc0)])
    builder.addTables()
    addSound(&builder, 0..<4)
    #expect(obstacle(builder.bytes())?.code == "encrypted")
  }

  @Test("Without tables, the contents decide; streams of unknown kinds are omitted")
  func kinds() throws {
    var builder = TransportStreamBuilder([sound])
    addSound(&builder, 0..<4)
    var result = try read(builder.bytes())
    #expect(result.movie.tracks.count == 1 && result.diagnostics.map(\.severity) == [.warning])
    builder = TransportStreamBuilder([sound, .init(300, type: 0x06, streamID: 0xbd, descriptors: [0x59, 0])])
    builder.addTables()
    builder.add([1, 2, 3], to: 1, at: 90_000)
    addSound(&builder, 0..<4)
    result = try read(builder.bytes())
    #expect(result.diagnostics.map(\.text) == ["stream 300: DVB subtitles is omitted"])
  }

  @Test("Pictures have the times, order and sync flags of their packets", arguments: [true, false])
  func pictures(isBounded: Bool) throws {
    let (movie, bytes) = try video(isBounded: isBounded)
    let track = try #require(movie.tracks.first { $0.isVideo })
    let (copy, diagnostics) = try read(bytes)
    #expect(diagnostics.isEmpty && copy.tracks.count == 1)
    let first = track.samples[0].decodeTime
    for (old, new) in zip(track.samples, copy.tracks[0].samples) {
      #expect(try old.bytes() == new.bytes() && old.isSync == new.isSync)
      #expect(new.decodeTime.value == (old.decodeTime - first).converted(to: 90_000).value)
      #expect((new.compositionTime - new.decodeTime).value == old.compositionOffset.converted(to: 90_000).value)
    }
    #expect(track.samples.count == copy.tracks[0].samples.count)
  }

  /// The video of a file as a transport stream, with a PES packet for each sample.
  private func video(isBounded: Bool) throws -> (Movie, [UInt8]) {
    let movie = try Movie(reading: [MemorySource(try readFile(vectorPath("files/progressive.mp4")))])
    let track = try #require(movie.tracks.first { $0.isVideo })
    let sets = track.decoderConfigurations[0].parameterSets
    var builder = TransportStreamBuilder([picture])
    builder.addTables()
    for sample in track.samples {
      var (data, rest) = ([UInt8](), try sample.bytes()[...])
      if sample.isSync { for set in sets { data += [0, 0, 0, 1] + set } }
      while rest.count > 4 {
        let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        data += [0, 0, 1] + rest.dropFirst(4).prefix(size)
        rest = rest.dropFirst(4 + size)
      }
      let (decode, shown) = (
        sample.decodeTime.converted(to: 90_000).value, sample.compositionTime.converted(to: 90_000).value
      )
      builder.add(data, to: 0, at: shown + 90_000, decode: decode + 90_000, isBounded: isBounded)
    }
    return (movie, builder.bytes())
  }

  @Test("Streams in several files have one timeline, and files with the same streams are one stream")
  func files() throws {
    var other = TransportStreamBuilder([.init(300, type: 0x0f, streamID: 0xc0)])
    other.addTables()
    addSound(&other, 0..<2, from: 99_000)
    var second = TransportStreamBuilder([sound])
    second.addTables()
    addSound(&second, 4..<8, from: 90_000 + 4 * 5760)
    let sources = [second.bytes(), other.bytes(), sounds(4).bytes()].map { MemorySource($0, name: "in.ts") }
    let movie = try Movie(reading: sources)
    #expect(movie.tracks.count == 2)
    #expect(movie.diagnostics.allSatisfy { $0.severity == .note }, "\(movie.diagnostics.map(\.text))")
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == (0..<24).map(payload))
    #expect(movie.tracks[1].samples.first?.presentationTime?.converted(to: 90_000).value == 9000)
    let sink = MemorySink()
    try Joiner().plan([sources[2], sources[0]]).write(to: sink)
    #expect(sink.bytes == sources[2].bytes + sources[0].bytes)
    let plan = try Joiner().plan([sources[0], sources[2]])
    #expect(plan.byteCount == sink.bytes.count && plan.diagnostics.map(\.severity) == [.note])
    #expect(throws: MovieError.self) { _ = try Joiner().plan([sources[0], MemorySource([0, 0, 0, 8])]) }
  }

  @Test("Packed audio has the time of its tag")
  func packedAudio() throws {
    func segment(_ numbers: Range<Int>, at time: Int) -> MemorySource {
      let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
      let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(owner.count + 8), 0, 0] + owner
      let value = (0..<8).reversed().map { UInt8(time >> ($0 * 8) & 255) }
      let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count + 8)] + frame + value
      return MemorySource(tag + numbers.flatMap { adts(payload($0)) }, name: "a.aac")
    }
    let segments = [segment(0..<20, at: 900_000), segment(20..<40, at: 900_000 + 20 * 1920 + 9000)]
    let movie = try Movie(reading: segments)
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == (0..<40).map(payload))
    #expect(starts(movie.tracks[0]) == (0..<40).map { $0 * 1920 + ($0 < 20 ? 0 : 9000) })
  }

  @Test("A stream becomes a file by all operations that read movies")
  func operations() throws {
    let source = MemorySource(sounds(12).bytes(), name: "in.ts")
    for plan in [try Defragmenter().plan([source]), try Multiplexer().plan([source])] {
      let sink = MemorySink()
      try plan.write(to: sink)
      #expect(plan.diagnostics.isEmpty)
      let movie = try Movie(reading: [MemorySource(sink.bytes)])
      #expect(try movie.tracks[0].samples.map { try $0.bytes() } == (0..<36).map(payload))
    }
    #expect(throws: MovieError.self) { _ = try Defragmenter().planInPlace(source) }
  }

  @Test("Damage never stops the reader, and every sample can be read")
  func damage() throws {
    var random = SplitMix64(seed: 42)
    var files = [sounds(12).bytes(), sounds(6).bytes(stride: 192), try video(isBounded: true).1]
    files[2] = Array(files[2].prefix(188 * 120))
    for file in files {
      for _ in 0..<Effort.count(short: 60, all: 2000) {
        var bytes = file
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          bytes[Int.random(in: 188..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 1..<bytes.count - 600, using: &random)) }
        if Bool.random(using: &random) {
          let start = Int.random(in: 600..<bytes.count, using: &random)
          bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...400, using: &random)))
        }
        guard let stream = try? TransportStream(MemorySource(bytes)) else { continue }
        let movie = try Movie(reading: [stream.movie])
        for track in movie.tracks { for sample in track.samples { _ = try sample.bytes() } }
      }
    }
  }
}
