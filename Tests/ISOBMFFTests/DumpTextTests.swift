import ISOBMFF
import Support
import Testing

@Suite("The text dump")
struct DumpTextTests {
  @Test("Damage in the rows of rows is shown after what could be read, and the dump goes on")
  func nestedDamage() throws {
    let samples = zeros(8) + big(UInt16(2)) + big(UInt16(5)) + big(UInt32(6)) + zeros(3)
    let file = fullBox("senc", flags: 2, big(UInt32(1)), samples) + box("free")
    #expect(
      try dumpLines(file, verbosity: 2) == [
        "[senc] size=12+23, flags=2",
        "  sample info count = 1",
        "  sample info entries:",
        "  !! InitializationVector at byte 16 cannot be read without the Per_Sample_IV_Size of tenc, as no size fits",
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

  @Test("Damage in a descriptor is shown after the descriptors around it")
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

  @Test("Each verbosity shows more, and the last everything by the names of the standard")
  func verbosities() throws {
    let samples = big(UInt32(512)) + big(UInt32(7)) + big(UInt32(0x1010000))
    let run = fullBox("trun", flags: 0x701, big(UInt32(1)), big(Int32(100)), samples)
    let start = ["[trun] size=12+20, flags=701", "  sample count = 1", "  data offset = 100"]
    #expect(try dumpLines(run) == start)
    #expect(try dumpLines(run, verbosity: 1) == start + ["  entries:", "    (       0) d = 512, s = 7, f = 16842752"])
    let long = "    (       0) sample_duration = 512, sample_size = 7, sample_flags = 16842752"
    #expect(try dumpLines(run, verbosity: 2) == start + ["  entries:", long])
    let sync = fullBox("stss", big(UInt32(1)), big(UInt32(4)))
    #expect(try dumpLines(sync, verbosity: 2) == ["[stss] size=12+8", "  entry_count = 1"])
    #expect(
      try dumpLines(sync, verbosity: 3) == ["[stss] size=12+8", "  entry_count = 1", "  entries:", "    (       0) 4"])
    let extended = fullBox("trex", zeros(20)) + fullBox("smhd", zeros(4), ascii("more"))
    #expect(
      try dumpLines(extended, verbosity: 3).suffix(3) == [
        "[smhd] size=12+8", "  balance = 0", "  rest = [6d 6f 72 65]",
      ])
  }

  @Test("Text of a file cannot control a terminal")
  func controls() throws {
    let handler = fullBox("hdlr", zeros(4), ascii("vide"), zeros(12), ascii("a\u{1b}[2J\nb\u{7f}\0"))
    #expect(try dumpLines(handler) == ["[hdlr] size=12+29", "  handler_type = vide", "  handler_name = a.[2J.b."])
    #expect(try dumpLines(box("\u{1b}[2J")) == ["[.[2J] size=8+0"])
  }

  @Test("An ICC profile is not taken for numbers of colours")
  func profile() throws {
    let lines = ["[colr] size=8+8", "  Colour Parameter Type: = 1886547814"]
    #expect(try dumpLines(box("colr", ascii("prof"), ascii("abcd"))) == lines)
    #expect(
      try dumpLines(box("colr", ascii("prof"), ascii("abcd")), verbosity: 3) == lines + [
        "  ICC_profile = [61 62 63 64]"
      ])
  }
}
