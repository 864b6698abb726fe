import MP4Bytes

/// The decoder configuration of HEVC.
public struct HEVCConfigurationBox: BoxPayload, Equatable {
  /// A NAL unit.
  public struct NALUnit: BoxTableRow {
    /// The NAL unit.
    public var bytes: [UInt8] = []
    /// An empty unit.
    public init() {}
    /// The NAL unit `bytes`.
    public init(bytes: [UInt8]) { self.bytes = bytes }
    /// The shape for VVC, whose fields have other names.
    static let ofVVC: UInt32 = 1
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var length = UInt16(clamping: bytes.count)
      try c.uint16(shape == Self.ofVVC ? "nal_unit_length" : "nalUnitLength", &length)
      try c.bytes(shape == Self.ofVVC ? "nal_unit" : "nalUnit", &bytes, count: Int(length))
    }
  }
  /// NAL units of one type.
  public struct NALArray: BoxTableRow {
    /// Whether all NAL units of this type are here; then the samples contain none.
    public var isComplete: Bool = false
    /// 32: video parameter sets; 33: sequence parameter sets; 34: picture parameter sets; 39, 40: SEI messages.
    public var nalUnitType: UInt8 = 32
    /// The NAL units.
    public var nalUnits: [NALUnit] = []
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No video parameter set.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.flag("array_completeness", &isComplete)
      try c.reserved(&reserved, bits: 1)
      try c.bits("NAL_unit_type", &nalUnitType, 6, as: .named(.hevcNALUnitTypes))
      var count = UInt16(clamping: nalUnits.count)
      try c.uint16("numNalus", &count)
      try c.rows("nalUnits", &nalUnits, count: count)
    }
  }
  public static let info = BoxInfo(
    "hvcC", "HEVC Configuration Box",
    in: ["hvc1", "hev1", "hvc2", "hev2", "hvc3", "hev3", "resv", "encv", "ipco"], "ISO/IEC 14496-15:2022, 8.3.2.1")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile space; 0 is that of the standard.
  public var generalProfileSpace: UInt8 = 0
  /// Whether the tier is High instead of Main.
  public var generalTierFlag: Bool = false
  /// The profile; 1 is Main, 2 is Main 10.
  public var generalProfileIDC: UInt8 = 1
  /// The profiles to which the stream conforms; bit 31 - n is for profile n.
  public var generalProfileCompatibilityFlags: UInt32 = 0
  /// 48 bits about the source and the coding tools.
  public var generalConstraintIndicatorFlags: UInt64 = 0
  /// 30 times the level.
  public var generalLevelIDC: UInt8 = 0
  /// The minimum segmentation of pictures into slices or tiles for parallel decoding; 0 if unknown.
  public var minSpatialSegmentationIDC: UInt16 = 0
  /// 0: mixed or unknown; 1: slices; 2: tiles; 3: wavefronts.
  public var parallelismType: UInt8 = 0
  /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
  public var chromaFormatIDC: UInt8 = 1
  /// The bit depth of luma samples, minus 8.
  public var bitDepthLumaMinus8: UInt8 = 0
  /// The bit depth of chroma samples, minus 8.
  public var bitDepthChromaMinus8: UInt8 = 0
  /// The number of pictures in 256 seconds; 0 if unknown.
  public var avgFrameRate: UInt16 = 0
  /// 1: the frame rate is constant; 2: the frame rate of every temporal layer is constant.
  public var constantFrameRate: UInt8 = 0
  /// The number of temporal layers: 0 is unknown, 1 is no scalability.
  public var numTemporalLayers: UInt8 = 0
  /// Whether decoding can switch to a higher temporal layer anywhere.
  public var temporalIDNested: Bool = false
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The NAL units by type.
  public var arrays: [NALArray] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Main profile without parameter sets.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.bits("general_profile_space", &generalProfileSpace, 2)
    try c.flag("general_tier_flag", &generalTierFlag, as: .named(.tiers))
    try c.bits("general_profile_idc", &generalProfileIDC, 5, as: .named(.hevcProfiles))
    try c.uint32(
      "general_profile_compatibility_flags", &generalProfileCompatibilityFlags, as: .flags(.hevcCompatibility))
    try c.bits("general_constraint_indicator_flags", &generalConstraintIndicatorFlags, 48, as: .flags(.hevcConstraints))
    try c.uint8("general_level_idc", &generalLevelIDC, as: .named(.hevcLevels))
    try c.reserved(&reserved, bits: 4, ones: true)
    try c.bits("min_spatial_segmentation_idc", &minSpatialSegmentationIDC, 12)
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.bits("parallelismType", &parallelismType, 2, as: .named(.parallelismTypes))
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.bits("chroma_format_idc", &chromaFormatIDC, 2, as: .named(.chromaFormats))
    try c.reserved(&reserved, bits: 5, ones: true)
    try c.bits("bit_depth_luma_minus8", &bitDepthLumaMinus8, 3)
    try c.reserved(&reserved, bits: 5, ones: true)
    try c.bits("bit_depth_chroma_minus8", &bitDepthChromaMinus8, 3)
    try c.uint16("avgFrameRate", &avgFrameRate)
    try c.bits("constantFrameRate", &constantFrameRate, 2, as: .named(.frameRateConstancy))
    try c.bits("numTemporalLayers", &numTemporalLayers, 3)
    try c.flag("temporalIdNested", &temporalIDNested)
    try c.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    var count = UInt8(clamping: arrays.count)
    try c.uint8("numOfArrays", &count)
    try c.rows("arrays", &arrays, count: count)
  }
}
