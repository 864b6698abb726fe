public import Bytes

/// Samples that begin with the same access unit delimiter.
public struct AccessUnitDelimiterGroup: BoxTableRow {
  /// The NAL unit of VVC.
  public var nalUnit: [UInt8] = [UInt8](repeating: 0, count: 3)
  /// Zeros.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.bytes("audNalUnit", &nalUnit, count: 3)
  }
}

/// Samples after which a stream ends.
public struct EndOfBitstreamGroup: BoxTableRow {
  /// The NAL unit of VVC.
  public var nalUnit: [UInt8] = [UInt8](repeating: 0, count: 2)
  /// Zeros.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.bytes("eobNalUnit", &nalUnit, count: 2)
  }
}

/// Samples with parameter sets in them.
public struct ParameterSetPresenceGroup: BoxTableRow {
  /// Whether there are sequence parameter sets.
  public var hasSequenceSets: Bool = false
  /// Whether there are picture parameter sets.
  public var hasPictureSets: Bool = false
  /// Whether there are adaptation parameter sets.
  public var hasAdaptationSets: Bool = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.flag("sps_present", &hasSequenceSets)
    try c.flag("pps_present", &hasPictureSets)
    try c.flag("aps_present", &hasAdaptationSets)
    try c.reserved(&reserved, bits: 5)
  }
}

/// Samples of a subpicture track of one level.
public struct SubpictureLevelGroup: BoxTableRow {
  /// 16 times the level.
  public var levelIDC: UInt8 = 0
  /// Level 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint8("level_idc", &levelIDC)
  }
}

/// Samples in which subpictures with NAL units of different types meet.
public struct MixedNALUnitTypesGroup: BoxTableRow {
  /// Two tracks of subpictures.
  public struct Pair: BoxTableRow {
    /// The place of one in the references of the track.
    public var first: UInt16 = 0
    /// The place of the other.
    public var second: UInt16 = 0
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("mix_subp_track_idx1", &first)
      try c.uint16("mix_subp_track_idx2", &second)
    }
  }
  /// The tracks that meet.
  public var pairs = BoxTable<Pair>()
  /// Which bit of the picture parameter set says that types meet.
  public var bitPosition: UInt16 = 0
  /// The picture parameter set.
  public var ppsID: UInt8 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var count = UInt16(clamping: pairs.count)
    try c.uint16("num_mix_nalu_pic_idx", &count)
    try c.table("pairs", &pairs, count: count)
    try c.bits("pps_mix_nalu_types_in_pic_bit_pos", &bitPosition, 10)
    try c.bits("pps_id", &ppsID, 6)
  }
}

/// Samples that need the same parameter set, or another NAL unit after its length.
public struct ParameterSetGroup: BoxTableRow {
  /// The NAL unit.
  public var nalUnit: [UInt8] = []
  /// No parameter set.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var length = UInt16(clamping: nalUnit.count)
    try c.uint16("ps_nalu_length", &length)
    try c.bytes("ps_nal_unit", &nalUnit, count: Int(length))
  }
}

/// What a decoder of VVC must be able to do.
public struct DecodingCapabilityGroup: BoxTableRow {
  /// The NAL unit.
  public var nalUnit: [UInt8] = []
  /// No NAL unit.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var length = UInt16(clamping: nalUnit.count)
    try c.uint16("dci_nal_unit_length", &length)
    try c.bytes("dci_nal_unit", &nalUnit, count: Int(length))
  }
}

/// Samples after which a sequence of pictures ends.
public struct EndOfSequenceGroup: BoxTableRow {
  /// The NAL units of VVC, one for each layer that ends.
  public var nalUnits = BoxTable<UInt16>([0])
  /// One NAL unit.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var last = UInt8(clamping: nalUnits.count - 1)
    try c.uint8("num_eos_nal_unit_minus1", &last)
    try c.table("eosNalUnit", &nalUnits, count: Int(last) + 1)
  }
}

/// Which subpictures make up the picture of a sample, in their order.
public struct SubpictureLayoutMapGroup: BoxTableRow {
  /// The kind of group that the numbers are those of.
  public var groupIDInfo: FourCC = "trif"
  /// The groups, one for each subpicture.
  public var groupIDs = BoxTable<UInt16>([0])
  /// Group 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.fourCC("groupID_info_4cc", &groupIDInfo)
    var last = UInt16(clamping: groupIDs.count - 1)
    try c.uint16("entry_count_minus1", &last)
    try c.table("groupID", &groupIDs, count: Int(last) + 1)
  }
}
