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
    guard let sequence = AVCSliceHeader.Sequence(&r), !r.isBroken else { return nil }
    (width, height) = sequence.cropped
    (referenceFrames, hasFields) = (sequence.referenceFrames, !sequence.isFrames)
    if width <= 0 || height <= 0 { return nil }
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
    guard let sequence = HEVCHeaders.Sequence(&r) else { return nil }
    (width, height) = sequence.cropped
    reorderCount = sequence.reorderCount
    if width <= 0 || height <= 0 { return nil }
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
    guard let sequence = HEVCHeaders.Sequence(&r) else { return nil }
    self = sequence.profile
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
    let size = (r.golomb(), r.golomb())
    (width, height) = r.cropped(size.0, size.1, (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1))
    if r.isBroken || width <= 0 || height <= 0 { return nil }
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
