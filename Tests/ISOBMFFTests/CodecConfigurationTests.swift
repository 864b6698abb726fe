import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values of codec configurations")
struct CodecConfigurationTests {
  private func payload<Payload: BoxPayload>(_ name: String, as _: Payload.Type) throws -> Payload {
    try Payload(decoding: vector(name).dropFirst(8))
  }

  @Test("vvcC with a profile and levels of temporal layers")
  func vvc() throws {
    let box = try payload("vvcC", as: VVCConfigurationBox.self)
    let profile = try #require(box.profile)
    #expect((profile.numSublayers, profile.constantFrameRate, profile.bitDepthMinus8) == (3, 1, 2))
    let level = profile.profileTierLevel
    #expect((level.generalProfileIDC, level.generalLevelIDC) == (1, 51))
    #expect(level.frameOnlyConstraintFlag && level.constraintInfo == [0xab, 0xcd])
    #expect(level.sublayerLevelIDCs == [48] && level.subProfileIDCs == [0, 0, 0, 7])
    #expect((profile.maxPictureWidth, profile.maxPictureHeight) == (1920, 1080))
    #expect(box.arrays.map(\.nalUnitType) == [13, 15])
    #expect(box.arrays.map { $0.nalUnits.map(\.bytes) } == [[[1, 2, 3]], [[0xaa, 0xbb], [0xcc]]])
    #expect(box.reserved.isEmpty)
    #expect(try payload("vvcC-no-profile", as: VVCConfigurationBox.self).profile == nil)
  }

  @Test("dec3 with dependent substreams, and with objects")
  func enhancedAC3() throws {
    let dependent = try payload("dec3-dependent", as: EC3SpecificBox.self)
    #expect(dependent.independentSubstreams.map(\.numDepSub) == [1, 0])
    #expect(dependent.independentSubstreams.map(\.chanLoc) == [2, 0])
    #expect(dependent.independentSubstreams.map(\.asvc) == [false, true])
    #expect((dependent.dataRate, dependent.complexityIndexTypeA) == (640, nil))
    #expect(try payload("dec3-atmos", as: EC3SpecificBox.self).complexityIndexTypeA == 16)
  }

  @Test("dac4 with presentations of each version")
  func ac4() throws {
    let box = try payload("dac4-v1", as: AC4SpecificBox.self)
    #expect(box.program?.shortProgramID == 300 && box.program?.programUUID == Array(0..<16))
    #expect((box.bitRateMode, box.bitRate, box.bitRatePrecision) == (1, 128_000, .max))
    let presentation = try #require(box.presentations.first)
    #expect((presentation.mdcompat, presentation.presentationID, presentation.channelMode) == (2, 10, 11))
    #expect(presentation.has4BackChannels && presentation.topChannelPairs == 2 && presentation.channelMask == 0x47)
    let older = try payload("dac4-v1-presentation-v0", as: AC4SpecificBox.self).presentations
    #expect(older.map(\.presentationVersion) == [0, 3] && older.map(\.isDecoded) == [true, false])
    #expect((older[0].mdcompat, older[0].channelMask, older[1].substreams) == (1, 3, [0xab, 0xcd]))
    #expect(try payload("dac4-v0", as: AC4SpecificBox.self).presentationData.count == 6)
  }

  @Test("dfLa with the fields of its stream information")
  func flac() throws {
    let blocks = try payload("dfLa-two-blocks", as: FLACSpecificBox.self).metadataBlocks
    let info = try #require(blocks.first?.streamInfo)
    #expect((info.sampleRate, info.channelsMinusOne, info.bitsPerSampleMinusOne) == (44100, 1, 15))
    #expect((info.maximumBlockSize, info.maximumFrameSize, info.totalSamples) == (4096, 2048, 0))
    #expect(blocks.map(\.isLast) == [false, true] && blocks[1].data.count == 10)
  }

  @Test("iacb keeps the form of its size and updates it")
  func immersiveAudio() throws {
    var box = try payload("iacb-long-size", as: IAConfigurationBox.self)
    #expect(box.configOBUs.count == 8)
    box.configOBUs = Array(repeating: 0, count: 200)
    #expect(Array(try box.encoded().prefix(5)) == [1, 0xc8, 0x81, 0x00, 0])
    box.sizeForm = LEB128Form()
    #expect(Array(try box.encoded().prefix(3)) == [1, 0xc8, 0x01])
  }

  @Test("The sampling rate of version 2 of a QuickTime audio description is a number")
  func soundDescription() throws {
    let context = BoxContext(parent: "stsd", handler: "soun")
    let entry = try AudioSampleEntry(decoding: vector("entry-lpcm-ffmpeg").dropFirst(8), context: context)
    let more = try #require(entry.version2)
    #expect(Double(bitPattern: more.audioSampleRate) == 96000 && more.constBitsPerChannel == 32)
    #expect((more.numAudioChannels, more.formatSpecificFlags, more.constBytesPerAudioPacket) == (1, 12, 4))
  }

  @Test("Protection systems in pssh have names")
  func systems() {
    let widevine: [UInt8] = [
      0xed, 0xef, 0x8b, 0xa9, 0x79, 0xd6, 0x4a, 0xce, 0xa3, 0xc8, 0x27, 0xdc, 0xd5, 0x1d, 0x21, 0xed,
    ]
    #expect(ProtectionSystem.name(of: widevine)?.description == "Widevine")
    #expect(ProtectionSystem.name(of: widevine.dropLast()) == nil)
    #expect(ProtectionSystem.name(of: widevine.reversed()) == nil)
  }

  @Test("The substream lines of mp4dump, and the other fields at verbosity 3")
  func substreamLines() throws {
    let lines = [
      "[dec3] size=8+9", "  data_rate = 640", "  complexity_index_type_a = 0",
      "  [00] = fscod=0, bsid=16, bsmod=0, acmod=7, lfeon=1, num_dep_sub=1, chan_loc=2",
      "  [01] = fscod=0, bsid=16, bsmod=4, acmod=2, lfeon=0, num_dep_sub=0, chan_loc=0",
    ]
    #expect(try dumpLines(vector("dec3-dependent")) == lines)
    let all = try dumpLines(vector("dec3-dependent"), verbosity: 3)
    #expect(all.contains("  [00].asvc = 0") && all.contains("  [01].asvc = 1"))
  }

  @Test("The OMA DRM lines of mp4dump")
  func rightsLines() throws {
    #expect(
      try dumpLines(vector("ohdr")) == [
        "[ohdr] size=12+65", "  encryption_method = 1", "  padding_scheme = 1", "  plaintext_length = 4096",
        "  content_id = cid:1", "  rights_issuer_url = http://a", "  textual_headers = Preview:1", "a",
        "  [grpi] size=12+12", "    key encryption method = 1", "    group id = g:1", "    group key = [de ad be ef]",
      ])
    #expect(
      try dumpLines(vector("bloc")) == [
        "[bloc] size=12+1024", "  base_location = http://b", "  purchase_location = http://p",
      ])
  }
}
