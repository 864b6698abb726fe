import ISOBMFF
import Support
import Testing

@Suite("The text dump")
struct DumpTextTests {
  @Test("Damage in nested rows is shown after the readable fields, and the dump continues")
  func nestedDamage() throws {
    let samples = zeros(8) + big(UInt16(2)) + big(UInt16(5)) + big(UInt32(6)) + zeros(3)
    let file = fullBox("senc", flags: 2, big(UInt32(1)), samples) + box("free")
    #expect(
      try dumpLines(file, verbosity: 2) == [
        "[senc] size=12+23, flags=2",
        "  sample info count = 1",
        "  sample info entries:",
        "  !! InitializationVector at byte 16 cannot be read without the Per_Sample_IV_Size of tenc, as not exactly "
          + "one size fits",
        "[free] size=8+0",
      ])
    let levels = fullBox("ssix", big(UInt32(2)), big(UInt32(1)), big(UInt32(0x0100_0007)), big(UInt32(9)), zeros(4))
    #expect(
      try dumpLines(levels, verbosity: 2)
        == [
          "[ssix] size=8+24", "  subsegment_count = 2", "  subsegments:", "    (       0) range_count = 1",
          "      ranges:", "        (       0) level = 1, range_size = 7", "    (       1) range_count = 9",
          "  !! ranges at byte 28 counts 9 entries of 4 bytes but 4 bytes are left",
        ])
  }

  @Test("Damage in a descriptor is shown after the enclosing descriptors")
  func descriptorDamage() throws {
    let stream = [3, 25] + big(UInt16(1)) + [0] + [4, 20, 0x40, 0x15] + zeros(3) + big(UInt32(9))
    #expect(
      try dumpLines(fullBox("esds", stream)) == [
        "[esds] size=12+16", "  !! sizeOfInstance at byte 14 needs 25 bytes but 14 are left",
      ])
    let inner = [3, 14] + big(UInt16(1)) + [0] + [4, 9, 0x40, 0x15] + zeros(3) + big(UInt32(9))
    #expect(
      try dumpLines(fullBox("esds", inner)) == [
        "[esds] size=12+16", "  [ESDescriptor] size=2+14", "    es_id = 1", "    stream_priority = 0",
        "    [DecoderConfig] size=2+9", "      stream_type = 5", "      object_type = 64", "      up_stream = 0",
        "      buffer_size = 0", "      max_bitrate = 9",
        "  !! avgBitrate at byte 28 needs 4 bytes but 0 are left",
      ])
  }

  @Test("Each verbosity shows more, and the highest one everything with the standard's names")
  func verbosities() throws {
    let samples = big(UInt32(512)) + big(UInt32(7)) + big(UInt32(0x1010000))
    let run = fullBox("trun", flags: 0x701, big(UInt32(1)), big(Int32(100)), samples)
    let start = ["[trun] size=12+20, flags=701", "  sample count = 1", "  data offset = 100"]
    #expect(try dumpLines(run) == start)
    #expect(try dumpLines(run, verbosity: 1) == start + ["  entries:", "    (       0) d = 512, s = 7, f = 16842752"])
    let long = "    (       0) sample_duration = 512, sample_size = 7, sample_flags = 16842752"
    #expect(try dumpLines(run, verbosity: 2) == start + ["  entries:", long])
    let sync = fullBox("stss", big(UInt32(1)), big(UInt32(4)))
    #expect(try dumpLines(sync, verbosity: 1) == ["[stss] size=12+8", "  entry_count = 1"])
    #expect(
      try dumpLines(sync, verbosity: 2) == ["[stss] size=12+8", "  entry_count = 1", "  entries:", "    (       0) 4"])
    #expect(
      try dumpLines(sync, verbosity: 3) == [
        "[stss] size=12+8, offset=0", "  entry_count = 1", "  entries:", "    (       0) 4",
      ])
    let extended = fullBox("trex", zeros(20)) + fullBox("smhd", zeros(4), ascii("more"))
    #expect(
      try dumpLines(extended, verbosity: 3).suffix(3) == [
        "[smhd] size=12+8, offset=32", "  balance = 0", "  rest = [6d 6f 72 65]",
      ])
  }

  @Test("Text in a file cannot control a terminal")
  func controls() throws {
    let handler = fullBox("hdlr", zeros(4), ascii("vide"), zeros(12), ascii("a\u{1b}[2J\nb\u{7f}\0"))
    #expect(try dumpLines(handler) == ["[hdlr] size=12+29", "  handler_type = vide", "  handler_name = a.[2J.b."])
    #expect(try dumpLines(box("\u{1b}[2J")) == ["[.[2J] size=8+0"])
  }

  @Test("An ICC profile is not read as color codes")
  func profile() throws {
    let lines = ["[colr] size=8+8", "  Colour Parameter Type: = 1886547814"]
    #expect(try dumpLines(box("colr", ascii("prof"), ascii("abcd"))) == lines)
    #expect(
      try dumpLines(box("colr", ascii("prof"), ascii("abcd")), verbosity: 3) == [
        "[colr] size=8+8, offset=0", lines[1] + " (prof)", "  ICC_profile = [61 62 63 64]",
      ])
  }

  @Test("The highest verbosity shows the names of numbers")
  func meanings() throws {
    func time(_ seconds: UInt64) throws -> String? {
      try dumpLines(fullBox("mdhd", version: 1, big(seconds), zeros(20)), verbosity: 3)
        .first { $0.hasPrefix("  creation_time") }
    }
    #expect(try time(2_082_844_800) == "  creation_time = 2082844800 (1970-01-01T00:00:00Z)")
    #expect(try time(3_792_095_999) == "  creation_time = 3792095999 (2024-02-29T23:59:59Z)")
    #expect(try time(1) == "  creation_time = 1 (1904-01-01T00:00:01Z)")
    #expect(try time(255_485_145_599) == "  creation_time = 255485145599 (9999-12-31T23:59:59Z)")
    #expect(try time(255_485_145_600) == "  creation_time = 255485145600")
    #expect(try time(0) == "  creation_time = 0")
    let header = fullBox("tfhd", flags: 0x20020, big(UInt32(1)), big(UInt32(0x2800040)))
    #expect(
      try dumpLines(header, verbosity: 3) == [
        "[tfhd] size=12+8, flags=20020 (default-sample-flags-present, default-base-is-moof), offset=0",
        "  track ID = 1",
        "  default sample flags = 2800040 (depends on no other, no other depends on it, degradation priority 64)",
      ])
    let colour = box("colr", ascii("nclx"), [0, 9, 0, 16, 0, 99, 0x80])
    let lines = try dumpLines(colour, verbosity: 3)
    #expect(lines.contains { $0.hasSuffix(" = 9 (BT.2020)") } && lines.contains { $0.hasSuffix(" = 16 (PQ)") })
    #expect(lines.contains { $0.hasSuffix(" = 99") })
    let system: [UInt8] = [
      0xed, 0xef, 0x8b, 0xa9, 0x79, 0xd6, 0x4a, 0xce, 0xa3, 0xc8, 0x27, 0xdc, 0xd5, 0x1d, 0x21, 0xed,
    ]
    #expect(
      try dumpLines(fullBox("pssh", system, zeros(4)), verbosity: 3).contains("  => system_name = Widevine"))
  }
}
