/// Parameter sets of VVC.
extension SequenceParameters {
  /// Reads a sequence parameter set of VVC, as a NAL unit with its header: ISO/IEC 23090-3, 7.3.2.4. The colours are
  /// too far after the size to be read.
  package init?(vvc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    r.skip(8)
    let subLayers = r.bits(3)
    let chroma = r.bits(2)
    r.skip(2)
    if r.flag() { r.skipVVCProfile(subLayers) }
    r.skip(1)
    if r.flag() { r.skip(1) }
    (width, height) = (r.golomb(), r.golomb())
    guard crop(&r, (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)) else { return nil }
  }
}

extension BitReader {
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
