import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import Testing

@Suite("Box layouts")
struct LayoutTests {
  @Test("Fields that depend on flags name them, and flags have names")
  func flags() {
    let lines = TrackFragmentHeaderBox.layout().split(separator: "\n")
    #expect(
      lines.prefix(4) == [
        "tfhd  Track Fragment Header Box  (ISO/IEC 14496-12:2022, 8.8.7)",
        "  version                   uint(8)", "  flags                     uint(24)",
        "      0x1      base-data-offset-present",
      ])
    #expect(lines.contains("      0x20000  default-base-is-moof") && lines.last == "  in traf")
    #expect(lines.contains("  track_ID                  uint(32)"))
    #expect(lines.contains("  base_data_offset          uint(64)  when flags has 0x1"))
    #expect(lines.contains("  default_sample_flags      uint(32)  when flags has 0x20"))
  }

  @Test("Fields that differ between versions are explained")
  func versions() {
    #expect(
      EditListBox.layout() == """
        elst  Edit List Box  (ISO/IEC 14496-12:2022, 8.6.6)
          version                        uint(8)
          flags                          uint(24)
              0x1  RepeatEdits
          entry_count                    uint(32)
          entries[].edit_duration        uint(32)  uint(64) in version 1
          entries[].media_time           int(32)   int(64) in version 1
          entries[].media_rate_integer   int(16)
          entries[].media_rate_fraction  int(16)
          in edts

        """)
  }

  @Test("The field order is consistent with all versions, and fields name their versions")
  func orderOfVersions() {
    let layout = BoxLayout(BoxRegistry.standard.definition(of: "emsg", in: BoxContext())!)
    let fields = layout.fields.map { "\($0.description.name) \($0.conditions)" }
    #expect(
      fields == [
        "version ", "flags ", "scheme_id_uri ", "value ", "timescale ", "presentation_time from version 1 on",
        "presentation_time_delta in version 0", "event_duration ", "id ", "message_data ",
        "presentation_time_in_seconds ", "presentation_time_delta_in_seconds ", "event_duration_in_seconds ",
      ])
  }

  @Test("A table of plain values has one unnamed column")
  func plainTable() {
    #expect(
      SampleSizeBox.layout() == """
        stsz  Sample Size Box  (ISO/IEC 14496-12:2022, 8.7.3.2)
          version       uint(8)
          flags         uint(24)
          sample_size   uint(32)
          sample_count  uint(32)
          entry_size[]  uint(32)
          in stbl

        """)
  }

  /// The types of fields of a box, and their conditions.
  private func fields(_ type: FourCC, _ names: String...) throws -> [String] {
    let layout = BoxLayout(try #require(BoxRegistry.standard.definition(of: type, in: BoxContext())))
    return layout.fields.filter { names.contains($0.description.name) }
      .map { "\($0.description.typeAndWidth) \($0.conditions)" }
  }

  @Test("Widths and fields that depend on other fields name them")
  func otherFields() throws {
    let condition = "when default_isProtected is 1 and default_Per_Sample_IV_Size is 0"
    #expect(
      try fields("tenc", "default_KID", "default_constant_IV_size", "default_constant_IV")
        == ["bytes(128) ", "uint(8) \(condition)", "bytes(8 * default_constant_IV_size) \(condition)"])
    #expect(try fields("tfra", "entries[].traf_number") == ["uint(8 * (length_size_of_traf_num + 1)) "])
    #expect(try fields("tfra", "entries[].time") == ["uint(32) uint(64) in version 1"])
    #expect(try fields("stz2", "entry_size[]") == ["uint(field_size) "])
    let location = try fields("iloc", "items[].base_offset", "items[].extents[].extent_index")
    #expect(location == ["uint(8 * base_offset_size) ", "uint(8 * index_size) in version 1, in version 2"])
    #expect(try fields("pssh", "Data") == ["bytes "])
  }

  @Test("Widths that depend on flags are listed for each setting")
  func flaggedWidths() throws {
    #expect(try fields("ipma", "entries[].item_ID") == ["uint(16) uint(32) from version 1 on"])
    let property = try fields("ipma", "entries[].associations[].property_index")
    #expect(property == ["uint(7) uint(15) when flags has 0x1"])
    #expect(
      try fields("csgp", "patterns[].pattern_length") == [
        "uint(4) uint(8) when flags & 0x30 is 0x10, uint(16) when flags & 0x30 is 0x20, uint(32) when flags & 0x30 is "
          + "0x30"
      ])
    let pair = "sample_group_description_index[].sample_group_description_index"
    #expect(try fields("csgp", pair) == ["uint(4) unless flags has 0x1 or 0x2"])
    #expect(
      try fields("csgp", "sample_group_description_index[]") == [
        "uint(8) when flags & 0x3 is 0x1, uint(16) when flags & 0x3 is 0x2, uint(32) when flags & 0x3 is 0x3"
      ])
  }

  @Test("Nested descriptors and tables are listed with their names")
  func nested() {
    let esds = ESDescriptorBox.describe().map(\.name)
    #expect(esds.contains("ES_Descriptor.DecoderConfigDescriptor.DecoderSpecificInfo.specific_info"))
    let hvcC = HEVCConfigurationBox.describe().map(\.name)
    #expect(hvcC.suffix(2) == ["arrays[].nalUnits[].nalUnitLength", "arrays[].nalUnits[].nalUnit"])
    #expect(ColourInformationBox.describe().map(\.name).suffix(3) == ["full_range_flag", "reserved", "ICC_profile"])
  }

  @Test("Every known box has a layout with all fields of all versions", arguments: PayloadCase.all)
  func complete(_ box: PayloadCase) throws {
    let layout = BoxLayout(BoxDefinition(box.info, box.declaration))
    #expect(layout.hasFields)
    for version: UInt8 in 0...3 {
      for flags: UInt32 in [0, 1, 0xff_ffff] {
        let names = layout.fields.map(\.description.name)
        for field in box.declaration.describe(version: version, flags: flags) { #expect(names.contains(field.name)) }
      }
    }
    #expect(layout.text.hasSuffix("\n"))
  }
}
