public import Bytes

/// A piece of a picture of JPEG XL.
public struct JXLPartialCodestreamBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "jxlp", "JPEG XL Partial Codestream Box", in: [.file], "ISO/IEC 18181-2:2024, 9.9")
  /// Whether it is the last piece.
  public var isLast = false
  /// The number of the piece, counted from 0.
  public var index: UInt32 = 0
  /// The bytes.
  public var codestream: [UInt8] = []
  /// The first piece.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.flag("is_last", &isLast)
    try c.bits("index", &index, 31)
    try c.bytes("codestream", &codestream)
  }
}

/// Another box, compressed.
public struct BrotliBox: BoxPayload, Equatable {
  public static let info = BoxInfo("brob", "Brotli-Compressed Box", in: [.file], "ISO/IEC 18181-2:2024, 9.4")
  /// The type of the box.
  public var type: FourCC = "xml "
  /// Its payload, compressed.
  public var data: [UInt8] = []
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("type", &type)
    try c.bytes("data", &data)
  }
}

/// What the camera says of a picture.
public struct ExifBox: BoxPayload, Equatable {
  public static let info = BoxInfo("Exif", "Exif Box", in: [.file], "ISO/IEC 18181-2:2024, 9.6")
  /// How many bytes after this field the TIFF structure starts.
  public var tiffHeaderOffset: UInt32 = 0
  /// The structure, with what comes before it.
  public var payload: [UInt8] = []
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("tiff_header_offset", &tiffHeaderOffset)
    try c.bytes("payload", &payload)
  }
}

/// Which channel of a picture of JPEG 2000 is which colour.
public struct ChannelDefinitionBox: BoxPayload, Equatable {
  /// A channel.
  public struct Channel: BoxTableRow {
    /// Which it is, counted from 0.
    public var index: UInt16 = 0
    /// 0: colour; 1: opacity; 2: opacity by which colours are multiplied.
    public var type: UInt16 = 0
    /// Which colour, counted from 1; 0 for all.
    public var association: UInt16 = 0
    /// The first channel.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("channel_index", &index)
      try c.uint16("channel_type", &type, as: .named("0 colour; 1 opacity; 2 premultiplied opacity; 65535 unspecified"))
      try c.uint16("channel_association", &association)
    }
  }
  public static let info = BoxInfo("cdef", "Channel Definition Box", in: ["j2kH"], "ISO/IEC 15444-1:2019, I.5.3.6")
  /// The channels.
  public var channels = BoxTable<Channel>()
  /// No channels.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt16(clamping: channels.count)
    try c.uint16("channel_count", &count)
    try c.table("channels", &channels, count: count)
  }
}

/// How pictures of all around are turned.
public struct RotationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("rotn", "Rotation Box", in: ["povd", "ipco"], "ISO/IEC 23090-2:2023, 7.6.4")
  public var header = FullBoxHeader()
  /// In degrees, with 16 bits after the point.
  public var yaw: Int32 = 0
  /// In degrees, with 16 bits after the point.
  public var pitch: Int32 = 0
  /// In degrees, with 16 bits after the point.
  public var roll: Int32 = 0
  /// Not at all.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int32("rotation_yaw", &yaw, as: .fixed(16))
    try c.int32("rotation_pitch", &pitch, as: .fixed(16))
    try c.int32("rotation_roll", &roll, as: .fixed(16))
  }
}

/// How all around is laid out on a picture.
public struct ProjectionFormatBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "prfr", "Projection Format Box", in: ["povd", "ipco"], "ISO/IEC 23090-2:2023, 7.6.2")
  public var header = FullBoxHeader()
  /// 0: equirectangular; 1: as a cube.
  public var projectionType: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Equirectangular.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 3)
    try c.bits("projection_type", &projectionType, 5, as: .named("0 equirectangular; 1 cubemap"))
  }
}

/// The first box of a file of JPEG XL or JPEG 2000, by which one knows it, and whether it was damaged as text is.
public struct JPEGSignatureBox: BoxPayload, Equatable {
  public static let info = BoxInfo("JXL ", "JPEG XL Signature Box", in: [.file], "ISO/IEC 18181-2:2024, 9.1")
  /// That of JPEG 2000.
  static let jpeg2000 = BoxInfo("jP  ", "JPEG 2000 Signature Box", in: [.file], "ISO/IEC 15444-1, I.5.1")
  /// A carriage return, a line feed, a byte of 8 bits, and a line feed.
  public var signature: UInt32 = 0x0d0a_870a
  /// The signature.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("signature", &signature, as: .hexadecimal)
  }
}

/// What a decoder of JPEG XL must be able to do.
public struct JXLLevelBox: BoxPayload, Equatable {
  public static let info = BoxInfo("jxll", "JPEG XL Level Box", in: [.file], "ISO/IEC 18181-2:2024, 9.3")
  /// 5, which holds without this box, or 10.
  public var level: UInt8 = 5
  /// Level 5.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint8("level", &level) }
}
