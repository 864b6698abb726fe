import Bytes

/// The size of a picture before it is cropped and rotated.
public struct ImageSpatialExtentsProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ispe", "Image Spatial Extents", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.3")
  public var header = FullBoxHeader()
  /// In pixels.
  public var imageWidth: UInt32 = 0
  /// In pixels.
  public var imageHeight: UInt32 = 0
  /// No extent.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("image_width", &imageWidth)
    try c.uint32("image_height", &imageHeight)
  }
}

/// How many bits each channel of a picture has.
public struct PixelInformationProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("pixi", "Pixel Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.6")
  public var header = FullBoxHeader()
  /// One number for each channel.
  public var bitsPerChannel = BoxTable<UInt8>()
  /// No channels.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: bitsPerChannel.count)
    try c.uint8("num_channels", &count)
    try c.table("bits_per_channel", &bitsPerChannel, count: count)
  }
}

/// Where a picture lies in another one.
public struct RelativeLocationProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rloc", "Relative Location", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.7")
  public var header = FullBoxHeader()
  /// From the left edge, in pixels.
  public var horizontalOffset: UInt32 = 0
  /// From the top edge, in pixels.
  public var verticalOffset: UInt32 = 0
  /// In the corner.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("horizontal_offset", &horizontalOffset)
    try c.uint32("vertical_offset", &verticalOffset)
  }
}

/// What an auxiliary picture is for: transparency or depth, for instance.
public struct AuxiliaryTypeProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("auxC", "Auxiliary Type", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.8")
  public var header = FullBoxHeader()
  /// A URN.
  public var auxType: BoxString = ""
  /// What the type adds.
  public var auxSubtype: [UInt8] = []
  /// No type.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("aux_type", &auxType)
    if c.hasMore(or: !auxSubtype.isEmpty) { try c.bytes("aux_subtype", &auxSubtype) }
  }
}

/// By how much a picture is rotated.
public struct ImageRotation: BoxPayload, Equatable {
  public static let info = BoxInfo("irot", "Image Rotation", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.10")
  /// In units of 90 degrees, against the clock.
  public var angle: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Upright.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.bits(
      "angle", &angle, 2,
      as: .named("0 0 degrees; 1 90 degrees anticlockwise; 2 180 degrees; 3 270 degrees anticlockwise"))
  }
}

/// How a picture is mirrored.
public struct ImageMirror: BoxPayload, Equatable {
  public static let info = BoxInfo("imir", "Image Mirroring", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.12")
  /// 0: top and bottom change places; 1: left and right do.
  public var axis: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Top and bottom change places.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 7)
    try c.bits("axis", &axis, 1, as: .named("0 vertical; 1 horizontal"))
  }
}

/// To what size a picture is scaled, in fractions of its own.
public struct ImageScaling: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iscl", "Image Scaling", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.13")
  public var header = FullBoxHeader()
  /// The width: numerator.
  public var targetWidthNumerator: UInt16 = 1
  /// The width: denominator.
  public var targetWidthDenominator: UInt16 = 1
  /// The height: numerator.
  public var targetHeightNumerator: UInt16 = 1
  /// The height: denominator.
  public var targetHeightDenominator: UInt16 = 1
  /// The same size.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("target_width_numerator", &targetWidthNumerator)
    try c.uint16("target_width_denominator", &targetWidthDenominator)
    try c.uint16("target_height_numerator", &targetHeightNumerator)
    try c.uint16("target_height_denominator", &targetHeightDenominator)
  }
}

/// Which layer of a picture is shown.
public struct LayerSelectorProperty: BoxPayload, Equatable {
  public static let info = BoxInfo("lsel", "Layer Selection", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.11")
  /// The layer; 0xffff for all of them.
  public var layerID: UInt16 = 0
  /// The first layer.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint16("layer_id", &layerID) }
}

/// Which set of layers of a picture is shown.
public struct TargetOLSProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "tols", "Target Output Layer Set", in: ["ipco"], "ISO/IEC 23008-12:2022, B.2.3.4")
  public var header = FullBoxHeader()
  /// The set.
  public var targetOLSIndex: UInt16 = 0
  /// The first set.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("target_ols_idx", &targetOLSIndex)
  }
}

/// How a mask is stored.
public struct MaskConfigurationProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mskC", "Mask Configuration", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.10.2")
  public var header = FullBoxHeader()
  /// 1, 2, 4, 8, 16 …
  public var bitsPerPixel: UInt8 = 1
  /// A bit for each pixel.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("bits_per_pixel", &bitsPerPixel)
  }
}

/// What the JPEG pictures of a file have in common at their start.
public struct JPEGConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo("jpgC", "JPEG Configuration Box", in: ["ipco"], "ISO/IEC 23008-12:2022, H.2.2")
  /// The bytes before those of the item.
  public var jpegPrefix: [UInt8] = []
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.bytes("JPEGprefix", &jpegPrefix) }
}
