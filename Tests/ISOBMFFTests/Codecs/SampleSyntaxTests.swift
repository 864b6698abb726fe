import Bytes
import ISOBMFF
import Support
import Testing

/// Samples in which only the data after clear headers was encrypted. The data is random, except for values that the
/// codec excludes.
@Suite("Syntax of decrypted samples")
struct SampleSyntaxTests {
  private static let avc = configuration(
    visual(
      "avc1",
      hexBox(
        "avcC",
        "01 64000b ff e1 0019 6764000bacd9428df93011000003000100000300320f142996 01 0006 68ebe0412c8b fdf8f800")))
  private static let av1 = configuration(visual("av01", hexBox("av1C", "81 04 4e 00")))
  /// The first bytes of an IDR slice of the same stream.
  private static let slice: [UInt8] = [0x65, 0x88, 0x84, 0x01, 0x7f, 0x0f, 0xad, 0xc7]

  /// A picture with one slice or tile: headers and data.
  private func picture(_ isAVC: Bool, _ data: ArraySlice<UInt8>) throws -> [UInt8] {
    guard isAVC else {
      // A temporal delimiter, and a frame with its size.
      let size = data.count + 2
      return [0x12, 0, 0x32, UInt8(size & 127 | 128), UInt8(size >> 7), 0x10, 0] + data
    }
    let set = Self.avc.parameterSets
    let header = try #require(AVCSliceHeader(set).header(of: Self.slice[...]))
    #expect(header.hasCABAC)
    let unit = Self.slice.prefix(header.size) + data
    return [0, 0, UInt8(unit.count >> 8), UInt8(unit.count & 255)] + unit
  }

  @Test("Clear headers do not hide a wrong key, and the right one is never refused", arguments: [true, false])
  func clearHeaders(isAVC: Bool) throws {
    var random = SplitMix64(seed: 5)
    func noise() -> [UInt8] { (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) } }
    var (right, wrong) = (SampleSyntax(isAVC ? Self.avc : Self.av1), SampleSyntax(isAVC ? Self.avc : Self.av1))
    for _ in 0..<1536 {
      let encrypted = noise()
      var clear = noise()
      // Avoids zeros, which would have to be escaped.
      for index in clear.indices where clear[index] == 0 { clear[index] = 1 }
      if clear[0] == 0xff { clear[0] = 0x7f }
      right.add(try picture(isAVC, clear[...]), encrypted: try picture(isAVC, encrypted[...]), isWhole: true)
      wrong.add(try picture(isAVC, noise()[...]), encrypted: try picture(isAVC, encrypted[...]), isWhole: true)
    }
    #expect(right.canJudge && right.violations == 0 && !right.isWrong)
    #expect(wrong.isWrong && wrong.isConclusive && wrong.hits == 0)
  }

  @Test("The start of a sample is enough for the slice header of H.264, and truncated samples are accepted")
  func prefixes() throws {
    var random = SplitMix64(seed: 6)
    var syntax = SampleSyntax(Self.avc)
    for _ in 0..<2000 {
      let clear = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
      let encrypted = Array(repeating: UInt8(0x5a), count: 300)
      syntax.add(
        Array(try picture(true, clear[...]).prefix(100)),
        encrypted: Array(try picture(true, encrypted[...]).prefix(100)),
        isWhole: false)
    }
    #expect(syntax.isWrong && syntax.misses == 0)
  }
}
