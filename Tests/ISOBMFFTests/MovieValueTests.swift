import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values of movie boxes")
struct MovieValueTests {
  @Test("mvhd of both versions")
  func movieHeader() throws {
    let tail = """
      00018000 0180 0000 0000000000000000 \
      00010000 00000001 00000002 00000003 00010004 00000005 00000006 00000007 40000008 \
      000000000000000000000000000000000000000000000000 00000009
      """
    let narrow = try decoded("00000000 00000001 00000002 00000003 00000004" + tail, as: MovieHeaderBox.self)
    let wide = try decoded(
      "01000000 0000000100000001 0000000200000002 00000003 0000000400000004" + tail, as: MovieHeaderBox.self)
    #expect((narrow.creationTime, narrow.modificationTime, narrow.timescale, narrow.duration) == (1, 2, 3, 4))
    #expect(wide.creationTime == 0x1_0000_0001 && wide.modificationTime == 0x2_0000_0002)
    #expect(wide.timescale == 3 && wide.duration == 0x4_0000_0004)
    for header in [narrow, wide] {
      #expect((header.rate, header.volume, header.nextTrackID) == (0x1_8000, 0x180, 9))
      #expect(header.matrix.values == [0x1_0000, 1, 2, 3, 0x1_0004, 5, 6, 7, 0x4000_0008])
      #expect(header.reserved.isEmpty)
    }
  }

  @Test("tkhd, including the contents of reserved fields")
  func trackHeader() throws {
    let header = try decoded(
      """
      00000003 00000001 00000002 00000003 0000000a 00000004 0000000b 0000000c fffe 0005 0100 000d \
      00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000 02800000 01680000
      """, as: TrackHeaderBox.self)
    #expect(header.flags == 3)
    #expect((header.creationTime, header.modificationTime, header.trackID, header.duration) == (1, 2, 3, 4))
    #expect((header.layer, header.alternateGroup, header.volume) == (-2, 5, 0x100))
    #expect((header.width, header.height) == (640 << 16, 360 << 16))
    #expect(header.matrix == .identity)
    #expect(!header.reserved.isEmpty)
  }

  @Test("elst of both versions")
  func editList() throws {
    let narrow = try decoded(
      "00000000 00000002 00000064 ffffffff 00010000 000000c8 00000400 00020003", as: EditListBox.self)
    #expect(narrow.entries.count == 2)
    #expect(narrow.entries[0] == EditListBox.Entry(segmentDuration: 100, mediaTime: -1))
    #expect((narrow.entries[1].segmentDuration, narrow.entries[1].mediaTime) == (200, 1024))
    #expect((narrow.entries[1].mediaRateInteger, narrow.entries[1].mediaRateFraction) == (2, 3))
    let wide = try decoded(
      "01000000 00000001 0000000100000064 ffffffffffffffff 00010000", as: EditListBox.self)
    #expect(wide.entries.last == EditListBox.Entry(segmentDuration: 0x1_0000_0064, mediaTime: -1))
  }

  @Test("mdhd, hdlr and elng")
  func media() throws {
    let header = try decoded("00000000 00000001 00000002 0000bb80 00000004 15c7 0000", as: MediaHeaderBox.self)
    #expect((header.timescale, header.duration, header.language) == (48000, 4, "eng"))
    let handler = try decoded("00000000 00000000 736f756e 000000000000000000000000 416200", as: HandlerBox.self)
    #expect(handler.handlerType == "soun" && handler.name == "Ab")
    let counted = try decoded("00000000 6d686c72 76696465 000000000000000000000000 024162", as: HandlerBox.self)
    #expect(counted.preDefined == "mhlr" && counted.name == BoxString([0x41, 0x62], form: .counted))
    #expect(try decoded("00000000 656e2d555300", as: ExtendedLanguageBox.self).extendedLanguage == "en-US")
    let plain = try decoded("656e00", as: ExtendedLanguageBox.self)
    #expect(plain.extendedLanguage == "en" && plain.header == nil)
  }

  @Test("ftyp, tref, dref and its entries")
  func small() throws {
    let type = try decoded("6d703432 00000001 69736f6d 61766331", as: FileTypeBox.self)
    #expect(type.majorBrand == "mp42" && type.minorVersion == 1)
    #expect(Array(type.compatibleBrands) == ["isom", "avc1"])
    #expect(Array(try decoded("00000003 00000007", as: TrackReferenceTypeBox.self).trackIDs) == [3, 7])
    #expect(try decoded("00000001", as: DataEntryURLBox.self).location == nil)
    #expect(try decoded("00000000 6100", as: DataEntryURLBox.self).location == "a")
    let name = try defined("urn ", in: "dref", "00000000 6100 6200")
    #expect(name["name"] == "a" && name["location"] == "b")
    #expect(try defined("urn ", in: "dref", "00000001")["name"] == nil)
  }

  @Test("The dump of tkhd uses the standard's names")
  func shownTrackHeader() throws {
    let lines = try shown(
      "tkhd",
      """
      00000003 00000001 00000002 00000003 00000000 00000004 0000000000000000 fffe 0005 0100 0000 \
      00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000 02800000 01680000
      """)
    #expect(
      lines == [
        "version = 0", "flags = 0x3", "creation_time = 1", "modification_time = 2", "track_ID = 3", "duration = 4",
        "layer = -2", "alternate_group = 5", "volume = 256/2^8",
        "matrix_a = 65536/2^16", "matrix_b = 0/2^16", "matrix_u = 0/2^30",
        "matrix_c = 0/2^16", "matrix_d = 65536/2^16", "matrix_v = 0/2^30",
        "matrix_x = 0/2^16", "matrix_y = 0/2^16", "matrix_w = 1073741824/2^30", "rotation = 0",
        "width = 41943040/2^16", "height = 23592960/2^16",
      ])
  }
}
