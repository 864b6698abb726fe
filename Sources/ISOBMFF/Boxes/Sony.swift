import MP4Bytes

/// The profiles of the tracks for Sony's players; a box for each follows.
public struct SonyProfileBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "uuid", "Sony Profile", in: [.file], "Sony PROF",
    userType: UserType([
      0x50, 0x52, 0x4f, 0x46, 0x21, 0xd2, 0x4f, 0xce, 0xbb, 0x88, 0x69, 0x5c, 0xfa, 0xc9, 0xc7, 0x40,
    ]))
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The number of boxes that follow.
  public var entryCount: UInt32 = 0
  /// No tracks.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("entry_count", &entryCount)
    c.boxes()
  }
}
