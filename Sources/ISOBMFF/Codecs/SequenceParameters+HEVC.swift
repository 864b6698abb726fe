/// Parameter sets of HEVC.
extension SequenceParameters {
  /// Reads a sequence parameter set of HEVC, as a NAL unit with its header: ISO/IEC 23008-2, 7.3.2.2.
  package init?(hevc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    r.skip(4)
    let subLayers = r.bits(3)
    r.skip(1)
    r.skipProfileTierLevel(subLayers)
    _ = r.golomb()
    let chroma = r.count(3)
    if chroma == 3 { r.skip(1) }
    (width, height) = (r.golomb(), r.golomb())
    guard crop(&r, (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)) else { return nil }
    colour = r.hevcColour(subLayers)
  }
}

extension SequenceProfile {
  /// Reads a sequence parameter set of HEVC, as a NAL unit with its header; `nil` for those of other layers than the
  /// base.
  package init?(hevc nalUnit: ArraySlice<UInt8>) {
    let header = nalUnit.prefix(2)
    guard header.count == 2, header[header.startIndex] & 1 == 0, header[header.startIndex + 1] >> 3 == 0 else {
      return nil
    }
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    r.skip(4)
    let subLayers = r.bits(3)
    r.skip(1 + 2)
    isHighTier = r.flag()
    profile = r.bits(5)
    r.skip(32 + 48)
    level = r.bits(8)
    r.skipSubLayers(subLayers)
    _ = r.golomb()
    chromaFormat = r.count(3)
    if chromaFormat == 3 { r.skip(1) }
    r.skipGolombs(2)
    if r.flag() { r.skipGolombs(4) }
    bitDepth = 8 + r.count(8)
    chromaBitDepth = 8 + r.count(8)
    if r.isBroken { return nil }
  }
}

extension BitReader {
  /// The general profile and the profiles of `subLayers`: 7.3.3.
  mutating func skipProfileTierLevel(_ subLayers: Int) {
    skip(96)
    skipSubLayers(subLayers)
  }

  /// The profiles and levels of temporal layers, which follow the general ones.
  fileprivate mutating func skipSubLayers(_ subLayers: Int) {
    if subLayers == 0 { return }
    let present = (0..<subLayers).map { _ in (profile: flag(), level: flag()) }
    skip(2 * (8 - subLayers))
    for layer in present { skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
  }

  /// The fields between the picture size and the usability information, and the colors in the latter.
  fileprivate mutating func hevcColour(_ subLayers: Int) -> ColourDescription? {
    skipGolombs(2)
    let orderBits = count(12) + 4
    let hasAllLayers = flag()
    skipGolombs(3 * (hasAllLayers ? subLayers + 1 : 1))
    skipGolombs(6)
    if flag(), flag() { skipHEVCScalingLists() }
    skip(2)
    if flag() {
      skip(8)
      skipGolombs(2)
      skip(1)
    }
    skipReferenceSets(count(64))
    if flag() { skip(count(32) * (orderBits + 1)) }
    skip(2)
    return flag() ? ColourDescription(usabilityInformation: &self) : nil
  }

  /// 7.3.4.
  private mutating func skipHEVCScalingLists() {
    for size in 0..<4 {
      for _ in 0..<(size == 3 ? 2 : 6) where !isBroken {
        guard flag() else {
          _ = golomb()
          continue
        }
        if size > 1 { _ = golomb() }
        skipGolombs(min(64, 1 << (4 + size << 1)))
      }
    }
  }

  /// Reference picture sets, 7.3.7: each can be coded as changes of the previous one.
  private mutating func skipReferenceSets(_ setCount: Int) {
    var pictureCount = 0
    for index in 0..<setCount where !isBroken {
      guard index == 0 || !flag() else {
        skip(1)
        _ = golomb()
        var kept = 0
        for _ in 0...pictureCount where flag() || flag() { kept += 1 }
        pictureCount = kept
        continue
      }
      let (before, after) = (count(16), count(16))
      for _ in 0..<(before + after) where !isBroken {
        _ = golomb()
        skip(1)
      }
      pictureCount = before + after
    }
  }
}
