import MP4Bytes

/// The parameters of video codecs in a codecs string.
extension DecoderConfiguration {
  /// `nil` if it is not a video codec, or its configuration is missing.
  var pictureParameters: [String]? {
    switch codedFormat {
    case "avc1", "avc2", "avc3", "avc4": box(AVCConfigurationBox.self).map(Self.avc)
    case "svc1", "svc2": box(SVCConfigurationBox.self).map { Self.layered($0.configuration) }
    case "mvc1", "mvc2": box(MVCConfigurationBox.self).map { Self.layered($0.configuration) }
    case "hvc1", "hvc2", "hvc3", "hev1", "hev2", "hev3", "hvt1", "lhv1", "lhe1":
      box(HEVCConfigurationBox.self).map(Self.hevc)
    case "vvc1", "vvi1": (box(VVCConfigurationBox.self)?.profile?.profileTierLevel).map(Self.vvc)
    case "evc1": box(EVCConfigurationBox.self).map(Self.evc)
    case "lvc1": box(LCEVCConfigurationBox.self).map(Self.lcevc)
    case "av01": box(AV1CodecConfigurationBox.self).map(av1)
    case "vp08", "vp09", "vp10": box(VPCodecConfigurationBox.self).map(vp)
    case "dvh1", "dvhe", "dva1", "dvav", "dav1": dolbyVision.map(Self.dolbyVisionParameters)
    case "avs3": box(AVS3ConfigurationBox.self).flatMap(Self.avs3)
    case "mp4v", "mp4s": mpeg4Parameters
    default: nil
    }
  }

  /// Profile, constraints and level in hexadecimal: ISO/IEC 14496-15, E.2, and RFC 6381, 3.3.
  private static func avc(_ box: AVCConfigurationBox) -> [String] {
    avc(box.avcProfileIndication, box.profileCompatibility, box.avcLevelIndication)
  }
  private static func layered(_ configuration: LayeredAVCConfiguration) -> [String] {
    avc(configuration.avcProfileIndication, configuration.profileCompatibility, configuration.avcLevelIndication)
  }
  private static func avc(_ bytes: UInt8...) -> [String] { [bytes.map { hexadecimal($0, 2) }.joined()] }

  /// The profile space and profile, the compatibility flags with the lowest bit first, tier and level, and the
  /// constraint bytes up to the last one that is not zero: ISO/IEC 14496-15, E.3.
  private static func hevc(_ box: HEVCConfigurationBox) -> [String] {
    let space = ["", "A", "B", "C"][Int(box.generalProfileSpace & 3)]
    var compatibility: UInt32 = 0
    for bit in 0..<32 where box.generalProfileCompatibilityFlags >> UInt32(bit) & 1 == 1 {
      compatibility |= 1 << UInt32(31 - bit)
    }
    var constraints = (0..<6).map {
      UInt8(truncatingIfNeeded: box.generalConstraintIndicatorFlags >> UInt64(40 - 8 * $0))
    }
    while constraints.last == 0 { constraints.removeLast() }
    let tier = (box.generalTierFlag ? "H" : "L") + String(box.generalLevelIDC)
    return [space + String(box.generalProfileIDC), hexadecimal(compatibility, 1), tier]
      + constraints.map { hexadecimal($0, 1) }
  }

  /// Profile, tier and level, the constraints in base 32 without trailing zeros, and the subprofiles: ISO/IEC 14496-15,
  /// E.6.
  private static func vvc(_ profile: VVCProfileTierLevel) -> [String] {
    var parts = [
      String(profile.generalProfileIDC), (profile.generalTierFlag ? "H" : "L") + String(profile.generalLevelIDC),
    ]
    let first =
      (profile.frameOnlyConstraintFlag ? 0x80 : 0) | (profile.multiLayerEnabledFlag ? 0x40 : 0)
      | profile.firstConstraintBits & 0x3f
    var constraints = [first] + profile.constraintInfo
    while constraints.last == 0 { constraints.removeLast() }
    if !constraints.isEmpty { parts.append("C" + base32(constraints)) }
    let registered = stride(from: 0, to: profile.subProfileIDCs.count / 4 * 4, by: 4).map { start in
      hexadecimal(profile.subProfileIDCs[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }, 1)
    }
    if !registered.isEmpty { parts.append("S" + registered.joined(separator: "+")) }
    return parts
  }

  /// RFC 4648, 6, without padding.
  private static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var r = BitReader((bytes + [0])[...])
    return String((0..<(bytes.count * 8 + 4) / 5).map { _ in alphabet[r.bits(5)] })
  }

  /// Named values with defaults: ISO/IEC 14496-15, E.9. The level is ten times its number.
  private static func evc(_ box: EVCConfigurationBox) -> [String] {
    let chroma = ["400", "420", "422", "444"][Int(box.chromaFormatIDC & 3)]
    return [
      "vprf\(box.profileIDC)", "vlev\(box.levelIDC / 3)", "vtoh" + hexadecimal(box.toolsetIDCH, 6),
      "vtol" + hexadecimal(box.toolsetIDCL, 6), "vbit\(box.bitDepthLumaMinus8)\(box.bitDepthChromaMinus8)",
      "vcss" + chroma,
    ]
  }

  /// Named values: ISO/IEC 14496-15:2022/Amd 1.
  private static func lcevc(_ box: LCEVCConfigurationBox) -> [String] {
    ["vprf\(box.profileIndication)", "vlev\(box.levelIndication)"]
  }

  /// Profile, level with tier, and bit depth; then chroma and colors, which are omitted if all of them have the
  /// default: AV1 Codec ISO Media File Format Binding 1.2.0, 5.
  private func av1(_ box: AV1CodecConfigurationBox) -> [String] {
    let depth = box.highBitdepth ? box.twelveBit ? 12 : 10 : 8
    let level = Self.decimal(box.seqLevelIdx0, 2) + (box.seqTier0 ? "H" : "M")
    let short = [String(box.seqProfile), level, Self.decimal(depth, 2)]
    let isHalved = box.chromaSubsamplingX && box.chromaSubsamplingY
    let chroma =
      (box.chromaSubsamplingX ? "1" : "0") + (box.chromaSubsamplingY ? "1" : "0")
      + String(isHalved ? box.chromaSamplePosition : 0)
    let colour = colour ?? ColourDescription()
    if !box.monochrome, chroma == "110", colour.isDefault { return short }
    return short + [box.monochrome ? "1" : "0", chroma] + Self.codes(colour) + [colour.isFullRange ? "1" : "0"]
  }

  /// Profile, level and bit depth; then chroma and colors, which are omitted if all of them have the default: VP Codec
  /// ISO Media File Format Binding 1.0.
  private func vp(_ box: VPCodecConfigurationBox) -> [String] {
    let short = [box.profile, box.level, box.bitDepth].map { Self.decimal($0, 2) }
    let colour = colour ?? ColourDescription()
    if box.chromaSubsampling == 1, colour.isDefault { return short }
    return short + [Self.decimal(box.chromaSubsampling, 2)] + Self.codes(colour) + [colour.isFullRange ? "01" : "00"]
  }

  private static func codes(_ colour: ColourDescription) -> [String] {
    [colour.primaries, colour.transferCharacteristics, colour.matrixCoefficients].map { decimal($0, 2) }
  }

  /// Profile and level of the sequence header: T/AI 109.6.
  private static func avs3(_ box: AVS3ConfigurationBox) -> [String]? {
    let header = box.sequenceHeader
    guard header.starts(with: [0, 0, 1, 0xb0]), header.count >= 6 else { return nil }
    return [hexadecimal(header[4], 2), hexadecimal(header[5], 2)]
  }
}

extension ColourDescription {
  /// Whether the colors can be omitted from codecs strings: BT.709, or unspecified.
  fileprivate var isDefault: Bool {
    !isFullRange && [primaries, transferCharacteristics, matrixCoefficients].allSatisfy { $0 == 1 || $0 == 2 }
  }
}
