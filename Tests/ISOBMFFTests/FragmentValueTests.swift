import ISOBMFF
import Support
import Testing

@Suite("Values of fragment and segment boxes")
struct FragmentValueTests {
  @Test("mehd, trex, mfhd and tfdt")
  func headers() throws {
    #expect(try decoded("01000000 0000000100000002", as: MovieExtendsHeaderBox.self).fragmentDuration == 0x1_0000_0002)
    #expect(try decoded("00000000 00000002", as: MovieExtendsHeaderBox.self).fragmentDuration == 2)
    let defaults = try decoded("00000000 00000001 00000002 00000003 00000004 00000005", as: TrackExtendsBox.self)
    #expect((defaults.trackID, defaults.defaultSampleDescriptionIndex) == (1, 2))
    #expect(defaults.defaultSampleDuration == 3 && defaults.defaultSampleSize == 4)
    #expect(defaults.defaultSampleFlags == 5)
    #expect(try decoded("00000000 00000007", as: MovieFragmentHeaderBox.self).sequenceNumber == 7)
    #expect(try decoded("00000000 00000007", as: TrackFragmentDecodeTimeBox.self).baseMediaDecodeTime == 7)
    let wide = try decoded("01000000 0000000100000007", as: TrackFragmentDecodeTimeBox.self)
    #expect(wide.baseMediaDecodeTime == 0x1_0000_0007)
  }

  @Test("tfhd with all fields, and with some")
  func fragmentHeader() throws {
    let all = try decoded(
      "0000003b 00000001 0000000000000002 00000003 00000004 00000005 00000006", as: TrackFragmentHeaderBox.self)
    #expect((all.trackID, all.baseDataOffset, all.sampleDescriptionIndex) == (1, 2, 3))
    #expect((all.defaultSampleDuration, all.defaultSampleSize, all.defaultSampleFlags) == (4, 5, 6))
    let some = try decoded("00020028 00000001 00000004 00000006", as: TrackFragmentHeaderBox.self)
    #expect((some.defaultSampleDuration, some.defaultSampleSize, some.defaultSampleFlags) == (4, nil, 6))
  }

  @Test("trun with all fields, and its dump")
  func run() throws {
    let hex = """
      01000f05 00000002 00000010 00000020 \
      00000001 00000002 00000003 fffffffc 00000005 00000006 00000007 00000008
      """
    let run = try decoded(hex, as: TrackRunBox.self)
    #expect((run.sampleCount, run.dataOffset, run.firstSampleFlags) == (2, 16, 32))
    let sample = run.samples[0]
    #expect((sample.duration, sample.size, sample.flags, sample.compositionTimeOffset) == (1, 2, 3, -4))
    #expect(
      try shown("trun", hex) == [
        "version = 1", "flags = 0xf05", "sample_count = 2", "data_offset = 16", "first_sample_flags = 0x20",
        "samples:",
        "  - 0", "  sample_duration = 1", "  sample_size = 2", "  sample_flags = 0x3",
        "  sample_composition_time_offset = -4",
        "  - 1", "  sample_duration = 5", "  sample_size = 6", "  sample_flags = 0x7",
        "  sample_composition_time_offset = 8", "duration = 6",
      ])
    let sizes = try decoded("00000200 00000002 00000009 00000008", as: TrackRunBox.self)
    #expect(sizes.samples.map(\.size) == [9, 8])
  }

  @Test("tfra with numbers of every width, and mfro")
  func randomAccess() throws {
    let mixed = try decoded(
      "00000000 00000001 0000001b 00000001 00000002 00000003 0004 000005 00000006",
      as: TrackFragmentRandomAccessBox.self)
    #expect((mixed.lengthSizeOfTrafNum, mixed.lengthSizeOfTrunNum, mixed.lengthSizeOfSampleNum) == (1, 2, 3))
    let entry = mixed.entries[0]
    #expect((entry.time, entry.moofOffset) == (2, 3))
    #expect((entry.trafNumber, entry.trunNumber, entry.sampleDelta) == (4, 5, 6))
    let wide = try decoded(
      "01000000 00000007 00000000 00000001 0000000100000002 0000000100000003 04 05 06",
      as: TrackFragmentRandomAccessBox.self)
    #expect(wide.trackID == 7 && wide.entries[0].time == 0x1_0000_0002 && wide.entries[0].trunNumber == 5)
    #expect(try decoded("00000000 00000043", as: MovieFragmentRandomAccessOffsetBox.self).parentSize == 67)
  }

  @Test("sidx of both versions, and ssix")
  func index() throws {
    let reference = "80000005 00000006 a0000007"
    let narrow = try decoded(
      "00000000 00000001 00000002 00000003 00000004 0000 0001" + reference, as: SegmentIndexBox.self)
    #expect((narrow.referenceID, narrow.timescale) == (1, 2))
    #expect((narrow.earliestPresentationTime, narrow.firstOffset) == (3, 4))
    let part = narrow.references[0]
    #expect((part.referenceType, part.referencedSize, part.subsegmentDuration) == (1, 5, 6))
    #expect(part.startsWithSAP && part.sapType == 2 && part.sapDeltaTime == 7)
    let wide = try decoded(
      "01000000 00000001 00000002 0000000100000003 0000000100000004 0000 0001" + reference, as: SegmentIndexBox.self)
    #expect((wide.earliestPresentationTime, wide.firstOffset) == (0x1_0000_0003, 0x1_0000_0004))
    #expect(wide.references == narrow.references)
    let levels = try decoded("00000000 00000002 00000001 03000004 00000000", as: SubsegmentIndexBox.self)
    #expect(levels.subsegments.count == 2 && levels.subsegments[1].ranges.isEmpty)
    #expect((levels.subsegments[0].ranges[0].level, levels.subsegments[0].ranges[0].rangeSize) == (3, 4))
  }

  @Test("emib, silb and evte")
  func eventTrack() throws {
    let event = try decoded(
      "00000000 00000000 ffffffffffff8ad0 00007530 0000000c 75726e00 3100 fc30", as: EventMessageInstanceBox.self)
    #expect(event.presentationTimeDelta == -30000 && event.eventDuration == 30000 && event.id == 12)
    #expect(event.schemeIDURI == "urn" && event.value == "1" && event.messageData == [0xfc, 0x30])
    #expect(
      try shown("silb", "00000000 00000002 6100 6200 01 6300 00 00 01") == [
        "version = 0", "flags = 0x0", "number_of_schemes = 2", "schemes:",
        "  - 0", "  scheme_id_uri = \"a\"", "  value = \"b\"", "  atleast_once_flag = 1",
        "  - 1", "  scheme_id_uri = \"c\"", "  value = \"\"", "  atleast_once_flag = 0", "other_schemes_flag = 1",
      ])
    #expect(try decoded("000000000000 0002", as: EventMessageSampleEntry.self).dataReferenceIndex == 2)
  }

  @Test("emsg and prft of both versions")
  func events() throws {
    let first = try decoded(
      "00000000 6100 6200 00000001 00000002 00000003 00000004 0506", as: EventMessageBox.self)
    #expect(first.schemeIDURI == "a" && first.value == "b" && first.timescale == 1)
    #expect((first.presentationTimeDelta, first.eventDuration, first.id) == (2, 3, 4))
    #expect(first.messageData == [5, 6])
    let second = try decoded(
      "01000000 00000001 0000000100000002 00000003 00000004 6100 6200 0506", as: EventMessageBox.self)
    #expect(second.presentationTime == 0x1_0000_0002 && second.value == "b" && second.id == 4)
    let narrow = try decoded("00000000 00000001 0000000200000003 00000004", as: ProducerReferenceTimeBox.self)
    let wide = try decoded("01000018 00000001 0000000200000003 0000000500000004", as: ProducerReferenceTimeBox.self)
    #expect((narrow.referenceTrackID, narrow.ntpTimestamp, narrow.mediaTime) == (1, 0x2_0000_0003, 4))
    #expect(wide.flags == 24 && wide.mediaTime == 0x5_0000_0004)
  }
}
