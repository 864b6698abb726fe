import Testing

@testable import TimedText

@Suite("Closed captions") struct CaptionTests {
  // MARK: CEA-608

  /// Pairs of a field from words of four digits, as in SCC files; the parity bits may be missing.
  private func pairs(_ text: String, _ kind: CaptionPair.Kind = .field1) -> [CaptionPair] {
    text.split(separator: " ").map { word in
      let number = UInt16(word, radix: 16) ?? 0
      return CaptionPair(kind, UInt8(number >> 8).withOddParity, UInt8(number & 0xff).withOddParity)
    }
  }
  /// The letters of a text as pairs.
  private func letters(_ text: String) -> String {
    let bytes = Array(text.utf8) + (text.utf8.count % 2 == 1 ? [0] : [])
    return stride(from: 0, to: bytes.count, by: 2).map { index in
      let number = UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
      return String(number, radix: 16)
    }.joined(separator: " ")
  }
  /// Data with a pair for each tenth of a second, from groups that start at a second.
  private func data(_ groups: [(second: Int64, text: String)], _ kind: CaptionPair.Kind = .field1) -> CaptionData {
    var data = CaptionData(timescale: 1000)
    for (second, text) in groups {
      for (index, pair) in pairs(text, kind).enumerated() { data.append([pair], at: second * 1000 + Int64(index) * 40) }
    }
    data.end = 60_000
    return data
  }
  private func lines(_ cues: [Cue]) -> [String] {
    cues.map { cue in
      "\(cue.startMilliseconds)-\(cue.endMilliseconds) \(cue.text)" + (cue.settings.isEmpty ? "" : " {\(cue.settings)}")
    }
  }

  @Test("Pop-on captions appear with end of caption and disappear with erase displayed memory") func popOn() {
    let captions = data([
      (1, "1420 1420 142e 142e 1470 1470 \(letters("HELLO"))"), (2, "142f 142f"), (5, "142c 142c"),
      (6, "1420 1420 142e 142e 1170 1170 \(letters("TOP"))"), (7, "142f 142f"), (8, "142f 142f"),
    ])
    #expect(captions.channels == [.cc(1)])
    #expect(
      lines(captions.cues(of: .cc(1))) == [
        "2000-5000 HELLO {position:10% align:start}", "7000-8000 TOP {line:15.33% position:10% align:start}",
      ])
  }

  @Test("Roll-up captions scroll with carriage return") func rollUp() {
    let captions = data([
      (1, "1425 1425 142d 142d 1470 1470 \(letters("one"))"), (2, "142d 142d \(letters("two"))"),
      (3, "142d 142d \(letters("three"))"), (4, "142c 142c"),
    ])
    #expect(
      captions.cues(of: .cc(1)).map(\.text) == ["one", "one\ntwo", "two\nthree"])
    #expect(captions.cues(of: .cc(1)).map(\.startMilliseconds) == [1240, 2000, 3000])
    #expect(captions.cues(of: .cc(1)).map(\.endMilliseconds) == [2000, 3000, 4000])
  }

  @Test("Paint-on captions are a cue from their first letter") func paintOn() {
    let captions = data([(1, "1429 1429 1476 1476 \(letters("drawn text"))"), (3, "142c 142c")])
    #expect(lines(captions.cues(of: .cc(1))) == ["1160-3000 drawn text"])
  }

  @Test("Special and extended characters, backspace, delete to end of row, tab offsets and styles") func characters() {
    let captions = data([
      (
        1,
        "1420 142e 1450 1723 \(letters("aE")) 1221 1137 \(letters("xy")) 1421 1128 \(letters("<r>")) 112f "
          + "\(letters("iu"))"
      ), (3, "142f"),
      (4, "142e 1420 1470 \(letters("whole row")) 1471 \(letters("cut")) 1424"), (5, "142f"), (6, "142c"),
    ])
    let cues = captions.cues(of: .cc(1))
    #expect(cues.map(\.text) == ["aÉ♪x <c.red>&lt;r&gt;</c> <c.red><i><u>iu</u></i></c>", "<u>cut</u>"])
  }

  @Test("Each of the four channels has its own text; text mode and XDS are skipped") func channels() {
    let one = data([
      (1, "1420 1470 \(letters("one")) 1c20 1c70 \(letters("two")) 142f 1c2f 142b \(letters("text mode"))"),
      (3, "1420 142c 1c2c"),
    ])
    #expect(one.channels == [.cc(1), .cc(2)])
    #expect(one.cues(of: .cc(1)).map(\.text) == ["one"] && one.cues(of: .cc(2)).map(\.text) == ["two"])
    let two = data(
      [
        (
          1,
          "1520 1470 \(letters("three")) 0105 \(letters("xd")) 0f00 1520 \(letters("!")) 1d20 1d70 \(letters("four")) "
            + "1d2f 152f"
        ), (3, "152c 1d2c"),
      ], .field2)
    #expect(two.channels == [.cc(3), .cc(4)])
    #expect(two.cues(of: .cc(3)).map(\.text) == ["three!"] && two.cues(of: .cc(4)).map(\.text) == ["four"])
  }

  @Test("Damaged characters become blocks, and damaged codes are ignored") func parity() {
    var data = CaptionData(timescale: 1)
    var all = pairs("1420 1420 1470 1470 \(letters("abcd")) 142f 142f")
    all[4].first ^= 0x80
    all[5].second ^= 0x80
    data.append(all, at: 1)
    data.end = 3
    #expect(data.cues(of: .cc(1)).map(\.text) == ["█b"])
  }

  @Test("Cues become captions that decode to the same cues", arguments: [1, 2, 3, 4])
  func encoding(channel: Int) {
    var cues = [
      Cue(start: 2002, end: 4004, text: "A line\nand <i>another one</i> with ♪ and é"),
      Cue(start: 5005, end: 6006, text: "<i>All</i> <u>or Ä</u> nothing — “quoted”"),
      Cue(start: 6006, end: 7007, text: "At once"), Cue(start: 7040, end: 9009, text: "&lt;soon&gt;"),
    ]
    cues[1].settings = "line:15.33%"
    cues[2].settings = "position:12.5% align:start"
    var encoder = CEA608Encoder(channel: channel)
    for cue in cues { encoder.add([cue], from: cue.startMilliseconds, to: cue.endMilliseconds) }
    encoder.finish()
    #expect(encoder.omittedCount == 0 && encoder.replacedCount == 0 && encoder.cutCount == 0)
    #expect(encoder.frames.map(\.index) == Set(encoder.frames.map(\.index)).sorted(), "one pair in a frame")
    var data = CaptionData(timescale: 30_000)
    for frame in encoder.frames { data.append([frame.pair], at: frame.index * 1001) }
    data.end = 60 * 30_000
    #expect(data.channels == [.cc(channel)])
    #expect(lines(data.cues(of: .cc(channel))) == lines(cues))
  }

  @Test("Texts without time to be sent are late or omitted; long ones are cut off") func lateTexts() {
    var encoder = CEA608Encoder(channel: 1)
    encoder.add([Cue(start: 0, end: 5000, text: "From the first frame on")], from: 0, to: 5000)
    encoder.add([Cue(start: 5000, end: 5100, text: "Short")], from: 5000, to: 5100)
    encoder.add([Cue(start: 5100, end: 5200, text: "Much too short")], from: 5100, to: 5200)
    encoder.add(
      [Cue(start: 9000, end: 9900, text: String(repeating: "x", count: 33) + "\n日本")], from: 9000, to: 9900)
    #expect(encoder.lateCount == 1 && encoder.longestDelay > 500 && encoder.omittedCount == 1)
    #expect(encoder.cutCount == 1 && encoder.replacedCount == 2)
  }

  // MARK: CEA-708

  /// A packet of service blocks, as pairs.
  private func packet(_ number: UInt8, _ blocks: [(service: UInt8, bytes: [UInt8])]) -> [CaptionPair] {
    var body: [UInt8] = []
    for (service, bytes) in blocks {
      body += service < 7 ? [service << 5 | UInt8(bytes.count)] : [0xe0 | UInt8(bytes.count), service]
      body += bytes
    }
    if body.count % 2 == 0 { body.append(0) }
    let header = number << 6 | UInt8((body.count + 1) / 2)
    let all = [header] + body
    return stride(from: 0, to: all.count, by: 2).map {
      CaptionPair($0 == 0 ? .packetStart : .packetData, all[$0], all[$0 + 1])
    }
  }
  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
  /// Defines a window of two rows at the bottom: hidden, or visible from the start.
  private func window(_ index: UInt8, visible: Bool = false, rows: UInt8 = 2, vertical: UInt8 = 74) -> [UInt8] {
    [0x98 | index, visible ? 0x20 : 0, vertical, 105, 7 << 4 | rows - 1, 31, 0x19]
  }

  @Test("Windows of services appear and disappear with their text") func windows() {
    var data = CaptionData(timescale: 1)
    let load = window(0) + [0x92, 0, 0] + text("Hello") + [0x92, 1, 2, 0x90, 0x05, 0x80] + text("again") + [3]
    data.append(packet(0, [(1, load), (9, window(1, visible: true) + text("Nine"))]), at: 1)
    data.append(packet(1, [(1, [0x89, 1])]), at: 2)
    data.append(packet(2, [(1, [0x8a, 1]), (9, [0x8c, 0xff])]), at: 4)
    data.append(packet(3, [(2, [0x20, 0x0d])]), at: 5)
    data.end = 10
    #expect(data.channels == [.service(1), .service(9)])
    #expect(lines(data.cues(of: .service(1))) == ["2000-4000 Hello\n<i>again</i>"])
    #expect(lines(data.cues(of: .service(9))) == ["1000-4000 Nine"])
    #expect(data.cues(of: .service(2)).isEmpty)
  }

  @Test("A carriage return in the last row scrolls; characters of all sets are read") func scrolling() {
    var data = CaptionData(timescale: 1)
    data.append(packet(0, [(1, window(2, visible: true, vertical: 10) + text("a") + [0x7f, 0xe9])]), at: 1)
    data.append(packet(1, [(1, [0x0d, 0x10, 0x39, 0x10, 0xa0, 0x18, 0x30, 0x42])]), at: 2)
    data.append(packet(2, [(1, [0x0d] + text("c\u{8}d"))]), at: 3)
    data.append(packet(3, [(1, [0x0e] + text("e") + [0x0c])]), at: 4)
    data.end = 10
    #expect(data.cues(of: .service(1)).map(\.text) == ["a♪é\n™🅭あ", "™🅭あ\nd"])
    #expect(data.cues(of: .service(1)).map(\.settings) == ["line:10%", "line:10%"])
  }

  @Test("A delay postpones codes; codes continue in the next block; unknown codes are skipped") func delays() {
    var data = CaptionData(timescale: 10)
    data.append(packet(0, [(1, window(0, visible: true) + [0x8d, 20] + text("late") + [0x10, 0x1f])]), at: 10)
    data.append(packet(1, [(1, [1, 2, 3, 0x93, 0x11, 0xff] + text("!"))]), at: 11)
    data.append(packet(2, [(1, [0x8f])]), at: 50)
    data.end = 100
    #expect(lines(data.cues(of: .service(1))) == ["3000-5000 late!"])
  }

  // MARK: Packets

  @Test("User data, messages, packets and samples contain the same pairs") func packets() {
    let pair = CaptionPair(.field1, 0x94, 0x20)
    let triplets: [UInt8] = [0xfc, 0x94, 0x20, 0xfd, 0x80, 0x80, 0xfa, 0, 0]
    let data: [UInt8] = [0x47, 0x41, 0x39, 0x34, 3, 0xc3, 0xff] + triplets + [0xff]
    #expect(CaptionPair.pairs(inUserData: data[...]) == [pair])
    #expect(CaptionPair.pairs(inMessage: ([0xb5, 0, 0x31] + data)[...]) == [pair])
    #expect(CaptionPair.pairs(inMessage: ([0xb5, 0, 0x2f] + data)[...]) == [])
    let packet: [UInt8] = [0x96, 0x69, 22, 0x4f, 0x43, 0, 1, 0x72, 0xe3] + triplets + [0x74, 0, 1, 0]
    #expect(CaptionPair.pairs(inPacket: packet[...]) == [pair])
    #expect(CaptionPair.pairs(inSample: ([0, 0, 0, 30] + text("ccdp") + packet)[...]) == [pair])
    let atoms: [UInt8] = [0, 0, 0, 10] + text("cdat") + [0x94, 0x20] + [0, 0, 0, 10] + text("cdt2") + [0x15, 0x2c]
    #expect(CaptionPair.pairs(inSample: atoms[...]) == [pair, CaptionPair(.field2, 0x15, 0x2c)])
    for count in data.indices { _ = CaptionPair.pairs(inUserData: data[..<count]) }
    for count in packet.indices { _ = CaptionPair.pairs(inPacket: packet[..<count]) }
    for count in atoms.indices { _ = CaptionPair.pairs(inSample: atoms[..<count]) }
  }

  @Test("Names of channels are those of HLS") func names() {
    #expect(CaptionChannel("cc3") == .cc(3) && CaptionChannel("SERVICE63") == .service(63))
    #expect(CaptionChannel("CC5") == nil && CaptionChannel("SERVICE0") == nil && CaptionChannel("SERVICE+1") == nil)
    #expect([CaptionChannel.service(2), .cc(4), .cc(1)].sorted().map(\.description) == ["CC1", "CC4", "SERVICE2"])
  }

  @Test("Any bytes can be decoded") func anyBytes() {
    var state: UInt64 = 1
    func byte() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    var data = CaptionData(timescale: 30)
    for time in 0..<20_000 {
      let kind = CaptionPair.Kind(rawValue: byte() & 3) ?? .field1
      // Few first bytes, so that there are many codes.
      let first = kind.rawValue < 2 ? (0x10 + byte() % 24).withOddParity : byte() % 4 == 0 ? 0x98 + byte() % 8 : byte()
      data.append([CaptionPair(kind, first, kind.rawValue < 2 ? byte().withOddParity : byte())], at: Int64(time))
    }
    data.end = 20_000
    for channel in data.channels { _ = data.cues(of: channel) }
  }
}
