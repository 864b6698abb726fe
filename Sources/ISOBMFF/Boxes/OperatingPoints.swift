import Bytes

/// The L-HEVC layers that are decoded together, and their dependencies.
public struct OperatingPointsGroup: BoxPayload {
  public static let info = BoxInfo("oinf", "Operating Points Information Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// A profile with tier and level.
  public struct ProfileTierLevel: BoxTableRow {
    /// The profile space.
    public var generalProfileSpace: UInt8 = 0
    /// Whether the tier is High instead of Main.
    public var generalTierFlag = false
    /// The profile.
    public var generalProfileIDC: UInt8 = 1
    /// The profiles that the stream is compatible with.
    public var generalProfileCompatibilityFlags: UInt32 = 0
    /// The constraint flags of the profile.
    public var constraintFlags = [UInt8](repeating: 0, count: 6)
    /// 30 times the level.
    public var generalLevelIDC: UInt8 = 0
    /// The Main profile without a level.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("general_profile_space", &generalProfileSpace, 2)
      try c.flag("general_tier_flag", &generalTierFlag, as: .named(.tiers))
      try c.bits("general_profile_idc", &generalProfileIDC, 5)
      try c.uint32(
        "general_profile_compatibility_flags", &generalProfileCompatibilityFlags, as: .flags(.hevcCompatibility))
      try c.bytes("general_constraint_indicator_flags", &constraintFlags, count: 6)
      try c.uint8("general_level_idc", &generalLevelIDC)
    }
  }
  /// A layer of an operating point.
  public struct Layer: BoxTableRow {
    /// The index of its profile, tier and level, counted from 1.
    public var ptlIdx: UInt8 = 0
    /// The layer.
    public var layerID: UInt8 = 0
    /// Whether it is output.
    public var isOutputLayer = false
    /// Whether it is output if the layer above is missing.
    public var isAlternateOutputLayer = false
    /// Layer 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("ptl_idx", &ptlIdx)
      try c.bits("layer_id", &layerID, 6)
      try c.flag("is_outputlayer", &isOutputLayer)
      try c.flag("is_alternate_outputlayer", &isAlternateOutputLayer)
    }
  }
  /// The dependencies of a layer.
  public struct Dependency: BoxTableRow {
    /// The layer.
    public var layerID: UInt8 = 0
    /// The layers that it directly depends on.
    public var dependentOnLayerIDs = BoxTable<UInt8>()
    /// Its index in each scalability dimension that is in use.
    public var dimensionIdentifiers = BoxTable<UInt8>()
    /// Layer 0 without dependencies.
    public init() {}
    /// `shape` is the mask of the scalability dimensions.
    public mutating func fields(_ c: inout FieldCoder, shape mask: UInt32) throws(BoxError) {
      try c.uint8("layerID", &layerID)
      var count = UInt8(clamping: dependentOnLayerIDs.count)
      try c.uint8("num_layers_dependent_on", &count)
      try c.table("dependent_on_layerID", &dependentOnLayerIDs, count: count)
      try c.table("dimension_identifier", &dimensionIdentifiers, count: mask.nonzeroBitCount)
    }
  }
  /// The scalability dimensions that are in use, one bit each.
  public var scalabilityMask: UInt16 = 0
  /// The profiles.
  public var profiles = BoxTable<ProfileTierLevel>()
  /// The operating points.
  public var operatingPoints: [OperatingPoint] = []
  /// The dependencies between layers.
  public var dependencies: [Dependency] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No layers.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16(
      "scalability_mask", &scalabilityMask, as: .flags("0x1 depth; 0x2 view; 0x4 spatial or quality; 0x8 auxiliary"))
    try c.reserved(&reserved, bits: 2)
    var count = UInt8(clamping: profiles.count)
    try c.bits("num_profile_tier_level", &count, 6)
    try c.table("profile_tier_level", &profiles, count: count)
    var pointCount = UInt16(clamping: operatingPoints.count)
    try c.uint16("num_operating_points", &pointCount)
    try c.rows("operating_points", &operatingPoints, count: pointCount)
    var layerCount = UInt8(clamping: dependencies.count)
    try c.uint8("max_layer_count", &layerCount)
    try c.rows("layers", &dependencies, count: layerCount, shape: UInt32(scalabilityMask))
  }
}

extension OperatingPointsGroup {
  /// Layers that are decoded together.
  public struct OperatingPoint: BoxTableRow {
    /// The index of the output layer set in the video parameter set.
    public var outputLayerSetIdx: UInt16 = 0
    /// The highest temporal layer.
    public var maxTemporalID: UInt8 = 0
    /// The layers.
    public var layers = BoxTable<Layer>()
    /// The minimum picture width in luma samples.
    public var minPicWidth: UInt16 = 0
    /// The minimum picture height in luma samples.
    public var minPicHeight: UInt16 = 0
    /// The maximum picture width in luma samples.
    public var maxPicWidth: UInt16 = 0
    /// The maximum picture height in luma samples.
    public var maxPicHeight: UInt16 = 0
    /// The maximum chroma format: 0 gray, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public var maxChromaFormat: UInt8 = 1
    /// The maximum bit depth, minus 8.
    public var maxBitDepthMinus8: UInt8 = 0
    /// The frame rate and bit rate.
    public var rates = OperatingPointRates()
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No layers.
    public init() {}

    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("output_layer_set_idx", &outputLayerSetIdx)
      try c.uint8("max_temporal_id", &maxTemporalID)
      var count = UInt8(clamping: layers.count)
      try c.uint8("layer_count", &count)
      try c.table("layers", &layers, count: count)
      try c.uint16("minPicWidth", &minPicWidth)
      try c.uint16("minPicHeight", &minPicHeight)
      try c.uint16("maxPicWidth", &maxPicWidth)
      try c.uint16("maxPicHeight", &maxPicHeight)
      try c.bits("maxChromaFormat", &maxChromaFormat, 2)
      try c.bits("maxBitDepthMinus8", &maxBitDepthMinus8, 3)
      try c.reserved(&reserved, bits: 1)
      try rates.fields(&c)
    }
  }
}

/// The frame rate and bit rate of an operating point, if declared.
public struct OperatingPointRates: Equatable, Sendable {
  /// The number of pictures in 256 seconds, if declared.
  public var avgFrameRate: UInt16?
  /// Whether the frame rate is constant, if declared; 2: in each temporal layer.
  public var constantFrameRate: UInt8 = 0
  /// The maximum bit rate in bits per second, if declared.
  public var maxBitRate: UInt32?
  /// The average bit rate in bits per second, if declared.
  public var avgBitRate: UInt32 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No declared rates.
  public init() {}

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var (hasFrameRate, hasBitRate) = (avgFrameRate != nil, maxBitRate != nil)
    try c.flag("frame_rate_info_flag", &hasFrameRate)
    try c.flag("bit_rate_info_flag", &hasBitRate)
    if c.includes(hasFrameRate) {
      var rate = avgFrameRate ?? 0
      try c.uint16("avgFrameRate", &rate)
      avgFrameRate = rate
      try c.reserved(&reserved, bits: 6)
      try c.bits("constantFrameRate", &constantFrameRate, 2, as: .named(.frameRateConstancy))
    }
    if c.includes(hasBitRate) {
      var rate = maxBitRate ?? 0
      try c.uint32("maxBitRate", &rate)
      maxBitRate = rate
      try c.uint32("avgBitRate", &avgBitRate)
    }
  }
}

/// The layers of an L-HEVC image that are decoded together.
public struct OperatingPointsInformationProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "oinf", "Operating Points Information", in: ["ipco"], "ISO/IEC 23008-12:2022, 6.5.22")
  public var header = FullBoxHeader()
  /// The operating points, as in the sample group of this name.
  public var operatingPoints = OperatingPointsGroup()
  /// No layers.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try operatingPoints.fields(&c)
  }
}
