import Testing

@testable import TimedText

@Suite("Text encodings")
struct TextEncodingTests {
  /// The CRC-32 of a text in UTF-8, like `zlib.crc32` in Python.
  private func digest(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    }
  }

  @Test(
    "The characters of single-byte encodings equal those of Python's codecs",
    arguments: [
      ("iso-8859-1", 0x4486_f469),
      ("iso-8859-2", 0xb549_0d47),
      ("iso-8859-3", 0xa154_616c),
      ("iso-8859-4", 0x8ff1_dfaa),
      ("iso-8859-5", 0xd17d_b169),
      ("iso-8859-6", 0xa2ec_efd1),
      ("iso-8859-7", 0xe231_8c2c),
      ("iso-8859-8", 0x421a_deab),
      ("iso-8859-9", 0x98e3_57b4),
      ("iso-8859-10", 0x5c63_0293),
      ("iso-8859-11", 0xf4aa_59fa),
      ("iso-8859-13", 0x9ed6_1713),
      ("iso-8859-14", 0x086c_469c),
      ("iso-8859-15", 0x3562_6d1f),
      ("iso-8859-16", 0x3f05_9c3a),
      ("windows-1250", 0x5567_e217),
      ("windows-1251", 0x649c_67fb),
      ("windows-1252", 0x86d8_5756),
      ("windows-1253", 0x114f_b233),
      ("windows-1254", 0x8bca_901e),
      ("windows-1255", 0x0f21_ce8a),
      ("windows-1256", 0xd709_6196),
      ("windows-1257", 0x9712_94b5),
      ("windows-1258", 0x53ef_a5bc),
    ] as [(String, UInt32)])
  func singleBytes(name: String, expected: UInt32) throws {
    let encoding = try #require(TextEncoding(named: name))
    let first: UInt8 = name.hasPrefix("windows") ? 0x80 : 0xa0
    #expect(digest(encoding.decoded(Array(first...0xff)[...]).bytes) == expected)
    let ascii = Array(0..<0x80 as Range<UInt8>)
    #expect(encoding.decoded(ascii[...]).bytes == ascii)
    #expect(encoding.decoded([0x61, 0xc3, 0xa9]).replaced.allSatisfy { $0 == 1 || $0 > 1 })
  }

  @Test("The characters of Shift JIS equal those of Python's cp932, except user-defined ones")
  func shiftJIS() throws {
    let encoding = try #require(TextEncoding(named: "Shift_JIS"))
    var (text, count): ([UInt8], Int) = ([], 0)
    for first in Array(0x81...0x9f as ClosedRange<UInt8>) + Array(0xe0...0xfc) {
      for second in 0x40...0xfc as ClosedRange<UInt8> where second != 0x7f {
        let pair = encoding.decoded([first, second])
        guard pair.replaced.isEmpty else { continue }
        text += pair.bytes
        count += 1
      }
    }
    text += encoding.decoded(Array(0xa1...0xdf)[...]).bytes
    #expect(count == 7724 && digest(text) == 0xa3d0_46a1)
    // An invalid second byte is read on its own, so that no line is joined with the next.
    let bad = encoding.decoded([0x81, 0x0a, 0x80, 0x41, 0x82])
    #expect(String(decoding: bad.bytes, as: UTF8.self) == "\u{fffd}\n\u{fffd}A\u{fffd}" && bad.replaced.count == 3)
  }

  @Test("UTF-16 is read in both byte orders; unpaired surrogates and single bytes are replaced")
  func utf16() throws {
    let text = "a\u{feff}é日😀"
    let (little, big) = (try #require(TextEncoding(named: "utf-16le")), try #require(TextEncoding(named: "UTF-16BE")))
    #expect(little.decoded(text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }[...]).bytes == Array(text.utf8))
    #expect(big.decoded(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }[...]).bytes == Array(text.utf8))
    let bad = big.decoded([0xd8, 0, 0, 0x61, 0xdc, 0, 0xd8, 0, 0xd8, 0, 0x62])
    #expect(String(decoding: bad.bytes, as: UTF8.self) == "\u{fffd}a\u{fffd}\u{fffd}\u{fffd}")
    #expect(bad.replaced.count == 4)
  }

  @Test(
    "An encoding has several names, and unknown names are refused",
    arguments: [
      ("UTF8", "utf-8"), ("Shift-JIS", "shift_jis"), ("sjis", "shift_jis"), ("CP932", "shift_jis"),
      ("latin1", "iso-8859-1"), ("Latin-9", "iso-8859-15"), ("ISO_8859-2", "iso-8859-2"), ("cp1251", "windows-1251"),
      ("ISO8859-5", "iso-8859-5"), ("koi8-r", nil), ("iso-8859-12", nil), ("windows-31", nil), ("cp437", nil),
      ("", nil),
    ] as [(String, String?)])
  func names(name: String, expected: String?) { #expect(TextEncoding(named: name)?.name == expected) }

  @Test("Invalid UTF-8 is an error with its line unless an encoding is given, in both formats")
  func errors() throws {
    let texts = ["WEBVTT\n\n00:01.000 --> 00:02.000\ncaf\u{1}\n", "1\n00:00:01,000 --> 00:00:02,000\ncaf\u{1}\n"]
    for (text, line) in zip(texts, [4, 3]) {
      let bytes = text.utf8.map { $0 == 1 ? 0xe9 : $0 }
      let error = #expect(throws: TimedTextError.self) { try WebVTTDocument(bytes, isSubRip: nil) }
      #expect(error == TimedTextError(.notUTF8, line: line))
      #expect(throws: TimedTextError.self) { try WebVTTDocument([0xef, 0xbb, 0xbf] + bytes, isSubRip: nil) }
      let known = try WebVTTDocument(bytes, isSubRip: nil, encoding: TextEncoding(named: "iso-8859-1"))
      #expect(known.cues.map(\.text) == ["café"] && known.findings.isEmpty)
      // If UTF-8 is given explicitly, invalid bytes are replaced.
      let damaged = try WebVTTDocument(bytes, isSubRip: nil, encoding: .utf8)
      #expect(damaged.cues.map(\.text) == ["caf\u{fffd}"])
      #expect(damaged.findings == [TextFinding(.noCharacter(encoding: "utf-8"), line: line)])
      #expect(damaged.findings.allSatisfy { $0.isLoss })
      // A byte order mark takes precedence over the given encoding.
      let units = [0xfeff] + text.utf16
      let wide = units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
      let marked = try WebVTTDocument(wide, isSubRip: nil, encoding: TextEncoding(named: "shift_jis"))
      #expect(marked.cues.map(\.text) == ["caf\u{1}"])
      #expect(throws: TimedTextError(.noByteOrderMark, line: 1)) {
        try WebVTTDocument(Array(wide.dropFirst(2)), isSubRip: nil, encoding: TextEncoding(named: "utf-16"))
      }
    }
  }
}
