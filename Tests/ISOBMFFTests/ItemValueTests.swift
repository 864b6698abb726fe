import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Values of items and their properties")
struct ItemValueTests {
  @Test("infe of all versions, with the fields of its type")
  func itemInformation() throws {
    let old = try decoded("00000000 0003 0001 6100 622f6300 677a697000", as: ItemInformationEntry.self)
    #expect((old.itemID, old.itemProtectionIndex, old.itemName) == (3, 1, "a"))
    #expect(old.contentType == "b/c" && old.contentEncoding == "gzip")
    let mime = try decoded("02000000 0004 0000 6d696d65 5800 622f6300", as: ItemInformationEntry.self)
    #expect(mime.itemType == "mime" && mime.contentType == "b/c" && mime.contentEncoding == nil)
    let uri = try decoded("02000000 0004 0000 75726920 00 753a6100", as: ItemInformationEntry.self)
    #expect(uri.itemURIType == "u:a" && uri.contentType == "")
    let wide = try decoded("03000001 00010000 0000 45786966 00", as: ItemInformationEntry.self)
    #expect(wide.itemID == 0x1_0000 && wide.itemType == "Exif" && wide.flags == 1)
  }

  @Test("The version of iref determines the width of item IDs in it")
  func references() throws {
    #expect(
      try values("iref", "00000000 00000010 64696d67 0001 0002 0002 0003") == [
        "from_item_ID = 1", "reference_count = 2", "to_item_ID:", "  2", "  3",
      ])
    // These bytes are also valid with 16-bit numbers: five references from item 5.
    #expect(
      try values("iref", "01000000 00000016 64696d67 00050005 0002 00000002 00000003") == [
        "from_item_ID = 327685", "reference_count = 2", "to_item_ID:", "  2", "  3",
      ])
  }

  @Test("ipma with indices of 7 and of 15 bits")
  func associations() throws {
    let narrow = try decoded("00000000 00000001 0001 02 81 02", as: ItemPropertyAssociationBox.self)
    #expect(narrow.entries[0].associations.map(\.propertyIndex) == [1, 2])
    #expect(narrow.entries[0].associations.map(\.isEssential) == [true, false])
    let wide = try decoded("01000001 00000001 00010002 02 8101 0002", as: ItemPropertyAssociationBox.self)
    #expect(wide.entries[0].itemID == 0x1_0002)
    #expect(wide.entries[0].associations.map(\.propertyIndex) == [257, 2])
  }

  @Test("irot, imir, a1lx and auxC")
  func properties() throws {
    #expect(try shown("irot", "07") == ["angle = 3"])
    #expect(try shown("imir", "01") == ["axis = 1"])
    let small = try defined("a1lx", in: "ipco", "00 0001 0002 0000")
    #expect((1...3).map { small["layer_size[\($0)]"] } == [1, 2, 0])
    let large = try defined("a1lx", in: "ipco", "01 00010000 00000002 00000000")
    #expect(large["large_size"] == 1 && (1...3).map { large["layer_size[\($0)]"] } == [0x1_0000, 2, 0])
    let auxiliary = try defined("auxC", in: "ipco", "00000000 753a6100 0102")
    #expect(auxiliary["aux_type"] == "u:a" && auxiliary["aux_subtype"] == .bytes([1, 2]))
  }

  @Test("The flags of cmin declare the number of fractional bits")
  func camera() throws {
    let lines = try shown("cmin", "00100801 00018000 00008000 00006000 00018100 ffffff00")
    #expect(lines[2...].first == "focal_length_x = 98304/2^8" && lines.last == "skew_factor = -256/2^16")
    #expect(
      try shown("cmex", "0000000a 00000005 4000 e000 0001").suffix(4) == [
        "pos_y = 5", "quat_x = 16384/2^14", "quat_y = -8192/2^14", "quat_z = 1/2^14",
      ])
  }

  @Test("iloc keeps the number of extents without bytes")
  func emptyExtents() throws {
    let box = try decoded("00000000 0040 0001 0001 0000 00000064 0003", as: ItemLocationBox.self)
    #expect(box.items[0].extents.isEmpty && box.items[0].emptyExtentCount == 3)
  }

  @Test("icef with each width of sizes")
  func compressedUnits() throws {
    for (code, size) in [("00", "10"), ("04", "0010"), ("08", "000010"), ("0c", "00000010")] {
      let box = try defined("icef", in: "ipco", "00000000 \(code) 00000001 \(size)")
      #expect(box["num_compressed_units"] == 1 && box["units[1].unit_size"] == 16)
      #expect(box["units[1].unit_offset"] == nil)
    }
    let wide = try defined("icef", in: "ipco", "00000000 90 00000001 0000000100000000 0000000200000000")
    #expect(wide["units[1].unit_offset"] == .unsigned(1 << 32) && wide["units[1].unit_size"] == .unsigned(2 << 32))
  }

  /// The fields of the box inside this one.
  private func values(_ type: String, _ hex: String) throws -> [String] {
    var parser = BoxParser(MemorySource(box(type, hexBytes(Array(hex.utf8)))), registry: .standard)
    _ = try parser.next()
    let node = try #require(try parser.next())
    let recorder = Recorder()
    if case .failure(let problem) = try parser.show(node, to: recorder) { Issue.record("\(problem)") }
    return recorder.lines.filter { !$0.hasPrefix("  - ") }
  }
}
