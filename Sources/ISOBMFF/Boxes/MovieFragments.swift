import MP4Bytes

/// The total duration of a fragmented presentation, including all fragments.
public struct MovieExtendsHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mehd", "Movie Extends Header Box", in: ["mvex"], "ISO/IEC 14496-12:2022, 8.8.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The duration in the timescale of the movie.
  public var fragmentDuration: UInt64 = 0
  /// No duration.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint("fragment_duration", &fragmentDuration, wide: version == 1)
  }
}

/// The defaults for all fragments of a track.
public struct TrackExtendsBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("trex", "Track Extends Box", in: ["mvex"], "ISO/IEC 14496-12:2022, 8.8.3")
  public var header = FullBoxHeader()
  /// The track.
  public var trackID: UInt32 = 1
  /// The index of the sample entry that describes the samples, counted from 1.
  public var defaultSampleDescriptionIndex: UInt32 = 1
  /// In the timescale of the media.
  public var defaultSampleDuration: UInt32 = 0
  /// In bytes.
  public var defaultSampleSize: UInt32 = 0
  /// See `SampleFlags`.
  public var defaultSampleFlags: UInt32 = 0
  /// Track 1 and its first description, without other defaults.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    try c.uint32("default_sample_description_index", &defaultSampleDescriptionIndex)
    try c.uint32("default_sample_duration", &defaultSampleDuration)
    try c.uint32("default_sample_size", &defaultSampleSize)
    try c.uint32("default_sample_flags", &defaultSampleFlags, as: .flags(.sampleFlags))
  }
}

/// The sequence number of a movie fragment.
public struct MovieFragmentHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mfhd", "Movie Fragment Header Box", in: ["moof"], "ISO/IEC 14496-12:2022, 8.8.5")
  public var header = FullBoxHeader()
  /// Increases from fragment to fragment.
  public var sequenceNumber: UInt32 = 0
  /// Number 0.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("sequence_number", &sequenceNumber)
  }
}

/// The defaults for the runs of one track in a fragment.
public struct TrackFragmentHeaderBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("tfhd", "Track Fragment Header Box", in: ["traf"], "ISO/IEC 14496-12:2022, 8.8.7")
  /// Flags 0x1 to 0x20 declare the optional fields; 0x10000 is duration-is-empty, 0x20000 is default-base-is-moof.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames {
    """
    0x1 base-data-offset-present; 0x2 sample-description-index-present; 0x8 default-sample-duration-present; \
    0x10 default-sample-size-present; 0x20 default-sample-flags-present; 0x10000 duration-is-empty; \
    0x20000 default-base-is-moof
    """
  }
  /// The track.
  public var trackID: UInt32 = 1
  /// The base of the data offsets, as a file offset.
  public var baseDataOffset: UInt64? { didSet { header[0x1] = baseDataOffset != nil } }
  /// The index of the sample entry that describes the samples, counted from 1.
  public var sampleDescriptionIndex: UInt32? { didSet { header[0x2] = sampleDescriptionIndex != nil } }
  /// In the timescale of the media.
  public var defaultSampleDuration: UInt32? { didSet { header[0x8] = defaultSampleDuration != nil } }
  /// In bytes.
  public var defaultSampleSize: UInt32? { didSet { header[0x10] = defaultSampleSize != nil } }
  /// See `SampleFlags`.
  public var defaultSampleFlags: UInt32? { didSet { header[0x20] = defaultSampleFlags != nil } }
  /// Track 1 without defaults.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    try c.uint64("base_data_offset", &baseDataOffset, flag: 0x1)
    try c.uint32("sample_description_index", &sampleDescriptionIndex, flag: 0x2)
    try c.uint32("default_sample_duration", &defaultSampleDuration, flag: 0x8)
    try c.uint32("default_sample_size", &defaultSampleSize, flag: 0x10)
    try c.uint32("default_sample_flags", &defaultSampleFlags, flag: 0x20, as: .flags(.sampleFlags))
  }
}

/// The decode time of the first sample of a track fragment.
public struct TrackFragmentDecodeTimeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "tfdt", "Track Fragment Base Media Decode Time Box", in: ["traf"], "ISO/IEC 14496-12:2022, 8.8.12")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The sum of the durations of all earlier samples, in the timescale of the media.
  public var baseMediaDecodeTime: UInt64 = 0
  /// The start of the track.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint("baseMediaDecodeTime", &baseMediaDecodeTime, wide: version == 1)
    c.seconds("time_in_seconds", baseMediaDecodeTime, timescale: c.context.timescale)
  }
}

/// A run of adjacent samples in the media data.
public struct TrackRunBox: FullBoxPayload, Equatable {
  /// The values that a run declares for one sample. All samples of a run have the same fields; `nil` fields follow from
  /// defaults.
  public struct Sample: BoxTableRow {
    /// In the timescale of the media.
    public var duration: UInt32?
    /// In bytes.
    public var size: UInt32?
    /// See `SampleFlags`.
    public var flags: UInt32?
    /// The composition time minus the decode time. The standard defines it as unsigned in version 0, but files with
    /// negative offsets in version 0 are common and offsets of 2^31 are not.
    public var compositionTimeOffset: Int32?
    /// No declared values.
    public init() {}
    /// A sample with these fields.
    public init(
      duration: UInt32? = nil, size: UInt32? = nil, flags: UInt32? = nil, compositionTimeOffset: Int32? = nil
    ) {
      (self.duration, self.size, self.flags) = (duration, size, flags)
      self.compositionTimeOffset = compositionTimeOffset
    }
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("sample_duration", &duration, flag: 0x100, of: shape)
      try c.uint32("sample_size", &size, flag: 0x200, of: shape)
      try c.uint32("sample_flags", &flags, flag: 0x400, of: shape, as: .flags(.sampleFlags))
      try c.int32("sample_composition_time_offset", &compositionTimeOffset, flag: 0x800, of: shape, signedFrom: 1)
    }
  }
  public static let info = BoxInfo("trun", "Track Fragment Run Box", in: ["traf"], "ISO/IEC 14496-12:2022, 8.8.8")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames {
    """
    0x1 data-offset-present; 0x4 first-sample-flags-present; 0x100 sample-duration-present; \
    0x200 sample-size-present; 0x400 sample-flags-present; 0x800 sample-composition-time-offsets-present
    """
  }
  /// The start of the data, relative to the base of the track fragment; without flag 1, the data follows that of the
  /// previous run.
  public var dataOffset: Int32? { didSet { header[0x1] = dataOffset != nil } }
  /// Replaces the flags of the first sample, with flag 4.
  public var firstSampleFlags: UInt32? { didSet { header[0x4] = firstSampleFlags != nil } }
  /// The declared values of each sample.
  public var samples = BoxTable<Sample>()
  /// The number of samples.
  public var sampleCount: UInt32 { UInt32(clamping: samples.count) }
  /// A run without samples.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = sampleCount
    try c.uint32("sample_count", &count)
    try c.int32("data_offset", &dataOffset, flag: 0x1)
    try c.uint32("first_sample_flags", &firstSampleFlags, flag: 0x4, as: .flags(.sampleFlags))
    // Most runs are only read.
    let isShown = c.isShowing || c.isDescribing
    if isShown { c.sampleDefaults(besides: flags) }
    try c.table("samples", &samples, count: count, shape: flags & 0xf00)
    if isShown { c.times(of: self) }
  }

  /// The total duration of the samples. `duration` applies to samples whose duration the run does not declare.
  func duration(ofSamples duration: UInt32?) -> UInt64? {
    guard flags & 0x100 != 0 else { return duration.map { UInt64($0) * UInt64(sampleCount) } }
    // If the run was read from a file, its rows are still encoded bytes. The duration is the first field of each.
    let bytes = samples.encodedRows
    let rows = bytes.raw
    var sum: UInt64 = 0
    for index in 0..<samples.count {
      sum += UInt64(rows.bigEndian(at: index * 4 * (flags & 0xf00).nonzeroBitCount, as: UInt32.self) ?? 0)
    }
    return sum
  }
}

extension FieldCoder {
  /// Shows the defaults of the sample fields that a run does not contain, according to its flags.
  fileprivate mutating func sampleDefaults(besides flags: UInt32) {
    let defaults = context.sampleDefaults
    if flags & 0x100 == 0 { derived("default_sample_duration", defaults.duration.map { .unsigned(UInt64($0)) }) }
    if flags & 0x200 == 0 { derived("default_sample_size", defaults.size.map { .unsigned(UInt64($0)) }) }
    if flags & 0x400 == 0 { derived("default_sample_flags", defaults.flags.map { .flags(UInt64($0), .sampleFlags) }) }
  }

  /// Shows the decode time of the first sample of a run, and the total duration of its samples.
  fileprivate mutating func times(of run: TrackRunBox) {
    let duration = isShowing ? run.duration(ofSamples: context.sampleDefaults.duration) : nil
    derived("decode_time", context.decodeTime.map { .unsigned($0) })
    seconds("decode_time_in_seconds", context.decodeTime, timescale: context.timescale)
    derived("duration", duration.map { .unsigned($0) })
    seconds("duration_in_seconds", duration, timescale: context.timescale)
  }
}
