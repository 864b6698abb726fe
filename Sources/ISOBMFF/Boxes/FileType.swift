public import MP4Bytes

/// The brands of a file or segment, which declare its format and the requirements for readers.
public struct FileTypeBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ftyp", "File Type Box", in: [.file], "ISO/IEC 14496-12:2022, 4.3")
  /// The same fields at the start of a segment.
  package static let segment = BoxInfo("styp", "Segment Type Box", in: [.file], "ISO/IEC 14496-12:2022, 8.16.2")
  /// The same fields for a track.
  static let track = BoxInfo("ttyp", "Track Type Box", in: ["trak"], "ISO/IEC 14496-12:2022, 8.3.5")
  /// The brand that describes the file best.
  public var majorBrand: FourCC = "isom"
  /// A version of the major brand, for information.
  public var minorVersion: UInt32 = 0
  /// All brands whose requirements the file meets.
  public var compatibleBrands = BoxTable<FourCC>()
  /// An `isom` file without compatible brands.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("major_brand", &majorBrand)
    try c.uint32("minor_version", &minorVersion)
    try c.tableToEnd("compatible_brands", &compatibleBrands)
  }
}
