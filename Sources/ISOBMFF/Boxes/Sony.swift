public import Bytes

/// How the tracks of a file are coded, as Sony's players want to know it: a box for each follows.
public struct SonyProfileBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Sony Profile", in: [.file], "Sony PROF",
    userType: UserType([
      0x50, 0x52, 0x4f, 0x46, 0x21, 0xd2, 0x4f, 0xce, 0xbb, 0x88, 0x69, 0x5c, 0xfa, 0xc9, 0xc7, 0x40,
    ]))
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of boxes that follow.
  public var entryCount: UInt32 = 0
  /// No tracks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("entry_count", &entryCount)
    c.boxes()
  }
}

/// What there is to know of the whole file.
public struct SonyFileProfileBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("FPRF", "File Global Profile", in: ["uuid"], "Sony PROF")
  public var header = FullBoxHeader()
  /// Two numbers whose meaning is not documented.
  public var values = BoxTable<UInt32>([0, 0])
  /// Nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("values", &values, count: 2)
  }
}

/// How a track is coded, of sound or of pictures.
public struct SonyTrackProfile: Equatable, Sendable {
  /// The track.
  public var trackID: UInt32 = 0
  /// The type of its sample entry.
  public var codec = FourCC()
  /// What the codec says.
  public var codecInformation: UInt32 = 0
  /// Bits with a meaning of Sony's.
  public var attributes: UInt32 = 0
  /// In kilobits a second.
  public var averageBitRate: UInt32 = 0
  /// In kilobits a second.
  public var maxBitRate: UInt32 = 0
  /// No track.
  public init() {}

  fileprivate mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    try c.fourCC("codec", &codec)
    try c.uint32("codec_information", &codecInformation, as: .hexadecimal)
    try c.uint32("attributes", &attributes, as: .hexadecimal)
    try c.uint32("average_bit_rate", &averageBitRate)
    try c.uint32("max_bit_rate", &maxBitRate)
  }
}

/// How the sound is coded.
public struct SonyAudioProfileBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("APRF", "Audio Profile", in: ["uuid"], "Sony PROF")
  public var header = FullBoxHeader()
  /// What is said of every track.
  public var track = SonyTrackProfile()
  /// In samples a second.
  public var sampleRate: UInt32 = 0
  /// The number of channels.
  public var channelCount: UInt32 = 0
  /// No sound.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try track.fields(&c)
    try c.uint32("sample_rate", &sampleRate)
    try c.uint32("channel_count", &channelCount)
  }
}

/// How the pictures are coded.
public struct SonyVideoProfileBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("VPRF", "Video Profile", in: ["uuid"], "Sony PROF")
  public var header = FullBoxHeader()
  /// What is said of every track.
  public var track = SonyTrackProfile()
  /// In pictures a second, with 16 bits after the point.
  public var averageFrameRate: UInt32 = 0
  /// In pictures a second, with 16 bits after the point.
  public var maxFrameRate: UInt32 = 0
  /// In pixels.
  public var width: UInt16 = 0
  /// In pixels.
  public var height: UInt16 = 0
  /// The shape of a pixel: its width.
  public var pixelWidth: UInt16 = 1
  /// The shape of a pixel: its height.
  public var pixelHeight: UInt16 = 1
  /// No pictures.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try track.fields(&c)
    try c.uint32("average_frame_rate", &averageFrameRate, as: .fixed(16))
    try c.uint32("max_frame_rate", &maxFrameRate, as: .fixed(16))
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint16("pixel_width", &pixelWidth)
    try c.uint16("pixel_height", &pixelHeight)
  }
}

/// What Sony's cameras and players say of a movie or track: boxes follow.
public struct SonyUserMetadataBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Sony User Metadata", in: ["moov", "trak"], "Sony USMT",
    userType: UserType([
      0x55, 0x53, 0x4d, 0x54, 0x21, 0xd2, 0x4f, 0xce, 0xbb, 0x88, 0x69, 0x5c, 0xfa, 0xc9, 0xc7, 0x40,
    ]))
  public static let holdsBoxes = true
  /// No boxes.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// Titles and the like.
public struct SonyMetadataBox: BoxPayload, Equatable {
  /// A value.
  public struct Entry: BoxTableRow {
    /// 1: title; 3: date; 4: software …
    public var type: UInt32 = 0
    /// Of ISO 639-2.
    public var language: LanguageCode = "und"
    /// 1: text in UTF-16; 0: anything else.
    public var encoding: UInt16 = 1
    /// The value.
    public var data: [UInt8] = []
    /// No value.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var size = UInt16(clamping: data.count + 10)
      try c.uint16("size", &size)
      try c.check(size >= 10, "size", size, "10 or more")
      try c.uint32("type", &type)
      try c.language("language", &language)
      try c.uint16("encoding", &encoding)
      try c.bytes("data", &data, count: max(0, Int(size) - 10))
    }
  }
  public static let info = BoxInfo("MTDT", "Sony Metadata", in: ["uuid"], "Sony USMT")
  /// The values.
  public var entries: [Entry] = []
  /// No values.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: entries.count)
    try c.uint16("entry_count", &count)
    try c.rows("entries", &entries, count: count)
  }
}
