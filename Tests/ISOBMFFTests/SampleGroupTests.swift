import ISOBMFF
import Support
import Testing

@Suite("What sample groups say")
struct SampleGroupTests {
  /// The fields of the first group in a vector, as the dump has them.
  private func lines(_ name: String) throws -> [String] {
    let dump = try dumpLines(vector(name), verbosity: 3).map { String($0.drop { $0 == " " }) }
    return Array(dump.drop { !$0.hasPrefix("(") })
  }

  @Test("The tiers of SVC and MVC are shown with the boxes in them")
  func tiers() throws {
    let scalable = try lines("sgpd-scif")
    #expect(scalable[0].hasSuffix("is_tl_switching_point = 1, tl_switching_distance = 4"))
    #expect(scalable[1] == "boxes:")
    #expect(scalable[2].hasPrefix("(       0) box_type = tiri, box_size = 21, tierID = 1, profileIndication = 83"))
    let views = try lines("sgpd-mvif")
    #expect(
      views.contains(
        "(       0) box_type = vwid, box_size = 21, version = 0, flags = 0x0, min_temporal_id = 0, max_temporal_id = 4, num_views = 1"
      ))
    #expect(views.last == "(       1) box_type = svpr, box_size = 10, min_priorityId = 1, max_priorityId = 5")
    let other = try lines("sgpd-scif-other")
    #expect(other.count == 1 && other[0].contains("groupID = 2, primary_groupID = 1"))
  }

  @Test("A box in a tier that is cut off is left to the bytes of the description")
  func damagedTier() throws {
    var bytes = vector("sgpd-scif")
    bytes[bytes.count - 18] = 0xff
    let dump = try dumpLines(bytes, verbosity: 3).map { String($0.drop { $0 == " " }) }
    #expect(dump.last == "boxes:" && !dump.contains { $0.contains("tiri,") })
  }

  @Test("Operating points of L-HEVC have their layers, rates and dependencies")
  func operatingPoints() throws {
    let group = try lines("sgpd-oinf")
    #expect(group[0].hasSuffix("scalability_mask = 0x2 (view), num_profile_tier_level = 1"))
    #expect(group.contains("(       1) ptl_idx = 1, layer_id = 1, is_outputlayer = 1, is_alternate_outputlayer = 0"))
    #expect(group.contains("maxBitRate = 3000000") && group.contains("constantFrameRate = 1 (constant)"))
    let box = try SampleGroupDescriptionBox(decoding: vector("sgpd-oinf").dropFirst(8))
    let points = try box.entries[0].decoded(as: OperatingPointsGroup.self)
    #expect(points.operatingPoints[0].maxPicWidth == 1280 && points.operatingPoints[0].avgFrameRate == 6400)
    #expect(points.dependencies.map { Array($0.dependentOnLayerIDs) } == [[], [0]])
    #expect(points.dependencies.map { Array($0.dimensionIdentifiers) } == [[0], [1]])
  }

  @Test("The coefficients of mixes are told apart by the number of channels with which they fill the box")
  func downmix() throws {
    let one = try DownMixInstructionsBox(decoding: vector("dmix-v0").dropFirst(8))
    #expect(one.instructions.map(\.coefficients) == [[0x0f, 0x0f, 0xf0, 0xf0, 0x33, 0x44]])
    let two = try DownMixInstructionsBox(decoding: vector("dmix-v1").dropFirst(8))
    #expect(two.instructions.map(\.isInStream) == [true, false])
    #expect(two.instructions.map(\.coefficients.count) == [0, 5])
  }
}
