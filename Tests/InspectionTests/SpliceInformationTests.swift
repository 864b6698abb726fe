import MP4
import MP4Bytes
import Support
import Testing

@testable import MP4Inspection

/// The first two examples in ANSI/SCTE 35, 14.
@Suite("Splice information of SCTE 35")
struct SpliceInformationTests {
  private static let timeSignal =
    "/DA0AAAAAAAA///wBQb+cr0AUAAeAhxDVUVJSAAAjn/PAAGlmbAICAAAAAAsoKGKNAIAmsnRfg=="
  private static let insert = "/DAvAAAAAAAA///wFAVIAACPf+/+c2nALv4AUsz1AAAAAAAKAAhDVUVJAAABNWLbowo="
  private static let scheme = "urn:scte:scte35:2013:bin"

  private func payload(_ bytes: [UInt8], scheme: String = scheme) -> EventPayload {
    EventPayload(bytes[...], scheme: scheme)
  }
  private func bytes(_ text: String) throws -> [UInt8] { try #require(base64Bytes(ascii(text))) }
  private func texts(_ payload: EventPayload) -> [String] {
    payload.details.map { "\($0.name)=\($0.value)" + ($0.meaning.map { " (\($0))" } ?? "") }
  }
  /// A section with this command and these descriptors, and its checksum.
  private func section(
    type: UInt8, _ command: [UInt8] = [], _ descriptors: [UInt8] = [], adjustment: UInt8 = 0, length: UInt16? = nil
  ) -> [UInt8] {
    let size = UInt16(11 + command.count + 2 + descriptors.count + 4)
    let commandLength = length ?? UInt16(command.count)
    var result: [UInt8] = [0xfc] + big(0x3000 | size) + [0, 0, 0, 0, 0, adjustment, 0]
    result += [0xff, 0xf0 | UInt8(commandLength >> 8), UInt8(truncatingIfNeeded: commandLength), type] + command
    result += big(UInt16(descriptors.count)) + descriptors
    var sum = UInt32.max
    for byte in result {
      for bit in (0..<8).reversed() {
        let isSet = sum >> 31 != UInt32(byte >> UInt8(bit) & 1)
        sum = sum << 1 ^ (isSet ? 0x04c1_1db7 : 0)
      }
    }
    return result + big(sum)
  }
  private func segmentation(_ type: UInt8, upid: UInt8, _ id: [UInt8], _ rest: [UInt8] = []) -> [UInt8] {
    let body = ascii("CUEI") + big(UInt32(9)) + [0x7f, 0xbf] + [upid, UInt8(id.count)] + id + [type, 1, 2] + rest
    return [2, UInt8(body.count)] + body
  }

  @Test("A placement opportunity")
  func opportunity() throws {
    let result = payload(try bytes(Self.timeSignal))
    #expect(result.kind == .scte35 && result.isComplete)
    #expect(
      result.summary
        == "time_signal at 21388.766 s; Provider Placement Opportunity Start, segmentation event 1207959694, "
        + "307.000 s, AiringID 000000002ca0a18a")
    #expect(
      texts(result) == [
        "protocol_version=0", "pts_adjustment=0 (0.000 s)", "tier=4095", "splice_command_type=6 (time_signal)",
        "pts_time=1924989008 (21388.766 s)",
        "descriptors[1].splice_descriptor_tag=2 (segmentation)",
        "descriptors[1].segmentation_event_id=1207959694", "descriptors[1].segmentation_event_cancel_indicator=false",
        "descriptors[1].delivery_not_restricted_flag=false", "descriptors[1].web_delivery_allowed_flag=false",
        "descriptors[1].no_regional_blackout_flag=true", "descriptors[1].archive_allowed_flag=true",
        "descriptors[1].device_restrictions=3 (none)", "descriptors[1].segmentation_duration=27630000 (307.000 s)",
        "descriptors[1].segmentation_upid_type=8 (AiringID)", "descriptors[1].segmentation_upid=000000002ca0a18a",
        "descriptors[1].segmentation_type_id=52 (Provider Placement Opportunity Start)",
        "descriptors[1].segment_num=2", "descriptors[1].segments_expected=0", "CRC_32=right",
      ])
  }

  @Test("A splice as bytes, base64, and XML with base64; the scheme is optional if the checksum is right")
  func insert() throws {
    let plain = try bytes(Self.insert)
    let expected = "splice_insert: event 1207959695 leaves the network at 21514.559 s for 60.293 s"
    let xml = "<Signal xmlns=\"urn:scte\"><scte35:Binary x=\"y\">\n\(Self.insert)\n</scte35:Binary></Signal>"
    for form in [plain, ascii(Self.insert), ascii(xml)] {
      let result = payload(form)
      #expect(result.summary == expected && result.isComplete)
    }
    #expect(texts(payload(plain)).suffix(3).first == "descriptors[1].splice_descriptor_tag=0 (avail)")
    #expect(texts(payload(plain)).contains("descriptors[1].provider_avail_id=309"))
    #expect(payload(plain, scheme: "urn:x").summary == expected)
    let wrong: [UInt8] = plain.dropLast() + [0]
    #expect(payload(wrong, scheme: "urn:x").kind == .event)
    #expect(payload(wrong).summary == expected + "; its checksum is wrong" && !payload(wrong).isComplete)
    #expect(texts(payload(wrong)).last == "CRC_32=wrong")
    let text = payload(ascii("<SpliceInfoSection/>"))
    #expect(text.kind == .event && text.summary == "\"<SpliceInfoSection/>\"" && !text.isComplete)
  }

  @Test("XML with elements has the same information as the section")
  func elements() throws {
    let scheme = "urn:scte:scte35:2013:xml"
    let opportunity = """
      <?xml version="1.0" encoding="UTF-8"?>
      <Signal xmlns:scte35="http://www.scte.org/schemas/35/2016"><!-- a > b -->
      <scte35:SpliceInfoSection protocolVersion="0" ptsAdjustment="0" tier='4095'>
        <scte35:TimeSignal><scte35:SpliceTime ptsTime="1924989008"/></scte35:TimeSignal>
        <scte35:SegmentationDescriptor segmentationEventId="1207959694" segmentationEventCancelIndicator="false"
          segmentationDuration="27630000" segmentationTypeId="52" segmentNum="2" segmentsExpected="0">
          <scte35:DeliveryRestrictions webDeliveryAllowedFlag="0" noRegionalBlackoutFlag="1" archiveAllowedFlag="true"
            deviceRestrictions="3"/>
          <scte35:SegmentationUpid segmentationUpidType="8">000000002CA0A18A</scte35:SegmentationUpid>
        </scte35:SegmentationDescriptor>
      </scte35:SpliceInfoSection></Signal>
      """
    let plain = payload(try bytes(Self.timeSignal))
    let result = payload(ascii(opportunity), scheme: scheme)
    #expect(result.kind == .scte35 && result.isComplete && result.summary == plain.summary)
    #expect(texts(result) == texts(plain).dropLast())
    let insert = """
      <SpliceInfoSection><SpliceInsert spliceEventId="1207959695" outOfNetworkIndicator="true"
        uniqueProgramId="0" availNum="0" availsExpected="0">
        <Program><SpliceTime ptsTime="1936310318"/></Program><BreakDuration autoReturn="true" duration="5426421"/>
      </SpliceInsert><AvailDescriptor providerAvailId="309"/><DTMFDescriptor preroll="50" chars="1*"/>
      <TimeDescriptor taiSeconds="1" taiNs="2" utcOffset="37"/></SpliceInfoSection>
      """
    #expect(
      payload(ascii(insert), scheme: scheme).summary
        == "splice_insert: event 1207959695 leaves the network at 21514.559 s for 60.293 s")
    #expect(
      texts(payload(ascii(insert), scheme: scheme)).suffix(9) == [
        "descriptors[1].splice_descriptor_tag=0 (avail)", "descriptors[1].provider_avail_id=309",
        "descriptors[2].splice_descriptor_tag=1 (DTMF)", "descriptors[2].preroll=50 (5.000 s)",
        "descriptors[2].DTMF_char=1*", "descriptors[3].splice_descriptor_tag=3 (time)", "descriptors[3].TAI_seconds=1",
        "descriptors[3].TAI_ns=2", "descriptors[3].UTC_offset=37",
      ])
    let schedule = """
      <SpliceInfoSection><SpliceSchedule><Event spliceEventId="4" outOfNetworkIndicator="1">
        <Program utcSpliceTime="2024-01-02T00:00:00Z"/></Event></SpliceSchedule>
      <SegmentationDescriptor segmentationEventId="9" segmentationTypeId="34">
        <SegmentationUpid segmentationUpidType="15" segmentationUpidFormat="text">urn:a&amp;b</SegmentationUpid>
        <SegmentationUpid segmentationUpidType="3" segmentationUpidFormat="text">AB</SegmentationUpid>
      </SegmentationDescriptor></SpliceInfoSection>
      """
    #expect(
      payload(ascii(schedule), scheme: scheme).summary
        == "splice_schedule of 1 event: event 4 leaves the network at 2024-01-02T00:00:00Z; Break Start, "
        + "segmentation event 9, URI urn:a&b, Ad-ID AB")
    var random = SplitMix64(seed: 2)
    for _ in 0..<3000 {
      var changed = ascii(random.next() % 2 == 0 ? opportunity : schedule)
      for _ in 0..<3 {
        changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      #expect(!payload(changed, scheme: scheme).summary.isEmpty)
    }
    for wrong in ["<SpliceInfoSection>", "<SpliceInfoSection><TimeSignal></SpliceInfoSection>", "<!DOCTYPE a><a/>"] {
      #expect(payload(ascii(wrong), scheme: scheme).kind == .event)
    }
  }

  @Test("Other commands")
  func commands() {
    func summary(_ bytes: [UInt8]) -> String { payload(bytes).summary }
    #expect(summary(section(type: 0)) == "splice_null")
    let first = big(UInt32(4)) + [0x7f, 0xff] + big(UInt32(1_388_188_800)) + [0xfe] + big(UInt32(2_700_000))
    let second = big(UInt32(5)) + [0x7f, 0x1f, 1, 7] + big(UInt32(0)) + zeros(4)
    let schedule = payload(section(type: 4, [3] + first + [0, 9, 1, 2] + second + big(UInt32(6)) + [0xff]))
    #expect(
      schedule.summary
        == "splice_schedule of 3 events: event 4 leaves the network at 2024-01-02T00:00:00Z for 30.000 s, "
        + "event 5 returns to the network, event 6 is cancelled")
    #expect(schedule.isComplete)
    #expect(texts(schedule).contains("events[1].utc_splice_time=1388188800 (2024-01-02T00:00:00Z)"))
    #expect(texts(schedule).contains("events[2].utc_splice_time=0 (1980-01-06T00:00:00Z)"))
    #expect(texts(schedule).contains("events[1].unique_program_id=9"))
    #expect(summary(section(type: 4, [3])).hasSuffix("; it is cut off"))
    #expect(summary(section(type: 6, [0x7f], length: 0xfff)) == "time_signal")
    #expect(summary(section(type: 6, [0xfe, 0, 0, 0, 90], adjustment: 90)) == "time_signal at 0.002 s")
    #expect(summary(section(type: 7)) == "bandwidth_reservation")
    #expect(summary(section(type: 0xff, ascii("ABCD") + [1])) == "private_command of ABCD")
    #expect(summary(section(type: 9)) == "command 9 (reserved)")
    #expect(summary(section(type: 5, big(UInt32(4)) + [0xff])) == "splice_insert: event 4 is cancelled")
    let now = big(UInt32(4)) + [0x7f, 0x5f, 0, 0, 0, 0]
    #expect(summary(section(type: 5, now)) == "splice_insert: event 4 returns to the network immediately")
    let parts = big(UInt32(4)) + [0x7f, 0x8f, 1, 7, 0xfe, 0, 1, 0x5f, 0x90] + zeros(4)
    #expect(texts(payload(section(type: 5, parts))).contains("pts_time=90000 (1.000 s)"))
    #expect(payload(section(type: 5, parts)).isComplete)
    #expect(summary(section(type: 5, big(UInt32(4)) + [0x7f])).hasSuffix("; it is cut off"))
  }

  @Test("Descriptors and identifiers")
  func descriptors() {
    func summary(_ descriptors: [UInt8]) -> String { payload(section(type: 0, [], descriptors)).summary }
    #expect(
      summary(segmentation(0x10, upid: 0x0f, ascii("urn:a")))
        == "splice_null; Program Start, segmentation event 9, URI urn:a")
    #expect(
      summary(segmentation(0x22, upid: 0x0d, [3, 2] + ascii("AB") + [0x10, 16] + (0..<16)))
        == "splice_null; Break Start, segmentation event 9, Ad-ID AB, UUID 00010203-0405-0607-0809-0a0b0c0d0e0f")
    let part = payload(section(type: 0, [], segmentation(0x34, upid: 0, [], [3, 4])))
    #expect(texts(part).contains("descriptors[1].sub_segments_expected=4"))
    let others: [UInt8] =
      [1, 8] + ascii("CUEI") + [50, 0x5f] + ascii("1*") + [3, 16] + ascii("CUEI") + [0, 0, 0, 0, 0, 1]
      + big(UInt32(2)) + big(UInt16(37))
    #expect(
      texts(payload(section(type: 0, [], others))).suffix(8) == [
        "descriptors[1].splice_descriptor_tag=1 (DTMF)", "descriptors[1].preroll=50 (5.000 s)",
        "descriptors[1].DTMF_char=1*", "descriptors[2].splice_descriptor_tag=3 (time)", "descriptors[2].TAI_seconds=1",
        "descriptors[2].TAI_ns=2", "descriptors[2].UTC_offset=37", "CRC_32=right",
      ])
    let own = payload(section(type: 0, [], [0xf0, 5] + ascii("ABCD") + [0xee]))
    #expect(texts(own).contains("descriptors[1].private_byte=ee") && !own.isComplete)
  }

  @Test("Damaged or truncated sections do not trap")
  func damage() throws {
    for text in [Self.timeSignal, Self.insert] {
      let bytes = try bytes(text)
      for count in 0..<bytes.count { #expect(!payload(Array(bytes.prefix(count))).isComplete || count == 0) }
      var random = SplitMix64(seed: 1)
      for _ in 0..<5000 {
        var changed = bytes
        for _ in 0..<3 {
          changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        #expect(!payload(changed).summary.isEmpty)
      }
    }
  }

  @Test("Base64 with padding, white space and both alphabets is accepted, and nothing else")
  func base64() {
    #expect(base64Bytes(ascii("A A\nEC")) == [0, 1, 2])
    #expect(base64Bytes(ascii("AAE=")) == [0, 1])
    #expect(base64Bytes(ascii("-_-_")) == base64Bytes(ascii("+/+/")))
    #expect(base64Bytes(ascii("A=AA")) == nil && base64Bytes(ascii("<a>")) == nil && base64Bytes([]) == nil)
  }
}
