import MP4Bytes

/// The decoder configuration of EVC.
public struct EVCConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "evcC", "EVC Configuration Box", in: ["evc1", "encv", "ipco"], "ISO/IEC 14496-15:2022, 12.3.3")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile: 0 Baseline, 1 Main.
  public var profileIDC: UInt8 = 0
  /// 30 times the level.
  public var levelIDC: UInt8 = 0
  /// The tools that a decoder must support.
  public var toolsetIDCH: UInt32 = 0
  /// The tools that may be in use.
  public var toolsetIDCL: UInt32 = 0
  /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
  public var chromaFormatIDC: UInt8 = 1
  /// The bit depth of luma samples, minus 8.
  public var bitDepthLumaMinus8: UInt8 = 0
  /// The bit depth of chroma samples, minus 8.
  public var bitDepthChromaMinus8: UInt8 = 0
  /// The width of a picture.
  public var picWidthInLumaSamples: UInt16 = 0
  /// The height of a picture.
  public var picHeightInLumaSamples: UInt16 = 0
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The NAL units by type.
  public var arrays: [HEVCConfigurationBox.NALArray] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Baseline profile without parameter sets.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.uint8(
      "profile_idc", &profileIDC, as: .named("0 Baseline; 1 Main; 2 Baseline Still Picture; 3 Main Still Picture"))
    try c.uint8("level_idc", &levelIDC)
    try c.uint32("toolset_idc_h", &toolsetIDCH, as: .hexadecimal)
    try c.uint32("toolset_idc_l", &toolsetIDCL, as: .hexadecimal)
    try c.bits("chroma_format_idc", &chromaFormatIDC, 2, as: .named(.chromaFormats))
    try c.bits("bit_depth_luma_minus8", &bitDepthLumaMinus8, 3)
    try c.bits("bit_depth_chroma_minus8", &bitDepthChromaMinus8, 3)
    try c.uint16("pic_width_in_luma_samples", &picWidthInLumaSamples)
    try c.uint16("pic_height_in_luma_samples", &picHeightInLumaSamples)
    try c.reserved(&reserved, bits: 6)
    try c.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    var count = UInt8(clamping: arrays.count)
    try c.uint8("num_of_arrays", &count)
    try c.rows("arrays", &arrays, count: count)
  }
}

/// The decoder configuration of AVS3.
public struct AVS3ConfigurationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "av3c", "AVS3 Configuration Box", in: ["avs3", "encv"], "AVS3 in ISOBMFF, T/AI 109.6")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The sequence header with its start code.
  public var sequenceHeader: [UInt8] = []
  /// Whether pictures refer to a library: 0 no, 1 in this track, 2 in another track.
  public var libraryDependencyIDC: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No sequence header.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    var length = UInt16(clamping: sequenceHeader.count)
    try c.uint16("sequence_header_length", &length)
    try c.bytes("sequence_header", &sequenceHeader, count: Int(length))
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.bits("library_dependency_idc", &libraryDependencyIDC, 2)
  }
}
