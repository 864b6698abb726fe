public import Bytes

/// What a track is for.
public struct KindBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("kind", "Track Kind Box", in: ["udta"], "ISO/IEC 14496-12:2022, 8.10.4")
  public var header = FullBoxHeader()
  /// Who says what the roles mean.
  public var schemeURI: BoxString = ""
  /// The role, such as `main` or `caption`.
  public var value: BoxString = ""
  /// No role.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.string("schemeURI", &schemeURI)
    try c.string("value", &value)
  }
}

/// Who has the rights.
public struct CopyrightBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("cprt", "Copyright Box", in: ["udta"], "ISO/IEC 14496-12:2022, 8.10.2")
  public var header = FullBoxHeader()
  /// The language of the notice.
  public var language: LanguageCode = "und"
  /// The notice, UTF-8, or UTF-16 after a byte order mark.
  public var notice: BoxString = ""
  /// No notice.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.string("notice", &notice)
  }
}

/// Between which tracks a player may switch, and how they differ.
public struct TrackSelectionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("tsel", "Track Selection Box", in: ["udta"], "ISO/IEC 14496-12:2022, 8.10.3")
  public var header = FullBoxHeader()
  /// Tracks with the same number can replace each other while playing; 0 is none.
  public var switchGroup: Int32 = 0
  /// What describes the track, or tells it from the others, such as `bitr` or `lang`.
  public var attributeList = BoxTable<FourCC>()
  /// A track without alternatives.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int32("switch_group", &switchGroup)
    try c.tableToEnd("attribute_list", &attributeList)
  }
}

/// Which part of a track a sub track is.
public struct SubTrackInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stri", "Sub Track Information Box", in: ["strk"], "ISO/IEC 14496-12:2022, 8.14.4")
  public var header = FullBoxHeader()
  /// Sub tracks with the same number can replace each other while playing; 0 is none.
  public var switchGroup: Int16 = 0
  /// Tracks and sub tracks with the same number are alternatives; 0 is none.
  public var alternateGroup: Int16 = 0
  /// The number of the sub track, or 0.
  public var subTrackID: UInt32 = 0
  /// What describes the sub track, or tells it from the others.
  public var attributeList = BoxTable<FourCC>()
  /// A sub track without alternatives.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("switch_group", &switchGroup)
    try c.int16("alternate_group", &alternateGroup)
    try c.uint32("sub_track_ID", &subTrackID)
    try c.tableToEnd("attribute_list", &attributeList)
  }
}

/// A sub track as the samples of some groups.
public struct SubTrackSampleGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stsg", "Sub Track Sample Group Box", in: ["strd"], "ISO/IEC 14496-12:2022, 8.14.6")
  public var header = FullBoxHeader()
  /// The kind of grouping.
  public var groupingType: FourCC = FourCC()
  /// Which descriptions of `sgpd`, counted from 1.
  public var groupDescriptionIndices = BoxTable<UInt32>()
  /// No group.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("grouping_type", &groupingType)
    var count = UInt16(clamping: groupDescriptionIndices.count)
    try c.uint16("item_count", &count)
    try c.table("group_description_index", &groupDescriptionIndices, count: count)
  }
}

/// A group of tracks that belong together in the way that the type of the box says.
public struct TrackGroupTypeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "msrc", "Multi-source Presentation Track Group", in: ["trgr"], "ISO/IEC 14496-12:2022, 8.3.4")
  public var header = FullBoxHeader()
  /// The same for other kinds of groups.
  static let complete = BoxInfo(
    "cstg", "Complete Subset Track Group", in: ["trgr"], "ISO/IEC 14496-15:2022, 4.5")
  /// Subpictures that can be extracted in place of each other.
  static let alternatives = BoxInfo(
    "alte", "Alternative Extraction Source Track Group", in: ["trgr"], "ISO/IEC 14496-15:2022, 10")
  /// Subpictures whose NAL units at one time have the same type.
  static let sameTypes = BoxInfo("snut", "Same NAL Unit Types Track Group", in: ["trgr"], "ISO/IEC 14496-15:2022, 11")
  /// Tracks with the same number are of the same group.
  public var trackGroupID: UInt32 = 0
  /// The group 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_group_id", &trackGroupID)
  }
}

/// A pair of tracks with the pictures for two eyes.
public struct StereoTrackGroupBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ster", "Stereo Video Track Group", in: ["trgr"], "ISO/IEC 14496-12:2022, 8.3.4.4")
  public var header = FullBoxHeader()
  /// Tracks with the same number are a pair.
  public var trackGroupID: UInt32 = 0
  /// Whether this track is for the left eye.
  public var leftViewFlag: Bool = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// The right view of the group 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_group_id", &trackGroupID)
    try c.flag("left_view_flag", &leftViewFlag)
    try c.reserved(&reserved, bits: 31)
  }
}

/// What holds for the fragments of a track.
public struct TrackExtensionPropertiesBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "trep", "Track Extension Properties Box", in: ["mvex"], "ISO/IEC 14496-12:2022, 8.8.15")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The track.
  public var trackID: UInt32 = 0
  /// The track 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    c.boxes()
  }
}

/// How much earlier alternative startup sequences can be presented.
public struct AlternativeStartupSequencePropertiesBox: FullBoxPayload, Equatable {
  /// The sequences of one kind.
  public struct Entry: BoxTableRow {
    /// The kind, as `sbgp` has it.
    public var groupingTypeParameter: UInt32 = 0
    /// No offset of a sequence of this kind is smaller.
    public var minInitialAltStartupOffset: Int32 = 0
    /// No offset.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("grouping_type_parameter", &groupingTypeParameter)
      try c.int32("min_initial_alt_startup_offset", &minInitialAltStartupOffset)
    }
  }
  public static let info = BoxInfo(
    "assp", "Alternative Startup Sequence Properties Box", in: ["trep", "mvex"], "ISO/IEC 14496-12:2022, 8.8.16")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// No offset of any sequence is smaller; in version 0.
  public var minInitialAltStartupOffset: Int32 = 0
  /// The same by kind, in version 1.
  public var entries = BoxTable<Entry>()
  /// No sequences.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    if version == 0 {
      try c.int32("min_initial_alt_startup_offset", &minInitialAltStartupOffset)
    } else if version == 1 {
      try c.table("entries", &entries, counted: "num_entries")
    }
  }
}
