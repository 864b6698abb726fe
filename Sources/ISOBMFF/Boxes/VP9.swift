import MP4Bytes

/// The decoder configuration of VP8 and VP9.
public struct VPCodecConfigurationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "vpcC", "VP Codec Configuration Box", in: ["vp08", "vp09", "encv"], "VP codecs in ISOBMFF 1.0")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// Version 0 is from a draft, in which some fields differ.
  public var header = FullBoxHeader(version: 1)
  /// The profile, 0 to 3.
  public var profile: UInt8 = 0
  /// Ten times the level; 0 is unknown.
  public var level: UInt8 = 0
  /// Bits of a luma sample.
  public var bitDepth: UInt8 = 8
  /// 0: 4:2:0 vertical; 1: 4:2:0 collocated with luma; 2: 4:2:2; 3: 4:4:4.
  public var chromaSubsampling: UInt8 = 1
  /// Whether values use the full range.
  public var videoFullRangeFlag: Bool = false
  /// The color space, in version 0.
  public var colorSpace: UInt8 = 0
  /// The transfer function, in version 0.
  public var transferFunction: UInt8 = 0
  /// A code of ISO/IEC 23091-2; 2 is unspecified.
  public var colourPrimaries: UInt8 = 2
  /// A code of ISO/IEC 23091-2; 2 is unspecified.
  public var transferCharacteristics: UInt8 = 2
  /// A code of ISO/IEC 23091-2; 2 is unspecified.
  public var matrixCoefficients: UInt8 = 2
  /// Empty for VP8 and VP9.
  public var codecInitializationData: [UInt8] = []
  /// Profile 0, 4:2:0 with 8 bits.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("profile", &profile, as: .named("0 8 bits, 4:2:0; 1 8 bits; 2 10 or 12 bits, 4:2:0; 3 10 or 12 bits"))
    try c.uint8(
      "level", &level,
      as: .named("10 1; 11 1.1; 20 2; 21 2.1; 30 3; 31 3.1; 40 4; 41 4.1; 50 5; 51 5.1; 52 5.2; 60 6; 61 6.1; 62 6.2"))
    try c.bits("bitDepth", &bitDepth, 4)
    if version == 0 {
      try c.bits("colorSpace", &colorSpace, 4)
      try c.bits(
        "chromaSubsampling", &chromaSubsampling, 4,
        as: .named("0 4:2:0, vertical; 1 4:2:0, colocated; 2 4:2:2; 3 4:4:4"))
      try c.bits("transferFunction", &transferFunction, 3)
      try c.flag("videoFullRangeFlag", &videoFullRangeFlag)
    } else {
      try c.bits(
        "chromaSubsampling", &chromaSubsampling, 3,
        as: .named("0 4:2:0, vertical; 1 4:2:0, colocated; 2 4:2:2; 3 4:4:4"))
      try c.flag("videoFullRangeFlag", &videoFullRangeFlag)
      try c.uint8("colourPrimaries", &colourPrimaries, as: .named(.colourPrimaries))
      try c.uint8(
        "transferCharacteristics", &transferCharacteristics, as: .named(.transferCharacteristics))
      try c.uint8("matrixCoefficients", &matrixCoefficients, as: .named(.matrixCoefficients))
    }
    // This is the spelling in the standard.
    var size = UInt16(clamping: codecInitializationData.count)
    try c.uint16("codecIntializationDataSize", &size)
    try c.bytes("codecIntializationData", &codecInitializationData, count: Int(size))
  }
}
