/// Decoder configurations from the headers of a bitstream.
extension AVCConfigurationBox {
  /// The configuration with these parameter sets, without lengths and start codes; `nil` if some are missing or
  /// damaged. Lengths have four bytes.
  package init?(parameterSets: [[UInt8]]) {
    func sets(_ type: UInt8) -> [ParameterSet] {
      parameterSets.filter { $0.first.map { $0 & 31 } == type }.map(ParameterSet.init)
    }
    self.init()
    (sequenceParameterSets, pictureParameterSets) = (sets(7), sets(8))
    guard let first = sequenceParameterSets.first?.nalUnit, !pictureParameterSets.isEmpty,
      let profile = SequenceProfile(avc: first[...])
    else { return nil }
    avcProfileIndication = UInt8(clamping: profile.profile)
    profileCompatibility = profile.compatibility
    avcLevelIndication = UInt8(clamping: profile.level)
    // ISO/IEC 14496-15:2022, 5.3.3.1.2: Baseline, Main and Extended have no further fields.
    guard ![66, 77, 88].contains(profile.profile) else { return }
    var high = HighProfile()
    high.chromaFormat = UInt8(clamping: profile.chromaFormat)
    high.bitDepthLumaMinus8 = UInt8(clamping: profile.bitDepth - 8)
    high.bitDepthChromaMinus8 = UInt8(clamping: profile.chromaBitDepth - 8)
    high.sequenceParameterSetExtensions = sets(13)
    highProfile = high
  }
}

extension HEVCConfigurationBox {
  /// The configuration with these parameter sets and SEI messages, without lengths and start codes; `nil` if some are
  /// missing or damaged. Lengths have four bytes. ISO/IEC 14496-15:2022, 8.3.2.1.
  package init?(parameterSets: [[UInt8]]) {
    func units(_ type: UInt8) -> [NALUnit] {
      parameterSets.filter { $0.first.map { $0 >> 1 & 63 } == type }.map(NALUnit.init)
    }
    guard let first = units(33).first?.bytes, !units(34).isEmpty, let profile = SequenceProfile(hevc: first[...]) else {
      return nil
    }
    self.init()
    var r = BitReader(nalUnit: first[...], headerSize: 2)
    r.skip(4)
    numTemporalLayers = UInt8(r.bits(3) + 1)
    temporalIDNested = r.flag()
    generalProfileSpace = UInt8(r.bits(2))
    generalTierFlag = r.flag()
    generalProfileIDC = UInt8(r.bits(5))
    generalProfileCompatibilityFlags = UInt32(r.bits(32))
    generalConstraintIndicatorFlags = UInt64(r.bits(16)) << 32 | UInt64(r.bits(32))
    generalLevelIDC = UInt8(r.bits(8))
    chromaFormatIDC = UInt8(clamping: profile.chromaFormat)
    bitDepthLumaMinus8 = UInt8(clamping: profile.bitDepth - 8)
    bitDepthChromaMinus8 = UInt8(clamping: profile.chromaBitDepth - 8)
    for type in [32, 33, 34, 39, 40] as [UInt8] where !units(type).isEmpty {
      var array = NALArray()
      (array.nalUnitType, array.isComplete, array.nalUnits) = (type, type < 39, units(type))
      arrays.append(array)
    }
  }
}

extension VVCConfigurationBox {
  /// The configuration with these parameter sets, without lengths and start codes; `nil` if some are missing or
  /// damaged, or if the pictures have subpictures. Lengths have four bytes. ISO/IEC 14496-15:2022, 11.2.4.2.
  package init?(parameterSets: [[UInt8]]) {
    func units(_ type: UInt8) -> [HEVCConfigurationBox.NALUnit] {
      parameterSets.filter { $0.dropFirst().first.map { $0 >> 3 } == type }.map(HEVCConfigurationBox.NALUnit.init)
    }
    guard let first = units(15).first?.bytes, !units(16).isEmpty else { return nil }
    // ISO/IEC 23090-3, 7.3.2.4. The profile starts at a whole byte.
    var r = BitReader(nalUnit: first[...], headerSize: 2)
    var own = Profile()
    r.skip(8)
    own.numSublayers = UInt8(r.bits(3) + 1)
    own.chromaFormatIDC = UInt8(r.bits(2))
    r.skip(2)
    guard r.flag() else { return nil }
    own.profileTierLevel.read(&r, numSublayers: Int(own.numSublayers))
    r.skip(1)
    if r.flag() { r.skip(1) }
    (own.maxPictureWidth, own.maxPictureHeight) = (UInt16(clamping: r.golomb()), UInt16(clamping: r.golomb()))
    if r.flag() { r.skipGolombs(4) }
    if r.flag() { return nil }
    let depth = r.golomb()
    guard !r.isBroken, depth <= 7 else { return nil }
    own.bitDepthMinus8 = UInt8(depth)
    self.init()
    profile = own
    for type in 12...16 as ClosedRange<UInt8> where !units(type).isEmpty {
      var array = NALArray()
      (array.nalUnitType, array.isComplete, array.nalUnits) = (type, true, units(type))
      if type < 14 { array.nalUnits = Array(array.nalUnits.prefix(1)) }
      arrays.append(array)
    }
  }
}

extension VVCProfileTierLevel {
  /// ISO/IEC 23090-3, 7.3.3.1.
  fileprivate mutating func read(_ r: inout BitReader, numSublayers: Int) {
    generalProfileIDC = UInt8(r.bits(7))
    generalTierFlag = r.flag()
    generalLevelIDC = UInt8(r.bits(8))
    (frameOnlyConstraintFlag, multiLayerEnabledFlag) = (r.flag(), r.flag())
    // The constraints and their alignment.
    var rest = r
    if rest.flag() {
      rest.skip(71)
      rest.skip(rest.bits(8))
    }
    rest.align()
    firstConstraintBits = UInt8(r.bits(6))
    while !r.isBroken, r.position < rest.position { constraintInfo.append(UInt8(r.bits(8))) }
    if numSublayers > 1 {
      sublayerLevelPresentFlags = UInt8(r.bits(8))
      let flags = sublayerLevelPresentFlags & ~(0xff >> (numSublayers - 1))
      sublayerLevelIDCs = (0..<flags.nonzeroBitCount).map { _ in UInt8(r.bits(8)) }
    }
    let count = r.bits(8)
    for _ in 0..<count * 4 where !r.isBroken { subProfileIDCs.append(UInt8(r.bits(8))) }
  }
}

extension AV1CodecConfigurationBox {
  /// The configuration with a sequence header, as an open bitstream unit with its size, after which metadata units can
  /// follow; `nil` if it is damaged.
  package init?(sequenceHeader: [UInt8]) {
    guard let profile = SequenceProfile(av1: sequenceHeader[...]) else { return nil }
    self.init()
    (seqProfile, seqLevelIdx0) = (UInt8(clamping: profile.profile), UInt8(clamping: profile.level))
    seqTier0 = profile.isHighTier
    (highBitdepth, twelveBit) = (profile.bitDepth > 8, profile.bitDepth > 10)
    monochrome = profile.chromaFormat == 0
    (chromaSubsamplingX, chromaSubsamplingY) = (profile.chromaFormat < 3, profile.chromaFormat < 2)
    configOBUs = sequenceHeader
  }
}
