import Bytes

/// The layers of SVC that a sub track has.
public struct SVCSubTrackLayerBox: FullBoxPayload, Equatable {
  /// A layer, or several.
  public struct Layer: BoxTableRow {
    /// The spatial layer.
    public var dependencyID: UInt8 = 0
    /// The quality layer.
    public var qualityID: UInt8 = 0
    /// The temporal layer.
    public var temporalID: UInt8 = 0
    /// The priority.
    public var priorityID: UInt8 = 0
    /// Whether lower or higher spatial layers are meant too.
    public var dependencyIDRange: UInt8 = 0
    /// The same of quality layers.
    public var qualityIDRange: UInt8 = 0
    /// The same of temporal layers.
    public var temporalIDRange: UInt8 = 0
    /// The same of priorities.
    public var priorityIDRange: UInt8 = 0
    /// The base layer.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("dependency_id", &dependencyID, 3)
      try c.bits("quality_id", &qualityID, 4)
      try c.bits("temporal_id", &temporalID, 3)
      try c.bits("priority_id", &priorityID, 6)
      try c.bits(
        "dependency_id_range", &dependencyIDRange, 2, as: .named("0 this; 1 this and lower; 2 this and higher"))
      try c.bits("quality_id_range", &qualityIDRange, 2, as: .named("0 this; 1 this and lower; 2 this and higher"))
      try c.bits("temporal_id_range", &temporalIDRange, 2, as: .named("0 this; 1 this and lower; 2 this and higher"))
      try c.bits("priority_id_range", &priorityIDRange, 2, as: .named("0 this; 1 this and lower; 2 this and higher"))
    }
  }
  public static let info = BoxInfo("sstl", "SVC Sub Track Layer Box", in: ["strd"], "ISO/IEC 14496-15:2022, 6")
  public var header = FullBoxHeader()
  /// The layers.
  public var layers = BoxTable<Layer>()
  /// No layers.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: layers.count)
    try c.uint16("item_count", &count)
    try c.table("items", &layers, count: count)
  }
}

/// The views of MVC that a sub track has.
public struct MVCSubTrackViewBox: FullBoxPayload, Equatable {
  /// A view up to a temporal layer.
  public struct View: BoxTableRow {
    /// The view.
    public var viewID: UInt16 = 0
    /// The temporal layer.
    public var temporalID: UInt8 = 0
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The view 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("view_id", &viewID, 10)
      try c.bits("temporal_id", &temporalID, 4)
      try c.reserved(&reserved, bits: 2)
    }
  }
  public static let info = BoxInfo("mstv", "MVC Sub Track View Box", in: ["strd"], "ISO/IEC 14496-15:2022, 7")
  public var header = FullBoxHeader()
  /// The views.
  public var views = BoxTable<View>()
  /// No views.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: views.count)
    try c.uint16("item_count", &count)
    try c.table("items", &views, count: count)
  }
}

/// The groups of views that a sub track has.
public struct MVCSubTrackMultiviewGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "stmg", "MVC Sub Track Multiview Group Box", in: ["strd"], "ISO/IEC 14496-15:2022, 7")
  public var header = FullBoxHeader()
  /// The groups.
  public var groupIDs = BoxTable<UInt32>()
  /// No groups.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: groupIDs.count)
    try c.uint16("item_count", &count)
    try c.table("MultiviewGroupId", &groupIDs, count: count)
  }
}

/// The tiers that a sub track has.
public struct SubTrackTierBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stti", "Sub Track Tier Box", in: ["strd"], "ISO/IEC 14496-15:2022, 6 and 7")
  public var header = FullBoxHeader()
  /// The tiers.
  public var tierIDs = BoxTable<UInt16>()
  /// No tiers.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: tierIDs.count)
    try c.uint16("item_count", &count)
    try c.table("tierID", &tierIDs, count: count)
  }
}

/// The groups of tiles that a sub track has.
public struct TileSubTrackGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("tstb", "Tile Sub Track Group Box", in: ["strd"], "ISO/IEC 14496-15:2022, 10")
  public var header = FullBoxHeader()
  /// The groups.
  public var tileGroupIDs = BoxTable<UInt16>()
  /// No tiles.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: tileGroupIDs.count)
    try c.uint16("item_count", &count)
    try c.table("tileGroupID", &tileGroupIDs, count: count)
  }
}

/// Which SEI messages are needed to show the pictures, and which can be ignored.
public struct SEIInformationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "seii", "SEI Information Box", in: ["schi"] + SampleEntries.visualTypes, "ISO/IEC 14496-15:2022, 5")
  /// Those that are needed.
  public var requiredSEIs = BoxTable<UInt16>()
  /// Those that can be ignored.
  public var notRequiredSEIs = BoxTable<UInt16>()
  /// No messages.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: requiredSEIs.count)
    try c.uint16("numRequiredSEIs", &count)
    try c.table("requiredSEI_ID", &requiredSEIs, count: count)
    var notRequiredSEIsCount = UInt16(clamping: notRequiredSEIs.count)
    try c.uint16("numNotRequiredSEIs", &notRequiredSEIsCount)
    try c.table("notrequiredSEI_ID", &notRequiredSEIs, count: notRequiredSEIsCount)
  }
}
