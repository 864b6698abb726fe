import Bytes

/// Profile, tier and level of VVC: the VvcPTLRecord.
public struct VVCProfileTierLevel: BoxTableRow {
  /// The profile; 1 is Main 10.
  public var generalProfileIDC: UInt8 = 1
  /// Whether the tier is High instead of Main.
  public var generalTierFlag: Bool = false
  /// 16 times the level.
  public var generalLevelIDC: UInt8 = 0
  /// Whether there are only frames and no fields.
  public var frameOnlyConstraintFlag: Bool = false
  /// Whether there may be several layers.
  public var multiLayerEnabledFlag: Bool = false
  /// The first six bits of the constraint flags.
  public var firstConstraintBits: UInt8 = 0
  /// The bytes that follow those bits.
  public var constraintInfo: [UInt8] = []
  /// The temporal layers that have a level of their own, one bit each, the highest layer first.
  public var sublayerLevelPresentFlags: UInt8 = 0
  /// The levels of these layers.
  public var sublayerLevelIDCs: [UInt8] = []
  /// The codes of registered subprofiles, 4 bytes each.
  public var subProfileIDCs: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Main 10 without a level.
  public init() {}

  /// `shape` is the number of temporal layers.
  public mutating func fields(_ c: inout FieldCoder, shape numSublayers: UInt32) throws(BoxError) {
    var constraintBytes = UInt8(clamping: min(constraintInfo.count + 1, 63))
    try c.reserved(&reserved, bits: 2)
    try c.bits("num_bytes_constraint_info", &constraintBytes, 6)
    try c.check(constraintBytes > 0, "num_bytes_constraint_info", constraintBytes, "1 to 63")
    try c.bits("general_profile_idc", &generalProfileIDC, 7, as: .named(.vvcProfiles))
    try c.flag("general_tier_flag", &generalTierFlag, as: .named(.tiers))
    try c.uint8("general_level_idc", &generalLevelIDC, as: .named(.vvcLevels))
    try c.flag("ptl_frame_only_constraint_flag", &frameOnlyConstraintFlag)
    try c.flag("ptl_multi_layer_enabled_flag", &multiLayerEnabledFlag)
    // In the standard, this is one field of 6, 14, 22 … bits.
    try c.bits("general_constraint_info_first_bits", &firstConstraintBits, 6, as: .hexadecimal)
    try c.bytes("general_constraint_info", &constraintInfo, count: Int(constraintBytes) - 1)
    if c.includes(numSublayers > 1) {
      try c.uint8("ptl_sublayer_level_present_flags", &sublayerLevelPresentFlags, as: .hexadecimal)
      let flags = sublayerLevelPresentFlags & ~(0xff >> (max(numSublayers, 1) - 1))
      try c.bytes("sublayer_level_idc", &sublayerLevelIDCs, count: flags.nonzeroBitCount)
    }
    var count = UInt8(clamping: subProfileIDCs.count / 4)
    try c.uint8("ptl_num_sub_profiles", &count)
    try c.bytes("general_sub_profile_idc", &subProfileIDCs, count: Int(count) * 4)
  }
}

/// The VVC layers that are decoded together, and their dependencies.
public struct VVCOperatingPointsGroup: BoxPayload {
  public static let info = BoxInfo(
    "vopi", "VVC Operating Points Information Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// The requirements for decoding up to a temporal layer.
  public struct ProfileTierLevel: BoxTableRow {
    /// The temporal layer.
    public var maxTemporalID: UInt8 = 0
    /// The profile, tier and level.
    public var record = VVCProfileTierLevel()
    /// Main 10 without a level, for the lowest temporal layer.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("ptl_max_temporal_id", &maxTemporalID)
      try c.check(maxTemporalID < 7, "ptl_max_temporal_id", maxTemporalID, "0 to 6")
      try record.fields(&c, shape: UInt32(maxTemporalID) + 1)
    }
  }
  /// A layer of an operating point.
  public struct Layer: BoxTableRow {
    /// The layer.
    public var layerID: UInt8 = 0
    /// Whether it is output.
    public var isOutputLayer = false
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// Layer 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("layer_id", &layerID, 6)
      try c.flag("is_outputlayer", &isOutputLayer)
      try c.reserved(&reserved, bits: 1)
    }
  }
  /// Layers that are decoded together.
  public struct OperatingPoint: BoxTableRow {
    /// The set of output layers in the video parameter set.
    public var outputLayerSetIdx: UInt16 = 0
    /// The index of its profile, tier and level.
    public var ptlIdx: UInt8 = 0
    /// The highest temporal layer.
    public var maxTemporalID: UInt8 = 0
    /// The layers.
    public var layers: [Layer] = []
    /// The frame rate and bit rate.
    public var rates = OperatingPointRates()
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No layers.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("output_layer_set_idx", &outputLayerSetIdx)
      try c.uint8("ptl_idx", &ptlIdx)
      try c.uint8("max_temporal_id", &maxTemporalID)
      var count = UInt8(clamping: layers.count)
      try c.uint8("layer_count", &count)
      try c.rows("layers", &layers, count: count)
      try c.reserved(&reserved, bits: 6)
      try rates.fields(&c)
    }
  }
  /// The dependencies of a layer.
  public struct Dependency: BoxTableRow {
    /// The layer.
    public var layerID: UInt8 = 0
    /// The layers that it is predicted from.
    public var directRefLayerIDs = BoxTable<UInt8>()
    /// One more than the highest temporal layer that is needed of those layers; 0 if only pictures at which decoding
    /// can start are needed.
    public var maxTidILRefPicsPlus1: UInt8 = 0
    /// Layer 0 without dependencies.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("layerID", &layerID)
      var count = UInt8(clamping: directRefLayerIDs.count)
      try c.uint8("num_direct_ref_layers", &count)
      try c.table("direct_ref_layerID", &directRefLayerIDs, count: count)
      try c.uint8("max_tid_il_ref_pics_plus1", &maxTidILRefPicsPlus1)
    }
  }
  /// The profiles; one or more.
  public var profiles: [ProfileTierLevel] = [ProfileTierLevel()]
  /// Whether all layers are independent.
  public var allIndependentLayersFlag = false
  /// Whether each layer is an output layer set, if the layers are independent.
  public var eachLayerIsAnOLSFlag = false
  /// The mode of the output layer sets, if layers are dependent.
  public var olsModeIDC: UInt8 = 0
  /// The operating points.
  public var operatingPoints: [OperatingPoint] = []
  /// The dependencies between layers.
  public var dependencies: [Dependency] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No layers.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var last = UInt8(clamping: profiles.count - 1)
    try c.uint8("num_profile_tier_level_minus1", &last)
    try c.rows("ptl", &profiles, count: Int(last) + 1)
    try c.flag("all_independent_layers_flag", &allIndependentLayersFlag)
    try c.reserved(&reserved, bits: 7)
    if c.includes(allIndependentLayersFlag) {
      try c.flag("each_layer_is_an_ols_flag", &eachLayerIsAnOLSFlag)
      try c.reserved(&reserved, bits: 7)
    }
    if c.includes(!allIndependentLayersFlag) { try c.uint8("ols_mode_idc", &olsModeIDC) }
    var pointCount = UInt16(clamping: operatingPoints.count)
    try c.uint16("num_operating_points", &pointCount)
    try c.rows("operating_points", &operatingPoints, count: pointCount)
    var layerCount = UInt8(clamping: dependencies.count)
    try c.uint8("max_layer_count", &layerCount)
    try c.rows("layers", &dependencies, count: layerCount)
  }
}
