/// Parameter sets of VVC.
extension SequenceParameters {
  /// Reads a sequence parameter set of VVC, as a NAL unit with its header: ISO/IEC 23090-3, 7.3.2.4. The colors, which
  /// are long after the size, are not read.
  package init?(vvc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    r.skip(8)
    let chroma = r.vvcChromaFormat()
    (width, height) = (r.golomb(), r.golomb())
    guard crop(&r, (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)) else { return nil }
  }

  /// The ID of a sequence parameter set of VVC, and the number of bits of the output order in picture headers; 0 if
  /// that is after subpictures, which are not read.
  package static func vvcOrder(_ nalUnit: ArraySlice<UInt8>) -> (id: Int, bitCount: Int)? {
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    let id = r.bits(4)
    r.skip(4)
    _ = r.vvcChromaFormat()
    r.skipGolombs(2)
    if r.flag() { r.skipGolombs(4) }
    if r.flag() { return r.isBroken ? nil : (id, 0) }
    r.skipGolombs(1)
    r.skip(2)
    let bitCount = r.bits(4) + 4
    return r.isBroken || bitCount > 16 ? nil : (id, bitCount)
  }
}

extension BitReader {
  /// The chroma format; the fields from the sublayers to the picture size are read.
  fileprivate mutating func vvcChromaFormat() -> Int {
    let subLayers = bits(3)
    let chroma = bits(2)
    skip(2)
    if flag() { skipVVCProfile(subLayers) }
    skip(1)
    if flag() { skip(1) }
    return chroma
  }

  /// 7.3.3.1 and 7.3.3.2.
  fileprivate mutating func skipVVCProfile(_ subLayers: Int) {
    skip(7 + 1 + 8 + 2)
    if flag() {
      // All constraint flags of the first edition, and the declared number of additional bits.
      skip(71)
      skip(bits(8))
    }
    align()
    let levels = (0..<subLayers).map { _ in flag() }
    align()
    for hasLevel in levels where hasLevel { skip(8) }
    skip(32 * bits(8))
  }
}
