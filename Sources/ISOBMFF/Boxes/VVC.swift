import MP4Bytes

/// The decoder configuration of VVC.
public struct VVCConfigurationBox: FullBoxPayload, Equatable {
  /// NAL units of one type.
  public struct NALArray: BoxTableRow {
    /// Whether all NAL units of this type are here; then the samples contain none.
    public var isComplete: Bool = false
    /// 12: operating points; 13: decoding capability; 14: video, 15: sequence, 16: picture parameter sets.
    public var nalUnitType: UInt8 = 14
    /// The NAL units; one for types 12 and 13.
    public var nalUnits: [HEVCConfigurationBox.NALUnit] = []
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No video parameter set.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.flag("array_completeness", &isComplete)
      try c.reserved(&reserved, bits: 2)
      try c.bits("NAL_unit_type", &nalUnitType, 5, as: .named(.vvcNALUnitTypes))
      let isSingle = nalUnitType == 12 || nalUnitType == 13
      var count = isSingle ? 1 : UInt16(clamping: nalUnits.count)
      if c.includes(!isSingle) { try c.uint16("num_nalus", &count) }
      try c.rows("nalUnits", &nalUnits, count: count, shape: HEVCConfigurationBox.NALUnit.ofVVC)
    }
  }
  /// The profile of the whole stream; if it is missing, only the parameter sets declare it.
  public struct Profile: Equatable, Sendable {
    /// The output layer set.
    public var olsIdx: UInt16 = 0
    /// The number of temporal layers.
    public var numSublayers: UInt8 = 1
    /// 1: the frame rate is constant; 2: the frame rate of every temporal layer is constant.
    public var constantFrameRate: UInt8 = 0
    /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
    public var chromaFormatIDC: UInt8 = 1
    /// The bit depth, minus 8.
    public var bitDepthMinus8: UInt8 = 0
    /// The profile, tier and level.
    public var profileTierLevel = VVCProfileTierLevel()
    /// In luma samples.
    public var maxPictureWidth: UInt16 = 0
    /// In luma samples.
    public var maxPictureHeight: UInt16 = 0
    /// The number of pictures in 256 seconds; 0 if unknown.
    public var avgFrameRate: UInt16 = 0
    /// Main 10 without extent.
    public init() {}
  }
  public static let info = BoxInfo(
    "vvcC", "VVC Configuration Box", in: ["vvc1", "vvi1", "resv", "encv", "ipco"], "ISO/IEC 14496-15:2022, 11.2.4.2")
  public var header = FullBoxHeader()
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The profile of the whole stream.
  public var profile: Profile?
  /// The NAL units by type.
  public var arrays: [NALArray] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No parameter sets.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 5, ones: true)
    try c.bits("LengthSizeMinusOne", &lengthSizeMinusOne, 2)
    var hasProfile = profile != nil
    try c.flag("ptl_present_flag", &hasProfile)
    if c.includes(hasProfile) {
      var known = profile ?? Profile()
      try known.fields(&c, &reserved)
      profile = known
    }
    var count = UInt8(clamping: arrays.count)
    try c.uint8("num_of_arrays", &count)
    try c.rows("arrays", &arrays, count: count)
  }
}

extension VVCConfigurationBox.Profile {
  fileprivate mutating func fields(_ c: inout FieldCoder, _ reserved: inout ReservedBits) throws(BoxError) {
    try c.bits("ols_idx", &olsIdx, 9)
    try c.bits("num_sublayers", &numSublayers, 3)
    try c.bits("constant_frame_rate", &constantFrameRate, 2, as: .named(.frameRateConstancy))
    try c.bits("chroma_format_idc", &chromaFormatIDC, 2, as: .named(.chromaFormats))
    try c.bits("bit_depth_minus8", &bitDepthMinus8, 3)
    try c.reserved(&reserved, bits: 5, ones: true)
    try profileTierLevel.fields(&c, shape: UInt32(numSublayers))
    try c.uint16("max_picture_width", &maxPictureWidth)
    try c.uint16("max_picture_height", &maxPictureHeight)
    try c.uint16("avg_frame_rate", &avgFrameRate)
  }
}
