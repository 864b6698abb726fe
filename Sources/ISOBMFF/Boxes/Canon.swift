import MP4Bytes

extension UserType {
  /// The box with the metadata of Canon's raw pictures (CR3).
  package static let canonMetadata = UserType([
    0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
  ])
}

/// Where the parts of a raw picture are in the file.
public struct CanonTrackBaseOffsetsBox: BoxPayload, Equatable {
  /// One part.
  public struct Entry: BoxTableRow {
    /// 1: XMP; 2: preview; 3: media data.
    public var index: UInt32 = 0
    /// The file offset of its box.
    public var offset: UInt64 = 0
    /// The size of its box.
    public var size: UInt64 = 0
    /// No part.
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
