import Bytes

/// What a camera of Canon says about a file: boxes of its own.
public struct CanonMetadataBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Canon Metadata", in: ["moov", "meta"], "Canon CR3",
    userType: UserType([
      0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
    ]))
  public static let holdsBoxes = true
  /// No boxes.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// Which software of the camera wrote a file.
public struct CanonCompressorVersionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("CNCV", "Canon Compressor Version", in: ["uuid"], "Canon CR3")
  /// Such as `CanonCR3_001/00.09.00/00.00.00`.
  public var version = BoxString.none
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.text("version", &version) }
}

/// Where the parts of a raw picture lie in its file.
public struct CanonTrackBaseOffsetsBox: BoxPayload, Equatable {
  /// A part.
  public struct Entry: BoxTableRow {
    /// 1: XMP; 2: a preview; 3: media data …
    public var index: UInt32 = 0
    /// Where it starts.
    public var offset: UInt64 = 0
    /// How long it is.
    public var size: UInt64 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("index", &index, as: .named("1 XMP; 2 preview; 3 media data"))
      try c.uint64("offset", &offset)
      try c.uint64("size", &size)
    }
  }
  public static let info = BoxInfo("CTBO", "Canon Track Base Offsets", in: ["uuid"], "Canon CR3")
  /// The parts.
  public var entries = BoxTable<Entry>()
  /// No parts.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.table("entries", &entries, counted: "entry_count")
  }
}

/// Which tracks hold a raw picture: a `CCDT` for each follows.
public struct CanonTrackPropertiesBox: BoxPayload, Equatable {
  public static let info = BoxInfo("CCTP", "Canon Track Properties", in: ["uuid"], "Canon CR3")
  public static let holdsBoxes = true
  /// 0 as a rule.
  public var unknown: UInt32 = 0
  /// 1 as a rule.
  public var kind: UInt32 = 1
  /// The number of boxes that follow.
  public var entryCount: UInt32 = 0
  /// No tracks.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("unknown", &unknown)
    try c.uint32("kind", &kind)
    try c.uint32("entry_count", &entryCount)
    c.boxes()
  }
}

/// What a track of a raw picture is.
public struct CanonTrackDescriptionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("CCDT", "Canon Track Description", in: ["CCTP"], "Canon CR3")
  /// The kind of picture.
  public var imageType: UInt64 = 0
  /// Whether each pixel has two values.
  public var dualPixel: UInt32 = 0
  /// Which track of the movie it is, counted from 1.
  public var trackIndex: UInt32 = 0
  /// No track.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint64("image_type", &imageType, as: .hexadecimal)
    try c.uint32("dual_pixel", &dualPixel)
    try c.uint32("track_index", &trackIndex)
  }
}

/// A small picture.
public struct CanonThumbnailBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("THMB", "Canon Thumbnail", in: ["uuid"], "Canon CR3")
  public var header = FullBoxHeader()
  /// In pixels.
  public var width: UInt16 = 0
  /// In pixels.
  public var height: UInt16 = 0
  /// The size of the picture in bytes.
  public var jpegSize: UInt32 = 0
  /// Four bytes whose meaning is not documented.
  public var unknown: UInt32 = 0x1_0000
  /// The picture, as JPEG, with what fills it up.
  public var jpeg: [UInt8] = []
  /// No picture.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint32("jpeg_size", &jpegSize)
    try c.uint32("unknown", &unknown, as: .hexadecimal)
    try c.bytes("jpeg", &jpeg)
  }
}
