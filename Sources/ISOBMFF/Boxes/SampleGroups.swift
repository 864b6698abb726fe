public import MP4Bytes

/// The group of each sample for one grouping type, as runs of samples.
public struct SampleToGroupBox: FullBoxPayload, Equatable {
  /// Consecutive samples of the same group.
  public struct Entry: BoxTableRow {
    /// The number of samples.
    public var sampleCount: UInt32 = 0
    /// The index of the description in `sgpd`, counted from 1; 0 is none. In a fragment, indices above 0x10000 refer to
    /// the fragment's own `sgpd`.
    public var groupDescriptionIndex: UInt32 = 0
    /// No samples.
    public init() {}
    /// `sampleCount` samples of the group `groupDescriptionIndex`.
    public init(sampleCount: UInt32, groupDescriptionIndex: UInt32) {
      self.sampleCount = sampleCount
      self.groupDescriptionIndex = groupDescriptionIndex
    }
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("sample_count", &sampleCount)
      try c.uint32("group_description_index", &groupDescriptionIndex)
    }
  }
  public static let info = BoxInfo(
    "sbgp", "Sample to Group Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.9.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The kind of grouping, such as `roll` or `seig`.
  public var groupingType: FourCC = "roll"
  /// The subtype of the grouping, in version 1.
  public var groupingTypeParameter: UInt32 = 0
  /// The runs.
  public var entries = BoxTable<Entry>()
  /// No samples in roll recovery groups.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("grouping_type", &groupingType)
    if version == 1 { try c.uint32("grouping_type_parameter", &groupingTypeParameter) }
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// The descriptions of groups of one kind. The kind determines the format of a description.
public struct SampleGroupDescriptionBox: FullBoxPayload, Equatable {
  /// The description of one group.
  public struct Entry: BoxTableRow {
    /// The bytes.
    public var description: [UInt8] = []
    /// No bytes.
    public init() {}
    /// A description with these bytes.
    public init(description: [UInt8]) { self.description = description }
    /// `shape` is the length of every description, or 0 if each declares its own.
    public mutating func fields(_ c: inout FieldCoder, shape length: UInt32) throws(BoxError) {
      var own = length
      if length == 0 {
        own = UInt32(clamping: description.count)
        try c.uint32("description_length", &own)
      }
      try c.bytes("description", &description, count: Int(own))
      if let kind = c.groupingType { try c.group(&description, kind: kind) }
    }
    /// The description decoded as one of a kind, such as `RollRecoveryGroup`.
    public func decoded<Kind: BoxPayload>(as _: Kind.Type) throws(BoxError) -> Kind {
      try Kind(decoding: description[...])
    }
  }
  public static let info = BoxInfo(
    "sgpd", "Sample Group Description Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.9.3")
  public static let versions: ClosedRange<UInt8> = 0...2
  public var header = FullBoxHeader(version: 1)
  /// The kind of grouping, such as `roll` or `seig`.
  public var groupingType: FourCC = "roll"
  /// The length of every description, or 0 if each declares its own. In version 0, the kind determines it.
  public var defaultLength: UInt32 = 0
  /// The group of the samples that are in no `sbgp`, counted from 1; from version 2 on.
  public var defaultGroupDescriptionIndex: UInt32 = 0
  /// The descriptions.
  public var entries: [Entry] = []
  /// The number of groups if their descriptions take no bytes; `entries` is then empty.
  public var emptyEntryCount: UInt32 = 0
  /// The number of groups.
  public var entryCount: UInt32 { entries.isEmpty ? emptyEntryCount : UInt32(clamping: entries.count) }
  /// No groups.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("grouping_type", &groupingType)
    if version >= 1 { try c.uint32("default_length", &defaultLength) }
    if version >= 2 { try c.uint32("default_group_description_index", &defaultGroupDescriptionIndex) }
    var entryCount = entryCount
    try c.uint32("entry_count", &entryCount)
    if c.isReading { emptyEntryCount = entryCount }
    var length = defaultLength
    if version == 0 {
      // The length of a description is not declared. All known descriptions of a kind have the same length.
      let left = c.isReading ? UInt32(clamping: c.remaining) : UInt32(clamping: entries.first?.description.count ?? 0)
      length = c.isReading && entryCount > 0 ? left / entryCount : left
      guard c.includes(entryCount > 0 && length > 0) else { return }
      length = max(length, 1)
    }
    c.groupingType = groupingType
    try c.rows("entries", &entries, count: entryCount, shape: length)
    c.groupingType = nil
    if !entries.isEmpty { emptyEntryCount = 0 }
  }
}
