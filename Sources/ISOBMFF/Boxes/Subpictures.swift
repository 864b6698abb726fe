/// Which subpictures of VVC a track or picture has.
public struct SubpictureIDGroup: TableRow {
  /// One subpicture.
  public struct Subpicture: TableRow {
    /// Its number; where numbers follow each other only the first has one here.
    public var subpictureID: UInt16?
    /// The group that says where it is in the picture.
    public var groupID: UInt16 = 0
    /// Without a number of its own.
    public init() {}
    /// `shape` has 1 where there are numbers, and 2 where there are groups.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      if c.includes(shape & 1 != 0) {
        var number = subpictureID ?? 0
        try c.uint16("subpic_id", &number)
        subpictureID = number
      }
      if c.includes(shape & 2 != 0) { try c.uint16("groupID", &groupID) }
    }
  }
  /// Whether each subpicture has a group that says where it is.
  public var hasGroups = false
  /// Whether the numbers follow each other.
  public var isContinuous = false
  /// The number of subpictures, less one.
  public var numSubpicsMinus1: UInt16 = 0
  /// The first subpicture.
  public var first = Subpicture()
  /// The others, where something is said of each.
  public var others: [Subpicture] = []
  /// What stands in the reserved fields.
  public var reserved = ReservedBits()
  /// The subpicture 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.flag("rect_region_flag", &hasGroups)
    try c.reserved(&reserved, bits: 2)
    try c.flag("continuous_id_flag", &isContinuous)
    try c.bits("num_subpics_minus1", &numSubpicsMinus1, 12)
    let groups: UInt32 = hasGroups ? 2 : 0
    try first.fields(&c, shape: 1 | groups)
    guard c.includes(!isContinuous || hasGroups) else { return }
    try c.rows("others", &others, count: numSubpicsMinus1, shape: (isContinuous ? 0 : 1) | groups)
  }
}

/// In which order the subpictures of tracks make up a picture of VVC.
public struct SubpictureOrderGroup: TableRow {
  /// The references of the track or item to subpictures, in the order of the picture, counted from 1.
  public var references = Table<UInt16>()
  /// How the numbers of subpictures are changed where they are put together.
  public var rewriting: [UInt8]?
  /// No subpictures.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    var hasRewriting = rewriting != nil
    try c.flag("subpic_id_info_flag", &hasRewriting)
    var count = UInt16(clamping: min(references.count, 0x7fff))
    try c.bits("num_subpic_ref_idx", &count, 15)
    try c.table("subp_track_ref_idx", &references, count: count)
    guard c.includes(hasRewriting) else { return }
    var bytes = rewriting ?? []
    try c.bytes("subpic_id_rewriting_info", &bytes)
    rewriting = bytes
  }
}

/// Which subpictures of VVC a picture has.
public struct SubpictureIDProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("spid", "Subpicture ID Property", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// The subpictures, as in the sample group of this name.
  public var subpictures = SubpictureIDGroup()
  /// The subpicture 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try subpictures.fields(&c, shape: 0) }
}

/// In which order the subpictures of other items make up a picture of VVC.
public struct SubpictureOrderProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "spor", "Subpicture Order Property", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// The order, as in the sample group of this name.
  public var order = SubpictureOrderGroup()
  /// No subpictures.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try order.fields(&c, shape: 0) }
}
