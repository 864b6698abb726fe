import Bytes

/// RTP packets, as instructions that copy data from other tracks.
public struct RTPHintSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("rtp ", "RTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.1.2")
  public static let holdsBoxes = true
  /// The same fields for encrypted packets and for received packets.
  static let others = [
    BoxInfo("srtp", "SRTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.1.2"),
    BoxInfo("rrtp", "Received RTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
    BoxInfo("rsrp", "Received SRTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
    BoxInfo("prtp", "Protected RTP Reception Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
  ]
  /// The index of the `dref` entry with the location of the samples, and reserved bytes.
  public var entry = SampleEntry()
  /// The version of the instructions.
  public var hintTrackVersion: UInt16 = 1
  /// The oldest version whose readers understand them.
  public var highestCompatibleVersion: UInt16 = 1
  /// The size in bytes of the largest packet.
  public var maxPacketSize: UInt32 = 0
  /// Version 1.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.uint16("hinttrackversion", &hintTrackVersion)
    try c.uint16("highestcompatibleversion", &highestCompatibleVersion)
    try c.uint32("maxpacketsize", &maxPacketSize)
    c.boxes()
  }
}
