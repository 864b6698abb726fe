import MP4Bytes

/// The sample descriptions of a track: one sample entry for each configuration.
public struct SampleDescriptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stsd", "Sample Description Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.5.2")
  public static let versions: ClosedRange<UInt8> = 0...1
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of sample entries that follow.
  public var entryCount: UInt32 = 0
  /// No description.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("entry_count", &entryCount)
    c.boxes()
  }
}

/// The assignment of samples to chunks, as runs of chunks with the same number of samples.
public struct SampleToChunkBox: FullBoxPayload, Equatable {
  /// Consecutive chunks with the same number of samples and the same description.
  public struct Entry: BoxTableRow {
    /// The first chunk of the run, counted from 1. The run extends to the next entry.
    public var firstChunk: UInt32 = 0
    /// The number of samples in each chunk.
    public var samplesPerChunk: UInt32 = 0
    /// The index of the sample entry that describes them, counted from 1.
    public var sampleDescriptionIndex: UInt32 = 0
    /// No chunks.
    public init() {}
    /// Chunks starting with `firstChunk`.
    public init(firstChunk: UInt32, samplesPerChunk: UInt32, sampleDescriptionIndex: UInt32) {
      self.firstChunk = firstChunk
      self.samplesPerChunk = samplesPerChunk
      self.sampleDescriptionIndex = sampleDescriptionIndex
    }
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("first_chunk", &firstChunk)
      try c.uint32("samples_per_chunk", &samplesPerChunk)
      try c.uint32("sample_description_index", &sampleDescriptionIndex)
    }
  }
  public static let info = BoxInfo("stsc", "Sample To Chunk Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.4")
  public var header = FullBoxHeader()
  /// The runs.
  public var entries = BoxTable<Entry>()
  /// No chunks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// The file offset of each chunk.
public struct ChunkOffsetBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("stco", "Chunk Offset Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.5")
  public var header = FullBoxHeader()
  /// Offsets from the start of the file.
  public var offsets = BoxTable<UInt32>()
  /// No chunks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("chunk_offset", &offsets, counted: "entry_count")
  }
}

/// The file offset of each chunk, in files that may be larger than 4 GiB.
public struct ChunkLargeOffsetBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("co64", "Chunk Large Offset Box", in: ["stbl"], "ISO/IEC 14496-12:2022, 8.7.5")
  public var header = FullBoxHeader()
  /// Offsets from the start of the file.
  public var offsets = BoxTable<UInt64>()
  /// No chunks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("chunk_offset", &offsets, counted: "entry_count")
  }
}
