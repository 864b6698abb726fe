import Bytes

/// The locations of the compressed units of a picture in its item.
public struct CompressedUnitsBox: FullBoxPayload, Equatable {
  /// One compressed unit.
  public struct Unit: BoxTableRow {
    /// The offset of the unit; 0 if units are consecutive and have no declared offset.
    public var offset: UInt64 = 0
    /// The size of the unit in bytes.
    public var size: UInt64 = 0
    /// An empty unit.
    public init() {}
    /// `shape` is the number of bits of an offset, plus 256 times that of a size.
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      if shape & 255 > 0 { try c.number("unit_offset", &offset, bits: Int(shape & 255)) }
      try c.number("unit_size", &size, bits: Int(shape >> 8))
    }
  }
  public static let info = BoxInfo(
    "icef", "Generically Compressed Units Box", in: ["ipco"], "ISO/IEC 23001-17:2024/Amd 2, 5.2.8")
  public var header = FullBoxHeader()
  /// 0: units are consecutive; 1 to 4: offsets have 16, 24, 32 or 64 bits.
  public var unitOffsetCode: UInt8 = 0
  /// 0 to 4: sizes have 8, 16, 24, 32 or 64 bits.
  public var unitSizeCode: UInt8 = 3
  /// The units.
  public var units = BoxTable<Unit>()
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// No units.
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
