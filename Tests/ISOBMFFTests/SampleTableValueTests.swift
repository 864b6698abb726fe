import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values of sample table boxes")
struct SampleTableValueTests {
  @Test("stts, ctts, cslg, stss and sdtp")
  func times() throws {
    let times = try decoded("00000000 00000002 00000003 00000400 00000001 00000200", as: TimeToSampleBox.self)
    #expect(
      Array(times.entries) == [
        .init(sampleCount: 3, sampleDelta: 1024), .init(sampleCount: 1, sampleDelta: 512),
      ])
    let offsets = try decoded("01000000 00000001 00000005 fffffe00", as: CompositionOffsetBox.self)
    #expect(Array(offsets.entries) == [.init(sampleCount: 5, sampleOffset: -512)])
    let shift = try decoded("00000000 00000001 fffffffe 00000003 fffffffc 00000005", as: CompositionToDecodeBox.self)
    #expect(shift.compositionToDTSShift == 1 && shift.leastDecodeToDisplayDelta == -2)
    #expect(shift.greatestDecodeToDisplayDelta == 3 && shift.compositionStartTime == -4)
    #expect(shift.compositionEndTime == 5)
    #expect(Array(try decoded("00000000 00000002 00000001 0000001f", as: SyncSampleBox.self).sampleNumbers) == [1, 31])
    let dependencies = try decoded("00000000 1b e4", as: SampleDependencyTypeBox.self)
    let entry = dependencies.entries[1]
    #expect((entry.isLeading, entry.dependsOn, entry.isDependedOn, entry.hasRedundancy) == (3, 2, 1, 0))
    #expect(dependencies.entries[0].hasRedundancy == 3)
  }

  @Test("stsz, and stz2 of every width")
  func sizes() throws {
    let sizes = try decoded("00000000 00000000 00000002 00000009 00000008", as: SampleSizeBox.self)
    #expect(sizes.sampleSize == 0 && sizes.sampleCount == 2 && Array(sizes.sizes) == [9, 8])
    let same = try decoded("00000000 00000009 00000002", as: SampleSizeBox.self)
    #expect(same.sampleSize == 9 && same.sampleCount == 2 && same.sizes.isEmpty)
    let four = try decoded("00000000 000000 04 00000003 12 30", as: CompactSampleSizeBox.self)
    #expect((0..<3).map { four[$0] } == [1, 2, 3])
    let eight = try decoded("00000000 000000 08 00000002 12 30", as: CompactSampleSizeBox.self)
    #expect((0..<2).map { eight[$0] } == [0x12, 0x30])
    let sixteen = try decoded("00000000 000000 10 00000002 1234 5678", as: CompactSampleSizeBox.self)
    #expect((0..<2).map { sixteen[$0] } == [0x1234, 0x5678])
    #expect(throws: BoxError(.invalid(5, possible: "4, 8 or 16"), field: "field_size", offset: 12)) {
      try decoded("00000000 000000 05 00000000", as: CompactSampleSizeBox.self)
    }
  }

  @Test("stsc, stco and co64")
  func chunks() throws {
    let runs = try decoded("00000000 00000001 00000001 00000002 00000003", as: SampleToChunkBox.self)
    #expect(runs.entries.last == .init(firstChunk: 1, samplesPerChunk: 2, sampleDescriptionIndex: 3))
    #expect(Array(try decoded("00000000 00000002 00000030 ffffffff", as: ChunkOffsetBox.self).offsets) == [48, .max])
    let large = try decoded("00000000 00000001 0000000100000002", as: ChunkLargeOffsetBox.self)
    #expect(Array(large.offsets) == [0x1_0000_0002])
  }

  @Test("sbgp of both versions")
  func sampleToGroup() throws {
    let groups = try decoded("00000000 726f6c6c 00000001 00000004 00010001", as: SampleToGroupBox.self)
    #expect(groups.groupingType == "roll")
    #expect(Array(groups.entries) == [.init(sampleCount: 4, groupDescriptionIndex: 0x1_0001)])
    let parameter = try decoded("01000000 726f6c6c 00000007 00000000", as: SampleToGroupBox.self)
    #expect(parameter.groupingTypeParameter == 7 && parameter.entries.isEmpty)
  }

  @Test("csgp with fields of every width")
  func compactSampleToGroup() throws {
    let four = try decoded("00000000 74736320 00000002 38 24 12 31 20", as: CompactSampleToGroupBox.self)
    #expect(Array(four.patterns) == [.init(patternLength: 3, sampleCount: 8), .init(patternLength: 2, sampleCount: 4)])
    #expect((0..<5).map { four[$0] } == [1, 2, 3, 1, 2])
    let eight = try decoded("00000055 726f6c6c 00000007 00000001 02 64 00 01", as: CompactSampleToGroupBox.self)
    #expect(eight.groupingTypeParameter == 7 && (0..<2).map { eight[$0] } == [0, 1])
    #expect(Array(eight.patterns) == [.init(patternLength: 2, sampleCount: 100)] && !eight.marksOwnDescriptions)
    let sixteen = try decoded("000000aa 73656967 00000001 0001 0100 8001", as: CompactSampleToGroupBox.self)
    #expect(sixteen.marksOwnDescriptions && sixteen.indexWidth == 16 && sixteen[0] == 0x8001)
    let wide = try decoded("0000001f 72617020 00000001 01 00010000 00010001", as: CompactSampleToGroupBox.self)
    #expect(Array(wide.patterns) == [.init(patternLength: 1, sampleCount: 65536)] && wide[0] == 0x1_0001)
  }

  @Test("csgp with more indices than bytes, or with half bytes between its patterns, is an error")
  func wrongCompactSampleToGroup() {
    #expect(
      throws: BoxError(
        .countTooLarge(0x1_fffe, entrySize: 2, left: 2), field: "sample_group_description_index", offset: 20)
    ) {
      try decoded("0000002a 726f6c6c 00000002 ffff ffff ffff 0001 0001", as: CompactSampleToGroupBox.self)
    }
    #expect(throws: BoxError.self) {
      try decoded("00000010 726f6c6c 00000001 0111 1000", as: CompactSampleToGroupBox.self)
    }
  }

  @Test("sgpd of all versions, with and without explicit lengths")
  func groupDescriptions() throws {
    let old = try decoded("00000000 726f6c6c 00000002 ffff 0001", as: SampleGroupDescriptionBox.self)
    #expect(old.entries.map(\.description) == [[0xff, 0xff], [0, 1]])
    let fixed = try decoded("01000000 726f6c6c 00000002 00000001 ffff", as: SampleGroupDescriptionBox.self)
    #expect(fixed.defaultLength == 2 && fixed.entries.map(\.description) == [[0xff, 0xff]])
    let own = try decoded(
      "01000000 73656967 00000000 00000002 00000001 aa 00000002 bbcc", as: SampleGroupDescriptionBox.self)
    #expect(own.defaultLength == 0 && own.entries.map(\.description) == [[0xaa], [0xbb, 0xcc]])
    let index = try decoded("02000000 726f6c6c 00000001 00000005 00000001 aa", as: SampleGroupDescriptionBox.self)
    #expect(index.defaultGroupDescriptionIndex == 5 && index.entries.map(\.description) == [[0xaa]])
  }

  @Test("subs of both versions")
  func subsamples() throws {
    let narrow = try decoded("00000000 00000001 00000002 0001 0003 04 05 00000006", as: SubSampleInformationBox.self)
    let wide = try decoded("01000000 00000001 00000002 0001 00000003 04 05 00000006", as: SubSampleInformationBox.self)
    for box in [narrow, wide] {
      let part = try #require(box.entries.first?.subsamples.last)
      #expect(box.entries[0].sampleDelta == 2 && part.size == 3 && part.priority == 4 && part.discardable == 5)
      #expect(part.codecSpecificParameters == 6)
    }
  }

  @Test("saiz and saio, with and without a type, narrow and wide")
  func auxiliaryInformation() throws {
    let typed = try decoded(
      "00000001 63656e63 00000007 00 00000002 0908", as: SampleAuxiliaryInformationSizesBox.self)
    #expect(typed.auxInfoType == "cenc" && typed.auxInfoTypeParameter == 7 && Array(typed.sampleInfoSizes) == [9, 8])
    let same = try decoded("00000000 08 00000002", as: SampleAuxiliaryInformationSizesBox.self)
    #expect(same.defaultSampleInfoSize == 8 && same.sampleCount == 2 && same.sampleInfoSizes.isEmpty)
    let narrow = try decoded(
      "00000001 63626373 00000007 00000002 00000009 00000008", as: SampleAuxiliaryInformationOffsetsBox.self)
    #expect(narrow.auxInfoType == "cbcs" && narrow.auxInfoTypeParameter == 7 && Array(narrow.offsets) == [9, 8])
    let wide = try decoded("01000000 00000001 0000000100000009", as: SampleAuxiliaryInformationOffsetsBox.self)
    #expect(Array(wide.offsets) == [0x1_0000_0009])
  }
}
