import Bytes

/// The VVC subpictures of a track or image.
public struct SubpictureIDGroup: BoxPayload {
  public static let info = BoxInfo("spid", "VVC Subpicture ID Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// One subpicture.
  public struct Subpicture: BoxTableRow {
    /// Its ID; if IDs are consecutive, only the first one is declared.
    public var subpictureID: UInt16?
    /// The ID of the group with its position in the picture.
    public var groupID: UInt16 = 0
    /// Without an ID.
    public init() {}
    /// `shape` includes 1 if there are IDs, and 2 if there are groups.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      if c.includes(shape & 1 != 0) {
        var number = subpictureID ?? 0
        try c.uint16("subpic_id", &number)
        subpictureID = number
      }
      if c.includes(shape & 2 != 0) { try c.uint16("groupID", &groupID) }
    }
  }
  /// Whether each subpicture has a group with its position.
  public var hasGroups = false
  /// Whether the IDs are consecutive.
  public var isContinuous = false
  /// The number of subpictures, minus 1.
  public var numSubpicsMinus1: UInt16 = 0
  /// The first subpicture.
  public var first = Subpicture()
  /// The other subpictures, if each is declared.
  public var others: [Subpicture] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Subpicture 0.
  public init() { first.subpictureID = 0 }

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
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

/// The order in which the subpictures of tracks form a VVC picture.
public struct SubpictureOrderGroup: BoxPayload {
  public static let info = BoxInfo("spor", "VVC Subpicture Order Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// The references of the track or item to subpictures, in the order of the picture, counted from 1.
  public var references = BoxTable<UInt16>()
  /// The rewriting of subpicture IDs for merging.
  public var rewriting: SubpictureIDRewriting?
  /// No subpictures.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var hasRewriting = rewriting != nil
    try c.flag("subpic_id_info_flag", &hasRewriting)
    var count = UInt16(clamping: min(references.count, 0x7fff))
    try c.bits("num_subpic_ref_idx", &count, 15)
    try c.table("subp_track_ref_idx", &references, count: count)
    try SubpictureIDRewriting.fields(&c, isThere: hasRewriting, &rewriting)
  }
}

/// The order of track regions in a VVC picture, if some can replace each other.
public struct RectangularRegionOrderGroup: BoxPayload {
  public static let info = BoxInfo("rror", "VVC Rectangular Region Order Group", in: ["sgpd"], "ISO/IEC 14496-15:2022")
  /// Regions from which one is chosen.
  public struct AlternativeSet: BoxTableRow {
    /// The ID of the set.
    public var setID: UInt16 = 0
    /// The groups of the regions.
    public var groupIDs = BoxTable<UInt16>()
    /// No regions.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var count = UInt16(clamping: groupIDs.count)
      try c.uint16("num_regions_in_set", &count)
      try c.uint16("alternate_region_set_id", &setID)
      try c.table("groupID", &groupIDs, count: count)
    }
  }
  /// The sets of interchangeable regions.
  public var alternatives: [AlternativeSet] = []
  /// The regions, or sets of regions, in the order of the picture.
  public var regionIDs = BoxTable<UInt16>()
  /// The rewriting of subpicture IDs for merging.
  public var rewriting: SubpictureIDRewriting?
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No regions.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var hasRewriting = rewriting != nil
    try c.flag("subpic_id_info_flag", &hasRewriting)
    try c.reserved(&reserved, bits: 7)
    var count = UInt16(clamping: alternatives.count)
    try c.uint16("num_alternate_region_set", &count)
    try c.rows("alternate_region_sets", &alternatives, count: count)
    // The field contains the number itself: the name says one less, but the syntax and writers do not.
    count = UInt16(clamping: regionIDs.count)
    try c.uint16("num_regions_minus1", &count)
    try c.table("region_id", &regionIDs, count: count)
    try SubpictureIDRewriting.fields(&c, isThere: hasRewriting, &rewriting)
  }
}

/// The location of the subpicture IDs in a VVC parameter set, which change when subpictures are merged.
public struct SubpictureIDRewriting: Equatable, Sendable {
  /// The number of bits of each ID, minus 1.
  public var lengthMinus1: UInt8 = 0
  /// The bit offset of the IDs in the parameter set.
  public var bitPosition: UInt16 = 0
  /// Whether emulation prevention bytes precede them.
  public var startCodeEmulationFlag = false
  /// Whether it is a picture parameter set instead of a sequence parameter set.
  public var isInPPS = false
  /// The ID of the parameter set.
  public var parameterSetID: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// The first bit of sequence parameter set 0.
  public init() {}

  fileprivate static func fields(_ c: inout FieldCoder, isThere: Bool, _ value: inout Self?) throws(BoxError) {
    guard c.includes(isThere) else { return }
    var info = value ?? Self()
    try c.bits("subpic_id_len_minus1", &info.lengthMinus1, 4)
    try c.bits("subpic_id_bit_pos", &info.bitPosition, 12)
    try c.flag("start_code_emul_flag", &info.startCodeEmulationFlag)
    try c.flag("pps_sps_subpic_id_flag", &info.isInPPS)
    if c.includes(info.isInPPS) { try c.bits("pps_id", &info.parameterSetID, 6) }
    if c.includes(!info.isInPPS) {
      try c.bits("sps_id", &info.parameterSetID, 4)
      try c.reserved(&info.reserved, bits: 2)
    }
    value = info
  }
}

/// The VVC subpictures of an image.
public struct SubpictureIDProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo("spid", "Subpicture ID Property", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// The subpictures, as in the sample group of this name.
  public var subpictures = SubpictureIDGroup()
  /// Subpicture 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try subpictures.fields(&c) }
}

/// The order in which the subpictures of other items form a VVC image.
public struct SubpictureOrderProperty: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "spor", "Subpicture Order Property", in: ["ipco"], "ISO/IEC 23008-12:2022/Amd 1, 6.5")
  public var header = FullBoxHeader()
  /// The order, as in the sample group of this name.
  public var order = SubpictureOrderGroup()
  /// No subpictures.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try order.fields(&c) }
}
