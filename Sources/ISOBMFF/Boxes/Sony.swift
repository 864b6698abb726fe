public import Bytes

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

/// The profile of an audio or video track.
public struct SonyTrackProfile: Equatable, Sendable {
  /// The track.
  public var trackID: UInt32 = 0
  /// The type of its sample entry.
  public var codec = FourCC()
  /// Codec-specific information.
  public var codecInformation: UInt32 = 0
  /// Flags defined by Sony.
  public var attributes: UInt32 = 0
  /// In kilobits per second.
  public var averageBitRate: UInt32 = 0
  /// In kilobits per second.
  public var maxBitRate: UInt32 = 0
  /// No track.
  public init() {}

  fileprivate mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("track_ID", &trackID)
    try c.fourCC("codec", &codec)
    try c.uint32("codec_information", &codecInformation, as: .hexadecimal)
    try c.uint32("attributes", &attributes, as: .hexadecimal)
    try c.uint32("average_bit_rate", &averageBitRate)
    try c.uint32("max_bit_rate", &maxBitRate)
  }
}
