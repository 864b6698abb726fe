import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import Support
import Testing
import TimedText

/// Movies with closed captions in their pictures.
enum CaptionedMovie {
  /// The pairs of a text that is loaded, and those that show and erase it: words of SCC files.
  static func pairs(_ words: String, _ kind: CaptionPair.Kind = .field1) -> [CaptionPair] {
    words.split(separator: " ").map { word in
      let value = UInt16(word, radix: 16) ?? 0
      return CaptionPair(kind, UInt8(value >> 8), UInt8(value & 0xff))
    }
  }
  /// HELLO, loaded into CC1.
  static let load = "9420 94ae 9470 c845 4c4c 4f80"

  /// `cc_data()` in user data of ATSC A/53, with a pair that is not valid.
  static func userData(_ pairs: [CaptionPair]) -> [UInt8] {
    [0x47, 0x41, 0x39, 0x34, 3, 0x40 | UInt8(pairs.count + 1), 0xff]
      + pairs.flatMap { [0xfc | $0.kind.rawValue, $0.first, $0.second] } + [0xf8, 0x12, 0x34, 0xff]
  }
  /// A NAL unit with an SEI message.
  static func message(_ data: [UInt8], header: [UInt8]) -> [UInt8] {
    var payload = [0xb5, 0, 0x31] + data
    payload = [4, UInt8(payload.count)] + payload + [0x80]
    var (unit, zeros): ([UInt8], Int) = (header, 0)
    for byte in payload {
      if zeros >= 2, byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      unit.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return unit
  }
  static func sample(_ units: [UInt8]...) -> [UInt8] { units.flatMap { big(UInt32($0.count)) + $0 } }

  /// A movie of pictures at 25 per second in the order I P B B, of which each has the captions of its place in the
  /// presentation.
  static func movie(
    _ entry: Box, _ pictures: [[CaptionPair]], _ body: ([CaptionPair], Int) -> [UInt8]
  ) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    var track = try MovieWriter.Track(entry, timescale: 25, handler: "vide")
    track.trim = MediaTime(1, 25)
    let number = try writer.add(track)
    var order = [0]
    while order.count < pictures.count {
      let next = order.count
      order += [next + 2, next, next + 1].filter { $0 < pictures.count }
    }
    for (index, place) in order.enumerated() {
      try writer.append(
        body(pictures[place], index), to: number, duration: MediaTime(1, 25),
        compositionOffset: MediaTime(Int64(place + 1 - index), 25), isSync: index == 0)
    }
    try writer.finish()
    return sink.bytes
  }
  /// A movie of H.264 whose pictures are only stated.
  static func avc(_ pictures: [[CaptionPair]]) throws -> [UInt8] {
    var configuration = AVCConfigurationBox()
    configuration.lengthSizeMinusOne = 3
    return try movie(Box(VisualSampleEntry(), type: "avc1", boxes: [Box(configuration)]), pictures) { pairs, index in
      let slice: [UInt8] = [index == 0 ? 0x65 : 0x41, 0x80, 1]
      return pairs.isEmpty ? sample(slice) : sample(message(userData(pairs), header: [6]), slice)
    }
  }
  /// Pictures of which each has a pair, with nothing before `start`.
  static func pictures(_ groups: [(start: Int, words: String)], count: Int, _ kind: CaptionPair.Kind = .field1)
    -> [[CaptionPair]]
  {
    var result = [[CaptionPair]](repeating: [], count: count)
    for (start, words) in groups {
      for (index, pair) in pairs(words, kind).enumerated() { result[start + index].append(pair) }
    }
    return result
  }
}

@Suite("Closed captions in tracks")
struct CaptionTrackTests {
  private func movie(_ bytes: [UInt8]) throws -> Movie { try Movie(reading: [MemorySource(bytes, name: "a.mp4")]) }
  private func text(
    _ bytes: [UInt8], _ channel: CaptionChannel? = nil, _ format: TextFileFormat = .webVTT
  ) throws -> String {
    let sink = MemorySink()
    try FileExcerpt.captions(of: movie(bytes), channel: channel, as: format).excerpt.write(to: sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }
  private static let hello = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000 position:10% align:start\nHELLO\n\n"
  private static let pictures = CaptionedMovie.pictures(
    [(10, CaptionedMovie.load), (25, "942f"), (50, "942c")], count: 75)

  // MARK: Pictures

  @Test("Captions of H.264 are read in the order in which its pictures are presented")
  func avc() throws {
    let bytes = try CaptionedMovie.avc(Self.pictures)
    #expect(try text(bytes) == Self.hello)
    #expect(try text(bytes, nil, .subRip) == "1\n00:00:01,000 --> 00:00:02,000\nHELLO\n\n")
    let track = try movie(bytes).tracks[0]
    #expect(track.canHaveCaptions && !track.isCaptions)
    #expect(try track.captions(before: MediaTime(10, 25)).isEmpty)
    #expect(try track.captions(before: MediaTime(16, 25)).channels == [.cc(1)])
    // In fragments, in a cut, and after a delay.
    let sink = MemorySink()
    try Fragmenter().plan(movie(bytes)).write(to: sink)
    #expect(try text(sink.bytes) == Self.hello)
  }

  @Test("Captions of H.265 and of MPEG-2 video are the same")
  func others() throws {
    var configuration = HEVCConfigurationBox()
    configuration.lengthSizeMinusOne = 3
    let hevc = try CaptionedMovie.movie(
      Box(VisualSampleEntry(), type: "hvc1", boxes: [Box(configuration)]), Self.pictures
    ) { pairs, _ in
      let message = CaptionedMovie.message(CaptionedMovie.userData(pairs), header: [39 << 1, 1])
      return CaptionedMovie.sample(message, [1 << 1, 1, 0x80])
    }
    #expect(try text(hevc) == Self.hello)
    let mpeg2 = try CaptionedMovie.movie(Box(VisualSampleEntry(), type: "m2v1"), Self.pictures) { pairs, _ in
      [0, 0, 1, 0, 0, 8, 0, 0, 1, 0xb2] + CaptionedMovie.userData(pairs) + [0, 0, 1, 1, 2, 3]
    }
    #expect(try text(mpeg2) == Self.hello)
    // User data of others, and a movie without any.
    let foreign = try CaptionedMovie.movie(Box(VisualSampleEntry(), type: "m2v1"), Self.pictures) { _, _ in
      [0, 0, 1, 0, 0, 8, 0, 0, 1, 0xb2] + ascii("DTG1") + [0x41]
    }
    #expect(throws: MovieError.self) { try text(foreign) }
  }

  @Test("A channel that has no text is an error that names the others")
  func missing() throws {
    let bytes = try CaptionedMovie.avc(Self.pictures)
    do {
      _ = try text(bytes, .cc(3))
      Issue.record("CC3 has no text")
    } catch {
      #expect("\(error)".contains("it has no closed captions in CC3, only in CC1"))
    }
    #expect(throws: MovieError.self) { try text(bytes, .cc(1), .ttml) }
    let none = try CaptionedMovie.avc(.init(repeating: [], count: 3))
    do {
      _ = try text(none)
      Issue.record("there are no captions")
    } catch { #expect("\(error)".contains("it has no closed captions")) }
  }

  @Test("Text of CEA-708 is extracted as WebVTT and MCC, but not as SCC")
  func services() throws {
    let window: [UInt8] = [0x98, 0x20, 74, 105, 0x71, 31, 0x19] + ascii("Hi!")
    let body = [0x20 | UInt8(window.count)] + window
    let packet = [UInt8((body.count + 1) / 2 + (body.count + 1) % 2)] + body + [0]
    let pairs = stride(from: 0, to: packet.count - 1, by: 2).map {
      CaptionPair($0 == 0 ? .packetStart : .packetData, packet[$0], packet[$0 + 1])
    }
    let bytes = try CaptionedMovie.avc([[], pairs, [], []])
    #expect(try text(bytes) == "WEBVTT\n\n00:00:00.040 --> 00:00:00.160\nHi!\n\n")
    let lines = try text(bytes, nil, .macCaption).split(separator: "\n").suffix(2)
    #expect(lines == ["Time Code Rate=25", "00:00:00:01\t\(Self.mcc(packet))"])
    #expect(throws: MovieError.self) { try text(bytes, .service(1), .scenarist) }
  }
  /// The line of a packet at 25 frames per second, written out: SMPTE ST 334-1 and 334-2.
  private static func mcc(_ packet: [UInt8]) -> String {
    var data: [UInt8] = [0x96, 0x69, 85, 0x3f, 0x43, 0, 0, 0x72, 0xe0 | 24]
    for index in stride(from: 0, to: packet.count - 1, by: 2) {
      data += [index == 0 ? 0xff : 0xfe, packet[index], packet[index + 1]]
    }
    while data.count < 9 + 24 * 3 { data += [0xfa, 0, 0] }
    data += [0x74, 0, 0]
    data.append(0 &- data.reduce(0, &+))
    #expect(data.count == 85)
    func text(_ bytes: [UInt8]) -> String {
      bytes.map { $0 < 16 ? "0" + String($0, radix: 16, uppercase: true) : String($0, radix: 16, uppercase: true) }
        .joined()
    }
    let sum = ([0x61, 0x01, 85] + data).reduce(0, &+)
    // The letters of the format for frequent bytes.
    let start = text([85]) + "S" + text([85 as UInt8, 0x3f, 0x43]) + "ZZ" + text([0x72, 0xf8])
    let middle = data[9..<9 + packet.count / 2 * 3].map { $0 == 0 ? "Z" : text([$0]) }.joined()
    return "T" + start + middle + "OO" + "74ZZ" + text([data[84], sum])
  }

  // MARK: Caption tracks

  /// A movie with a caption track of these samples, each of a second.
  private func captionTrack(_ format: FourCC, _ samples: [[UInt8]]) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let track = try writer.add(
      MovieWriter.Track(Box(PlainSampleEntry(), type: format), timescale: 600, handler: "clcp"))
    for sample in samples { try writer.append(sample, to: track, duration: MediaTime(1, 1)) }
    try writer.finish()
    return sink.bytes
  }

  @Test("The bytes of a sample of a caption track follow each other at 29.97 frames per second")
  func spread() throws {
    func bytes(_ words: String) -> [UInt8] { CaptionedMovie.pairs(words).flatMap { [$0.first, $0.second] } }
    let load = bytes(CaptionedMovie.load + " 8080 8080 8080 8080 8080 8080 8080 8080 8080 942f")
    let track = try captionTrack(
      "c608", [box("cdat", load) + box("cdt2", bytes("8080")), box("cdt2", bytes("152c")), box("cdat", bytes("942c"))])
    let reading = try movie(track).tracks[0]
    #expect(reading.isCaptions && reading.canHaveCaptions)
    #expect(
      try text(track) == "WEBVTT\n\n00:00:00.500 --> 00:00:02.000 position:10% align:start\nHELLO\n\n")
    // The same as the text of the track.
    let sink = MemorySink()
    let own = try #require(try FileExcerpt.text(of: movie(track)))
    try own.excerpt.write(to: sink)
    let captions = try text(track)
    #expect(own.format == .webVTT && String(decoding: sink.bytes, as: UTF8.self) == captions)
  }

  @Test("Samples of c708 tracks are caption distribution packets")
  func packets() throws {
    func packet(_ words: String) -> [UInt8] {
      let pairs = CaptionedMovie.pairs(words)
      let data = pairs.flatMap { [0xfc | $0.kind.rawValue, $0.first, $0.second] }
      return box("ccdp", [0x96, 0x69, 0, 0x4f, 0x43, 0, 0, 0x72, 0xe0 | UInt8(pairs.count)] + data + [0x74, 0, 0, 0])
    }
    let track = try captionTrack("c708", [packet(CaptionedMovie.load), packet("942f"), packet("942c")])
    #expect(try text(track) == Self.hello)
  }

  // MARK: SCC

  private func captions(_ scc: String, _ channel: CaptionChannel = .cc(1)) throws -> (bytes: [UInt8], [String]) {
    let movie = try CaptionMovie(scenarist: MemorySource(Array(scc.utf8), name: "a.scc"), channel: channel)
    let sink = MemorySink()
    try sink.copy(0..<(movie.source.byteCount ?? 0), of: movie.source)
    return (sink.bytes, movie.diagnostics.map(\.description))
  }

  @Test("SCC files become tracks, and come back with the same bytes", arguments: [CaptionChannel.cc(1), .cc(3)])
  func scenarist(channel: CaptionChannel) throws {
    let load = channel == .cc(1) ? CaptionedMovie.load : "1520 15ae 9470 c845 4c4c 4f80"
    let (show, erase) = channel == .cc(1) ? ("942f", "942c") : ("152f", "152c")
    let scc = """
      Scenarist_SCC V1.0

      00:00:00;10\t\(load)

      00:01:00;02\t\(show) \(show)

      01:00:00;00\t\(erase)

      """
    let (track, messages) = try captions(scc, channel)
    #expect(messages == [])
    #expect(try text(track, nil, .scenarist) == scc)
    // 1,800 and 107,892 frames at 30000/1001 per second.
    #expect(
      try text(track) == "WEBVTT\n\n00:01:00.060 --> 00:59:59.996 position:10% align:start\nHELLO\n\n")
    let first = try text(track)
    #expect(try text(track, channel) == first)
  }

  @Test("Timecodes without dropped frames count all frames; lines that overlap are delayed; damaged ones are reported")
  func timecodes() throws {
    let scc = """
      Scenarist_SCC V1.0\r
      \r
      00:00:09:25\t\(CaptionedMovie.load) 942f\r
      00:00:10:00\t942f\r
      00:01:00:00\t942c\r
      nonsense\r
      00:01:00;00\t942c zzzz\r

      """
    let (track, messages) = try captions(scc)
    #expect(messages.count == 2 && messages[0].contains("2 lines, the first is line 6, cannot be read; omitted"))
    // Frame 301, and frame 1800.
    #expect(
      try text(track) == "WEBVTT\n\n00:00:10.043 --> 00:01:00.060 position:10% align:start\nHELLO\n\n")
    #expect(
      try text(track, nil, .scenarist).contains("00:00:09;25\t\(CaptionedMovie.load) 942f 942f\n\n00:01:00;02\t942c"))
    #expect(throws: MovieError.self) { try captions("Scenarist_SCC V1.0\n\n") }
  }

  // MARK: WebVTT

  @Test("Subtitles become captions and come back with the same cues")
  func subtitles() throws {
    let document = WebVTTDocument([
      Cue(start: 2002, end: 4004, text: "One\nand <i>two</i>"), Cue(start: 4004, end: 6006, text: "é &amp; ♪"),
    ])
    let movie = try CaptionMovie(Subtitles(document, language: "en"), channel: .cc(2))
    let sink = MemorySink()
    try sink.copy(0..<(movie.source.byteCount ?? 0), of: movie.source)
    #expect(movie.diagnostics.isEmpty)
    #expect(try text(sink.bytes, .cc(2)) == document.text)
    #expect(throws: MovieError.self) { try CaptionMovie(Subtitles(document, language: "en"), channel: .service(1)) }
    let early = WebVTTDocument([Cue(start: 0, end: 4004, text: "日")])
    let messages = try CaptionMovie(Subtitles(early, language: "ja"), channel: .cc(1)).diagnostics.map(\.description)
    #expect(messages.count == 2 && messages[0].contains("shown late"), "\(messages)")
  }

  @Test("Captions in all frame rates give the same pairs in SCC", arguments: [24, 25, 30, 50, 60])
  func rates(rate: Int64) throws {
    var captions = CaptionData(timescale: UInt32(rate))
    let words = (0..<200).map { _ in CaptionPair(.field1, 0xc1, 0xc2) }
    var sent = 0
    for picture in 0..<(rate * 6) {
      // As many pairs as 29.97 per second.
      let due = min(words.count, Int(picture * 30_000 / (1001 * rate)) + 1)
      if due > sent { captions.append(words[sent..<due], at: picture) }
      sent = max(sent, due)
    }
    let frames = captions.frames(of: .field1)
    #expect(frames.count == sent)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.index < $1.index && $1.index - $0.index <= 2 })
  }
}
