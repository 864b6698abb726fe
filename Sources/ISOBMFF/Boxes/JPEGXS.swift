import Bytes

/// What a stream of JPEG XS holds, for those that transport it.
public struct JPEGXSVideoInformationBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "jpvi", "JPEG XS Video Information Box", in: ["jxsm", "jpvs"], "ISO/IEC 21122-3, annex A")
  /// The highest rate; 0 where that is not known.
  public var brat: UInt32 = 0
  /// Whether pictures are interlaced in the upper 2 bits, 2 in the 6 after them where the rate is to be divided by
  /// 1.001, and how many there are a second in the lower 16.
  public var frat: UInt32 = 0
  /// Bit 15 whether the others say something: the bits of a sample less 1 in bits 4 to 7, and which components there are in
  /// bits 0 to 3.
  public var schar: UInt16 = 0
  /// Hours, minutes, seconds and number of the first picture, a byte each.
  public var tcod: UInt32 = 0
  /// Nothing known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("brat", &brat)
    try c.uint32("frat", &frat, as: .flags("0x3f000000=0x2000000 divided by 1.001; 0xffff=# pictures a second"))
    try c.uint16("schar", &schar, as: .flags("0x8000 valid; 0xf0=# bits of a sample less 1:"))
    try c.uint32("tcod", &tcod, as: .hexadecimal)
  }
}

/// What a decoder of JPEG XS must be able to.
public struct JPEGXSProfileLevelBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "jxpl", "JPEG XS Profile and Level Box", in: ["jxsm", "jpvs"], "ISO/IEC 21122-3, annex A")
  /// The profile; 0 for none.
  public var ppih: UInt16 = 0
  /// The level in the upper 8 bits, the sublevel in the lower ones; 0 for none.
  public var plev: UInt16 = 0
  /// No profile, no level.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("Ppih", &ppih, as: .hexadecimal)
    try c.uint16("Plev", &plev, as: .hexadecimal)
  }
}
