import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values of metadata and vendor boxes")
struct MetadataValueTests {
  @Test(
    "The type determines how a value is read",
    arguments: [
      ("00000001 00000000 4c616b65", MetadataValue.text(BoxString(Array("Lake".utf8), form: .unterminated))),
      ("00000015 00000000 ff", .signed(-1, bits: 8)), ("00000015 00000000 ff85", .signed(-123, bits: 16)),
      ("00000041 00000000 80", .signed(-128, bits: 8)),
      ("0000004a 00000000 ffffffff00000000", .signed(-1 << 32, bits: 64)),
      ("00000016 00000000 fffffe", .unsigned(0xff_fffe, bits: 24)),
      ("0000004e 00000000 ffffffffffffffff", .unsigned(.max, bits: 64)),
      ("00000017 00000000 3fc00000", .single(1.5)), ("00000018 00000000 3fb999999999999a", .double(0.1)),
      ("0000000d 00000000 ffd8", .picture([0xff, 0xd8])), ("00000000 00000000 0102", .bytes([1, 2])),
      // Another type set, and a size that the type cannot have.
      ("01000001 00000000 41", .bytes([0x41])), ("00000015 00000000 010203", .bytes([1, 2, 3])),
    ])
  func types(_ hex: String, _ value: MetadataValue) throws {
    #expect(try decoded(hex, as: MetadataDataBox.self).value == value)
  }

  @Test("Without a type, the item determines how a value is read")
  func items() throws {
    func value(_ hex: String, in item: FourCC) throws -> MetadataValue {
      try decoded("00000000 00000000" + hex, as: MetadataDataBox.self, context: BoxContext(parent: item)).value
    }
    #expect(try value("0000 0003 000c 0000", in: "trkn") == .place(3, of: 12, before: 0, after: 0, size: 8))
    #expect(try value("0000 0001 0002", in: "disk") == .place(1, of: 2, before: 0, after: 0, size: 6))
    #expect(try value("0012", in: "gnre") == .genre(18))
    #expect(try value("8950", in: "covr") == .picture([0x89, 0x50]))
    #expect(try value("0012", in: "trkn") == .bytes([0, 18]))
  }

  @Test("Item names are unterminated texts")
  func names() throws {
    let place = BoxContext(parent: "----")
    #expect(try shown("name", "00000000 6954", in: place) == ["version = 0", "flags = 0x0", "value = \"iT\""])
    #expect(try shown("mean", "00000000", in: place).last == "value = \"\"")
  }

  @Test("3GPP texts in UTF-8 and in UTF-16")
  func assets() throws {
    let text = try defined("titl", in: "udta", "00000000 15c7 4c616b6500")
    #expect(text["language"] == .language(0x15c7) && text["value"] == "Lake")
    let wide = try defined("titl", in: "udta", "00000000 15c7 feff004c0000")
    #expect(wide["value"] == .text(BoxString([0xfe, 0xff, 0, 0x4c, 0, 0], form: .unterminated)))
    #expect(try defined("albm", in: "udta", "00000000 15c7 6100 07")["TrackNumber"] == 7)
    #expect(try defined("albm", in: "udta", "00000000 15c7 6100")["TrackNumber"] == nil)
    let place = try defined("loci", in: "udta", "00000000 15c7 4100 01 00098000 ffd04000 00010000 00 00")
    #expect(place["Role"]?.number == 1 && place["Longitude"] == .fixed(raw: 0x98000, fractionBits: 16))
    #expect(place["Latitude"] == .fixed(raw: -0x2fc000, fractionBits: 16))
    #expect(place["Altitude"] == .fixed(raw: 0x10000, fractionBits: 16))
  }

  @Test("tfxd and tfrf of both versions")
  func smooth() throws {
    let time = "6d1d9b0542d544e680e2141daff757b2"
    #expect(
      try shown("uuid", time + "01000000 0000000100000000 0000000000000002") == [
        "version = 1", "flags = 0x0", "fragment_absolute_time = 4294967296", "fragment_duration = 2",
      ])
    let next = "d4807ef2ca3946958e5426cb9e46a79f"
    #expect(
      try shown("uuid", next + "00000000 02 00000001 00000002 00000003 00000004") == [
        "version = 0", "flags = 0x0", "fragment_count = 2", "fragments:",
        "  - 0", "  fragment_absolute_time = 1", "  fragment_duration = 2",
        "  - 1", "  fragment_absolute_time = 3", "  fragment_duration = 4",
      ])
  }

  @Test("A JUMBF description has the fields that its toggles declare")
  func jumbf() throws {
    let type = String(repeating: "11", count: 16)
    #expect(try defined("jumd", in: "jumb", type + "00")["LABEL"] == nil)
    let labelled = try defined("jumd", in: "jumb", type + "07 6100 00000005")
    #expect(labelled["LABEL"] == "a" && labelled["ID"] == 5)
  }
}
