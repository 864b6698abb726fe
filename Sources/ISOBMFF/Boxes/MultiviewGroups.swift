import Bytes

/// A group of views of MVC that are shown together.
public struct MultiviewGroupBox: FullBoxPayload, Equatable {
  /// Views of the group.
  public struct Entry: BoxTableRow {
    /// 0: those of a track; 1: those of a tier; 2: one view; 3: views that follow each other.
    public var entryType: UInt8 = 0
    /// The track, with types 0 and 1.
    public var trackID: UInt32 = 0
    /// The tier, with type 1.
    public var tierID: UInt16 = 0
    /// The view, with type 2, or the first one, with type 3.
    public var viewID: UInt16 = 0
    /// How many views, with type 3.
    public var viewCount: UInt16 = 0
    /// What is in the reserved fields.
    public var reserved = ReservedBits()
    /// The views of track 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("entry_type", &entryType, as: .named("0 track; 1 tier; 2 view; 3 views"))
      if c.includes(entryType <= 1) { try c.uint32("track_id", &trackID) }
      if c.includes(entryType == 1) { try c.uint16("tier_id", &tierID) }
      if c.includes(entryType == 2) {
        try c.reserved(&reserved, bits: 6)
        try c.bits("output_view_id", &viewID, 10)
      }
      if c.includes(entryType == 3) {
        try c.reserved(&reserved, bits: 6)
        try c.bits("start_view_id", &viewID, 10)
        try c.uint16("view_count", &viewCount)
      }
    }
  }
  public static let info = BoxInfo("mvcg", "Multiview Group Box", in: ["mvci"], "ISO/IEC 14496-15:2022, 7")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of the group.
  public var groupID: UInt32 = 0
  /// The views.
  public var entries: [Entry] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No views.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("multiview_group_id", &groupID)
    var count = UInt16(clamping: entries.count)
    try c.uint16("num_entries", &count)
    try c.reserved(&reserved, bits: 8)
    try c.rows("entries", &entries, count: count)
    c.boxes()
  }
}

/// Which samples each sample needs.
public struct SampleDependencyBox: FullBoxPayload, Equatable {
  /// What one sample needs.
  public struct Sample: BoxTableRow {
    /// A sample that it needs, counted from the sample itself.
    public struct Dependency: BoxTableRow {
      /// How many samples later; negative before.
      public var relativeNumber: Int16 = 0
      /// A number is one value.
      public static let isPlain = true
      /// The sample itself.
      public init() {}
      public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
        try c.int16("", &relativeNumber)
      }
    }
    /// The samples that it needs.
    public var dependencies = BoxTable<Dependency>()
    /// None.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var count = UInt16(clamping: dependencies.count)
      try c.uint16("dependency_count", &count)
      try c.table("relative_sample_number", &dependencies, count: count)
    }
  }
  public static let info = BoxInfo("sdep", "Sample Dependency Box", in: ["stbl"], "ISO/IEC 14496-15:2022, 5")
  public var header = FullBoxHeader()
  /// The samples in their order.
  public var samples: [Sample] = []
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    // Only the sample table says how many samples there are, but nothing follows them.
    var (count, at) = (0, 0)
    while let high = c.peek(at), let low = c.peek(at + 1) {
      at += 2 + 2 * (Int(high) << 8 | Int(low))
      count += 1
    }
    try c.rows("samples", &samples, count: c.isReading ? count : samples.count)
  }
}
