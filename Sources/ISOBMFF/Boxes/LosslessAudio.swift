import MP4Bytes

/// The decoder configuration of Opus.
public struct OpusSpecificBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dOps", "Opus Specific Box", in: ["Opus", "enca"], "Opus in ISOBMFF 0.8.1, 4.3.2")
  /// The mapping of several streams to channels.
  public struct ChannelMappingTable: Equatable, Sendable {
    /// The number of streams.
    public var streamCount: UInt8 = 1
    /// The number of streams with two channels.
    public var coupledCount: UInt8 = 0
    /// The decoded channel for each output channel; 255 is silence.
    public var channelMapping: [UInt8] = []
    /// One stream.
    public init() {}
  }
  /// 0.
  public var version: UInt8 = 0
  /// The number of channels.
  public var outputChannelCount: UInt8 = 2
  /// The number of samples to discard at the start, at 48 kHz.
  public var preSkip: UInt16 = 0
  /// Samples per second before encoding; decoders output 48000.
  public var inputSampleRate: UInt32 = 48000
  /// The gain to apply in decibels, 8.8.
  public var outputGain: Int16 = 0
  /// 0: mono or stereo; 1: Vorbis channel order; 2, 3: ambisonics; 255: channels without a defined meaning.
  public var channelMappingFamily: UInt8 = 0
  /// The streams, for families other than 0.
  public var channelMappingTable = ChannelMappingTable()
  /// Stereo.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("Version", &version)
    try c.uint8("OutputChannelCount", &outputChannelCount)
    try c.uint16("PreSkip", &preSkip)
    try c.uint32("InputSampleRate", &inputSampleRate)
    try c.int16("OutputGain", &outputGain, as: .fixed(8))
    try c.uint8(
      "ChannelMappingFamily", &channelMappingFamily,
      as: .named("0 mono or stereo; 1 order of Vorbis; 2 ambisonics; 3 ambisonics, matrix; 255 not defined"))
    guard c.includes(channelMappingFamily != 0) else { return }
    try c.uint8("StreamCount", &channelMappingTable.streamCount)
    try c.uint8("CoupledCount", &channelMappingTable.coupledCount)
    try c.bytes("ChannelMapping", &channelMappingTable.channelMapping, count: Int(outputChannelCount))
  }
}

/// The decoder configuration of FLAC.
public struct FLACSpecificBox: FullBoxPayload, Equatable {
  /// A block of metadata, as in a FLAC file.
  public struct MetadataBlock: BoxTableRow {
    /// Whether it is the last one.
    public var isLast: Bool = true
    /// 0: STREAMINFO, which is the first block; 3: SEEKTABLE; 4: VORBIS_COMMENT; 5: CUESHEET; 6: PICTURE.
    public var blockType: UInt8 = 0
    /// The contents of a block of type 0.
    public var streamInfo: StreamInfo?
    /// The bytes of any other block.
    public var data: [UInt8] = []
    /// An empty block.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.flag("LastMetadataBlockFlag", &isLast)
      try c.bits(
        "BlockType", &blockType, 7,
        as: .named("0 STREAMINFO; 1 PADDING; 2 APPLICATION; 3 SEEKTABLE; 4 VORBIS_COMMENT; 5 CUESHEET; 6 PICTURE"))
      var length = streamInfo == nil ? UInt32(clamping: data.count) : 34
      try c.uint24("Length", &length)
      let isInfo = c.isReading ? blockType == 0 && length == 34 : streamInfo != nil
      guard c.includes(isInfo) else { return try c.bytes("BlockData", &data, count: Int(length)) }
      var info = streamInfo ?? StreamInfo()
      try info.fields(&c)
      streamInfo = info
    }
  }
  /// The properties of a FLAC stream.
  public struct StreamInfo: Equatable, Sendable {
    /// The number of samples in the smallest block, except the last one.
    public var minimumBlockSize: UInt16 = 4096
    /// The number of samples in the largest block.
    public var maximumBlockSize: UInt16 = 4096
    /// The size of the smallest frame in bytes; 0 if unknown.
    public var minimumFrameSize: UInt32 = 0
    /// The size of the largest frame in bytes; 0 if unknown.
    public var maximumFrameSize: UInt32 = 0
    /// Samples per second.
    public var sampleRate: UInt32 = 44100
    /// The number of channels, minus 1.
    public var channelsMinusOne: UInt8 = 1
    /// Bits per sample, minus 1.
    public var bitsPerSampleMinusOne: UInt8 = 15
    /// The number of samples per channel; 0 if unknown.
    public var totalSamples: UInt64 = 0
    /// The MD5 of the decoded audio.
    public var md5: [UInt8] = []
    /// 16-bit stereo.
    public init() {}

    mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
      try c.uint16("minimum_block_size", &minimumBlockSize)
      try c.uint16("maximum_block_size", &maximumBlockSize)
      try c.uint24("minimum_frame_size", &minimumFrameSize)
      try c.uint24("maximum_frame_size", &maximumFrameSize)
      try c.bits("sample_rate", &sampleRate, 20)
      try c.bits("channels_minus_1", &channelsMinusOne, 3)
      try c.bits("bits_per_sample_minus_1", &bitsPerSampleMinusOne, 5)
      try c.bits("total_samples", &totalSamples, 36)
      try c.bytes("md5", &md5, count: 16)
    }
  }
  public static let info = BoxInfo("dfLa", "FLAC Specific Box", in: ["fLaC", "enca"], "FLAC in ISOBMFF 0.0.4, 3.3.2")
  public var header = FullBoxHeader()
  /// The blocks up to the end of the box; the first one has type 0.
  public var metadataBlocks: [MetadataBlock] = []
  /// No block.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    let count = c.isReading ? Self.blockCount(c) : metadataBlocks.count
    try c.rows("MetadataBlocks", &metadataBlocks, count: count)
  }

  /// The number of blocks in the rest of the box, including an incomplete one.
  private static func blockCount(_ c: borrowing FieldCoder) -> Int {
    var (count, position) = (0, 0)
    while let high = c.peek(position + 1), let middle = c.peek(position + 2), let low = c.peek(position + 3) {
      count += 1
      position += 4 + (Int(high) << 16 | Int(middle) << 8 | Int(low))
    }
    return count
  }
}

/// The format of uncompressed audio in an ISO file.
public struct PCMConfigurationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "pcmC", "PCM Configuration Box", in: ["ipcm", "fpcm", "enca"], "ISO/IEC 23003-5:2020, 5.4")
  public var header = FullBoxHeader()
  /// 1: samples are little-endian.
  public var formatFlags: UInt8 = 1
  /// Bits per sample.
  public var pcmSampleSize: UInt8 = 16
  /// Little-endian, 16 bits.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("format_flags", &formatFlags, as: .hexadecimal)
    try c.uint8("PCM_sample_size", &pcmSampleSize)
  }
}
