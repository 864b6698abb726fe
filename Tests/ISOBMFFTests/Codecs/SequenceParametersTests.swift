import ISOBMFF
import Support
import Testing

@Suite("Picture formats in sequence headers")
struct SequenceParametersTests {
  private func hex(_ text: String) -> ArraySlice<UInt8> { hexBytes(Array(text.utf8))[...] }

  @Test(
    "AVC by x264: 4:2:2, 4:4:4 with scaling lists, and cropped fields",
    arguments: [
      ("677a000bb6cd942cde225c0440000003004000000c83c50a6580", 162, 92, 2, 4, false),
      ("67f4000b919b2851bf2e0220000003002000000641e28532c0", 160, 92, 3, 4, false),
      ("67640015acd942dbc4560220000003002000000643e28532c0", 162, 92, 1, 4, true),
    ])
  func avc(_ bytes: String, _ width: Int, _ height: Int, _ chroma: Int, _ references: Int, _ hasFields: Bool) throws {
    var expected = SequenceParameters(width: width, height: height)
    (expected.referenceFrames, expected.hasFields) = (references, hasFields)
    // Interlaced pictures of x264 have messages about their structure.
    expected.timingBits = hasFields ? 0 : nil
    // 25 frames per second, and B-pyramids.
    (expected.pictureDuration, expected.reorderCount) = (.init(2, 50), 2)
    var found = try #require(SequenceParameters(avc: hex(bytes)))
    #expect(found.pixelAspectRatio.map { [$0.width, $0.height] } == [1, 1])
    found.pixelAspectRatio = nil
    #expect(found == expected)
    #expect(SequenceProfile(avc: hex(bytes))?.chromaFormat == chroma)
  }

  @Test(
    "HEVC by x265: cropping, scaling lists, sub-layers and colors",
    arguments: [
      ("42010102200000030090000003000003001ea0152061c94d96566924caf0168080000003008000000c84", 162, 94, nil),
      ("4201010408000003009d0800000300001eb0152061c92b65959a4932bc05a02000000300200000030321", 162, 92, nil),
      (
        "42010102200000030090000003000003001ea0142061f2365959a49395e02d424402410000030001000003001908", 160, 90,
        UInt16(16)
      ),
      (
        "4201022220000003009000000300000300990000a003c08010e4d965662b349265780b5091209040000003004000000642", 1920,
        1080, 18
      ),
    ])
  func hevc(_ bytes: String, _ width: Int, _ height: Int, _ transfer: UInt16?) throws {
    let found = try #require(SequenceParameters(hevc: hex(bytes)))
    let colour = transfer.map { ColourDescription(primaries: 9, transferCharacteristics: $0, matrixCoefficients: 9) }
    #expect((found.width, found.height) == (width, height))
    let duration = try #require(found.pictureDuration)
    #expect(20...60 ~= duration.denominator / duration.numerator && 0...4 ~= found.reorderCount ?? -1)
    // x265 writes the range of the video even without a color description.
    #expect(found.colour == (colour ?? ColourDescription()))
  }

  @Test(
    "AV1 by libaom: colors, RGB, and monochrome",
    arguments: [
      (
        "0a0d00000003b50d936be542440241",
        ColourDescription(primaries: 9, transferCharacteristics: 16, matrixCoefficients: 9)
      ),
      (
        "0a0d20000003b50d936be480868010",
        ColourDescription(primaries: 1, transferCharacteristics: 13, matrixCoefficients: 0, isFullRange: true)
      ),
      ("0a0a00000003b50d936be4a8", ColourDescription(isFullRange: true)),
    ])
  func av1(_ bytes: String, _ colour: ColourDescription) throws {
    #expect(SequenceParameters(av1: hex(bytes)) == SequenceParameters(width: 162, height: 90, colour: colour))
  }

  @Test("A reduced AV1 header after another OBU")
  func av1StillPicture() throws {
    // Profile 0, a still picture with a reduced header, level 0, 4 bits each for 15 by 9; no tools; 8 bits, no colors.
    let header = bits("000 1 1 00000 0011 0011 1110 1000 000 000 0 0 0 0 00 0")
    let units: [UInt8] = [0x12, 0, 0x0a, UInt8(header.count)] + header
    #expect(SequenceParameters(av1: units[...]) == SequenceParameters(width: 15, height: 9, colour: nil))
  }

  @Test("VVC, with and without profile and cropping")
  func vvc() throws {
    // Layers and tools are zeros; 4:2:0; then 48 by 32, cropped by 2 × 1 and 2 × 2.
    let size = "0 0 00000110001 00000100001 1 1 010 010 011"
    let short = [0, 0x79] + bits("0000 0000 000 01 00 0 " + size)
    #expect(SequenceParameters(vvc: short[...]) == SequenceParameters(width: 46, height: 26, colour: nil))
    let constraints = "1" + String(repeating: "0", count: 71) + "00000011 000"
    let profile = bits("0000 0000 001 01 00 1 0000001 0 00110011 10" + constraints)
    let long = [0, 0x79] + profile + [0x80, 51, 1, 0, 0, 0, 7] + bits(size)
    #expect(SequenceParameters(vvc: long[...]) == SequenceParameters(width: 46, height: 26, colour: nil))
  }

  @Test("Emulation prevention bytes are removed, and a truncated set has no size")
  func emulation() throws {
    let whole = hex("67640015acd942dbc4560220000003002000000643e28532c0")
    for count in 0..<10 { #expect(SequenceParameters(avc: whole.prefix(count)) == nil) }
    // The size comes before the colors.
    #expect(SequenceParameters(avc: whole.prefix(10))?.width == 162)
    #expect(SequenceParameters(hevc: hex("4201")) == nil && SequenceParameters(vvc: hex("0079")) == nil)
  }

  @Test("Cropping cannot exceed the picture, and sizes cannot overflow")
  func hostile() throws {
    // Profile 66, all numbers 0; 1 by 1 macroblocks, cropped by 2 × 9 columns.
    let cropped = [0x67, 66, 0, 30] + bits("1 1 1 1 1 0 1 1 1 0 1 0001010 1 1 1 0")
    #expect(SequenceParameters(avc: cropped[...]) == nil)
    let largest = String(repeating: "0", count: 32) + "1" + String(repeating: "1", count: 32)
    let huge = [0x67] + escaped([66, 0, 30] + bits("1 1 1 1 1 0" + largest + largest + "1 0 0 0"))
    #expect(SequenceParameters(avc: huge[...])?.width == (1 << 33) * 16 - 16)
    #expect(SequenceParameters(avc: [0x67, 66, 0, 30] + zeros(40)[...]) == nil)
  }

  /// A NAL unit payload with emulation prevention bytes.
  private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for byte in bytes {
      if result.suffix(2) == [0, 0], byte <= 3 { result.append(3) }
      result.append(byte)
    }
    return result
  }
}
