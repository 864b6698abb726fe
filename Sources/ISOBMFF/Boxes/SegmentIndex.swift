import MP4Bytes

/// The parts of a segment: size, duration and access points.
public struct SegmentIndexBox: FullBoxPayload, Equatable {
  /// One part: media, or another index.
  public struct Reference: BoxTableRow {
    /// 0: media; 1: another `sidx`.
    public var referenceType: UInt8 = 0
    /// In bytes, 31 bits.
    public var referencedSize: UInt32 = 0
    /// In the timescale of the index.
    public var subsegmentDuration: UInt32 = 0
    /// Whether it starts with a stream access point.
    public var startsWithSAP: Bool = false
    /// The type of the first stream access point, 1 to 6; 0 is unknown.
    public var sapType: UInt8 = 0
    /// The time from the start of the part to the first stream access point, 28 bits.
    public var sapDeltaTime: UInt32 = 0
    /// Empty media.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("reference_type", &referenceType, 1, as: .named("0 media; 1 index"))
      try c.bits("referenced_size", &referencedSize, 31)
      try c.uint32("subsegment_duration", &subsegmentDuration)
      try c.flag("starts_with_SAP", &startsWithSAP)
      try c.bits("SAP_type", &sapType, 3, as: .named(.sapTypes))
      try c.bits("SAP_delta_time", &sapDeltaTime, 28)
    }
  }
  public static let info = BoxInfo("sidx", "Segment Index Box", in: [.file], "ISO/IEC 14496-12:2022, 8.16.3")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The track, or another stream, that the times refer to.
  public var referenceID: UInt32 = 1
  /// Units per second.
  public var timescale: UInt32 = 1000
  /// The earliest presentation time of the first part.
  public var earliestPresentationTime: UInt64 = 0
  /// The distance from the end of this box to the first part.
  public var firstOffset: UInt64 = 0
  /// The parts.
  public var references = BoxTable<Reference>()
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No parts.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("reference_ID", &referenceID)
    try c.uint32("timescale", &timescale)
    try c.uint("earliest_presentation_time", &earliestPresentationTime, wide: version != 0)
    try c.uint("first_offset", &firstOffset, wide: version != 0)
    try c.reserved(&reserved, bytes: 2)
    var count = UInt16(clamping: references.count)
    try c.uint16("reference_count", &count)
    try c.table("references", &references, count: count)
    c.seconds("earliest_presentation_time_in_seconds", earliestPresentationTime, timescale: timescale)
    c.seconds("duration_in_seconds", c.isShowing ? duration : nil, timescale: timescale)
  }
}

extension SegmentIndexBox {
  /// The total duration of all parts, in the timescale of the index.
  public var duration: UInt64 { references.reduce(0) { $0 + UInt64($1.subsegmentDuration) } }
}

/// The bytes of each part of a segment that belong to each level, such as a layer or only the sync samples.
public struct SubsegmentIndexBox: FullBoxPayload, Equatable {
  /// Bytes of one level.
  public struct LevelRange: BoxTableRow {
    /// The level, described by `leva`.
    public var level: UInt8 = 0
    /// The number of bytes, 24 bits.
    public var rangeSize: UInt32 = 0
    /// No bytes.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("level", &level)
      try c.uint24("range_size", &rangeSize)
    }
  }
  /// One part of the segment.
  public struct Subsegment: BoxTableRow {
    /// Its byte ranges, in order.
    public var ranges = BoxTable<LevelRange>()
    /// No bytes.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var count = UInt32(clamping: ranges.count)
      try c.uint32("range_count", &count)
      try c.table("ranges", &ranges, count: count)
    }
  }
  public static let info = BoxInfo("ssix", "Subsegment Index Box", in: [.file], "ISO/IEC 14496-12:2022, 8.16.4")
  public var header = FullBoxHeader()
  /// The parts, in the order of the preceding `sidx`.
  public var subsegments: [Subsegment] = []
  /// No parts.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("subsegments", &subsegments, counted: "subsegment_count")
  }
}
