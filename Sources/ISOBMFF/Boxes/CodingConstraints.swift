import MP4Bytes

/// MPEG-4 descriptors in addition to those of the codec.
public struct MPEG4ExtensionDescriptorsBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "m4ds", "MPEG-4 Extension Descriptors Box", in: SampleEntries.visualTypes, "ISO/IEC 14496-15:2022, 5.3.4")
  /// The descriptors.
  public var descriptors: [Descriptor] = []
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    guard !c.isDescribing else {
      var any = Descriptor(tag: 0, body: .bytes([]))
      return try c.descriptor(&any)
    }
    try c.descriptors(&descriptors)
  }
}

/// The decoder configuration of LCEVC.
public struct LCEVCConfigurationBox: BoxPayload, Equatable {
  /// NAL units of one type.
  public struct NALArray: BoxTableRow {
    /// The NAL unit type; 28 and 29 are the types of LCEVC.
    public var nalUnitType: UInt8 = 28
    /// The NAL units.
    public var nalUnits: [HEVCConfigurationBox.NALUnit] = []
    /// Nonstandard values of the reserved fields.
    public var reserved = ReservedBits()
    /// No NAL unit.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.reserved(&reserved, bits: 2)
      try c.bits("NAL_unit_type", &nalUnitType, 6)
      var count = UInt16(clamping: nalUnits.count)
      try c.uint16("numNalus", &count)
      try c.rows("nalUnits", &nalUnits, count: count)
    }
  }
  public static let info = BoxInfo(
    "lvcC", "LCEVC Configuration Box", in: ["lvc1", "encv"], "ISO/IEC 14496-15:2022, 13.3.3")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile.
  public var profileIndication: UInt8 = 0
  /// The level.
  public var levelIndication: UInt8 = 0
  /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
  public var chromaFormatIDC: UInt8 = 1
  /// The bit depth of luma samples, minus 8.
  public var bitDepthLumaMinus8: UInt8 = 0
  /// The bit depth of chroma samples, minus 8.
  public var bitDepthChromaMinus8: UInt8 = 0
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The width of a picture.
  public var picWidthInLumaSamples: UInt32 = 0
  /// The height of a picture.
  public var picHeightInLumaSamples: UInt32 = 0
  /// Whether samples can also contain sequence configurations.
  public var scInStream: Bool = false
  /// Whether samples can also contain global configurations.
  public var gcInStream: Bool = false
  /// Whether samples can also contain additional information.
  public var aiInStream: Bool = false
  /// The NAL units by type.
  public var arrays: [NALArray] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No configuration.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.uint8("LCEVCProfileIndication", &profileIndication)
    try c.uint8("LCEVCLevelIndication", &levelIndication)
    try c.bits("chroma_format_idc", &chromaFormatIDC, 2, as: .named(.chromaFormats))
    try c.bits("bit_depth_luma_minus8", &bitDepthLumaMinus8, 3)
    try c.bits("bit_depth_chroma_minus8", &bitDepthChromaMinus8, 3)
    try c.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.uint32("pic_width_in_luma_samples", &picWidthInLumaSamples)
    try c.uint32("pic_height_in_luma_samples", &picHeightInLumaSamples)
    try c.flag("sc_in_stream", &scInStream)
    try c.flag("gc_in_stream", &gcInStream)
    try c.flag("ai_in_stream", &aiInStream)
    try c.reserved(&reserved, bits: 5, ones: true)
    var count = UInt8(clamping: arrays.count)
    try c.uint8("numOfArrays", &count)
    try c.rows("arrays", &arrays, count: count)
  }
}
