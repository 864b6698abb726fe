import Bytes

/// What the pictures of one tier are, that is of a layer or view with those below it.
public struct TierInformationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tiri", "Tier Information Box", in: ["scif", "mvif", "mvcg"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The number of the tier.
  public var tierID: UInt16 = 0
  /// The profile, as in the sequence parameter sets.
  public var profileIndication: UInt8 = 0
  /// The byte with the constraint flags, as in the sequence parameter sets.
  public var profileCompatibility: UInt8 = 0
  /// Ten times the level.
  public var levelIndication: UInt8 = 0
  /// In luma samples.
  public var visualWidth: UInt16 = 0
  /// In luma samples.
  public var visualHeight: UInt16 = 0
  /// Whether tiers above need this one.
  public var discardable: UInt8 = 0
  /// Whether the frame rate is constant.
  public var constantFrameRate: UInt8 = 0
  /// Pictures in 256 seconds.
  public var frameRate: UInt16 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Tier 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("tierID", &tierID)
    try c.uint8("profileIndication", &profileIndication)
    try c.uint8("profile_compatibility", &profileCompatibility, as: .flags(.avcConstraints))
    try c.uint8("levelIndication", &levelIndication)
    try c.reserved(&reserved, bits: 8)
    try c.uint16("visualWidth", &visualWidth)
    try c.uint16("visualHeight", &visualHeight)
    try c.bits("discardable", &discardable, 2, as: .named("0 needed by others; 1 partly discardable; 2 discardable"))
    try c.bits(
      "constantFrameRate", &constantFrameRate, 2, as: .named("0 not constant; 1 constant; 2 possibly constant"))
    try c.reserved(&reserved, bits: 4)
    try c.uint16("frameRate", &frameRate)
  }
}

/// The data rates of a tier in bits a second: first with the tiers that it needs, then alone.
public struct TierBitRateBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tibr", "Tier Bit Rate Box", in: ["scif", "mvif", "mvcg"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The rate that is at least needed, with the tiers below.
  public var baseBitRate: UInt32 = 0
  /// The highest rate in a second, with the tiers below.
  public var maxBitRate: UInt32 = 0
  /// The average rate, with the tiers below.
  public var avgBitRate: UInt32 = 0
  /// The rate that is at least needed.
  public var tierBaseBitRate: UInt32 = 0
  /// The highest rate in a second.
  public var tierMaxBitRate: UInt32 = 0
  /// The average rate.
  public var tierAvgBitRate: UInt32 = 0
  /// Not known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("baseBitRate", &baseBitRate)
    try c.uint32("maxBitRate", &maxBitRate)
    try c.uint32("avgBitRate", &avgBitRate)
    try c.uint32("tierBaseBitRate", &tierBaseBitRate)
    try c.uint32("tierMaxBitRate", &tierMaxBitRate)
    try c.uint32("tierAvgBitRate", &tierAvgBitRate)
  }
}

/// The priorities of the NAL units of a tier.
public struct PriorityRangeBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "svpr", "Priority Range Box", in: ["scif", "mvif"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The lowest number.
  public var minPriorityID: UInt8 = 0
  /// The highest number.
  public var maxPriorityID: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Priority 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 2)
    try c.bits("min_priorityId", &minPriorityID, 6)
    try c.reserved(&reserved, bits: 2)
    try c.bits("max_priorityId", &maxPriorityID, 6)
  }
}

/// Which layers of SVC a tier has.
public struct SVCDependencyRangeBox: BoxPayload, Equatable {
  public static let info = BoxInfo("svdr", "SVC Dependency Range Box", in: ["scif"], "ISO/IEC 14496-15:2022, 6")
  /// The same fields in another box.
  static let operatingPoint = BoxInfo("svop", "SVC Dependency Range Box", in: ["scif"], "ISO/IEC 14496-15:2022, 6")
  /// The lowest number of a spatial layer.
  public var minDependencyID: UInt8 = 0
  /// The lowest number of a temporal layer.
  public var minTemporalID: UInt8 = 0
  /// The lowest number of a quality layer.
  public var minQualityID: UInt8 = 0
  /// The highest number of a spatial layer.
  public var maxDependencyID: UInt8 = 0
  /// The highest number of a temporal layer.
  public var maxTemporalID: UInt8 = 0
  /// The highest number of a quality layer.
  public var maxQualityID: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The base layer.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("min_dependency_id", &minDependencyID, 3)
    try c.bits("min_temporal_id", &minTemporalID, 3)
    try c.reserved(&reserved, bits: 6)
    try c.bits("min_quality_id", &minQualityID, 4)
    try c.bits("max_dependency_id", &maxDependencyID, 3)
    try c.bits("max_temporal_id", &maxTemporalID, 3)
    try c.reserved(&reserved, bits: 6)
    try c.bits("max_quality_id", &maxQualityID, 4)
  }
}

/// Which of the parameter sets of the sample entry a tier needs.
public struct InitialParameterSetBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "svip", "Initial Parameter Sets Box", in: ["scif", "mvif"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The sequence parameter sets, counted in the order of the sample entry.
  public var spsIndices = BoxTable<UInt8>()
  /// The picture parameter sets, counted in the order of the sample entry.
  public var ppsIndices = BoxTable<UInt8>()
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: spsIndices.count)
    try c.uint8("sps_id_count", &count)
    try c.table("SPS_index", &spsIndices, count: count)
    var ppsIndicesCount = UInt8(clamping: ppsIndices.count)
    try c.uint8("pps_id_count", &ppsIndicesCount)
    try c.table("PPS_index", &ppsIndices, count: ppsIndicesCount)
  }
}

/// Which tiers a tier needs.
public struct TierDependencyBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "ldep", "Tier Dependency Box", in: ["scif", "mvif"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The tiers that it needs directly.
  public var dependencyTierIDs = BoxTable<UInt16>()
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: dependencyTierIDs.count)
    try c.uint16("entry_count", &count)
    try c.table("dependencyTierId", &dependencyTierIDs, count: count)
  }
}

/// How much a decoder buffers at several data rates.
public struct BufferingBox: BoxPayload, Equatable {
  /// A data rate and its requirements.
  public struct OperatingPoint: BoxTableRow {
    /// The input rate, in bytes per second.
    public var byteRate: UInt32 = 0
    /// The buffer of coded pictures in bytes.
    public var cpbSize: UInt32 = 0
    /// The buffer of decoded pictures in units of 4 bytes or in frames, as the codec has it.
    public var dpbSize: UInt32 = 0
    /// How long coded pictures wait at first, in units of 90 kHz.
    public var initCPBDelay: UInt32 = 0
    /// How long decoded pictures wait at first, in units of 90 kHz.
    public var initDPBDelay: UInt32 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("byte_rate", &byteRate)
      try c.uint32("cpb_size", &cpbSize)
      try c.uint32("dpb_size", &dpbSize)
      try c.uint32("init_cpb_delay", &initCPBDelay)
      try c.uint32("init_dpb_delay", &initDPBDelay)
    }
  }
  public static let info = BoxInfo(
    "buff", "Buffering Box", in: ["scif", "mvif", "mvcg"], "ISO/IEC 14496-15:2022, 6 and 7")
  /// The rates.
  public var operatingPoints = BoxTable<OperatingPoint>()
  /// No rates.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: operatingPoints.count)
    try c.uint16("operating_point_count", &count)
    try c.table("operating_points", &operatingPoints, count: count)
  }
}
