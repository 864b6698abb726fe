import Bytes

/// How Canon codes a raw picture, or the JPEG beside it.
public struct CanonRawSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("CRAW", "Canon Raw Sample Entry", in: ["stsd"], "Canon CR3")
  public static let holdsBoxes = true
  /// What every entry for pictures has.
  public var picture = VisualSampleEntry()
  /// 1 for a raw picture, 3 for a JPEG.
  public var pictureType: UInt16 = 1
  /// 0 for a JPEG, 1 for a raw picture, as far as is known.
  public var flags: UInt16 = 1
  /// A raw picture without extent.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try picture.pictureFields(&c)
    try c.uint16("picture_type", &pictureType)
    try c.uint16("flags", &flags, as: .hexadecimal)
    c.boxes()
  }
}

/// Which records Canon puts into each sample of timed metadata.
public struct CanonTimedMetadataSampleEntry: BoxPayload, Equatable {
  /// A kind of record.
  public struct Record: BoxTableRow {
    /// What it holds.
    public var type: UInt32 = 0
    /// How long it is, with its header.
    public var size: UInt32 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32(
        "record_type", &type,
        as: .named("1 time; 4 focal length; 5 exposure; 7 Exif; 8 Exif; 9 Exif"))
      try c.uint32("record_size", &size)
    }
  }
  public static let info = BoxInfo("CTMD", "Canon Timed Metadata Sample Entry", in: ["stsd"], "Canon CR3")
  /// What every entry has.
  public var entry = SampleEntry()
  /// The kinds, each once.
  public var records = BoxTable<Record>()
  /// No records.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.table("records", &records, counted: "record_count")
  }
}

/// How a raw picture is compressed.
public struct CanonCompressionBox: BoxPayload, Equatable {
  public static let info = BoxInfo("CMP1", "Canon Compression", in: ["CRAW"], "Canon CR3")
  /// 0xff00 as a rule.
  public var unknown: UInt16 = 0xff00
  /// How many bytes follow.
  public var headerSize: UInt16 = 48
  /// 0x100 or 0x200, with the number of the version in the higher byte.
  public var version: UInt16 = 0x100
  /// 0 as a rule.
  public var subversion: UInt16 = 0
  /// In pixels.
  public var width: UInt32 = 0
  /// In pixels.
  public var height: UInt32 = 0
  /// In pixels; the picture is in tiles beside and below each other.
  public var tileWidth: UInt32 = 0
  /// In pixels.
  public var tileHeight: UInt32 = 0
  /// The bits of a value.
  public var bitsPerValue: UInt8 = 14
  /// 1 or 4 planes, one for each colour of the sensor.
  public var planeCount: UInt8 = 4
  /// In which order the colours of the sensor lie.
  public var cfaLayout: UInt8 = 0
  /// 0, 1 or 3.
  public var encodingType: UInt8 = 0
  /// How often the wavelet transform is made; 0 for a picture without loss.
  public var imageLevels: UInt8 = 0
  /// Whether there are several tiles beside each other.
  public var hasTileColumns = false
  /// Whether there are several tiles below each other.
  public var hasTileRows = false
  /// The size of the header before the data of the picture.
  public var mediaHeaderSize: UInt32 = 0
  /// Its meaning is not documented.
  public var more: [UInt8] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No picture.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("unknown", &unknown, as: .hexadecimal)
    try c.uint16("header_size", &headerSize)
    try c.uint16("version", &version, as: .hexadecimal)
    try c.uint16("subversion", &subversion)
    try c.uint32("width", &width)
    try c.uint32("height", &height)
    try c.uint32("tile_width", &tileWidth)
    try c.uint32("tile_height", &tileHeight)
    try c.uint8("bits_per_value", &bitsPerValue)
    try c.bits("plane_count", &planeCount, 4)
    try c.bits("cfa_layout", &cfaLayout, 4, as: .named("0 RGGB; 1 GRBG; 2 GBRG; 3 BGGR"))
    try c.bits("encoding_type", &encodingType, 4)
    try c.bits("image_levels", &imageLevels, 4)
    try c.flag("has_tile_columns", &hasTileColumns)
    try c.flag("has_tile_rows", &hasTileRows)
    try c.reserved(&reserved, bits: 6)
    try c.uint32("media_header_size", &mediaHeaderSize)
    try c.bytes("more", &more)
  }
}

/// Which parts a raw picture has: an `IAD1` follows.
public struct CanonImageDescriptionBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("CDI1", "Canon Image Description", in: ["CRAW"], "Canon CR3")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// No boxes.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { c.boxes() }
}

/// Which parts of the sensor are picture, and which are covered.
public struct CanonImageAreasBox: FullBoxPayload, Equatable {
  /// A part, with its outermost pixels.
  public struct Area: BoxTableRow {
    /// Its first column.
    public var left: UInt16 = 0
    /// Its first row.
    public var top: UInt16 = 0
    /// Its last column.
    public var right: UInt16 = 0
    /// Its last row.
    public var bottom: UInt16 = 0
    /// The first pixel.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("left", &left)
      try c.uint16("top", &top)
      try c.uint16("right", &right)
      try c.uint16("bottom", &bottom)
    }
  }
  public static let info = BoxInfo("IAD1", "Canon Image Areas", in: ["CDI1"], "Canon CR3")
  public var header = FullBoxHeader()
  /// In pixels.
  public var width: UInt16 = 0
  /// In pixels.
  public var height: UInt16 = 0
  /// 1 as a rule.
  public var unknown1: UInt16 = 1
  /// Whether it is the small picture or the whole one.
  public var imageType: UInt16 = 0
  /// 1 as a rule.
  public var unknown2: UInt16 = 1
  /// 0 as a rule.
  public var unknown3: UInt16 = 0
  /// The part that is shown first; of a whole picture then the covered ones on the left and at the top, and the other.
  public var areas = BoxTable<Area>()
  /// No parts.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint16("unknown_1", &unknown1)
    try c.uint16("image_type", &imageType, as: .named("0 small; 2 whole"))
    try c.uint16("unknown_2", &unknown2)
    try c.uint16("unknown_3", &unknown3)
    try c.tableToEnd("areas", &areas)
  }
}
