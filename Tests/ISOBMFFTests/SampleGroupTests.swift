import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Sample group descriptions")
struct SampleGroupTests {
  /// The fields of the first group in a vector, as dumped.
  private func lines(_ name: String) throws -> [String] {
    let dump = try dumpLines(vector(name), verbosity: 3).map { String($0.drop { $0 == " " }) }
    return Array(dump.drop { !$0.hasPrefix("(") })
  }

  /// The fields of the description of a group of this kind.
  private func group(_ kind: FourCC, _ entry: SampleGroupDescriptionBox.Entry) throws -> any BoxPayload {
    let declaration = try #require(BoxRegistry.standard.group(kind))
    return try #require(declaration.decoded(entry.description[...], context: BoxContext())).payload
  }

  @Test("The tiers of SVC and MVC are shown with their boxes")
  func tiers() throws {
    let scalable = try lines("sgpd-scif")
    #expect(scalable[0].hasSuffix("is_tl_switching_point = 1, tl_switching_distance = 4"))
    #expect(scalable[1] == "boxes:")
    #expect(scalable[2].hasPrefix("(       0) box_type = tiri, box_size = 21, tierID = 1, profileIndication = 83"))
    let views = try lines("sgpd-mvif")
    #expect(
      views.contains(
        "(       0) box_type = vwid, box_size = 21, version = 0, flags = 0x0, min_temporal_id = 0, max_temporal_id = "
          + "4, num_views = 1"
      ))
    #expect(views.last == "(       1) box_type = svpr, box_size = 10, min_priorityId = 1, max_priorityId = 5")
    let other = try lines("sgpd-scif-other")
    #expect(other.count == 1 && other[0].contains("groupID = 2, primary_groupID = 1"))
  }

  private func descriptions(_ kind: String, _ entries: [UInt8]...) -> [UInt8] {
    fullBox(
      "sgpd", version: 1, ascii(kind), big(UInt32(0)), big(UInt32(entries.count)),
      entries.flatMap { big(UInt32($0.count)) + $0 })
  }

  @Test(
    "A description that is too short, or too long for its fields, is damage; later ones are shown",
    arguments: [
      ("roll", [1], "roll_distance at byte 28 needs 2 bytes but 1 is left"),
      ("roll", [0, 1, 2, 3], "description at byte 30 has 2 bytes after its fields"),
      ("refs", [0, 0, 0, 1, 2, 0, 0, 0, 3], "direct_reference_sample_id at byte 33 counts 2 entries of 4 bytes but 4"),
    ] as [(String, [UInt8], String)])
  func damagedDescription(kind: String, entry: [UInt8], message: String) throws {
    let good: [UInt8] = kind == "roll" ? [0xff, 0xff] : [0, 0, 0, 7, 1, 0, 0, 0, 9]
    let bytes = descriptions(kind, entry, good)
    let lines = try dumpLines(bytes, verbosity: 3).map { String($0.drop { $0 == " " }) }
    #expect(lines.last?.hasPrefix("!! \(message)") == true)
    #expect(lines.contains { $0.hasPrefix("(       1) description_length = \(good.count), ") })
    #expect(try dumpLines(bytes).last?.hasPrefix("  !! ") == true)
    let json = String(decoding: try dumpJSON(bytes), as: UTF8.self)
    #expect(json.contains("\"error\":{\"field\":\""))
    // The row after the damaged one still belongs to the table.
    #expect(
      json.contains(
        kind == "roll"
          ? "{\"description_length\":2,\"description\":\"ffff\",\"roll_distance\":-1}]"
          : "\"sample_id\":7,\"num_direct_reference_samples\":1,\"direct_reference_sample_id\":[9]}]"))
    var dump = BoxDump(MemorySource(bytes))
    #expect(try dump.run(to: TextSink(MemorySink())).problems == 1)
  }

  @Test("An incomplete box in a tier is damage and part of the description's bytes")
  func damagedTier() throws {
    var bytes = vector("sgpd-scif")
    bytes[bytes.count - 18] = 0xff
    let dump = try dumpLines(bytes, verbosity: 3).map { String($0.drop { $0 == " " }) }
    #expect(dump.suffix(2).first == "boxes:" && !dump.contains { $0.contains("tiri,") })
    #expect(dump.last?.hasPrefix("!! size at byte ") == true && dump.last?.hasSuffix(" that are not a box") == true)
  }

  @Test("Operating points of L-HEVC have their layers, rates and dependencies")
  func operatingPoints() throws {
    let group = try lines("sgpd-oinf")
    #expect(group[0].hasSuffix("scalability_mask = 0x2 (view), num_profile_tier_level = 1"))
    #expect(group.contains("(       1) ptl_idx = 1, layer_id = 1, is_outputlayer = 1, is_alternate_outputlayer = 0"))
    #expect(group.contains("maxBitRate = 3000000") && group.contains("constantFrameRate = 1 (constant)"))
    let box = try SampleGroupDescriptionBox(decoding: vector("sgpd-oinf").dropFirst(8))
    let points = try self.group("oinf", box.entries[0])
    #expect(points["operating_points[1].maxPicWidth"] == 1280 && points["operating_points[1].avgFrameRate"] == 6400)
    #expect(points["layers[1].num_layers_dependent_on"] == 0 && points["layers[2].dependent_on_layerID[1]"] == 0)
    #expect(points["layers[1].dimension_identifier[1]"] == 0 && points["layers[2].dimension_identifier[1]"] == 1)
    #expect(points["layers[2].dimension_identifier[2]"] == nil)
  }

  @Test("VVC operating points have profile, tier and level for their temporal layers")
  func operatingPointsOfVVC() throws {
    let group = try lines("sgpd-vopi")
    #expect(group[0].hasSuffix("num_profile_tier_level_minus1 = 1"))
    #expect(group.contains { $0.contains("general_profile_idc = 17 (Multilayer Main 10)") })
    let box = try SampleGroupDescriptionBox(decoding: vector("sgpd-vopi").dropFirst(8))
    let points = try self.group("vopi", box.entries[0])
    #expect((1...2).map { points["ptl[\($0)].ptl_max_temporal_id"] } == [0, 2] && points["ols_mode_idc"] == 2)
    #expect(points["ptl[2].ptl_multi_layer_enabled_flag"] == 1 && points["ptl[2].sublayer_level_idc"] == .bytes([48]))
    #expect((1...2).map { points["operating_points[1].layers[\($0)].is_outputlayer"] } == [0, 1])
    #expect(points["operating_points[1].avgBitRate"] == 2_000_000)
    #expect(points["layers[1].num_direct_ref_layers"] == 0 && points["layers[2].direct_ref_layerID[1]"] == 0)
    #expect((1...2).map { points["layers[\($0)].max_tid_il_ref_pics_plus1"] } == [0, 3])
    let independent = try self.group("vopi", box.entries[1])
    #expect(independent["each_layer_is_an_ols_flag"] == 1 && independent["operating_points[1].maxBitRate"] == nil)
    var damaged = box.entries[1]
    damaged.description[1] = 7
    let vopi = try #require(BoxRegistry.standard.group("vopi"))
    #expect(vopi.decoded(damaged.description[...], context: BoxContext()) == nil)
  }

  @Test("The subpicture order declares the position of their IDs in either parameter set")
  func subpictureOrder() throws {
    let order = try SampleGroupDescriptionBox(decoding: vector("sgpd-spor").dropFirst(8))
    #expect(try group("spor", order.entries[0])["pps_sps_subpic_id_flag"] == nil)
    let picture = try group("spor", order.entries[1])
    #expect(picture["pps_id"] == 5 && picture["sps_id"] == nil && picture["start_code_emul_flag"] == 1)
    #expect(picture["subpic_id_len_minus1"] == 7 && picture["subpic_id_bit_pos"] == 18)
    let regions = try SampleGroupDescriptionBox(decoding: vector("sgpd-rror").dropFirst(8))
    let first = try group("rror", regions.entries[0])
    #expect((1...2).map { first["alternate_region_sets[1].groupID[\($0)]"] } == [5, 6])
    #expect(first["alternate_region_sets[2].groupID[1]"] == 7)
    #expect((1...3).map { first["region_id[\($0)]"] } == [1, 8, 2])
    let second = try group("rror", regions.entries[1])
    #expect(second["pps_id"] == nil && second["sps_id"] == 9)
    #expect(try lines("sgpd-rror").last == "sps_id = 9")
  }

  @Test("Rectangular regions and view priorities have the names of the standard")
  func regionsAndViews() throws {
    let regions = try lines("sgpd-trif")
    #expect(regions[0].hasSuffix("groupID = 1, rect_region_flag = 0"))
    #expect(regions.contains { $0.hasSuffix("dependency_rect_region_count = 1") })
    let views = try lines("sgpd-vipr")
    #expect(views.contains("(       0) box_type = vipr, box_size = 20"))
    #expect(views.last == "(       1) view_id = 512, content_priority_id = 9")
  }

  @Test("An MVC+depth configuration has the MVC record, and a box about the depth pictures after it")
  func depth() throws {
    let lines = try dumpLines(vector("mvdC"), verbosity: 3).map { String($0.drop { $0 == " " }) }
    #expect(lines.contains("AVCProfileIndication = 138 (Multiview Depth High)"))
    #expect(lines.contains("[3dpr] size=8+4, offset=24") && lines.last == "depth_height = 360")
    #expect(try defined("3dpr", in: "mvdC", Array(vector("3dpr").dropFirst(8)))["depth_hor_rsh"] == nil)
    let laid = try defined("3dpr", in: "mvdC", Array(vector("3dpr-grid").dropFirst(8)))
    #expect((1...2).map { laid["grid_positions[\($0)].grid_pos_view_id"] } == [1, 515])
    #expect((1...2).map { laid["grid_positions[\($0)].grid_pos_x"] } == [.signed(-2), .signed(4)])
  }

  @Test("Subpicture track kinds have 16-bit numbers if there are more than 255")
  func subpictureKinds() throws {
    let narrow = try defined("amgl", in: "grpl", Array(vector("amgl").dropFirst(8)))
    #expect((1...2).map { narrow["track_subgroup_id[\($0)]"] } == [0, 1])
    #expect((1...2).map { narrow["num_active_tracks[\($0)]"] } == [3, 1])
    #expect(narrow["level_idc"] == 51 && narrow["level_info_entity_idx"] == nil)
    let wide = try defined("amgl", in: "grpl", Array(vector("amgl-wide").dropFirst(8)))
    #expect((1...2).map { wide["track_subgroup_id[\($0)]"] } == [0, 255] && wide["num_subgroup_ids"] == 256)
    let dynamic = try defined("acgl", in: "grpl", Array(vector("acgl-dynamic").dropFirst(8)))
    #expect(dynamic["level_idc"] == nil && dynamic["level_info_entity_idx"] == 1 && dynamic["num_active_tracks"] == 2)
  }

  @Test("The channel count of mix coefficients is the one that fills the box")
  func downmix() throws {
    let one = try DownMixInstructionsBox(decoding: vector("dmix-v0").dropFirst(8))
    #expect(one.instructions.map(\.coefficients) == [[0x0f, 0x0f, 0xf0, 0xf0, 0x33, 0x44]])
    let two = try DownMixInstructionsBox(decoding: vector("dmix-v1").dropFirst(8))
    #expect(two.instructions.map(\.isInStream) == [true, false])
    #expect(two.instructions.map(\.coefficients.count) == [0, 5])
  }
}
