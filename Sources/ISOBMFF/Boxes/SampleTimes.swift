import MP4Bytes

/// The duration of each sample, as runs of equal durations.
public struct TimeToSampleBox: FullBoxPayload, Equatable {
  /// Consecutive samples with the same duration.
  public struct Entry: BoxTableRow {
    /// The number of samples.
    public var sampleCount: UInt32 = 0
    /// The duration of each sample, in the timescale of the media.
    public var sampleDelta: UInt32 = 0
    /// No samples.
    public init() {}
    /// `sampleCount` samples of `sampleDelta` each.
    public init(sampleCount: UInt32, sampleDelta: UInt32) {
      self.sampleCount = sampleCount
      self.sampleDelta = sampleDelta
    }
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("sample_count", &sampleCount)
      try c.uint32("sample_delta", &sampleDelta)
    }
  }
  public static let info = BoxInfo(
    "stts", "Decoding Time to Sample Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.6.1.2")
  public var header = FullBoxHeader()
  /// The runs.
  public var entries = BoxTable<Entry>()
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// The composition offset of each sample, as runs of equal offsets.
public struct CompositionOffsetBox: FullBoxPayload, Equatable {
  /// Consecutive samples with the same offset.
  public struct Entry: BoxTableRow {
    /// The number of samples.
    public var sampleCount: UInt32 = 0
    /// The composition time minus the decode time, in the timescale of the media. The standard defines it as unsigned
    /// in version 0, but files with negative offsets in version 0 are common and offsets of 2^31 are not.
    public var sampleOffset: Int32 = 0
    /// No samples.
    public init() {}
    /// `sampleCount` samples with an offset of `sampleOffset` each.
    public init(sampleCount: UInt32, sampleOffset: Int32) {
      self.sampleCount = sampleCount
      self.sampleOffset = sampleOffset
    }
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("sample_count", &sampleCount)
      try c.int32("sample_offset", &sampleOffset, signedFrom: 1)
    }
  }
  public static let info = BoxInfo(
    "ctts", "Composition Time to Sample Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.6.1.3")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The runs.
  public var entries = BoxTable<Entry>()
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// The relation of composition times and decode times if offsets are negative.
public struct CompositionToDecodeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "cslg", "Composition to Decode Box", in: ["stbl", "trep"], "ISO/IEC 14496-12:2022, 8.6.1.4")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The value that is added to all composition times so that none is earlier than its decode time.
  public var compositionToDTSShift: Int64 = 0
  /// The smallest composition offset.
  public var leastDecodeToDisplayDelta: Int64 = 0
  /// The largest composition offset.
  public var greatestDecodeToDisplayDelta: Int64 = 0
  /// The smallest composition time of any sample.
  public var compositionStartTime: Int64 = 0
  /// The end of the sample with the largest composition time; 0 if unknown.
  public var compositionEndTime: Int64 = 0
  /// No shift.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let wide = version != 0
    try c.int("compositionToDTSShift", &compositionToDTSShift, wide: wide)
    try c.int("leastDecodeToDisplayDelta", &leastDecodeToDisplayDelta, wide: wide)
    try c.int("greatestDecodeToDisplayDelta", &greatestDecodeToDisplayDelta, wide: wide)
    try c.int("compositionStartTime", &compositionStartTime, wide: wide)
    try c.int("compositionEndTime", &compositionEndTime, wide: wide)
  }
}

/// The samples at which decoding can start; without this box, all samples.
public struct SyncSampleBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stss", "Sync Sample Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.6.2")
  public var header = FullBoxHeader()
  /// The sample numbers, counted from 1, in increasing order.
  public var sampleNumbers = BoxTable<UInt32>()
  /// No sync sample.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("sample_number", &sampleNumbers, counted: "entry_count")
  }
}

/// The dependencies between samples.
public struct SampleDependencyTypeBox: FullBoxPayload, Equatable {
  /// The properties of one sample; in every field, 0 means unknown.
  public struct Entry: BoxTableRow {
    /// 1: leading, depends on a sample before the sync sample; 2: not leading; 3: leading and decodable.
    public var isLeading: UInt8 = 0
    /// 1: depends on others; 2: does not depend on others.
    public var dependsOn: UInt8 = 0
    /// 1: others depend on it; 2: it can be dropped.
    public var isDependedOn: UInt8 = 0
    /// 1: has redundant coding; 2: has none.
    public var hasRedundancy: UInt8 = 0
    /// Nothing known.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits(
        "is_leading", &isLeading, 2,
        as: .named("0 unknown; 1 leading, needs earlier ones; 2 not leading; 3 leading, decodable"))
      try c.bits(
        "sample_depends_on", &dependsOn, 2, as: .named("0 unknown; 1 depends on others; 2 depends on no other"))
      try c.bits(
        "sample_is_depended_on", &isDependedOn, 2, as: .named("0 unknown; 1 others depend on it; 2 disposable"))
      try c.bits(
        "sample_has_redundancy", &hasRedundancy, 2, as: .named("0 unknown; 1 has redundant coding; 2 has none"))
    }
  }
  public static let info = BoxInfo(
    "sdtp", "Independent and Disposable Samples Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.6.4")
  public var header = FullBoxHeader()
  /// One entry per sample.
  public var entries = BoxTable<Entry>()
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.tableToEnd("samples", &entries)
  }
}
