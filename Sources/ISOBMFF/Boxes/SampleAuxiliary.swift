public import MP4Bytes

/// Parts of samples, such as slices, and whether they can be discarded.
public struct SubSampleInformationBox: FullBoxPayload, Equatable {
  /// One part.
  public struct Subsample: BoxTableRow {
    /// In bytes; 16 bits in version 0.
    public var size: UInt32 = 0
    /// The priority; higher numbers are more important.
    public var priority: UInt8 = 0
    /// 1: the sample can be decoded without it.
    public var discardable: UInt8 = 0
    /// Codec-specific parameters.
    public var codecSpecificParameters: UInt32 = 0
    /// An empty part.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape version: UInt32) throws(BoxError) {
      try c.uint("subsample_size", &size, wide: version == 1)
      try c.uint8("subsample_priority", &priority)
      try c.uint8("discardable", &discardable)
      try c.uint32("codec_specific_parameters", &codecSpecificParameters, as: .hexadecimal)
    }
  }
  /// A sample that has parts.
  public struct Entry: BoxTableRow {
    /// The number of samples from the sample of the previous entry to this one.
    public var sampleDelta: UInt32 = 0
    /// Its parts.
    public var subsamples = BoxTable<Subsample>()
    /// A sample without parts.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape version: UInt32) throws(BoxError) {
      try c.uint32("sample_delta", &sampleDelta)
      var count = UInt16(clamping: subsamples.count)
      try c.uint16("subsample_count", &count)
      try c.table("subsamples", &subsamples, count: count, shape: version)
    }
  }
  public static let info = BoxInfo(
    "subs", "Sub-Sample Information Box", in: ["stbl", "traf", "ipco"], "ISO/IEC 14496-12:2022, 8.7.7")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The samples that have parts.
  public var entries: [Entry] = []
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("entries", &entries, counted: "entry_count", shape: UInt32(version))
  }
}

/// The size of the auxiliary information of each sample.
public struct SampleAuxiliaryInformationSizesBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "saiz", "Sample Auxiliary Information Sizes Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.7.8")
  /// With flag 1, the box declares the type of the information.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 aux-info-type-present" }
  /// The type of the information, with flag 1; otherwise it follows from the protection scheme.
  public var auxInfoType: FourCC? { didSet { header[0x1] = auxInfoType != nil } }
  /// The parameter of the information type, with flag 1.
  public var auxInfoTypeParameter: UInt32? { didSet { header[0x1] = auxInfoTypeParameter != nil } }
  /// The size shared by all samples, or 0 if `sampleInfoSizes` has a size for each.
  public var defaultSampleInfoSize: UInt8 = 0
  /// The number of samples, if they share a size.
  public var sameSizeCount: UInt32 = 0
  /// The size for each sample, if they differ.
  public var sampleInfoSizes = BoxTable<UInt8>()
  /// The number of samples.
  public var sampleCount: UInt32 {
    defaultSampleInfoSize == 0 ? UInt32(clamping: sampleInfoSizes.count) : sameSizeCount
  }
  /// No samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("aux_info_type", &auxInfoType, flag: 0x1)
    try c.uint32("aux_info_type_parameter", &auxInfoTypeParameter, flag: 0x1)
    try c.uint8("default_sample_info_size", &defaultSampleInfoSize)
    if defaultSampleInfoSize != 0 { return try c.uint32("sample_count", &sameSizeCount) }
    try c.table("sample_info_size", &sampleInfoSizes, counted: "sample_count")
  }
}

/// The location of the auxiliary information of samples.
public struct SampleAuxiliaryInformationOffsetsBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "saio", "Sample Auxiliary Information Offsets Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.7.9")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// With flag 1, the box declares the type of the information.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames { "0x1 aux-info-type-present" }
  /// The type of the information, with flag 1; otherwise it follows from the protection scheme.
  public var auxInfoType: FourCC? { didSet { header[0x1] = auxInfoType != nil } }
  /// The parameter of the information type, with flag 1.
  public var auxInfoTypeParameter: UInt32? { didSet { header[0x1] = auxInfoTypeParameter != nil } }
  /// One offset per chunk or track run, or one for all, relative to the file or to the base of a track fragment. 32
  /// bits each in version 0.
  public var offsets = BoxTable<UInt64>()
  /// No information.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("aux_info_type", &auxInfoType, flag: 0x1)
    try c.uint32("aux_info_type_parameter", &auxInfoTypeParameter, flag: 0x1)
    try c.table("offset", &offsets, counted: "entry_count", shape: version == 0 ? 32 : 64)
  }
}
