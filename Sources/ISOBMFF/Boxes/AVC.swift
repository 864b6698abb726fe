import MP4Bytes

/// The decoder configuration of AVC.
public struct AVCConfigurationBox: BoxPayload, Equatable {
  /// A parameter set: one NAL unit.
  public struct ParameterSet: BoxTableRow {
    /// The NAL unit.
    public var nalUnit: [UInt8] = []
    /// An empty unit.
    public init() {}
    /// The NAL unit `nalUnit`.
    public init(nalUnit: [UInt8]) { self.nalUnit = nalUnit }
    /// `shape` is the type of the NAL unit.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var length = UInt16(clamping: nalUnit.count)
      switch shape {
      case 7:
        try c.uint16("sequenceParameterSetLength", &length)
        try c.bytes("sequenceParameterSetNALUnit", &nalUnit, count: Int(length))
      case 8:
        try c.uint16("pictureParameterSetLength", &length)
        try c.bytes("pictureParameterSetNALUnit", &nalUnit, count: Int(length))
      default:
        try c.uint16("sequenceParameterSetExtLength", &length)
        try c.bytes("sequenceParameterSetExtNALUnit", &nalUnit, count: Int(length))
      }
    }
  }
  /// The additional fields of profiles from High on.
  public struct HighProfile: Equatable, Sendable {
    /// 0: gray; 1: 4:2:0; 2: 4:2:2; 3: 4:4:4.
    public var chromaFormat: UInt8 = 1
    /// The bit depth of luma samples, minus 8.
    public var bitDepthLumaMinus8: UInt8 = 0
    /// The bit depth of chroma samples, minus 8.
    public var bitDepthChromaMinus8: UInt8 = 0
    /// The extensions of sequence parameter sets.
    public var sequenceParameterSetExtensions: [ParameterSet] = []
    /// 4:2:0 with 8 bits.
    public init() {}
  }
  public static let info = BoxInfo(
    "avcC", "AVC Configuration Box", in: SampleEntries.avc + ["avcp", "icpv", "resv", "encv", "ipco"],
    "ISO/IEC 14496-15:2022, 5.3.3.1")
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The profile, as in the sequence parameter sets.
  public var avcProfileIndication: UInt8 = 100
  /// The byte with the constraint flags, as in the sequence parameter sets.
  public var profileCompatibility: UInt8 = 0
  /// Ten times the level, as in the sequence parameter sets.
  public var avcLevelIndication: UInt8 = 10
  /// The number of bytes of the NAL unit lengths in samples, minus 1.
  public var lengthSizeMinusOne: UInt8 = 3
  /// The sequence parameter sets.
  public var sequenceParameterSets: [ParameterSet] = []
  /// The picture parameter sets.
  public var pictureParameterSets: [ParameterSet] = []
  /// The additional fields of profiles from High on; many writers omit them.
  public var highProfile: HighProfile?
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// High profile without parameter sets.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("configurationVersion", &configurationVersion)
    try c.uint8("AVCProfileIndication", &avcProfileIndication, as: .named(.avcProfiles))
    try c.uint8("profile_compatibility", &profileCompatibility, as: .flags(.avcConstraints))
    try c.uint8("AVCLevelIndication", &avcLevelIndication, as: .named(.avcLevels))
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.bits("lengthSizeMinusOne", &lengthSizeMinusOne, 2)
    try c.reserved(&reserved, bits: 3, ones: true)
    var count = UInt8(clamping: min(sequenceParameterSets.count, 31))
    try c.bits("numOfSequenceParameterSets", &count, 5)
    try c.rows("sequenceParameterSets", &sequenceParameterSets, count: count, shape: 7)
    count = UInt8(clamping: pictureParameterSets.count)
    try c.uint8("numOfPictureParameterSets", &count)
    try c.rows("pictureParameterSets", &pictureParameterSets, count: count, shape: 8)
    guard ![66, 77, 88].contains(avcProfileIndication), c.hasMore(4, or: highProfile != nil) else { return }
    var more = highProfile ?? HighProfile()
    try c.reserved(&reserved, bits: 6, ones: true)
    try c.bits("chroma_format", &more.chromaFormat, 2, as: .named(.chromaFormats))
    try c.reserved(&reserved, bits: 5, ones: true)
    try c.bits("bit_depth_luma_minus8", &more.bitDepthLumaMinus8, 3)
    try c.reserved(&reserved, bits: 5, ones: true)
    try c.bits("bit_depth_chroma_minus8", &more.bitDepthChromaMinus8, 3)
    count = UInt8(clamping: more.sequenceParameterSetExtensions.count)
    try c.uint8("numOfSequenceParameterSetExt", &count)
    try c.rows("sequenceParameterSetExts", &more.sequenceParameterSetExtensions, count: count, shape: 13)
    highProfile = more
  }
}
