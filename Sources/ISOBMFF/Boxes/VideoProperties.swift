public import MP4Bytes

/// The shape of a pixel.
public struct PixelAspectRatioBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "pasp", "Pixel Aspect Ratio Box", in: SampleEntries.visualTypes + ["ipco"], "ISO/IEC 14496-12:2022, 12.1.4")
  /// The relative width.
  public var hSpacing: UInt32 = 1
  /// The relative height.
  public var vSpacing: UInt32 = 1
  /// A square.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("hSpacing", &hSpacing)
    try c.uint32("vSpacing", &vSpacing)
  }
}

/// The part of the picture that is shown, in fractions of pixels.
public struct CleanApertureBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "clap", "Clean Aperture Box", in: SampleEntries.visualTypes + ["ipco"], "ISO/IEC 14496-12:2022, 12.1.4")
  /// The width: numerator.
  public var cleanApertureWidthN: UInt32 = 0
  /// The width: denominator.
  public var cleanApertureWidthD: UInt32 = 1
  /// The height: numerator.
  public var cleanApertureHeightN: UInt32 = 0
  /// The height: denominator.
  public var cleanApertureHeightD: UInt32 = 1
  /// The horizontal distance of its center from that of the picture, to the right: numerator.
  public var horizOffN: Int32 = 0
  /// The horizontal distance of its center from that of the picture, to the right: denominator.
  public var horizOffD: UInt32 = 1
  /// The vertical distance of its center from that of the picture, downwards: numerator.
  public var vertOffN: Int32 = 0
  /// The vertical distance of its center from that of the picture, downwards: denominator.
  public var vertOffD: UInt32 = 1
  /// An empty area at the center.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("cleanApertureWidthN", &cleanApertureWidthN)
    try c.uint32("cleanApertureWidthD", &cleanApertureWidthD)
    try c.uint32("cleanApertureHeightN", &cleanApertureHeightN)
    try c.uint32("cleanApertureHeightD", &cleanApertureHeightD)
    try c.int32("horizOffN", &horizOffN)
    try c.uint32("horizOffD", &horizOffD)
    try c.int32("vertOffN", &vertOffN)
    try c.uint32("vertOffD", &vertOffD)
  }
}

/// The color information of video.
public struct ColourInformationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "colr", "Colour Information Box", in: SampleEntries.visualTypes + ["ipco"], "ISO/IEC 14496-12:2022, 12.1.5")
  /// `nclx`: codes; `nclc`: the same in QuickTime; `rICC` and `prof`: an ICC profile.
  public var colourType: FourCC = "nclx"
  /// A code of ISO/IEC 23091-2; 1 for BT.709, 2 for unspecified.
  public var colourPrimaries: UInt16 = 2
  /// A code of ISO/IEC 23091-2; 1 for BT.709, 2 for unspecified.
  public var transferCharacteristics: UInt16 = 2
  /// A code of ISO/IEC 23091-2; 1 for BT.709, 2 for unspecified.
  public var matrixCoefficients: UInt16 = 2
  /// Whether values use the full range; only `nclx` declares it.
  public var fullRangeFlag: Bool = false
  /// An ICC profile, or the data of an unknown type.
  public var profile: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Unspecified colors.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("colour_type", &colourType)
    let hasCodes = colourType == "nclx" || colourType == "nclc"
    if c.includes(hasCodes) {
      try c.uint16("colour_primaries", &colourPrimaries, as: .named(.colourPrimaries))
      try c.uint16(
        "transfer_characteristics", &transferCharacteristics, as: .named(.transferCharacteristics))
      try c.uint16("matrix_coefficients", &matrixCoefficients, as: .named(.matrixCoefficients))
    }
    if c.includes(colourType == "nclx") {
      try c.flag("full_range_flag", &fullRangeFlag)
      try c.reserved(&reserved, bits: 7)
    }
    if c.includes(!hasCodes) { try c.bytes("ICC_profile", &profile) }
  }
}
