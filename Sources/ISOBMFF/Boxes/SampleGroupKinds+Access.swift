public import Bytes

/// Pictures at which decoding can start once the sync sample before has been decoded.
public struct DependentRandomAccessGroup: BoxTableRow {
  /// What holds of the pictures after it, as of a stream access point of type 1, 2 or 3.
  public var drapType: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Type 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.bits("DRAP_type", &drapType, 3)
    try c.reserved(&reserved, bits: 29)
  }
}

/// Samples with the same shape of pixels.
public struct PixelAspectRatioGroup: BoxTableRow {
  /// The width of a pixel.
  public var hSpacing: UInt32 = 0
  /// The height of a pixel.
  public var vSpacing: UInt32 = 0
  /// Square pixels.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint32("hSpacing", &hSpacing)
    try c.uint32("vSpacing", &vSpacing)
  }
}

/// Samples of which the same part is shown.
public struct CleanApertureGroup: BoxTableRow {
  /// The width in pixels: its numerator.
  public var widthNumerator: UInt32 = 0
  /// The width in pixels: its denominator.
  public var widthDenominator: UInt32 = 0
  /// The height in pixels: its numerator.
  public var heightNumerator: UInt32 = 0
  /// The height in pixels: its denominator.
  public var heightDenominator: UInt32 = 0
  /// How far the middle is right of that of the picture: its numerator.
  public var horizontalOffsetNumerator: Int32 = 0
  /// How far the middle is right of that of the picture: its denominator.
  public var horizontalOffsetDenominator: UInt32 = 0
  /// How far the middle is below that of the picture: its numerator.
  public var verticalOffsetNumerator: Int32 = 0
  /// How far the middle is below that of the picture: its denominator.
  public var verticalOffsetDenominator: UInt32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint32("cleanApertureWidthN", &widthNumerator)
    try c.uint32("cleanApertureWidthD", &widthDenominator)
    try c.uint32("cleanApertureHeightN", &heightNumerator)
    try c.uint32("cleanApertureHeightD", &heightDenominator)
    try c.int32("horizOffN", &horizontalOffsetNumerator)
    try c.uint32("horizOffD", &horizontalOffsetDenominator)
    try c.int32("vertOffN", &verticalOffsetNumerator)
    try c.uint32("vertOffD", &verticalOffsetDenominator)
  }
}

/// Samples that items of metadata describe.
public struct SampleToMetadataItemGroup: BoxTableRow {
  /// The handler of the metadata.
  public var handlerType: FourCC = FourCC()
  /// The items.
  public var itemIDs = BoxTable<UInt32>()
  /// No items.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.fourCC("meta_box_handler_type", &handlerType)
    try c.table("item_id", &itemIDs, counted: "num_items")
  }
}

/// Samples that can be decoded earlier or later than their decode time says, where not all layers are decoded.
public struct OperatingPointDecodeTimeGroup: BoxTableRow {
  /// What is added to the decode time.
  public var deltaTime: Int32 = 0
  /// No change.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.int32("delta_time", &deltaTime)
  }
}

/// Samples of L-HEVC whose base layer is in another track.
public struct ExternalBaseLayerGroup: BoxTableRow {
  /// Whether the picture of the base layer is one at which decoding can start.
  public var isRandomAccess: Bool = false
  /// The type of the NAL units of that picture.
  public var nalUnitType: UInt8 = 0
  /// Which sample of the base layer belongs to it, counted from the one with the same time.
  public var sampleOffset: Int8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No random access.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.reserved(&reserved, bits: 1, ones: true)
    try c.flag("bl_irap_pic_flag", &isRandomAccess)
    try c.bits("bl_irap_nal_unit_type", &nalUnitType, 6)
    try c.int8("sample_offset", &sampleOffset)
  }
}

/// Which tier each NAL unit of a sample belongs to.
public struct ScalableNALUMapGroup: BoxTableRow {
  /// The tier of each NAL unit.
  public var groupIDs = BoxTable<UInt8>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No NAL units.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.reserved(&reserved, bits: 8)
    var count = UInt8(clamping: groupIDs.count)
    try c.uint8("NALU_count", &count)
    try c.table("groupID", &groupIDs, count: count)
  }
}
