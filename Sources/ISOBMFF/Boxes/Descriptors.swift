import MP4Bytes

/// An elementary stream: its ID, and descriptors of its coding and packetization.
public struct ElementaryStreamDescriptor: Equatable, Sendable {
  /// The ID of the stream; 0 in files, where the track ID is used.
  public var esID: UInt16 = 0
  /// The stream that this one depends on.
  public var dependsOnESID: UInt16?
  /// The location of the stream, if it is not in this file.
  public var url: [UInt8]?
  /// The stream that carries the clock of this one.
  public var ocrESID: UInt16?
  /// The priority, 0 to 31; higher numbers are more important.
  public var streamPriority: UInt8 = 0
  /// The decoder configuration, the packetization, and other descriptors.
  public var descriptors: [Descriptor] = []
  /// A stream without properties.
  public init() {}

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var (dependsOnOther, hasURL, hasClock) = (dependsOnESID != nil, url != nil, ocrESID != nil)
    try c.uint16("ES_ID", &esID)
    try c.flag("streamDependenceFlag", &dependsOnOther)
    try c.flag("URL_Flag", &hasURL)
    try c.flag("OCRstreamFlag", &hasClock)
    try c.bits("streamPriority", &streamPriority, 5)
    if c.includes(dependsOnOther) {
      var id = dependsOnESID ?? 0
      try c.uint16("dependsOn_ES_ID", &id)
      dependsOnESID = id
    }
    if c.includes(hasURL) { try c.countedURL(&url) }
    if c.includes(hasClock) {
      var id = ocrESID ?? 0
      try c.uint16("OCR_ES_Id", &id)
      ocrESID = id
    }
    try c.descriptors(&descriptors)
  }
}

/// The configuration of a decoder.
public struct DecoderConfigDescriptor: Equatable, Sendable {
  /// The coding: 0x20 MPEG-4 visual, 0x40 AAC, 0x69 and 0x6b MP3 …
  public var objectTypeIndication: UInt8 = 0x40
  /// The kind of media: 4 visual, 5 audio.
  public var streamType: UInt8 = 5
  /// Whether the stream flows upstream, to its sender.
  public var upStream: Bool = false
  /// The size of the decoding buffer in bytes, 24 bits.
  public var bufferSizeDB: UInt32 = 0
  /// The maximum bit rate in bits per second, over any second.
  public var maxBitrate: UInt32 = 0
  /// The average bit rate in bits per second; 0 if it varies.
  public var avgBitrate: UInt32 = 0
  /// The decoder-specific information, and other descriptors.
  public var descriptors: [Descriptor] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// AAC.
  public init() {}

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8(
      "objectTypeIndication", &objectTypeIndication,
      as: .named(
        """
        0x20 MPEG-4 Visual; 0x21 AVC; 0x40 MPEG-4 Audio; 0x66 MPEG-2 AAC Main; 0x67 MPEG-2 AAC LC; \
        0x68 MPEG-2 AAC SSR; 0x69 MPEG-2 Audio; 0x6b MPEG-1 Audio; 0x6c JPEG; 0x6d PNG; 0xa5 AC-3; 0xa6 E-AC-3; \
        0xa9 DTS; 0xad Opus; 0xdd Vorbis
        """
      ))
    try c.bits("streamType", &streamType, 6, as: .named("1 object descriptor; 3 scene description; 4 visual; 5 audio"))
    try c.flag("upStream", &upStream)
    try c.reserved(&reserved, bits: 1, ones: true)
    try c.uint24("bufferSizeDB", &bufferSizeDB)
    try c.uint32("maxBitrate", &maxBitrate)
    try c.uint32("avgBitrate", &avgBitrate)
    try c.descriptors(&descriptors)
  }

  /// The decoder-specific information, if the descriptor contains it.
  public var specificInfo: [UInt8]? {
    for descriptor in descriptors {
      if case .decoderSpecificInfo(let bytes) = descriptor.body { return bytes }
    }
    return nil
  }
}

/// The requirements for an MPEG-4 Systems player. Current files have them only for old players.
public struct InitialObjectDescriptor: Equatable, Sendable {
  /// The object descriptor ID, 10 bits.
  public var objectDescriptorID: UInt16 = 1
  /// The location of the object, if it is not in this file; then there are no levels.
  public var url: [UInt8]?
  /// Whether the levels also apply to inlined scenes.
  public var includesInlineProfileLevel: Bool = false
  /// The profile and level of object descriptors. In all levels, 0xff means none required and 0xfe means unknown.
  public var odProfileLevelIndication: UInt8 = 0xff
  /// The profile and level of scenes.
  public var sceneProfileLevelIndication: UInt8 = 0xff
  /// The profile and level of audio.
  public var audioProfileLevelIndication: UInt8 = 0xff
  /// The profile and level of video.
  public var visualProfileLevelIndication: UInt8 = 0xff
  /// The profile and level of graphics.
  public var graphicsProfileLevelIndication: UInt8 = 0xff
  /// The tracks, and other descriptors.
  public var descriptors: [Descriptor] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// An object without requirements.
  public init() {}

  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var hasURL = url != nil
    try c.bits("ObjectDescriptorID", &objectDescriptorID, 10)
    try c.flag("URL_Flag", &hasURL)
    try c.flag("includeInlineProfileLevelFlag", &includesInlineProfileLevel)
    try c.reserved(&reserved, bits: 4, ones: true)
    if c.includes(hasURL) { try c.countedURL(&url) }
    if c.includes(!hasURL) {
      try c.uint8("ODProfileLevelIndication", &odProfileLevelIndication, as: .flags(.profileLevels))
      try c.uint8("sceneProfileLevelIndication", &sceneProfileLevelIndication, as: .flags(.profileLevels))
      try c.uint8("audioProfileLevelIndication", &audioProfileLevelIndication, as: .flags(.profileLevels))
      try c.uint8("visualProfileLevelIndication", &visualProfileLevelIndication, as: .flags(.profileLevels))
      try c.uint8("graphicsProfileLevelIndication", &graphicsProfileLevelIndication, as: .flags(.profileLevels))
    }
    try c.descriptors(&descriptors)
  }
}

extension FieldCoder {
  /// A URL after a length byte.
  fileprivate mutating func countedURL(_ value: inout [UInt8]?) throws(BoxError) {
    var url = value ?? []
    var length = UInt8(clamping: url.count)
    try uint8("URLlength", &length)
    try bytes("URLstring", &url, count: Int(length))
    value = url
  }
}
