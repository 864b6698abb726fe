public import Bytes

/// What the components of uncompressed pictures are.
public struct ComponentDefinitionBox: BoxPayload, Equatable {
  /// A component.
  public struct Component: BoxTableRow {
    /// 0: grey; 1 to 3: Y, Cb, Cr; 4 to 6: red, green, blue; 7: opacity; 8: depth … From 0x8000 on, a URI says.
    public var type: UInt16 = 0
    /// A URI for a type from 0x8000 on.
    public var typeURI: BoxString = ""
    /// Grey.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16(
        "component_type", &type,
        as: .named(
          "0 monochrome; 1 luma; 2 Cb; 3 Cr; 4 red; 5 green; 6 blue; 7 alpha; 8 depth; 9 disparity; 10 palette; 11 filter array; 12 padded; 13 cyan; 14 magenta; 15 yellow; 16 key"
        ))
      if c.includes(type >= 0x8000) { try c.string("component_type_uri", &typeURI) }
    }
  }
  public static let info = BoxInfo(
    "cmpd", "Component Definition Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 5.1.2")
  /// The components; others refer to them by their place, counted from 0.
  public var components: [Component] = []
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.rows("components", &components, counted: "component_count")
  }
}

/// How uncompressed pictures are stored.
public struct UncompressedFrameConfigBox: FullBoxPayload, Equatable {
  /// A component as it is stored.
  public struct Component: BoxTableRow {
    /// Which entry of `cmpd` it is.
    public var index: UInt16 = 0
    /// The number of bits, less one.
    public var bitDepthMinusOne: UInt8 = 7
    /// 0: unsigned; 1: signed; 2: floating point; 3: complex.
    public var format: UInt8 = 0
    /// The number of bytes to which each value is filled up; 0 for none.
    public var alignSize: UInt8 = 0
    /// Eight bits.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("component_index", &index)
      try c.uint8("component_bit_depth_minus_one", &bitDepthMinusOne)
      try c.uint8("component_format", &format, as: .named("0 unsigned; 1 floating point; 2 complex; 3 signed"))
      try c.uint8("component_align_size", &alignSize)
    }
  }
  public static let info = BoxInfo(
    "uncC", "Uncompressed Frame Configuration Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024, 5.2.1")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// In version 1, the profile says everything.
  public var header = FullBoxHeader()
  /// A usual arrangement, such as `rgb3` or `i420`; 0 for none.
  public var profile = FourCC()
  /// The components.
  public var components = BoxTable<Component>()
  /// 0: all components have the same size; 1: 4:2:2; 2: 4:2:0; 3: 4:1:1.
  public var samplingType: UInt8 = 0
  /// 0: one component after the other; 1: pixel by pixel; 2: mixed; 3: row by row; 4: tile by tile; 5: several Y at once.
  public var interleaveType: UInt8 = 0
  /// The number of bytes of a block; 0 for none.
  public var blockSize: UInt8 = 0
  /// Whether components are little-endian.
  public var componentsLittleEndian = false
  /// Whether blocks are filled up at their low end.
  public var blockPadLSB = false
  /// Whether blocks are little-endian.
  public var blockLittleEndian = false
  /// Whether the first component of a block is at its high end.
  public var blockReversed = false
  /// Whether padding can be anything.
  public var padUnknown = false
  /// The number of bytes of a pixel; 0 when there is nothing between them.
  public var pixelSize: UInt32 = 0
  /// To what rows are filled up, in bytes.
  public var rowAlignSize: UInt32 = 0
  /// To what tiles are filled up, in bytes.
  public var tileAlignSize: UInt32 = 0
  /// The number of columns of tiles, less one.
  public var numTileColsMinusOne: UInt32 = 0
  /// The number of rows of tiles, less one.
  public var numTileRowsMinusOne: UInt32 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No components.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("profile", &profile)
    guard version == 0 else { return }
    try c.table("components", &components, counted: "component_count")
    try c.uint8("sampling_type", &samplingType, as: .named("0 none; 1 4:2:2; 2 4:2:0; 3 4:1:1"))
    try c.uint8(
      "interleave_type", &interleaveType,
      as: .named("0 component; 1 pixel; 2 mixed; 3 row; 4 tile component; 5 multi-Y"))
    try c.uint8("block_size", &blockSize)
    try c.flag("components_little_endian", &componentsLittleEndian)
    try c.flag("block_pad_lsb", &blockPadLSB)
    try c.flag("block_little_endian", &blockLittleEndian)
    try c.flag("block_reversed", &blockReversed)
    try c.flag("pad_unknown", &padUnknown)
    try c.reserved(&reserved, bits: 3)
    try c.uint32("pixel_size", &pixelSize)
    try c.uint32("row_align_size", &rowAlignSize)
    try c.uint32("tile_align_size", &tileAlignSize)
    try c.uint32("num_tile_cols_minus_one", &numTileColsMinusOne)
    try c.uint32("num_tile_rows_minus_one", &numTileRowsMinusOne)
  }
}

/// How the bytes of pictures are compressed that are otherwise not coded.
public struct CompressionConfigurationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "cmpC", "Compression Configuration Box", in: ["uncv", "ipco"], "ISO/IEC 23001-17:2024/Amd 2, 5.2.7")
  public var header = FullBoxHeader()
  /// `zlib`, `defl` or `brot`.
  public var compressionType: FourCC = "zlib"
  /// 0: all bytes at once; 1: each picture; 2: each tile; 3: each row; 4: each pixel.
  public var compressedUnitType: UInt8 = 0
  /// All bytes at once.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("compression_type", &compressionType)
    try c.uint8(
      "compressed_unit_type", &compressedUnitType, as: .named("0 whole item; 1 image; 2 tile; 3 row; 4 pixel"))
  }
}

/// Where the compressed pieces of a picture lie in its item.
public struct CompressedUnitsBox: FullBoxPayload, Equatable {
  /// A piece.
  public struct Unit: BoxTableRow {
    /// Where it starts; 0 where pieces follow each other and none says.
    public var offset: UInt64 = 0
    /// How long it is.
    public var size: UInt64 = 0
    /// Nothing.
    public init() {}
    /// `shape` holds the number of bits of an offset, and 256 times that of a size.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      if shape & 255 > 0 { try c.number("unit_offset", &offset, bits: Int(shape & 255)) }
      try c.number("unit_size", &size, bits: Int(shape >> 8))
    }
  }
  public static let info = BoxInfo(
    "icef", "Generically Compressed Units Box", in: ["ipco"], "ISO/IEC 23001-17:2024/Amd 2, 5.2.8")
  public var header = FullBoxHeader()
  /// 0: pieces follow each other; 1 to 4: offsets have 16, 24, 32 or 64 bits.
  public var unitOffsetCode: UInt8 = 0
  /// 0 to 4: sizes have 8, 16, 24, 32 or 64 bits.
  public var unitSizeCode: UInt8 = 3
  /// The pieces.
  public var units = BoxTable<Unit>()
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No pieces.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bits("unit_offset_code", &unitOffsetCode, 3, as: .named("0 none; 1 16 bits; 2 24 bits; 3 32 bits; 4 64 bits"))
    try c.bits("unit_size_code", &unitSizeCode, 3, as: .named("0 8 bits; 1 16 bits; 2 24 bits; 3 32 bits; 4 64 bits"))
    try c.reserved(&reserved, bits: 2)
    try c.check(unitOffsetCode < 5, "unit_offset_code", unitOffsetCode, "0 to 4")
    try c.check(unitSizeCode < 5, "unit_size_code", unitSizeCode, "0 to 4")
    let shape = ([0, 16, 24, 32, 64] as [UInt32])[Int(min(unitOffsetCode, 4))]
    let sizes = ([8, 16, 24, 32, 64] as [UInt32])[Int(min(unitSizeCode, 4))]
    try c.table("units", &units, counted: "num_compressed_units", shape: shape | sizes << 8)
  }
}

extension FieldCoder {
  /// An unsigned field of 8, 16, 24, 32 or 64 bits.
  fileprivate mutating func number(_ name: StaticText, _ value: inout UInt64, bits: Int) throws(BoxError) {
    if bits == 64 { try uint64(name, &value) } else { try self.bits(name, &value, bits) }
  }
}
