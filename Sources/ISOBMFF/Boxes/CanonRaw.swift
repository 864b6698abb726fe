import Bytes

/// The coding of Canon raw images, or of the JPEG images that accompany them.
public struct CanonRawSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("CRAW", "Canon Raw Sample Entry", in: ["stsd"], "Canon CR3")
  public static let holdsBoxes = true
  /// The fields of every visual sample entry.
  public var picture = VisualSampleEntry()
  /// 1 for a raw image, 3 for a JPEG.
  public var pictureType: UInt16 = 1
  /// Probably 0 for a JPEG and 1 for a raw image.
  public var flags: UInt16 = 1
  /// A raw image without a size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try picture.pictureFields(&c)
    try c.uint16("picture_type", &pictureType)
    try c.uint16("flags", &flags, as: .hexadecimal)
    c.boxes()
  }
}

/// The records in each sample of Canon's timed metadata.
public struct CanonTimedMetadataSampleEntry: BoxPayload, Equatable {
  /// A kind of record.
  public struct Record: BoxTableRow {
    /// The type of the record.
    public var type: UInt32 = 0
    /// Its size, including its header.
    public var size: UInt32 = 0
    /// An empty record.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32(
        "record_type", &type,
        as: .named("1 time; 4 focal length; 5 exposure; 7 Exif; 8 Exif; 9 Exif"))
      try c.uint32("record_size", &size)
    }
  }
  public static let info = BoxInfo("CTMD", "Canon Timed Metadata Sample Entry", in: ["stsd"], "Canon CR3")
  /// The fields of every sample entry.
  public var entry = SampleEntry()
  /// The kinds of records, each listed once.
  public var records = BoxTable<Record>()
  /// No records.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.table("records", &records, counted: "record_count")
  }
}
