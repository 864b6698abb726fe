import Bytes

/// Subpicture tracks that can be merged in any combination, because they are equivalent.
public struct SubpictureCommonGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "acgl", "Entity Group: subpictures alike", in: ["grpl"], "ISO/IEC 14496-15:2022, 11")
  public var header = FullBoxHeader()
  /// The number of the group.
  public var groupID: UInt32 = 0
  /// The tracks.
  public var entityIDs = BoxTable<UInt32>()
  /// The level of the merged picture.
  public var level = SubpictureGroupLevel()
  /// The number of tracks to merge.
  public var numActiveTracks: UInt16 = 0
  /// No tracks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("group_id", &groupID)
    try c.table("entity_id", &entityIDs, counted: "num_entities_in_group")
    try level.fields(&c)
    try c.uint16("num_active_tracks", &numActiveTracks)
  }
}

/// Subpicture tracks of several kinds, with the number of each kind that can be merged.
public struct SubpictureMultipleGroupsBox: FullBoxPayload, Equatable {
  /// The kind of a track: 16 bits if the shape is 1, otherwise 8.
  public struct Subgroup: BoxTableRow {
    /// The number of the kind.
    public var id: UInt16 = 0
    /// The row is a single value.
    public static let isPlain = true
    /// Kind 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("", &id, shape == 1 ? 16 : 8)
    }
  }
  public static let info = BoxInfo(
    "amgl", "Entity Group: subpictures of several kinds", in: ["grpl"], "ISO/IEC 14496-15:2022, 11")
  public var header = FullBoxHeader()
  /// The number of the group.
  public var groupID: UInt32 = 0
  /// The tracks.
  public var entityIDs = BoxTable<UInt32>()
  /// The level of the merged picture.
  public var level = SubpictureGroupLevel()
  /// The kind of each track.
  public var subgroups: [Subgroup] = []
  /// The number of tracks of each kind to merge.
  public var numActiveTracks = BoxTable<UInt16>()
  /// No tracks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("group_id", &groupID)
    var entityCount = UInt32(clamping: entityIDs.count)
    try c.uint32("num_entities_in_group", &entityCount)
    try c.table("entity_id", &entityIDs, count: entityCount)
    try level.fields(&c)
    var count = UInt16(clamping: numActiveTracks.count)
    try c.uint16("num_subgroup_ids", &count)
    try c.rows("track_subgroup_id", &subgroups, count: entityCount, shape: count > 0xff ? 1 : 0)
    try c.table("num_active_tracks", &numActiveTracks, count: count)
  }
}

/// The level of merged subpictures.
public struct SubpictureGroupLevel: Equatable, Sendable {
  /// 16 times the level, if declared.
  public var levelIDC: UInt8?
  /// The index in the group of the track whose samples declare the level; `nil` if it never changes.
  public var levelInfoEntityIdx: UInt32?
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// An undeclared level that does not change.
  public init() {}

  fileprivate mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var (isPresent, isStatic) = (levelIDC != nil, levelInfoEntityIdx == nil)
    try c.flag("level_is_present_flag", &isPresent)
    try c.flag("level_is_static_flag", &isStatic)
    try c.reserved(&reserved, bits: 6)
    if c.includes(isPresent) {
      var level = levelIDC ?? 0
      try c.uint8("level_idc", &level)
      levelIDC = level
    }
    if c.includes(!isStatic) {
      var index = levelInfoEntityIdx ?? 0
      try c.uint32("level_info_entity_idx", &index)
      levelInfoEntityIdx = index
    }
  }
}
