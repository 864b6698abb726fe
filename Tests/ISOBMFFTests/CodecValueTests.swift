import ISOBMFF
import MP4Bytes
import Support
import Testing

@Suite("Values of codec boxes")
struct CodecValueTests {
  @Test("avcC with and without the High profile fields")
  func avc() throws {
    let sets = "e1 0003 674d00 02 0001 68 0002 6801"
    let main = try decoded("01 4d 40 1f ff" + sets, as: AVCConfigurationBox.self)
    #expect((main.avcProfileIndication, main.profileCompatibility, main.avcLevelIndication) == (77, 0x40, 31))
    #expect(main.lengthSizeMinusOne == 3)
    #expect(main.sequenceParameterSets.map(\.nalUnit) == [[0x67, 0x4d, 0]])
    #expect(main.pictureParameterSets.map(\.nalUnit) == [[0x68], [0x68, 1]])
    let short = try decoded("01 64 00 1f fd" + sets, as: AVCConfigurationBox.self)
    #expect(short.highProfile == nil && short.lengthSizeMinusOne == 1)
    let high = try decoded("01 64 00 1f ff" + sets + "fd fa fb 01 0002 6d01", as: AVCConfigurationBox.self)
    let more = try #require(high.highProfile)
    #expect((more.chromaFormat, more.bitDepthLumaMinus8, more.bitDepthChromaMinus8) == (1, 2, 3))
    #expect(more.sequenceParameterSetExtensions.map(\.nalUnit) == [[0x6d, 1]])
    #expect(high.reserved.isEmpty)
    // Some writers set reserved one bits to zero.
    #expect(try !decoded("01 64 00 1f 03" + sets + "01 00 00 00", as: AVCConfigurationBox.self).reserved.isEmpty)
  }

  @Test("hvcC with arrays")
  func hevc() throws {
    let box = try decoded(
      "01 62 60000001 900000000002 5d f003 fe fd fa fb 0102 6f 02 a0 0002 0001 40 0002 4001 21 0000",
      as: HEVCConfigurationBox.self)
    #expect(box.generalProfileSpace == 1 && box.generalTierFlag && box.generalProfileIDC == 2)
    #expect(box.generalProfileCompatibilityFlags == 0x6000_0001)
    #expect(box.generalConstraintIndicatorFlags == 0x9000_0000_0002 && box.generalLevelIDC == 93)
    #expect((box.minSpatialSegmentationIDC, box.parallelismType, box.chromaFormatIDC) == (3, 2, 1))
    #expect((box.bitDepthLumaMinus8, box.bitDepthChromaMinus8, box.avgFrameRate) == (2, 3, 0x102))
    #expect((box.constantFrameRate, box.numTemporalLayers) == (1, 5))
    #expect(box.temporalIDNested && box.lengthSizeMinusOne == 3 && box.reserved.isEmpty)
    #expect(box.arrays.map(\.isComplete) == [true, false])
    #expect(box.arrays.map(\.nalUnitType) == [32, 33])
    #expect(box.arrays[0].nalUnits.map(\.bytes) == [[0x40], [0x40, 1]] && box.arrays[1].nalUnits.isEmpty)
  }

  @Test("A reserved bit of an array is kept when another array is removed")
  func reservedBitsOfRows() throws {
    var box = try decoded(
      "01 01 00000000 000000000000 00 f000 fc fd f8 f8 0000 0f 02 20 0000 61 0000", as: HEVCConfigurationBox.self)
    box.arrays.removeFirst()
    #expect(try box.encoded().suffix(4) == [1, 0x61, 0, 0])
  }

  @Test("av1C with and without a delay, and vpcC of both versions")
  func av1AndVP9() throws {
    let delay = try decoded("81 2d 5b 14 0a0b", as: AV1CodecConfigurationBox.self)
    #expect((delay.version, delay.seqProfile, delay.seqLevelIdx0) == (1, 1, 13))
    #expect([delay.seqTier0, delay.highBitdepth, delay.twelveBit, delay.monochrome] == [false, true, false, true])
    #expect(delay.chromaSubsamplingX && !delay.chromaSubsamplingY && delay.chromaSamplePosition == 3)
    #expect(delay.initialPresentationDelayMinusOne == 4 && delay.configOBUs == [10, 11])
    let none = try decoded("81 00 84 00", as: AV1CodecConfigurationBox.self)
    #expect(none.seqTier0 && none.chromaSubsamplingY && none.initialPresentationDelayMinusOne == nil)
    let new = try decoded("01000000 02 1f a7 09 10 01 0001 cc", as: VPCodecConfigurationBox.self)
    #expect((new.profile, new.level, new.bitDepth, new.chromaSubsampling) == (2, 31, 10, 3))
    #expect(new.videoFullRangeFlag)
    #expect((new.colourPrimaries, new.transferCharacteristics, new.matrixCoefficients) == (9, 16, 1))
    #expect(new.codecInitializationData == [0xcc])
    let old = try decoded("00000000 02 1f 82 13 0000", as: VPCodecConfigurationBox.self)
    #expect((old.bitDepth, old.colorSpace, old.chromaSubsampling, old.transferFunction) == (8, 2, 1, 1))
    #expect(old.videoFullRangeFlag)
  }

  @Test("btrt, pasp, clap, fiel, mdcv and clli")
  func properties() throws {
    #expect(
      try shown("btrt", "00000001 00000002 00000003") == ["bufferSizeDB = 1", "maxBitrate = 2", "avgBitrate = 3"])
    let pixel = try decoded("00000004 00000003", as: PixelAspectRatioBox.self)
    #expect((pixel.hSpacing, pixel.vSpacing) == (4, 3))
    let clean = try decoded(
      "00000001 00000002 00000003 00000004 fffffffb 00000006 fffffff9 00000008", as: CleanApertureBox.self)
    #expect((clean.cleanApertureWidthN, clean.cleanApertureWidthD) == (1, 2))
    #expect((clean.cleanApertureHeightN, clean.cleanApertureHeightD) == (3, 4))
    #expect((clean.horizOffN, clean.horizOffD, clean.vertOffN, clean.vertOffD) == (-5, 6, -7, 8))
    #expect(try shown("fiel", "02 09") == ["field_count = 2", "field_ordering = 9"])
    let primaries = (0..<3).flatMap {
      ["  - \($0)", "  display_primaries_x = \(2 * $0 + 1)", "  display_primaries_y = \(2 * $0 + 2)"]
    }
    #expect(
      try shown("mdcv", "0001 0002 0003 0004 0005 0006 0007 0008 00000009 0000000a")
        == ["display_primaries:"] + primaries + [
          "white_point_x = 7", "white_point_y = 8", "max_display_mastering_luminance = 9",
          "min_display_mastering_luminance = 10",
        ])
    #expect(try shown("clli", "0001 0002") == ["max_content_light_level = 1", "max_pic_average_light_level = 2"])
  }

  @Test("colr of every type")
  func colours() throws {
    let codes = try decoded("6e636c78 0001 0002 0003 80", as: ColourInformationBox.self)
    #expect((codes.colourPrimaries, codes.transferCharacteristics, codes.matrixCoefficients) == (1, 2, 3))
    #expect(codes.fullRangeFlag)
    let old = try decoded("6e636c63 0001 0002 0003", as: ColourInformationBox.self)
    #expect(old.colourType == "nclc" && old.matrixCoefficients == 3)
    for type in ["72494343", "70726f66", "61626364"] {
      #expect(try decoded(type + "0102", as: ColourInformationBox.self).profile == [1, 2])
    }
  }

  @Test("Sample entries for video and audio")
  func sampleEntries() throws {
    let picture = try decoded(
      """
      000000000000 0001 00000000000000000000000000000000 0280 0168 00480000 00490000 00000000 0002 \
      0241420000000000000000000000000000000000000000000000000000000000 0018 ffff
      """, as: VisualSampleEntry.self)
    #expect((picture.dataReferenceIndex, picture.width, picture.height) == (1, 640, 360))
    #expect((picture.horizontalResolution, picture.verticalResolution) == (0x48_0000, 0x49_0000))
    #expect((picture.frameCount, picture.depth, picture.preDefined) == (2, 24, -1))
    #expect(picture.compressorName.description == "AB")
    let sound = "000000000000 0001 0000 000000000000 0006 0018 0000 0000 bb800000"
    let plain = try decoded(sound, as: AudioSampleEntry.self)
    #expect((plain.channelCount, plain.sampleSize, plain.sampleRate) == (6, 24, 48000 << 16))
    let quickTime = try decoded(
      "000000000000 0001 0001 000000000000 0002 0010 fffe 0000 bb800000 00000400 00000001 00000002 00000003",
      as: AudioSampleEntry.self)
    let more = try #require(quickTime.version1)
    #expect((more.samplesPerPacket, more.bytesPerPacket, more.bytesPerFrame, more.bytesPerSample) == (1024, 1, 2, 3))
    #expect(quickTime.preDefined == -2)
  }
}
