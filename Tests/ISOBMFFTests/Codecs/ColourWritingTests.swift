import Testing

@testable import ISOBMFF

@Suite("Colors in headers")
struct ColourWritingTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
  private static let pq = ColourDescription(primaries: 9, transferCharacteristics: 16, matrixCoefficients: 9)

  @Test(
    "Parameter sets are those that ffmpeg's h264_metadata and hevc_metadata write",
    arguments: [
      // Without colors, progressive and interlaced, as x264 writes them; then H.265 with colors, as x265 writes it.
      (
        "6764000cacd941419f9f011000000300100000030320f1429960",
        "6764000cacd941419f9f016a122012800000030080000019078a14cb"
      ),
      (
        "67640015acd941433f260220000003002000000643e28532c0",
        "67640015acd941433f2602d4244025000003000100000300321f142996"
      ),
      (
        "42010102200000030090000003000003003ca00a080b9f6d96566924caf0168080000003008000000c84",
        "42010102200000030090000003000003003ca00a080b9f6d96566924caf016a122012080000003008000000c84"
      ),
    ])
  func parameterSets(old: String, expected: String) throws {
    let writing = ColourWriting(Self.pq, isFullRange: nil)
    let isAVC = old.hasPrefix("67")
    func write(_ unit: [UInt8], _ writing: ColourWriting) -> [UInt8]? {
      isAVC ? writing.writing(avc: unit[...]) : writing.writing(hevc: unit[...])
    }
    let new = try #require(write(bytes(old), writing))
    #expect(new == bytes(expected))
    // Other colors have the same length, and nothing else changes.
    let back = ColourWriting(
      ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 1), isFullRange: true)
    let other = try #require(write(new, back))
    #expect(write(other, ColourWriting(Self.pq, isFullRange: false)) == new)
    let read = isAVC ? SequenceParameters(avc: other[...]) : SequenceParameters(hevc: other[...])
    #expect(
      read?.colour
        == ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 1, isFullRange: true))
    let original = isAVC ? SequenceParameters(avc: bytes(old)[...]) : SequenceParameters(hevc: bytes(old)[...])
    #expect(read?.pictureDuration == original?.pictureDuration && read?.width == original?.width)
    // Nothing is made of a parameter set that ends before its colors.
    for count in 0..<8 { #expect(write(Array(bytes(old).prefix(count)), writing) == nil) }
  }

  @Test("A parameter set without usability information gets some")
  func withoutUsability() throws {
    // Baseline, 128x96: the last flag before the stop bit is that of the usability information.
    let old = bytes("6742000ada083640")
    let new = try #require(ColourWriting(Self.pq, isFullRange: nil).writing(avc: old[...]))
    let read = try #require(SequenceParameters(avc: new[...]))
    #expect(read.colour == Self.pq && read.width == 128 && read.height == 96)
    #expect(read.pictureDuration == nil && read.reorderCount == nil)
  }

  @Test("ProRes and VP9 keep their lengths; VP9 has no code for some colors")
  func frames() throws {
    var frame: [UInt8] = [0, 0, 0, 40] + Array("icpf".utf8) + [UInt8](repeating: 7, count: 32)
    let writing = ColourWriting(Self.pq, isFullRange: nil)
    let new = try #require(writing.writing(proRes: frame[...]))
    frame.replaceSubrange(22..<25, with: [9, 16, 9])
    #expect(new == frame)
    #expect(writing.writing(proRes: [UInt8](repeating: 0, count: 40)[...]) == nil)
    // A key frame of profile 0: the marker, the profile, the sync code, BT.709 and the limited range.
    let key: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x40, 0x13, 0xf0, 0x0b, 0x30]
    #expect(writing.writing(vp9: key[...]) == [0x82, 0x49, 0x83, 0x42, 0xa0, 0x13, 0xf0, 0x0b, 0x30])
    #expect(ColourWriting(nil, isFullRange: true).writing(vp9: key[...])?[4] == 0x50)
    let chromatic = ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 12)
    #expect(ColourWriting(chromatic, isFullRange: nil).writing(vp9: key[...]) == nil)
    let inter: [UInt8] = [0x86, 0x00, 0x40, 0x92]
    #expect(writing.writing(vp9: inter[...]) == inter)
  }
}
