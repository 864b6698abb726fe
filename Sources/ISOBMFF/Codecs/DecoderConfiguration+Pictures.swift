import Bytes

/// A number as `clap` and `pasp` have it.
package struct Ratio: Hashable, Sendable {
  /// What is divided.
  package var numerator: Int
  /// By what it is divided; more than 0.
  package var denominator: Int

  /// `nil` where the denominator is not more than 0.
  package init?(_ numerator: some BinaryInteger, _ denominator: some BinaryInteger) {
    guard denominator > 0 else { return nil }
    self.numerator = Int(clamping: numerator)
    self.denominator = Int(clamping: denominator)
  }
}

/// The part of pictures that is shown, in pixels: ISO/IEC 14496-12:2022, 12.1.4.
package struct CleanAperture: Hashable, Sendable {
  /// Its width, more than 0.
  package var width: Ratio
  /// Its height, more than 0.
  package var height: Ratio
  /// How far its middle lies to the right of that of the picture.
  package var horizontalOffset: Ratio
  /// How far its middle lies below that of the picture.
  package var verticalOffset: Ratio

  /// What a box says; `nil` where that is no part of a picture.
  package init?(_ box: CleanApertureBox) {
    guard let width = Ratio(box.cleanApertureWidthN, box.cleanApertureWidthD), width.numerator > 0,
      let height = Ratio(box.cleanApertureHeightN, box.cleanApertureHeightD), height.numerator > 0,
      let horizontal = Ratio(box.horizOffN, box.horizOffD), let vertical = Ratio(box.vertOffN, box.vertOffD)
    else { return nil }
    self.width = width
    self.height = height
    (horizontalOffset, verticalOffset) = (horizontal, vertical)
  }
}

/// Pictures as a decoder puts them out, before the matrix of the track turns them.
package struct PictureFormat: Hashable, Sendable {
  /// The width.
  package var width: Int
  /// The height.
  package var height: Int
  /// The part that is shown, where that is not all.
  package var cleanAperture: CleanAperture?
  /// The width of a pixel by its height, where that is said.
  package var pixelAspect: Ratio?
  /// What numbers mean as colours, where something says so.
  package var colour: ColourDescription?
  /// The value of the attribute VIDEO-RANGE of HTTP Live Streaming, which is SDR where nothing says.
  package var videoRange: VideoRange
}

/// A width and a height in pixels.
public struct PictureSize: Hashable, Sendable {
  /// The width.
  public var width: Int
  /// The height.
  public var height: Int

  /// A size of pictures.
  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

extension PictureFormat {
  /// The size of the part that is shown, with square pixels; `isTurned` is whether the matrix of the track turns
  /// pictures by a quarter.
  public func shownSize(isTurned: Bool = false) -> PictureSize {
    var (width, height) = (width, height)
    if let aperture = cleanAperture {
      width = Self.rounded(aperture.width.numerator, by: aperture.width.denominator)
      height = Self.rounded(aperture.height.numerator, by: aperture.height.denominator)
    }
    if let shape = pixelAspect {
      let (product, overflow) = width.multipliedReportingOverflow(by: shape.numerator)
      if !overflow { width = Self.rounded(product, by: shape.denominator) }
    }
    return PictureSize(width: isTurned ? height : width, height: isTurned ? width : height)
  }
  private static func rounded(_ numerator: Int, by denominator: Int) -> Int {
    numerator / denominator + (numerator % denominator >= denominator - numerator % denominator ? 1 : 0)
  }
}

extension DecoderConfiguration {
  /// The pictures of the samples; `nil` where they are something else.
  ///
  /// Their size is what the sequence header says, where the entry has one that can be read, and else what the entry
  /// says.
  package var pictures: PictureFormat? {
    guard let entry = fields as? VisualSampleEntry ?? (fields as? CanonRawSampleEntry)?.picture else { return nil }
    var (width, height) = (Int(entry.width), Int(entry.height))
    if let sequence = sequenceParameters { (width, height) = (sequence.width, sequence.height) }
    let shape = box(PixelAspectRatioBox.self).flatMap { Ratio($0.hSpacing, $0.vSpacing) }
    return PictureFormat(
      width: width, height: height, cleanAperture: box(CleanApertureBox.self).flatMap { CleanAperture($0) },
      pixelAspect: shape.flatMap { $0.numerator > 0 ? $0 : nil }, colour: colour, videoRange: videoRange ?? .sdr)
  }

  /// What numbers mean as colours: as `colr` says, and without it the configuration of the decoder, or else the
  /// sequence header: ISO/IEC 14496-12:2022, 12.1.5.
  package var colour: ColourDescription? {
    if let box = colourBox {
      return ColourDescription(
        primaries: box.colourPrimaries, transferCharacteristics: box.transferCharacteristics,
        matrixCoefficients: box.matrixCoefficients, isFullRange: box.fullRangeFlag)
    }
    if let box = box(VPCodecConfigurationBox.self), box.version > 0 {
      return ColourDescription(
        primaries: UInt16(box.colourPrimaries), transferCharacteristics: UInt16(box.transferCharacteristics),
        matrixCoefficients: UInt16(box.matrixCoefficients), isFullRange: box.videoFullRangeFlag)
    }
    return sequenceParameters?.colour
  }

  /// The first `colr` with color codes; others contain ICC profiles.
  private var colourBox: ColourInformationBox? {
    let found = all(ColourInformationBox.self)
    return found.first { $0.colourType == "nclx" } ?? found.first { $0.colourType == "nclc" }
  }

  /// The range of brightness; `nil` where nothing says.
  ///
  /// Dolby Vision without a picture for others (profile 5 and its like) has colours of its own, whose brightness is PQ:
  /// Dolby Vision Streams within the HTTP Live Streaming Format, 4.2. Otherwise its configuration says what others see,
  /// where the colours do not: HDR10 (1 and 6), SDR (2) or HLG (4).
  package var videoRange: VideoRange? {
    if let vision = dolbyVision, vision.dvBlSignalCompatibilityID == 0, [5, 10, 20].contains(vision.dvProfile) {
      return .pq
    }
    if let range = colour?.videoRange { return range }
    switch dolbyVision?.dvBlSignalCompatibilityID {
    case 1, 6: return .pq
    case 2: return .sdr
    case 4: return .hlg
    default: return nil
    }
  }
}
