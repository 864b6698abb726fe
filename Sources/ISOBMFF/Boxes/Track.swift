import MP4Bytes

/// The properties of one track of the presentation.
public struct TrackHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("tkhd", "Track Header Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.3.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// Flags: 1 enabled, 2 in the movie, 4 in the preview, 8 the size is an aspect ratio.
  public var header = FullBoxHeader(flags: 7)
  public static var flagNames: ValueNames {
    "0x1 track_enabled; 0x2 track_in_movie; 0x4 track_in_preview; 0x8 track_size_is_aspect_ratio"
  }
  /// Seconds since 1904-01-01 00:00 UTC.
  public var creationTime: UInt64 = 0
  /// Seconds since 1904-01-01 00:00 UTC.
  public var modificationTime: UInt64 = 0
  /// The track ID, never 0.
  public var trackID: UInt32 = 1
  /// The sum of the edits, in the timescale of the movie; all ones if unknown.
  public var duration: UInt64 = 0
  /// The front-to-back order; smaller numbers are closer to the viewer.
  public var layer: Int16 = 0
  /// Tracks with the same number are alternatives; 0 is none.
  public var alternateGroup: Int16 = 0
  /// The relative volume, 8.8.
  public var volume: Int16 = 0
  /// The transformation of the pictures for display.
  public var matrix = Matrix.identity
  /// The width for presentation, 16.16.
  public var width: UInt32 = 0
  /// The height for presentation, 16.16.
  public var height: UInt32 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// An enabled track 1 without a size.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let wide = version == 1
    try c.uint("creation_time", &creationTime, wide: wide, as: .date)
    try c.uint("modification_time", &modificationTime, wide: wide, as: .date)
    try c.uint32("track_ID", &trackID)
    try c.reserved(&reserved, bytes: 4)
    try c.uint("duration", &duration, wide: wide)
    try c.reserved(&reserved, bytes: 8)
    try c.int16("layer", &layer)
    try c.int16("alternate_group", &alternateGroup)
    try c.int16("volume", &volume, as: .fixed(8))
    try c.reserved(&reserved, bytes: 2)
    try c.matrix(&matrix)
    try c.uint32("width", &width, as: .fixed(16))
    try c.uint32("height", &height, as: .fixed(16))
  }
}

/// The tracks that a track refers to; the type of the box declares the kind of reference.
public struct TrackReferenceTypeBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "hint", "Track Reference Type Box", in: ["tref"], "ISO/IEC 14496-12:2022, 8.3.3")
  /// The tracks referred to.
  public var trackIDs = BoxTable<UInt32>()
  /// No reference.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.tableToEnd("track_IDs", &trackIDs) }
}

/// The edit list of a track, which maps ranges of its media to presentation times.
public struct EditListBox: FullBoxPayload, Equatable {
  /// One edit: a range of media, or a time during which nothing is presented.
  public struct Entry: BoxTableRow {
    /// The duration in the timescale of the movie; in fragmented files, 0 means to the end.
    public var segmentDuration: UInt64 = 0
    /// The start in the media, as a composition time in the timescale of the media; -1 for an empty edit.
    public var mediaTime: Int64 = 0
    /// The media rate: 1, or 0 for a dwell.
    public var mediaRateInteger: Int16 = 1
    /// The fraction of the media rate; always 0.
    public var mediaRateFraction: Int16 = 0
    /// The whole media at normal rate.
    public init() {}
    /// A range of media, or an empty edit if `mediaTime` is -1.
    public init(segmentDuration: UInt64, mediaTime: Int64) {
      self.segmentDuration = segmentDuration
      self.mediaTime = mediaTime
    }
    public mutating func fields(_ c: inout FieldCoder, shape version: UInt32) throws(BoxError) {
      try c.uint("edit_duration", &segmentDuration, wide: version == 1)
      try c.int("media_time", &mediaTime, wide: version == 1)
      try c.int16("media_rate_integer", &mediaRateInteger)
      try c.int16("media_rate_fraction", &mediaRateFraction)
    }
  }
  public static let info = BoxInfo("elst", "Edit List Box", in: ["edts"], "ISO/IEC 14496-12:2022, 8.6.6")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 RepeatEdits" }
  /// The edits in presentation order.
  public var entries = BoxTable<Entry>()
  /// No edits.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count", shape: UInt32(version))
  }
}
