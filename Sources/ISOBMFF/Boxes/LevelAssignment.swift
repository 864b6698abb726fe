public import Bytes

/// What the levels of `ssix` are.
public struct LevelAssignmentBox: FullBoxPayload, Equatable {
  /// One level.
  public struct Level: BoxTableRow {
    /// The track whose samples are of the level.
    public var trackID: UInt32 = 0
    /// Whether what follows the level in a subsegment can be replaced by zeros.
    public var paddingFlag: Bool = false
    /// 0: by sample group; 1: by sample group with a parameter; 2 and 3: by track; 4: by sub track.
    public var assignmentType: UInt8 = 0
    /// The kind of grouping, for types 0 and 1.
    public var groupingType = FourCC()
    /// The kind within the kind, for type 1.
    public var groupingTypeParameter: UInt32 = 0
    /// The sub track, for type 4.
    public var subTrackID: UInt32 = 0
    /// All of the track 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("track_ID", &trackID)
      try c.flag("padding_flag", &paddingFlag)
      try c.bits(
        "assignment_type", &assignmentType, 7,
        as: .named("0 sample group; 1 sample group with parameter; 2 track; 3 track or its dependencies; 4 sub track"))
      if c.includes(assignmentType <= 1) { try c.fourCC("grouping_type", &groupingType) }
      if c.includes(assignmentType == 1) { try c.uint32("grouping_type_parameter", &groupingTypeParameter) }
      if c.includes(assignmentType == 4) { try c.uint32("sub_track_ID", &subTrackID) }
    }
  }
  public static let info = BoxInfo("leva", "Level Assignment Box", in: ["mvex"], "ISO/IEC 14496-12:2022, 8.8.13")
  public var header = FullBoxHeader()
  /// The levels, the first one first.
  public var levels: [Level] = []
  /// No level.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: levels.count)
    try c.uint8("level_count", &count)
    try c.rows("levels", &levels, count: count)
  }
}

/// Sync samples that can stand in for others when seeking.
public struct ShadowSyncSampleBox: FullBoxPayload, Equatable {
  /// One stand-in.
  public struct Entry: BoxTableRow {
    /// The sample that is replaced, counted from 1.
    public var shadowedSampleNumber: UInt32 = 0
    /// The sync sample that replaces it.
    public var syncSampleNumber: UInt32 = 0
    /// No sample.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("shadowed_sample_number", &shadowedSampleNumber)
      try c.uint32("sync_sample_number", &syncSampleNumber)
    }
  }
  public static let info = BoxInfo("stsh", "Shadow Sync Sample Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.6.3")
  public var header = FullBoxHeader()
  /// The stand-ins, by the samples they replace.
  public var entries = BoxTable<Entry>()
  /// No shadows.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// How two views are packed into one picture.
public struct StereoVideoBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stvi", "Stereo Video Box", in: ["schi"], "ISO/IEC 14496-12:2022, 8.15.4.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// 1: the right view can be shown alone; 2: the left one can; 3: either can.
  public var singleViewAllowed: UInt8 = 0
  /// Who says what the type means: 1 ISO/IEC 14496-10, 2 ISO/IEC 13818-2, 3 ISO/IEC 23000-11.
  public var stereoScheme: UInt32 = 0
  /// The packing, as the scheme has it.
  public var stereoIndicationType: [UInt8] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// An unknown packing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 30)
    try c.bits("single_view_allowed", &singleViewAllowed, 2, as: .flags("0x1 right view; 0x2 left view"))
    try c.uint32(
      "stereo_scheme", &stereoScheme,
      as: .named("1 frame packing SEI message; 2 user data of MPEG-2; 3 ISO/IEC 23000-11"))
    var length = UInt32(clamping: stereoIndicationType.count)
    try c.uint32("length", &length)
    try c.bytes("stereo_indication_type", &stereoIndicationType, count: Int(length))
    c.boxes()
  }
}

/// Which asset of a catalogue the file is.
public struct AssetInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ainf", "Asset Information Box", in: ["moov"], "Common File Format, 2.2.4")
  public var header = FullBoxHeader()
  /// The profile of the file.
  public var profileVersion: UInt32 = 0
  /// The identifier of the asset.
  public var apid: BoxString = ""
  /// No asset.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("profile_version", &profileVersion, as: .hexadecimal)
    try c.string("APID", &apid)
  }
}
