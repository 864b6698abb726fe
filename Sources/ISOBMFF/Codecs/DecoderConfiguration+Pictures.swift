import MP4Bytes

/// A ratio, as in `clap` and `pasp`.
package struct Ratio: Hashable, Sendable {
  /// The numerator.
  package var numerator: Int
  /// The denominator, greater than 0.
  package var denominator: Int

  /// `nil` if the denominator is not positive.
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
  /// The distance of its center from that of the picture, to the right.
  package var horizontalOffset: Ratio
  /// The distance of its center from that of the picture, downwards.
  package var verticalOffset: Ratio

  /// The area that a box declares; `nil` if it is not inside a picture.
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

/// Decoded pictures, before the matrix of the track is applied.
package struct PictureFormat: Hashable, Sendable {
  /// The width.
  package var width: Int
  /// The height.
  package var height: Int
  /// The part that is shown, if it is not the whole picture.
  package var cleanAperture: CleanAperture?
  /// The aspect ratio of a pixel, if declared.
  package var pixelAspect: Ratio?
  /// The color description, if declared.
  package var colour: ColourDescription?
  /// The value of the VIDEO-RANGE attribute of HTTP Live Streaming; SDR if undeclared.
  package var videoRange: VideoRange
}

/// A width and a height in pixels.
public struct PictureSize: Hashable, Sendable {
  /// The width.
  public var width: Int
  /// The height.
  public var height: Int

  /// A picture size.
  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

extension PictureFormat {
  /// The size of the shown part with square pixels. `isRotated` is true if the matrix of the track rotates pictures by
  /// a quarter turn.
  public func shownSize(isRotated: Bool = false) -> PictureSize {
    var (width, height) = (width, height)
    if let aperture = cleanAperture {
      width = Self.rounded(aperture.width.numerator, by: aperture.width.denominator)
      height = Self.rounded(aperture.height.numerator, by: aperture.height.denominator)
    }
    if let shape = pixelAspect {
      let (product, overflow) = width.multipliedReportingOverflow(by: shape.numerator)
      if !overflow { width = Self.rounded(product, by: shape.denominator) }
    }
    return PictureSize(width: isRotated ? height : width, height: isRotated ? width : height)
  }
  private static func rounded(_ numerator: Int, by denominator: Int) -> Int {
    numerator / denominator + (numerator % denominator >= denominator - numerator % denominator ? 1 : 0)
  }
}

extension DecoderConfiguration {
  /// The pictures of the samples; `nil` if the samples are not video.
  ///
  /// Their size comes from the sequence header if the entry has a readable one, and otherwise from the entry.
  package var pictures: PictureFormat? {
    guard let entry = fields as? VisualSampleEntry ?? (fields as? CanonRawSampleEntry)?.picture else { return nil }
    var (width, height) = (Int(entry.width), Int(entry.height))
    if let sequence = sequenceParameters { (width, height) = (sequence.width, sequence.height) }
    let shape = box(PixelAspectRatioBox.self).flatMap { Ratio($0.hSpacing, $0.vSpacing) }
    return PictureFormat(
      width: width, height: height, cleanAperture: box(CleanApertureBox.self).flatMap { CleanAperture($0) },
      pixelAspect: shape.flatMap { $0.numerator > 0 ? $0 : nil }, colour: colour, videoRange: videoRange ?? .sdr)
  }

  /// The color description: from `colr` or, without it, from the decoder configuration or the sequence header: ISO/IEC
  /// 14496-12:2022, 12.1.5.
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

  /// The dynamic range; `nil` if undeclared.
  ///
  /// Dolby Vision without a compatible picture (profile 5 and similar) has its own color space, with PQ luminance:
  /// Dolby Vision Streams within the HTTP Live Streaming Format, 4.2. Otherwise, if the colors do not declare the
  /// range, the Dolby Vision configuration declares what other decoders show: HDR10 (1 and 6), SDR (2) or HLG (4).
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
