public import MP4Bytes

/// The coding of audio, including the longer QuickTime layouts.
public struct AudioSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("soun", "Audio Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.2.3")
  public static let holdsBoxes = true
  /// The fields that version 1 of a QuickTime sound description adds.
  public struct SoundDescriptionV1: Equatable, Sendable {
    /// The number of samples per packet.
    public var samplesPerPacket: UInt32 = 0
    /// The number of bytes per packet of one channel.
    public var bytesPerPacket: UInt32 = 0
    /// The number of bytes per packet of all channels.
    public var bytesPerFrame: UInt32 = 0
    /// The number of bytes per uncompressed sample.
    public var bytesPerSample: UInt32 = 0
    /// No sizes.
    public init() {}
  }
  /// The fields that version 2 of a QuickTime sound description adds. The previous fields are not used then.
  public struct SoundDescriptionV2: Equatable, Sendable {
    /// The size of the entry without boxes.
    public var sizeOfStructOnly: UInt32 = 72
    /// Samples per second, as the bits of a 64-bit floating-point number.
    public var audioSampleRate: UInt64 = 0
    /// The number of channels.
    public var numAudioChannels: UInt32 = 0
    /// 0x7f000000.
    public var always7F000000: UInt32 = 0x7f00_0000
    /// Bits per uncompressed sample.
    public var constBitsPerChannel: UInt32 = 0
    /// 1: floating point; 2: big-endian; 4: signed; 8: packed; 16: aligned to the high bits; 32: one plane per channel.
    public var formatSpecificFlags: UInt32 = 0
    /// The number of bytes per packet, if it is constant.
    public var constBytesPerAudioPacket: UInt32 = 0
    /// The number of samples per packet, if it is constant.
    public var constLPCMFramesPerAudioPacket: UInt32 = 0
    /// No format.
    public init() {}

    mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
      try c.uint32("sizeOfStructOnly", &sizeOfStructOnly)
      try c.float64("audioSampleRate", &audioSampleRate)
      try c.uint32("numAudioChannels", &numAudioChannels)
      try c.uint32("always7F000000", &always7F000000, as: .hexadecimal)
      try c.uint32("constBitsPerChannel", &constBitsPerChannel)
      try c.uint32(
        "formatSpecificFlags", &formatSpecificFlags,
        as: .flags(
          "0x1 floating point; 0x2 big endian; 0x4 signed; 0x8 packed; 0x10 aligned high; 0x20 not interleaved"))
      try c.uint32("constBytesPerAudioPacket", &constBytesPerAudioPacket)
      try c.uint32("constLPCMFramesPerAudioPacket", &constLPCMFramesPerAudioPacket)
    }
  }
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// 0; 1 or 2 in QuickTime, and 1 in an `stsd` of version 1.
  public var entryVersion: UInt16 = 0
  /// The version of the decoder, if there is a vendor.
  public var revisionLevel: UInt16 = 0
  /// The vendor of the encoder in QuickTime files; zeros in ISO files.
  public var vendor: FourCC?
  /// The number of channels.
  public var channelCount: UInt16 = 2
  /// Bits per uncompressed sample.
  public var sampleSize: UInt16 = 16
  /// 0; a compression ID in QuickTime.
  public var preDefined: Int16 = 0
  /// Samples per second, 16.16.
  public var sampleRate: UInt32 = 0
  /// The longer layout of version 1.
  public var version1: SoundDescriptionV1?
  /// The longer layout of version 2.
  public var version2: SoundDescriptionV2?
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// 16-bit stereo.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    try c.uint16("entry_version", &entryVersion)
    if c.isReading ? !c.isZero(6) : vendor != nil || c.isDescribing {
      var code = vendor ?? FourCC()
      try c.uint16("revision_level", &revisionLevel)
      try c.fourCC("vendor", &code)
      vendor = code
    } else {
      try c.reserved(&reserved, bytes: 6)
    }
    try c.uint16("channelcount", &channelCount)
    try c.uint16("samplesize", &sampleSize)
    try c.int16("pre_defined", &preDefined)
    try c.reserved(&reserved, bytes: 2)
    try c.uint32("samplerate", &sampleRate, as: .fixed(16))
    // In an `stsd` of version 1, an ISO entry has version 1 too. Boxes then follow immediately.
    if entryVersion == 1, c.isReading ? !Self.startsWithBox(c) : version1 != nil {
      var more = version1 ?? SoundDescriptionV1()
      try c.uint32("samplesPerPacket", &more.samplesPerPacket)
      try c.uint32("bytesPerPacket", &more.bytesPerPacket)
      try c.uint32("bytesPerFrame", &more.bytesPerFrame)
      try c.uint32("bytesPerSample", &more.bytesPerSample)
      version1 = more
    }
    if entryVersion == 2 {
      var more = version2 ?? SoundDescriptionV2()
      try more.fields(&c)
      version2 = more
    }
    c.boxes()
  }

  /// Whether the next bytes look like a box header: a size that fits, and a type of printable letters.
  private static func startsWithBox(_ c: borrowing FieldCoder) -> Bool {
    guard c.remaining > 0 else { return true }
    var size = 0
    for i in 0..<4 { size = size << 8 | Int(c.peek(i) ?? 0) }
    let isName = (4..<8).allSatisfy { i in (0x20...0x7e).contains(c.peek(i) ?? 0) }
    return size >= 8 && isName
  }
}
