import MP4Bytes

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
