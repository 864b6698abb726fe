/// How samples are encrypted, where that is not as `tenc` says.
public struct EncryptionInformationGroup: BoxTableRow {
  /// The key.
  public var keyID = [UInt8](repeating: 0, count: 16)
  /// The vector of all samples, where they have none of their own.
  public var constantIV: [UInt8] = []
  /// Blocks of a pattern that are encrypted.
  public var cryptByteBlock: UInt8 = 0
  /// Blocks of a pattern that are not.
  public var skipByteBlock: UInt8 = 0
  /// Whether samples are encrypted.
  public var isProtected: UInt8 = 0
  /// The bytes of the vector of each sample.
  public var perSampleIVSize: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Not encrypted.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.reserved(&reserved, bits: 8)
    try c.bits("crypt_byte_block", &cryptByteBlock, 4)
    try c.bits("skip_byte_block", &skipByteBlock, 4)
    try c.uint8("isProtected", &isProtected, as: .named("0 not protected; 1 protected"))
    try c.uint8("Per_Sample_IV_Size", &perSampleIVSize)
    try c.bytes("KID", &keyID, count: 16)
    guard c.includes(isProtected == 1 && perSampleIVSize == 0) else { return }
    var count = UInt8(clamping: constantIV.count)
    try c.uint8("constant_IV_size", &count)
    try c.bytes("constant_IV", &constantIV, count: Int(count))
  }
}

/// What it takes to decode HEVC or VVC up to a temporal layer.
public struct TemporalLayerGroup: BoxTableRow {
  /// The layer.
  public var temporalLayerID: UInt8 = 0
  /// The space of profiles.
  public var tlprofileSpace: UInt8 = 0
  /// Whether it is the high tier.
  public var tltierFlag: Bool = false
  /// The profile.
  public var tlprofileIdc: UInt8 = 0
  /// The profiles that it is compatible with.
  public var tlprofileCompatibilityFlags: UInt32 = 0
  /// What the profile leaves out.
  public var constraintFlags = [UInt8](repeating: 0, count: 6)
  /// The level.
  public var tllevelIdc: UInt8 = 0
  /// The highest rate in kbit a second.
  public var tlMaxBitRate: UInt16 = 0
  /// The average rate in kbit a second.
  public var tlAvgBitRate: UInt16 = 0
  /// 1: constant; 2: constant in each layer; 0: either.
  public var tlConstantFrameRate: UInt8 = 0
  /// Pictures in 256 seconds.
  public var tlAvgFrameRate: UInt16 = 0
  /// The layer 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("temporalLayerId", &temporalLayerID)
    try c.bits("tlprofile_space", &tlprofileSpace, 2)
    try c.flag("tltier_flag", &tltierFlag, as: .named(.tiers))
    try c.bits("tlprofile_idc", &tlprofileIdc, 5)
    try c.uint32("tlprofile_compatibility_flags", &tlprofileCompatibilityFlags, as: .flags(.hevcCompatibility))
    try c.bytes("tlconstraint_indicator_flags", &constraintFlags, count: 6)
    try c.uint8("tllevel_idc", &tllevelIdc)
    try c.uint16("tlMaxBitRate", &tlMaxBitRate)
    try c.uint16("tlAvgBitRate", &tlAvgBitRate)
    try c.uint8("tlConstantFrameRate", &tlConstantFrameRate)
    try c.uint16("tlAvgFrameRate", &tlAvgFrameRate)
  }
}

/// Samples of one layer of AVC.
public struct AVCLayerGroup: BoxTableRow {
  /// The layer.
  public var layerNumber: UInt8 = 0
  /// Whether the rates are exact.
  public var accurateStatisticsFlag: Bool = false
  /// The average rate in kbit a second.
  public var avgBitRate: UInt16 = 0
  /// Pictures in 256 seconds.
  public var avgFrameRate: UInt16 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The layer 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("layerNumber", &layerNumber)
    try c.reserved(&reserved, bits: 7)
    try c.flag("accurateStatisticsFlag", &accurateStatisticsFlag)
    try c.uint16("avgBitRate", &avgBitRate)
    try c.uint16("avgFrameRate", &avgFrameRate)
  }
}

/// When samples are decoded where layers are left out.
public struct DecodeRetimingGroup: BoxTableRow {
  /// The change when one layer is the highest.
  public struct Layer: BoxTableRow {
    /// The layer.
    public var tierID: UInt16 = 0
    /// What is added to the decode time.
    public var delta: Int16 = 0
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("tierID", &tierID)
      try c.int16("delta", &delta)
    }
  }
  /// The changes.
  public var layers = BoxTable<Layer>()
  /// No change.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var count = UInt8(clamping: layers.count)
    try c.uint8("tierCount", &count)
    try c.table("tiers", &layers, count: count)
  }
}

/// A rectangle of tiles, slices or subpictures.
public struct RectangularRegionGroup: BoxTableRow {
  /// The number by which others name it.
  public var groupID: UInt16 = 0
  /// Whether it is a rectangle, whose place follows.
  public var rectRegionFlag: Bool = false
  /// 0: needs the other tiles; 1: needs none; 2: needs some of the same picture.
  public var independentIDC: UInt8 = 0
  /// Whether it is the whole picture.
  public var isFullPicture = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Left, top, width and height.
  public var rectangle: [UInt16] = [0, 0, 0, 0]
  /// Whether no filter goes across its edges.
  public var filteringDisabled = false
  /// Whether the rectangles that it needs follow.
  public var hasDependencyList = false
  /// The rectangles that it needs.
  public var dependencies = BoxTable<UInt16>()
  /// No rectangle.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint16("groupID", &groupID)
    try c.flag("rect_region_flag", &rectRegionFlag)
    guard c.includes(rectRegionFlag) else { return try c.reserved(&reserved, bits: 7) }
    try c.bits("independent_idc", &independentIDC, 2)
    try c.flag("full_picture", &isFullPicture)
    try c.flag("filtering_disabled", &filteringDisabled)
    try c.flag("has_dependency_list", &hasDependencyList)
    try c.reserved(&reserved, bits: 2)
    if c.includes(!isFullPicture) {
      try c.uint16("horizontal_offset", &rectangle[0])
      try c.uint16("vertical_offset", &rectangle[1])
    }
    try c.uint16("region_width", &rectangle[2])
    try c.uint16("region_height", &rectangle[3])
    guard c.includes(hasDependencyList) else { return }
    var count = UInt16(clamping: dependencies.count)
    try c.uint16("dependency_rect_region_count", &count)
    try c.table("dependencyRectRegionGroupID", &dependencies, count: count)
  }
}
