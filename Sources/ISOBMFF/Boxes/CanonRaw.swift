import Bytes

/// How Canon codes a raw picture, or the JPEG beside it.
public struct CanonRawSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("CRAW", "Canon Raw Sample Entry", in: ["stsd"], "Canon CR3")
  public static let holdsBoxes = true
  /// What every entry for pictures has.
  public var picture = VisualSampleEntry()
  /// 1 for a raw picture, 3 for a JPEG.
  public var pictureType: UInt16 = 1
  /// Probably 0 for JPEG and 1 for a raw picture.
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
