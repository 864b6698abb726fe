extension AVCSliceHeader {
  /// A sequence parameter set up to the flag of the usability information: ISO/IEC 14496-10, 7.3.2.1.1.
  struct Sequence {
    let id: Int
    /// The profile and the format of samples.
    let profile: SequenceProfile
    let hasPlanes: Bool
    let frameNumberBits: Int
    let orderType: Int
    let orderBits: Int
    let hasNoOrderDeltas: Bool
    let referenceFrames: Int
    let allowsGaps: Bool
    let isFrames: Bool
    let isAdaptive: Bool
    let hasDirect8x8: Bool
    /// The size of frames in macroblocks.
    let width: Int
    /// The height in macroblocks.
    let height: Int
    /// The size in samples after cropping.
    let cropped: (width: Int, height: Int)
    /// Whether the fields before cropping are valid, on which slice headers depend.
    let isUsable: Bool
    /// The number of bits before `pic_struct` in SEI messages about picture timing; `nil` if they do not contain it.
    var timingBits: Int?
    /// The maximum number of frames that precede another in decoding order and follow it in output order; `nil` if
    /// unknown.
    var reorderCount: Int?

    /// Whether slices have chroma in addition to luma.
    var hasChroma: Bool { profile.chromaFormat != 0 && !hasPlanes }

    /// Reads a set after the header of its NAL unit; `nil` if it ends before the bit depths, or if they are impossible.
    init?(_ r: inout BitReader) {
      var profile = SequenceProfile(profile: r.bits(8), level: 0)
      profile.compatibility = UInt8(r.bits(8))
      profile.level = r.bits(8)
      id = r.golomb()
      let isHigh = Self.highProfiles.contains(profile.profile)
      if isHigh { profile.chromaFormat = r.count(3) }
      hasPlanes = isHigh && profile.chromaFormat == 3 && r.flag()
      if isHigh { (profile.bitDepth, profile.chromaBitDepth) = (8 + r.count(6), 8 + r.count(6)) }
      self.profile = profile
      if r.isBroken { return nil }
      if isHigh {
        r.skip(1)
        if r.flag() { r.skipAVCScalingLists(profile.chromaFormat == 3 ? 12 : 8) }
      }
      frameNumberBits = r.count(12) + 4
      orderType = r.count(2)
      orderBits = orderType == 0 ? r.count(12) + 4 : 0
      hasNoOrderDeltas = orderType == 1 && r.flag()
      if orderType == 1 {
        r.skipGolombs(2)
        r.skipGolombs(r.count(255))
      }
      referenceFrames = r.golomb()
      allowsGaps = r.flag()
      let (columns, mapUnits) = (r.golomb() + 1, r.golomb() + 1)
      isFrames = r.flag()
      (width, height) = (columns, mapUnits * (isFrames ? 1 : 2))
      isAdaptive = !isFrames && r.flag()
      hasDirect8x8 = r.flag()
      isUsable = !r.isBroken && id < 32 && columns <= 1 << 12 && mapUnits <= 1 << 12
      // The cropping unit, which depends on chroma subsampling: 7.4.2.1.1.
      let chroma = hasPlanes ? 0 : profile.chromaFormat
      let unit = (1...2 ~= chroma ? 2 : 1, (chroma == 1 ? 2 : 1) * (isFrames ? 1 : 2))
      cropped = r.cropped(width * 16, height * 16, unit)
    }

    /// The profiles whose parameter sets declare the chroma format.
    private static let highProfiles: Set = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]
  }
}

extension BitReader {
  /// Skips scaling lists: 7.3.2.1.1.1.
  mutating func skipAVCScalingLists(_ count: Int) {
    for index in 0..<count where flag() {
      var (last, next) = (8, 8)
      for _ in 0..<(index < 6 ? 16 : 64) where next != 0 && !isBroken {
        next = (last + signedGolomb()) & 0xff
        if next != 0 { last = next }
      }
    }
  }

  /// A size without the cropping offsets, left, right, top and bottom, in units.
  mutating func cropped(_ width: Int, _ height: Int, _ unit: (Int, Int)) -> (width: Int, height: Int) {
    guard flag() else { return (width, height) }
    return (width - (golomb() + golomb()) * unit.0, height - (golomb() + golomb()) * unit.1)
  }
}
