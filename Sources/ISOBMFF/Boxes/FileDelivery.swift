import MP4Bytes

/// The partitioning of files into packets for delivery.
public struct FDItemInformationBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("fiin", "FD Item Information Box", in: ["meta"], "ISO/IEC 14496-12:2022, 8.13.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of `paen` boxes that follow.
  public var entryCount: UInt16 = 0
  /// No files.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("entry_count", &entryCount)
    c.boxes()
  }
}
