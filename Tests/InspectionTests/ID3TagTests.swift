import Support
import Testing

@testable import MP4Inspection

@Suite("ID3 tags")
struct ID3TagTests {
  private func syncsafe(_ size: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7f) } }
  private func frame(_ id: String, _ data: [UInt8], flags: UInt8 = 0, version: UInt8 = 4) -> [UInt8] {
    ascii(id) + (version == 4 ? syncsafe(data.count) : big(UInt32(data.count))) + [0, flags] + data
  }
  private func tag(_ frames: [UInt8]..., version: UInt8 = 4, flags: UInt8 = 0) -> [UInt8] {
    let body = frames.flatMap { $0 }
    return ascii("ID3") + [version, 0, flags] + syncsafe(body.count) + body
  }
  private func details(_ bytes: [UInt8]) -> [String] {
    ID3Tag.tags(in: bytes[...]).tags.flatMap(\.details).map { "\($0.name)|\($0.label ?? "")|\($0.value)" }
  }

  @Test(
    "Texts in the four encodings",
    arguments: [
      ([0] + [0xc4, 0x62], "Äb"), ([1, 0xff, 0xfe, 0xc4, 0, 0x62, 0], "Äb"), ([1, 0xfe, 0xff, 0, 0xc4], "Ä"),
      ([2, 0, 0xc4, 0, 0x62], "Äb"), ([3] + Array("Äb".utf8), "Äb"), ([3] + ascii("a\0b\0"), "a / b"), ([3], ""),
      ([], ""),
      ([1, 0xff], ""),
    ] as [([UInt8], String)])
  func encodings(data: [UInt8], text: String) {
    for version: UInt8 in [3, 4] {
      #expect(details(tag(frame("TIT2", data, version: version), version: version)) == ["TIT2|Title|\(text)"])
    }
  }

  @Test("Frames with owners, descriptions, URLs and pictures")
  func frames() {
    let time = frame(
      "PRIV", ascii("com.apple.streaming.transportStreamTimestamp\0") + big(UInt64(1 << 33 | 900_000)))
    let own = frame("PRIV", ascii("a.example\0") + [1, 2, 0xff])
    let user = frame("TXXX", [3] + ascii("key\0value"))
    let wide = frame("TXXX", [1, 0xff, 0xfe, 0x6b, 0, 0, 0, 0xff, 0xfe, 0x76, 0])
    let address = frame("WXXX", [3] + ascii("page\0https://a.example/"))
    let artist = frame("WOAR", ascii("https://b.example/"))
    let identifier = frame("UFID", ascii("c.example\0") + ascii("42"))
    let picture = frame("APIC", [3] + ascii("image/png\0") + [3] + ascii("cover\0") + zeros(5))
    let comment = frame("COMM", [0] + ascii("eng") + ascii("\0good"))
    let other = frame("ZZZZ", [0xab])
    #expect(
      details(tag(time, own, user, wide, address, artist, identifier, picture, comment, other)) == [
        "PRIV|Private|com.apple.streaming.transportStreamTimestamp: 10.000 s", "PRIV|Private|a.example: 0102ff",
        "TXXX|User text|key: value", "TXXX|User text|k: v", "WXXX|User URL|page: https://a.example/",
        "WOAR|Artist page|https://b.example/", "UFID|Unique file identifier|c.example: \"42\"",
        "APIC|Attached picture|front cover, image/png, 5 bytes: cover", "COMM|Comment|eng : good", "ZZZZ||ab",
      ])
  }

  @Test("Version 2.2 has frames with three letters")
  func older() {
    func frame(_ id: String, _ data: [UInt8]) -> [UInt8] {
      ascii(id) + big(UInt32(data.count)).dropFirst() + data
    }
    let picture = frame("PIC", [0] + ascii("PNG") + [3] + ascii("cover\0") + zeros(5))
    let comment = frame("COM", [0] + ascii("eng") + ascii("\0good"))
    let user = frame("TXX", [0] + ascii("key\0value"))
    let all = tag(frame("TT2", [0] + ascii("a")), frame("TP1", [0] + ascii("b")), picture, comment, user, version: 2)
    #expect(
      details(all) == [
        "TT2|Title|a", "TP1|Artist|b", "PIC|Attached picture|front cover, PNG, 5 bytes: cover",
        "COM|Comment|eng : good",
        "TXX|User text|key: value",
      ])
    let tags = ID3Tag.tags(in: all[...]).tags
    #expect(
      tags.map(\.summary) == [
        "ID3v2.2: Title a, Artist b, Attached picture front cover, PNG, 5 bytes: cover and 2 more"
      ])
    #expect(tags.allSatisfy { $0.isComplete })
    #expect(
      ID3Tag.tags(in: tag(frame("TT2", [0, 0x61]), version: 2, flags: 0x40)[...]).tags.first?.isComplete == false)
  }

  @Test("Unsynchronisation, extended headers, data lengths, padding, sizes of eight bits, and several tags")
  func structure() {
    let text: [UInt8] = [0, 0xff, 0, 0xe0]
    let plain = [frame("TIT2", text, flags: 2), frame("TIT2", zeros(4) + [3, 0x61], flags: 1)].flatMap { $0 }
    #expect(details(tag(plain + zeros(20))) == ["TIT2|Title|ÿà", "TIT2|Title|a"])
    let whole = frame("TIT2", [0, 0xff, 0xe0], version: 3)
    #expect(details(tag(whole.dropLast() + [0, 0xe0], version: 3, flags: 0x80)) == ["TIT2|Title|ÿà"])
    #expect(details(tag(big(UInt32(6)), zeros(6), whole, version: 3, flags: 0x40)) == ["TIT2|Title|ÿà"])
    #expect(details(tag([0, 0, 0, 6, 1, 0], frame("TIT2", [3, 0x61]), flags: 0x40)) == ["TIT2|Title|a"])
    let long = ascii("TIT2") + big(UInt32(200)) + zeros(2) + [3] + ascii(String(repeating: "x", count: 199))
    #expect(details(tag(long)).first?.utf8.count == 11 + 199)
    let (tags, rest) = ID3Tag.tags(in: (tag(frame("TIT2", [3, 0x61])) + tag(frame("TPE1", [3, 0x62])) + [7])[...])
    #expect(tags.map(\.summary) == ["ID3v2.4: Title a", "ID3v2.4: Artist b"] && rest == [7])
    #expect(tags.allSatisfy { $0.isComplete })
  }

  @Test("Damaged or truncated tags do not trap and count as incomplete")
  func damage() {
    let bytes = tag(frame("TIT2", [1, 0xff, 0xfe, 0x61, 0]), frame("APIC", [3] + ascii("image/png\0") + [3, 0, 1]))
    for count in 0..<bytes.count {
      #expect(ID3Tag.tags(in: bytes.prefix(count)).tags.allSatisfy { !$0.isComplete && $0.summary != "" })
    }
    var random = SplitMix64(seed: 1)
    for _ in 0..<5000 {
      var changed = bytes
      for _ in 0..<3 { changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next()) }
      for tag in ID3Tag.tags(in: changed[...]).tags { #expect(tag.details.count == tag.frames.count) }
    }
    #expect(ID3Tag.tags(in: ascii("ID3\u{1}\0\0\0\0\0\0")[...]).tags.isEmpty)
  }
}
