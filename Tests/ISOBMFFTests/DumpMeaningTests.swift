import ISOBMFF
import MP4FileIO
import Support
import Testing

@Suite("Explanations of values in dumps")
struct DumpMeaningTests {
  /// The lines of the contents of a box, without indentation.
  private func lines(_ bytes: [UInt8], verbosity: Int = 3) throws -> [String] {
    try dumpLines(bytes, verbosity: verbosity).dropFirst().map { String($0.drop { $0 == " " }) }
  }

  /// A box whose type begins with the copyright sign.
  private static func named(_ letters: String, _ payload: [UInt8]) -> [UInt8] {
    big(UInt32(8 + payload.count)) + [0xa9] + ascii(letters) + payload
  }

  @Test("QuickTime languages have names next to their numbers, which mp4dump reads as letters")
  func languages() throws {
    func language(_ number: UInt16, _ verbosity: Int) throws -> String? {
      try lines(fullBox("mdhd", zeros(16), big(number), zeros(2)), verbosity: verbosity)
        .first { $0.hasPrefix("language") }
    }
    #expect(try language(0, 2) == "language = ```" && language(0, 3) == "language = 0 (English)")
    #expect(try language(33, 3) == "language = 33 (Simplified Chinese)" && language(0x7fff, 3) == "language = und")
    #expect(try language(0x15c7, 3) == "language = eng" && language(999, 3) == "language = 999")
    let json = String(decoding: try dumpJSON(fullBox("mdhd", zeros(16), [0, 11, 0, 0])), as: UTF8.self)
    #expect(json.contains(#""language":"11","language_name":"Japanese""#))
    let name = Self.named("nam", big(UInt16(2)) + big(UInt16(1)) + ascii("ab"))
    #expect(
      try lines(box("udta", name)).contains("(       0) text_size = 2, language = 1 (French), text = ab"))
  }

  @Test("Sample flags in rows are shown by name, including the numbers in them")
  func sampleFlags() throws {
    let run = fullBox("trun", flags: 0x400, big(UInt32(1)), big(UInt32(0x0106_0007)))
    #expect(
      try lines(run).contains(
        "(       0) sample_flags = 0x1060007 (depends on others, padding 3, degradation priority 7)")
    )
    #expect(try lines(run, verbosity: 2).contains("(       0) sample_flags = 17170439"))
    let names = #"["depends on others","padding 3","degradation priority 7"]"#
    #expect(
      String(decoding: try dumpJSON(run), as: UTF8.self).contains(
        #""sample_flags":17170439,"sample_flags_names":"# + names))
  }

  @Test("A matrix that only rotates shows its angle; another one does not")
  func rotation() throws {
    func rotation(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) throws -> String? {
      let matrix = [a, b, 0, c, d, 0, 7, 9, 0x4000_0000].flatMap { big($0) }
      let header = fullBox("tkhd", zeros(20), zeros(16), matrix, zeros(8))
      return try lines(header).first { $0.hasPrefix("=> rotation") }
    }
    #expect(try rotation(0x1_0000, 0, 0, 0x1_0000) == "=> rotation = 0")
    #expect(try rotation(0, -0x1_0000, 0x1_0000, 0) == "=> rotation = 270")
    // Cosine and sine of 30, 45, 359.5 and 123.45 degrees as 16.16 numbers, and a matrix that halves the picture.
    #expect(try rotation(56756, 32768, -32768, 56756) == "=> rotation = 30")
    #expect(try rotation(23170, 23170, -23170, 23170) == "=> rotation = 45")
    #expect(try rotation(65534, -572, 572, 65534) == "=> rotation = 359.5")
    #expect(try rotation(-36123, 54681, -54681, -36123) == "=> rotation = 123.45")
    #expect(try rotation(-0x1_0000, 0, 0, 0x1_0000) == nil, "mirrored")
    #expect(try rotation(0x1_0000, 0, 0, 0x2_0000) == nil && rotation(0, 0, 0, 0) == nil)
    #expect(try rotation(.min, 0, 0, .min) == "=> rotation = 180")
  }

  @Test("Metadata values have the names of types, items, genres and languages, once each")
  func metadata() throws {
    func data(_ type: UInt32, _ locale: UInt32, _ value: [UInt8]) -> [UInt8] {
      box("data", big(type), big(locale), value)
    }
    let items =
      box("stik", data(21, 0, [10])) + box("gnre", data(0, 0, [0, 18])) + box("rtng", data(0, 0, [2]))
      + Self.named("nam", data(2, 0x5553_15c7, [0xfe, 0xff, 0, 0x41, 0xd8, 0x3d, 0xde, 0]))
    let found = try lines(box("ilst", items))
    #expect(
      found.filter { $0.hasPrefix("type = ") }.map { $0.dropFirst(7) } == [
        "21 (signed)", "0 (of the item)", "0 (of the item)", "2 (UTF-16)",
      ])
    for line in [
      "value = 10 (TV show)", "genre = 18 (Rock)", "unsigned_value = 2 (clean)", "utf16_value = A😀",
      "country = 21843 (US)", "language = 5575 (eng)",
    ] { #expect(found.contains(line), "\(line)") }
    #expect(try lines(data(0x100_0001, 0, [1])).prefix(1) == ["type = 16777217"])
    #expect(
      try lines(data(70, 0, big(Float(1.5).bitPattern) + big(Float(-2).bitPattern))).suffix(2) == [
        "(       0) 1.5", "(       1) -2.0",
      ])
  }

  @Test("A profile that mp4dump names also has its number, and others have our name")
  func profiles() throws {
    func profile(_ number: UInt8) throws -> String? {
      try lines(box("avcC", [1, number, 0, 30, 0xff, 0xe0, 0])).first { $0.hasPrefix("Profile = ") }
    }
    #expect(try profile(77) == "Profile = Main (77)" && profile(244) == "Profile = 244 (High 4:4:4 Predictive)")
    #expect(try profile(99) == "Profile = 99")
  }

  @Test("An unused half byte is not a sample size")
  func halfBytes() throws {
    #expect(
      try lines(vector("stz2-4-padded"), verbosity: 2) == [
        "field_size = 4", "sample_count = 3", "entries:", "(       0) 1", "(       1) 2", "(       2) 3",
      ])
    #expect(String(decoding: try dumpJSON(vector("stz2-4-padded")), as: UTF8.self).contains(#""entry_size":[1,2,3]}"#))
    let cut = fullBox("stz2", big(UInt32(4)), big(UInt32.max), [0x12])
    #expect(try lines(cut).last?.hasPrefix("!! entry_size at byte 20 counts 2147483648 entries") == true)
  }

  @Test("elng is read as a full box if it has version and flags")
  func extendedLanguage() throws {
    let json = try JSONValue(dumpJSON(vector("elng")))[0]
    #expect(json?["version"]?.number == "0" && json?["fields"]?["version"] == nil)
    #expect(json?["fields"]?["extended_language"]?.string == "de-AT")
    let short = try JSONValue(dumpJSON(box("elng", ascii("de"), [0])))[0]
    #expect(short?["version"] == nil && short?["fields"]?["extended_language"]?.string == "de")
  }
}
