import MP4Bytes

/// The decoder configuration of MPEG-4 audio or video, as a descriptor.
public struct ESDescriptorBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "esds", "ES Descriptor Box", in: ["mp4a", "mp4v", "enca", "encv", "wave"], "ISO/IEC 14496-14:2020, 6.7.2")
  public var header = FullBoxHeader()
  /// The descriptor of the stream.
  public var es: Descriptor
  /// AAC without a configuration.
  public init() {
    var config = DecoderConfigDescriptor()
    config.descriptors = [Descriptor(tag: 5, body: .decoderSpecificInfo([]))]
    var stream = ElementaryStreamDescriptor()
    stream.descriptors = [
      Descriptor(tag: 4, body: .decoderConfig(config)), Descriptor(tag: 6, body: .bytes([2])),
    ]
    es = Descriptor(tag: 3, body: .elementaryStream(stream))
  }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.descriptor(&es) }

  /// The decoder configuration of the stream, if the descriptor contains it.
  public var decoderConfig: DecoderConfigDescriptor? {
    guard case .elementaryStream(let stream) = es.body else { return nil }
    for descriptor in stream.descriptors {
      if case .decoderConfig(let config) = descriptor.body { return config }
    }
    return nil
  }

  /// The decoder-specific information, such as an AudioSpecificConfig.
  public var decoderSpecificInfo: [UInt8]? { decoderConfig?.specificInfo }
}

/// The requirements for an MPEG-4 Systems player.
public struct ObjectDescriptorBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("iods", "Object Descriptor Box", in: ["moov"], "ISO/IEC 14496-14:2020, 6.2")
  public var header = FullBoxHeader()
  /// The descriptor of the presentation.
  public var od = Descriptor(tag: 0x10, body: .initialObject(InitialObjectDescriptor()))
  /// A presentation without requirements.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.descriptor(&od) }
}

/// The decoder configuration of Apple Lossless.
public struct ALACSpecificBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "alac", "Apple Lossless Specific Box", in: ["alac", "wave", "enca"], "Apple Lossless Magic Cookie Description")
  public var header = FullBoxHeader()
  /// The number of samples per frame.
  public var frameLength: UInt32 = 4096
  /// 0.
  public var compatibleVersion: UInt8 = 0
  /// Bits per sample.
  public var bitDepth: UInt8 = 16
  /// A parameter of the Rice coding.
  public var pb: UInt8 = 40
  /// A parameter of the Rice coding.
  public var mb: UInt8 = 10
  /// A parameter of the Rice coding.
  public var kb: UInt8 = 14
  /// The number of channels.
  public var numChannels: UInt8 = 2
  /// 255.
  public var maxRun: UInt16 = 255
  /// The size of the largest frame; 0 if unknown.
  public var maxFrameBytes: UInt32 = 0
  /// The average bit rate in bits per second; 0 if unknown.
  public var avgBitRate: UInt32 = 0
  /// Samples per second.
  public var sampleRate: UInt32 = 44100
  /// 16-bit stereo.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("frameLength", &frameLength)
    try c.uint8("compatibleVersion", &compatibleVersion)
    try c.uint8("bitDepth", &bitDepth)
    try c.uint8("pb", &pb)
    try c.uint8("mb", &mb)
    try c.uint8("kb", &kb)
    try c.uint8("numChannels", &numChannels)
    try c.uint16("maxRun", &maxRun)
    try c.uint32("maxFrameBytes", &maxFrameBytes)
    try c.uint32("avgBitRate", &avgBitRate)
    try c.uint32("sampleRate", &sampleRate)
  }
}

/// The byte order of uncompressed audio in QuickTime.
public struct AudioEndianBox: BoxPayload, Equatable {
  public static let info = BoxInfo("enda", "Audio Endian Box", in: ["wave"], "QuickTime File Format")
  /// 1: little-endian.
  public var littleEndian: UInt16 = 0
  /// Big-endian.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint16("littleEndian", &littleEndian) }
}
