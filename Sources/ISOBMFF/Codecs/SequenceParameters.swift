/// The properties of all pictures that the header of a video stream declares.
package struct SequenceParameters: Hashable, Sendable {
  /// The width of decoded pictures after cropping.
  package var width: Int
  /// The height of decoded pictures after cropping; for fields, that of both together.
  package var height: Int
  /// The color description, if the stream declares it.
  package var colour: ColourDescription?
  /// The shape of pixels, if the stream of AVC or HEVC declares it.
  package var pixelAspectRatio: PixelAspectRatio?

  /// The width and the height of a pixel, relative to each other.
  package struct PixelAspectRatio: Hashable, Sendable {
    /// The width.
    package var width: Int
    /// The height.
    package var height: Int

    /// A shape.
    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// The maximum number of reference frames; only for AVC.
  package var referenceFrames: Int?

  /// Whether pictures can be coded as two fields; only for AVC.
  package var hasFields = false

  /// The number of bits before the structure of the picture in messages about picture timing; `nil` if they have none.
  package var timingBits: Int?
  /// Whether each sample is a field; only for HEVC.
  package var areFields = false

  /// The declared duration of a picture in seconds, as a fraction: of a frame, also of AVC, which declares that of
  /// fields; `nil` if the stream of AVC or HEVC does not declare it.
  package var pictureDuration: Fraction?
  /// The maximum number of pictures that precede another in decoding order and follow it in output order, if the stream
  /// of AVC or HEVC declares it.
  package var reorderCount: Int?

  /// A positive fraction.
  package struct Fraction: Hashable, Sendable {
    /// The numerator.
    package var numerator: Int
    /// The denominator.
    package var denominator: Int

    /// A fraction of two numbers above 0.
    package init(_ numerator: Int, _ denominator: Int) { (self.numerator, self.denominator) = (numerator, denominator) }
  }

  /// Pictures of this size.
  package init(width: Int, height: Int, colour: ColourDescription? = nil) {
    self.width = width
    self.height = height
    self.colour = colour
  }
}

/// The meaning of sample values as colors, in the codes of ISO/IEC 23091-2.
package struct ColourDescription: Hashable, Sendable {
  /// The color primaries; 2 is unspecified.
  package var primaries: UInt16 = 2
  /// The transfer characteristics; 2 is unspecified.
  package var transferCharacteristics: UInt16 = 2
  /// The matrix coefficients; 2 is unspecified.
  package var matrixCoefficients: UInt16 = 2
  /// Whether values use the full range.
  package var isFullRange = false

  /// Colors with these codes.
  package init(
    primaries: UInt16 = 2, transferCharacteristics: UInt16 = 2, matrixCoefficients: UInt16 = 2,
    isFullRange: Bool = false
  ) {
    self.primaries = primaries
    self.transferCharacteristics = transferCharacteristics
    self.matrixCoefficients = matrixCoefficients
    self.isFullRange = isFullRange
  }
  /// Three codes of eight bits each.
  init(_ reader: inout BitReader) {
    primaries = UInt16(reader.bits(8))
    transferCharacteristics = UInt16(reader.bits(8))
    matrixCoefficients = UInt16(reader.bits(8))
  }

  /// The dynamic range according to the transfer characteristics; `nil` if these are unspecified.
  package var videoRange: VideoRange? {
    switch transferCharacteristics {
    case 16: .pq
    case 18: .hlg
    case 1, 4...7, 11...15: .sdr
    default: nil
    }
  }
}

/// The values of the VIDEO-RANGE attribute of HTTP Live Streaming: draft-pantos-hls-rfc8216bis, 4.4.6.2.
public enum VideoRange: String, Sendable {
  /// Standard dynamic range.
  case sdr = "SDR"
  /// Hybrid log-gamma.
  case hlg = "HLG"
  /// Perceptual quantization.
  case pq = "PQ"
}

extension SequenceParameters {
  /// Reads a sequence parameter set of AVC, as a NAL unit with its header: ISO/IEC 14496-10, 7.3.2.1.1.
  package init?(avc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 1)
    self.init(avcBeforeUsability: &r)
    if r.flag() {
      readUsabilityInformation(&r)
      readDuration(&r, fieldCount: 2)
      (timingBits, reorderCount) = r.decoderRestrictions()
    }
  }

  /// Reads the fields before the flag of the usability information.
  init?(avcBeforeUsability r: inout BitReader) {
    let profile = r.bits(8)
    r.skip(16)
    _ = r.golomb()
    var (chroma, hasPlanes) = (1, false)
    if Self.highProfiles.contains(profile) {
      chroma = r.count(3)
      if chroma == 3 { hasPlanes = r.flag() }
      r.skipGolombs(2)
      r.skip(1)
      if r.flag() { r.skipAVCScalingLists(chroma == 3 ? 12 : 8) }
    }
    _ = r.golomb()
    r.skipPictureOrder()
    referenceFrames = r.golomb()
    r.skip(1)
    let (macroblocks, mapUnits) = (r.golomb() + 1, r.golomb() + 1)
    let isFrames = r.flag()
    hasFields = !isFrames
    r.skip(isFrames ? 1 : 2)
    let heightUnit = isFrames ? 1 : 2
    (width, height) = (macroblocks * 16, mapUnits * 16 * heightUnit)
    // The cropping unit, which depends on chroma subsampling: 7.4.2.1.1.
    let unit = hasPlanes || chroma == 0 ? (1, heightUnit) : (chroma == 3 ? 1 : 2, (chroma == 1 ? 2 : 1) * heightUnit)
    guard crop(&r, unit) else { return nil }
  }

  /// Reads the duration of pictures, of which each has `fieldCount` ticks.
  private mutating func readDuration(_ r: inout BitReader, fieldCount: Int) {
    guard r.flag() else { return }
    let (units, scale) = (r.bits(32), r.bits(32))
    if units > 0, scale > 0, !r.isBroken {
      pictureDuration = Fraction(units * fieldCount, scale)
    }
    if fieldCount == 2 { r.skip(1) }
  }

  /// Reads the start of the usability information of AVC and HEVC, which is identical: ISO/IEC 14496-10, E.1.1.
  private mutating func readUsabilityInformation(_ r: inout BitReader) {
    if r.flag() {
      let code = r.bits(8)
      let (width, height) =
        code == 255
        ? (r.bits(16), r.bits(16))
        : Self.pixelAspectRatios.indices.contains(code)
          ? Self.pixelAspectRatios[code] : (0, 0)
      if width > 0, height > 0, !r.isBroken { pixelAspectRatio = PixelAspectRatio(width: width, height: height) }
    }
    colour = ColourDescription(usabilityInformation: &r)
    if r.flag() { r.skipGolombs(2) }
  }

  /// Table E-1; the first one is unspecified.
  static let pixelAspectRatios = [
    (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11),
    (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
  ]

  /// The profiles whose parameter sets declare the chroma format.
  static let highProfiles: Set = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// Subtracts the cropping offsets: left, right, top and bottom.
  mutating func crop(_ r: inout BitReader, _ unit: (Int, Int)) -> Bool {
    if r.flag() {
      width -= (r.golomb() + r.golomb()) * unit.0
      height -= (r.golomb() + r.golomb()) * unit.1
    }
    return !r.isBroken && width > 0 && height > 0
  }
}

extension ColourDescription {
  /// The colors in the usability information of AVC and HEVC, after the shape of pixels.
  fileprivate init?(usabilityInformation r: inout BitReader) {
    if r.flag() { r.skip(1) }
    guard r.flag() else { return nil }
    r.skip(3)
    let isFull = r.flag()
    self.init()
    if r.flag() { self.init(&r) }
    isFullRange = isFull
    if r.isBroken { return nil }
  }
}

extension BitReader {
  mutating func skipAVCScalingLists(_ count: Int) {
    for index in 0..<count where flag() {
      var (last, next) = (8, 8)
      for _ in 0..<(index < 6 ? 16 : 64) where next != 0 && !isBroken {
        next = (last + signedGolomb()) & 0xff
        if next != 0 { last = next }
      }
    }
  }

  /// The picture order count fields.
  fileprivate mutating func skipPictureOrder() {
    switch golomb() {
    case 0: _ = golomb()
    case 1:
      skip(1)
      skipGolombs(2)
      skipGolombs(count(255))
    default: break
    }
  }
}

/// Parameter sets of HEVC.
extension SequenceParameters {
  /// Reads a sequence parameter set of HEVC, as a NAL unit with its header: ISO/IEC 23008-2, 7.3.2.2.
  package init?(hevc nalUnit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: nalUnit, headerSize: 2)
    self.init(hevcBeforeUsability: &r)
    guard r.flag() else { return }
    readUsabilityInformation(&r)
    r.skip(1)
    areFields = r.flag()
    timingBits = r.flag() ? 0 : nil
    if r.flag() { r.skipGolombs(4) }
    readDuration(&r, fieldCount: 1)
  }

  /// Reads the fields before the flag of the usability information.
  init?(hevcBeforeUsability r: inout BitReader) {
    r.skip(4)
    let subLayers = r.bits(3)
    r.skip(1)
    r.skipProfileTierLevel(subLayers)
    _ = r.golomb()
    let chroma = r.count(3)
    if chroma == 3 { r.skip(1) }
    (width, height) = (r.golomb(), r.golomb())
    guard crop(&r, (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)) else { return nil }
    reorderCount = r.skipToHEVCUsability(subLayers)
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

  /// Skips the fields between the picture size and the usability information; returns the maximum number of reordered
  /// pictures.
  fileprivate mutating func skipToHEVCUsability(_ subLayers: Int) -> Int? {
    skipGolombs(2)
    let orderBits = count(12) + 4
    let hasAllLayers = flag()
    skipGolombs(3 * (hasAllLayers ? subLayers : 0) + 1)
    let reorderCount = min(golomb(), 16)
    skipGolombs(1 + 6)
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
    return reorderCount
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
