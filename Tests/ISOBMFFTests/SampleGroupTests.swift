import BoxDump
import Bytes
import ISOBMFF
import Support
import Testing

@Suite("Sample group descriptions")
struct SampleGroupTests {
  /// The fields of the first group in a vector, as dumped.
  private func lines(_ name: String) throws -> [String] {
    let dump = try dumpLines(vector(name), verbosity: 3).map { String($0.drop { $0 == " " }) }
    return Array(dump.drop { !$0.hasPrefix("(") })
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
    let points = try box.entries[0].decoded(as: OperatingPointsGroup.self)
    #expect(points.operatingPoints[0].maxPicWidth == 1280 && points.operatingPoints[0].rates.avgFrameRate == 6400)
    #expect(points.dependencies.map { Array($0.dependentOnLayerIDs) } == [[], [0]])
    #expect(points.dependencies.map { Array($0.dimensionIdentifiers) } == [[0], [1]])
  }

  @Test("VVC operating points have profile, tier and level for their temporal layers")
  func operatingPointsOfVVC() throws {
    let group = try lines("sgpd-vopi")
    #expect(group[0].hasSuffix("num_profile_tier_level_minus1 = 1"))
    #expect(group.contains { $0.contains("general_profile_idc = 17 (Multilayer Main 10)") })
    let box = try SampleGroupDescriptionBox(decoding: vector("sgpd-vopi").dropFirst(8))
    let points = try box.entries[0].decoded(as: VVCOperatingPointsGroup.self)
    #expect(points.profiles.map(\.maxTemporalID) == [0, 2] && points.olsModeIDC == 2)
    #expect(points.profiles[1].record.multiLayerEnabledFlag && points.profiles[1].record.sublayerLevelIDCs == [48])
    #expect(points.operatingPoints[0].layers.map(\.isOutputLayer) == [false, true])
    #expect(points.operatingPoints[0].rates.avgBitRate == 2_000_000)
    #expect(points.dependencies.map { Array($0.directRefLayerIDs) } == [[], [0]])
    #expect(points.dependencies.map(\.maxTidILRefPicsPlus1) == [0, 3])
    let independent = try box.entries[1].decoded(as: VVCOperatingPointsGroup.self)
    #expect(independent.eachLayerIsAnOLSFlag && independent.operatingPoints[0].rates.maxBitRate == nil)
    var damaged = box.entries[1]
    damaged.description[1] = 7
    #expect(throws: BoxError.self) { try damaged.decoded(as: VVCOperatingPointsGroup.self) }
  }

  @Test("The subpicture order declares the position of their IDs in either parameter set")
  func subpictureOrder() throws {
    let order = try SampleGroupDescriptionBox(decoding: vector("sgpd-spor").dropFirst(8))
    #expect(try order.entries[0].decoded(as: SubpictureOrderGroup.self).rewriting == nil)
    let picture = try #require(try order.entries[1].decoded(as: SubpictureOrderGroup.self).rewriting)
    #expect(picture.isInPPS && picture.parameterSetID == 5 && picture.startCodeEmulationFlag)
    #expect((picture.lengthMinus1, picture.bitPosition) == (7, 18))
    let regions = try SampleGroupDescriptionBox(decoding: vector("sgpd-rror").dropFirst(8))
    let first = try regions.entries[0].decoded(as: RectangularRegionOrderGroup.self)
    #expect(first.alternatives.map { Array($0.groupIDs) } == [[5, 6], [7]] && Array(first.regionIDs) == [1, 8, 2])
    let second = try regions.entries[1].decoded(as: RectangularRegionOrderGroup.self)
    #expect(second.rewriting?.isInPPS == false && second.rewriting?.parameterSetID == 9)
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
    let plain = try MVDDepthResolutionBox(decoding: vector("3dpr").dropFirst(8))
    #expect(plain.grid == nil)
    let laid = try MVDDepthResolutionBox(decoding: vector("3dpr-grid").dropFirst(8))
    #expect(laid.grid?.positions.map(\.viewID) == [1, 515] && laid.grid?.positions.map(\.x) == [-2, 4])
  }

  @Test("Subpicture track kinds have 16-bit numbers if there are more than 255")
  func subpictureKinds() throws {
    let narrow = try SubpictureMultipleGroupsBox(decoding: vector("amgl").dropFirst(8))
    #expect(narrow.subgroups.map(\.id) == [0, 1] && Array(narrow.numActiveTracks) == [3, 1])
    #expect(narrow.level.levelIDC == 51 && narrow.level.levelInfoEntityIdx == nil)
    let wide = try SubpictureMultipleGroupsBox(decoding: vector("amgl-wide").dropFirst(8))
    #expect(wide.subgroups.map(\.id) == [0, 255] && wide.numActiveTracks.count == 256)
    let dynamic = try SubpictureCommonGroupBox(decoding: vector("acgl-dynamic").dropFirst(8))
    #expect(dynamic.level.levelIDC == nil && dynamic.level.levelInfoEntityIdx == 1 && dynamic.numActiveTracks == 2)
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
