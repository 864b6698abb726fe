/// How samples are coded, for media of any kind.
public struct SampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("meta", "Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.5.2")
  /// Which entry of `dref` says where the samples lie, counted from 1.
  public var dataReferenceIndex: UInt16 = 1
  /// What stands in the reserved fields.
  public var reserved = ReservedBits()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
  }
}

/// How pictures are coded.
public struct VisualSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("vide", "Visual Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.1.3")
  public static let holdsBoxes = true
  /// Which entry of `dref` says where the samples lie, counted from 1.
  public var dataReferenceIndex: UInt16 = 1
  /// The width of the coded picture.
  public var width: UInt16 = 0
  /// The height of the coded picture.
  public var height: UInt16 = 0
  /// Pixels an inch, 16.16.
  public var horizontalResolution: UInt32 = 0x48_0000
  /// Pixels an inch, 16.16.
  public var verticalResolution: UInt32 = 0x48_0000
  /// The number of pictures in a sample.
  public var frameCount: UInt16 = 1
  /// A name for people: a byte with its length, and 31 bytes.
  public var compressorName = FixedName(length: 32)
  /// 0x18 for colour without alpha, 0x20 with it, 0x28 for grey.
  public var depth: UInt16 = 0x18
  /// -1; a colour table in QuickTime.
  public var preDefined: Int16 = -1
  /// What stands in the reserved fields.
  public var reserved = ReservedBits()
  /// A picture without extent.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    try c.reserved(&reserved, bytes: 16)
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint32("horizresolution", &horizontalResolution, as: .fixed(16))
    try c.uint32("vertresolution", &verticalResolution, as: .fixed(16))
    try c.reserved(&reserved, bytes: 4)
    try c.uint16("frame_count", &frameCount)
    try c.fixedName("compressorname", &compressorName)
    try c.uint16("depth", &depth)
    try c.int16("pre_defined", &preDefined)
    c.boxes()
  }
}

/// How sound is coded, with the longer layouts of QuickTime.
public struct AudioSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("soun", "Audio Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.2.3")
  public static let holdsBoxes = true
  /// What version 1 of a QuickTime sound description adds.
  public struct SoundDescriptionV1: Equatable, Sendable {
    /// Samples in a packet.
    public var samplesPerPacket: UInt32 = 0
    /// Bytes of a packet of one channel.
    public var bytesPerPacket: UInt32 = 0
    /// Bytes of a packet of all channels.
    public var bytesPerFrame: UInt32 = 0
    /// Bytes of an uncompressed sample.
    public var bytesPerSample: UInt32 = 0
  }
  /// Which entry of `dref` says where the samples lie, counted from 1.
  public var dataReferenceIndex: UInt16 = 1
  /// 0; 1 or 2 in QuickTime, and 1 in an `stsd` of version 1.
  public var entryVersion: UInt16 = 0
  /// The number of channels.
  public var channelCount: UInt16 = 2
  /// Bits of an uncompressed sample.
  public var sampleSize: UInt16 = 16
  /// 0; a compression ID in QuickTime.
  public var preDefined: Int16 = 0
  /// Samples a second, 16.16.
  public var sampleRate: UInt32 = 0
  /// The longer layout of version 1.
  public var version1: SoundDescriptionV1?
  /// The longer layout of version 2, 36 bytes.
  public var version2: [UInt8] = []
  /// What stands in the reserved fields.
  public var reserved = ReservedBits()
  /// Stereo of 16 bits.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    try c.uint16("entry_version", &entryVersion)
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("channelcount", &channelCount)
    try c.uint16("samplesize", &sampleSize)
    try c.int16("pre_defined", &preDefined)
    try c.reserved(&reserved, bytes: 2)
    try c.uint32("samplerate", &sampleRate, as: .fixed(16))
    // An ISO file may also say version 1, in an `stsd` of version 1; boxes then follow at once.
    if entryVersion == 1, c.isReading ? !Self.startsWithBox(c) : version1 != nil {
      var more = version1 ?? SoundDescriptionV1()
      try c.uint32("samplesPerPacket", &more.samplesPerPacket)
      try c.uint32("bytesPerPacket", &more.bytesPerPacket)
      try c.uint32("bytesPerFrame", &more.bytesPerFrame)
      try c.uint32("bytesPerSample", &more.bytesPerSample)
      version1 = more
    }
    if entryVersion == 2 { try c.bytes("sound_description_v2", &version2, count: 36) }
    c.boxes()
  }

  /// Whether the next bytes look like the header of a box: a size that fits, and a type of printable letters.
  private static func startsWithBox(_ c: borrowing FieldCoder) -> Bool {
    guard c.remaining > 0 else { return true }
    var size = 0
    for i in 0..<4 { size = size << 8 | Int(c.peek(i) ?? 0) }
    let isName = (4..<8).allSatisfy { i in (0x20...0x7e).contains(c.peek(i) ?? 0) }
    return size >= 8 && isName
  }
}

/// A text of fixed length behind a byte that counts its letters.
public struct FixedName: Hashable, Sendable, CustomStringConvertible {
  /// All bytes, the count first.
  public var bytes: [UInt8]
  /// No text in `length` bytes.
  public init(length: Int) { bytes = Array(repeating: 0, count: length) }
  /// The text; QuickTime writers sometimes leave the count out.
  public var description: String { String(decoding: text, as: UTF8.self) }
  var text: ArraySlice<UInt8> { bytes.dropFirst().prefix(Int(bytes.first ?? 0)) }
}

extension FieldCoder {
  /// A text of fixed length behind a byte that counts its letters.
  mutating func fixedName(_ name: StaticString, _ value: inout FixedName) throws(BoxError) {
    switch mode {
    case .read:
      value.bytes = try reader.bytes(name, count: value.bytes.count)
      sink?.field(name, .text(BoxString(Array(value.text))))
    case .write: writer.bytes += value.bytes
    case .measure: measured += value.bytes.count
    case .describe: described.append(FieldDescription(name, "string", bits: value.bytes.count * 8))
    }
  }
}

/// The sample entries that are known, and what those are that are not.
enum SampleEntries {
  static let visual: [BoxDefinition] = [
    entry("avc1", "AVC Sample Entry", "ISO/IEC 14496-15:2022, 5.4.2"),
    entry("avc2", "AVC2 Sample Entry", "ISO/IEC 14496-15:2022, 5.4.2"),
    entry("avc3", "AVC Sample Entry, parameter sets in band", "ISO/IEC 14496-15:2022, 5.4.2"),
    entry("avc4", "AVC2 Sample Entry, parameter sets in band", "ISO/IEC 14496-15:2022, 5.4.2"),
    entry("hvc1", "HEVC Sample Entry", "ISO/IEC 14496-15:2022, 8.4.1"),
    entry("hev1", "HEVC Sample Entry, parameter sets in band", "ISO/IEC 14496-15:2022, 8.4.1"),
    entry("mp4v", "MPEG-4 Visual Sample Entry", "ISO/IEC 14496-14:2020, 6.7"),
    entry("av01", "AV1 Sample Entry", "AV1 in ISOBMFF 1.2.0, 2.2"),
    entry("vp09", "VP9 Sample Entry", "VP codecs in ISOBMFF 1.0"),
    entry("encv", "Encrypted Visual Sample Entry", "ISO/IEC 14496-12:2022, 8.12"),
  ]
  static let audio: [BoxDefinition] = [
    sound("mp4a", "MPEG-4 Audio Sample Entry", "ISO/IEC 14496-14:2020, 6.7"),
    sound("enca", "Encrypted Audio Sample Entry", "ISO/IEC 14496-12:2022, 8.12"),
    sound("ac-3", "AC-3 Sample Entry", "ETSI TS 102 366, F.3"),
    sound("ec-3", "Enhanced AC-3 Sample Entry", "ETSI TS 102 366, F.5"),
    sound("Opus", "Opus Sample Entry", "Opus in ISOBMFF 0.8.1, 4.3.1"),
    sound("fLaC", "FLAC Sample Entry", "FLAC in ISOBMFF 0.0.4, 3.3.1"),
    sound("alac", "Apple Lossless Sample Entry", "Apple Lossless Magic Cookie Description"),
  ]

  /// The types of the visual ones.
  static let visualTypes = visual.map(\.info.type)
  /// The types of those for sound.
  static let audioTypes = audio.map(\.info.type)

  /// How an entry is read whose type is not known: by the handler of its track.
  static func generic(_ type: FourCC, handler: FourCC?) -> BoxDefinition {
    let plain = BoxInfo(type, "Sample Entry", in: ["stsd"], SampleEntry.info.clause)
    var definition =
      switch handler {
      case "vide": entry(type, "Visual Sample Entry", VisualSampleEntry.info.clause)
      case "soun": sound(type, "Audio Sample Entry", AudioSampleEntry.info.clause)
      default: BoxDefinition(plain, as: SampleEntry.self)
      }
    definition.isGuess = true
    return definition
  }

  private static func entry(_ type: FourCC, _ name: StaticString, _ clause: StaticString) -> BoxDefinition {
    BoxDefinition(BoxInfo(type, name, in: ["stsd"], clause), as: VisualSampleEntry.self)
  }
  private static func sound(_ type: FourCC, _ name: StaticString, _ clause: StaticString) -> BoxDefinition {
    BoxDefinition(BoxInfo(type, name, in: ["stsd"], clause), as: AudioSampleEntry.self)
  }
}
