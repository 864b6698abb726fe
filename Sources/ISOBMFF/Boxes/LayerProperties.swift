import Bytes

/// The part of the picture of another tier that this one has.
public struct RectRegionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("rrgn", "Rectangular Region Box", in: ["scif"], "ISO/IEC 14496-15:2022, 6")
  /// The tier with the whole picture.
  public var baseRegionTierID: UInt16 = 0
  /// Whether the region changes over time and is not declared here.
  public var dynamicRect: Bool = false
  /// From the left, in luma samples.
  public var horizontalOffset: UInt16 = 0
  /// From the top, in luma samples.
  public var verticalOffset: UInt16 = 0
  /// In luma samples.
  public var regionWidth: UInt16 = 0
  /// In luma samples.
  public var regionHeight: UInt16 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The upper left corner of tier 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("base_region_tierID", &baseRegionTierID)
    try c.flag("dynamic_rect", &dynamicRect)
    try c.reserved(&reserved, bits: 7)
    if c.includes(!dynamicRect) {
      try c.uint16("horizontal_offset", &horizontalOffset)
      try c.uint16("vertical_offset", &verticalOffset)
      try c.uint16("region_width", &regionWidth)
      try c.uint16("region_height", &regionHeight)
    }
  }
}

/// Parts of the picture that can be decoded alone.
public struct RegionsOfInterestBox: BoxPayload, Equatable {
  /// One part of a list.
  public struct Region: BoxTableRow {
    /// The number of its first macroblock.
    public var topLeft: UInt32 = 0
    /// In macroblocks.
    public var width: UInt8 = 0
    /// In macroblocks.
    public var height: UInt8 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("top_left_mb", &topLeft)
      try c.uint8("roi_mb_width", &width)
      try c.uint8("roi_mb_height", &height)
    }
  }
  public static let info = BoxInfo("iroi", "IROI Information Box", in: ["scif"], "ISO/IEC 14496-15:2022, 6")
  /// How the parts are given.
  public var iroiType: UInt8 = 0
  /// The width of each part of the grid, in macroblocks.
  public var gridWidth: UInt8 = 0
  /// The height of each part of the grid, in macroblocks.
  public var gridHeight: UInt8 = 0
  /// The parts of a list.
  public var regions = BoxTable<Region>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// A grid.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("iroi_type", &iroiType, 2, as: .named("0 grid; 1 list"))
    try c.reserved(&reserved, bits: 6)
    if c.includes(iroiType == 0) {
      try c.uint8("grid_roi_mb_width", &gridWidth)
      try c.uint8("grid_roi_mb_height", &gridHeight)
    }
    if c.includes(iroiType == 1) {
      var count = UInt32(clamping: regions.count)
      try c.bits("num_roi", &count, 24)
      try c.table("regions", &regions, count: count)
    }
  }
}

/// What a tier is once it is recoded to plain AVC, which takes little work.
public struct TranscodingInfoBox: BoxPayload, Equatable {
  public static let info = BoxInfo("tran", "Transcoding Information Box", in: ["scif"], "ISO/IEC 14496-15:2022, 6")
  /// How much of a transcoding is needed.
  public var conversionIDC: UInt8 = 0
  /// Whether the following values apply to a stream with CAVLC.
  public var hasCAVLC: Bool = false
  /// Whether the following values apply to a stream with CABAC.
  public var hasCABAC: Bool = false
  /// Profile, constraint flags and level.
  public var cavlcProfileLevel: UInt32 = 0
  /// In bits a second.
  public var cavlcMaxBitrate: UInt32 = 0
  /// In bits a second.
  public var cavlcAvgBitrate: UInt32 = 0
  /// Profile, constraint flags and level.
  public var cabacProfileLevel: UInt32 = 0
  /// In bits a second.
  public var cabacMaxBitrate: UInt32 = 0
  /// In bits a second.
  public var cabacAvgBitrate: UInt32 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// It cannot be.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 4)
    try c.bits("conversion_idc", &conversionIDC, 2)
    try c.flag("cavlc_info_present_flag", &hasCAVLC)
    try c.flag("cabac_info_present_flag", &hasCABAC)
    if c.includes(hasCAVLC) {
      try c.uint24("cavlc_profile_level_idc", &cavlcProfileLevel, as: .hexadecimal)
      try c.uint32("cavlc_max_bitrate", &cavlcMaxBitrate)
      try c.uint32("cavlc_avg_bitrate", &cavlcAvgBitrate)
    }
    if c.includes(hasCABAC) {
      try c.uint24("cabac_profile_level_idc", &cabacProfileLevel, as: .hexadecimal)
      try c.uint32("cabac_max_bitrate", &cabacMaxBitrate)
      try c.uint32("cabac_avg_bitrate", &cabacAvgBitrate)
    }
  }
}

/// By which methods the priorities of NAL units were chosen.
public struct PriorityAssignmentBox: BoxPayload, Equatable {
  /// A method.
  public struct Method: BoxTableRow {
    /// The URI that names it.
    public var uri: BoxString = ""
    /// A method without a name.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      // Without this check, an unterminated text would hide that there are fewer texts than the count.
      if c.isReading, c.remaining == 0 {
        throw c.missing("the end of the text before it", for: "PriorityAssignmentURI")
      }
      try c.string("PriorityAssignmentURI", &uri)
    }
  }
  public static let info = BoxInfo(
    "svcP", "SVC Priority Assignment Box", in: SampleEntries.avc + SampleEntries.svc + ["svcM"],
    "ISO/IEC 14496-15:2022, 6")
  /// The same fields in another box.
  static let mvc = BoxInfo(
    "mvcP", "MVC View Priority Assignment Box", in: SampleEntries.avc + SampleEntries.mvc,
    "ISO/IEC 14496-15:2022, 7")
  /// The URIs of the methods.
  public var methods: [Method] = []
  /// No method.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: methods.count)
    try c.uint8("method_count", &count)
    try c.rows("PriorityAssignmentURI", &methods, count: count)
  }
}
