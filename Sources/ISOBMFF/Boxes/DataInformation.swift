import MP4Bytes

/// The locations of the samples of a track.
public struct DataReferenceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("dref", "Data Reference Box", in: ["dinf"], "ISO/IEC 14496-12:2022, 8.7.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of boxes that follow.
  public var entryCount: UInt32 = 0
  /// No location.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("entry_count", &entryCount)
    c.boxes()
  }
}

/// The location of a file with samples. With flag 1, it is this file and there is no location.
public struct DataEntryURLBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("url ", "Data Entry Url Box", in: ["dref"], "ISO/IEC 14496-12:2022, 8.7.2")
  public var header = FullBoxHeader(flags: 1)
  public static var flagNames: ValueNames { "0x1 same-file-media" }
  /// A URL, absolute or relative to this file.
  public var location: BoxString?
  /// This file.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    guard c.hasMore(or: location != nil) else { return }
    var text = location ?? ""
    try c.string("location", &text)
    location = text
  }
}

/// Metadata: a handler that declares the kind, and boxes that contain the data.
///
/// In QuickTime files, it has no version and flags; the boxes follow immediately.
public struct MetaBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "meta", "Meta Box", in: [.file, "moov", "trak", "udta", "moof", "traf"], "ISO/IEC 14496-12:2022, 8.11.1")
  public static let holdsBoxes = true
  /// Version and flags, which QuickTime files do not have.
  public var header: FullBoxHeader? = FullBoxHeader()
  /// A full box.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    if c.isReading, Self.startsWithHandler(c) { header = nil }
    if var full = header {
      try c.fullBoxHeader(&full)
      if c.isShowing { try c.check(version: full.version, isIn: 0...0) }
      header = full
    }
    c.boxes()
  }

  /// Whether bytes 4 to 7 are the type of a handler box.
  private static func startsWithHandler(_ c: borrowing FieldCoder) -> Bool {
    c.peek(4) == 0x68 && c.peek(5) == 0x64 && c.peek(6) == 0x6c && c.peek(7) == 0x72
  }
}
