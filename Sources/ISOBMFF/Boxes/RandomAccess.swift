import MP4Bytes

/// The locations of a track's sync samples in the fragments of a file.
public struct TrackFragmentRandomAccessBox: FullBoxPayload, Equatable {
  /// One sync sample.
  public struct Entry: BoxTableRow {
    /// Its presentation time in the timescale of the media.
    public var time: UInt64 = 0
    /// The file offset of its `moof`.
    public var moofOffset: UInt64 = 0
    /// The index of the `traf` in the `moof`, counted from 1.
    public var trafNumber: UInt32 = 1
    /// The index of the `trun` in the `traf`, counted from 1.
    public var trunNumber: UInt32 = 1
    /// The index of the sample in the `trun`, counted from 1.
    public var sampleDelta: UInt32 = 1
    /// The first sample of a fragment at the start of the file.
    public init() {}
    /// `shape` has the three length sizes in its low six bits, as in the file, plus 64 for 64-bit times.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint("time", &time, wide: shape & 64 != 0)
      try c.uint("moof_offset", &moofOffset, wide: shape & 64 != 0)
      try c.bits("traf_number", &trafNumber, Int(shape >> 4 & 3) * 8 + 8)
      c.describe(width: "8 * (length_size_of_traf_num + 1)")
      try c.bits("trun_number", &trunNumber, Int(shape >> 2 & 3) * 8 + 8)
      c.describe(width: "8 * (length_size_of_trun_num + 1)")
      try c.bits("sample_delta", &sampleDelta, Int(shape & 3) * 8 + 8)
      c.describe(width: "8 * (length_size_of_sample_num + 1)")
    }
  }
  public static let info = BoxInfo(
    "tfra", "Track Fragment Random Access Box", in: ["mfra"], "ISO/IEC 14496-12:2022, 8.8.10")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The track.
  public var trackID: UInt32 = 1
  /// The size of a `traf` index in bytes, minus 1.
  public var lengthSizeOfTrafNum: UInt8 = 0
  /// The size of a `trun` index in bytes, minus 1.
  public var lengthSizeOfTrunNum: UInt8 = 0
  /// The size of a sample index in bytes, minus 1.
  public var lengthSizeOfSampleNum: UInt8 = 0
  /// The sync samples; an empty table means that all samples are sync samples.
  public var entries = BoxTable<Entry>()
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// All samples of track 1.
  public init() {}

  /// The shape of entries, which determines their size.
  public var entryShape: UInt32 {
    let lengths = lengthSizeOfTrafNum << 4 | lengthSizeOfTrunNum << 2 | lengthSizeOfSampleNum
    return UInt32(lengths) | (version == 1 ? 64 : 0)
  }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    try c.reserved(&reserved, bits: 26)
    try c.bits(
      "length_size_of_traf_num", &lengthSizeOfTrafNum, 2, as: .named("0 1 byte; 1 2 bytes; 2 3 bytes; 3 4 bytes"))
    try c.bits(
      "length_size_of_trun_num", &lengthSizeOfTrunNum, 2, as: .named("0 1 byte; 1 2 bytes; 2 3 bytes; 3 4 bytes"))
    try c.bits(
      "length_size_of_sample_num", &lengthSizeOfSampleNum, 2, as: .named("0 1 byte; 1 2 bytes; 2 3 bytes; 3 4 bytes"))
    try c.table("entries", &entries, counted: "number_of_entry", shape: entryShape)
  }
}

/// The size of the `mfra` that ends with this box, so that it can be found from the end of a file.
public struct MovieFragmentRandomAccessOffsetBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "mfro", "Movie Fragment Random Access Offset Box", in: ["mfra"], "ISO/IEC 14496-12:2022, 8.8.11")
  public var header = FullBoxHeader()
  /// The size of the `mfra` in bytes.
  public var parentSize: UInt32 = 0
  /// No size.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("parent_size", &parentSize)
  }
}
