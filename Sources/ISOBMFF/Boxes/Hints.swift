public import Bytes

/// Packets for a stream of RTP, as instructions that take them from other tracks.
public struct RTPHintSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("rtp ", "RTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.1.2")
  public static let holdsBoxes = true
  /// The same for packets that are encrypted, and for packets that were received.
  static let others = [
    BoxInfo("srtp", "SRTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.1.2"),
    BoxInfo("rrtp", "Received RTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
    BoxInfo("rsrp", "Received SRTP Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
    BoxInfo("prtp", "Protected RTP Reception Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.4.1"),
  ]
  /// Which entry of `dref` says where the samples lie, and reserved bytes.
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

/// Packets for the delivery of files.
public struct FDHintSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "fdp ", "File Delivery Hint Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.2.2")
  public static let holdsBoxes = true
  /// Which entry of `dref` says where the samples lie, and reserved bytes.
  public var entry = SampleEntry()
  /// The version of the instructions.
  public var hintTrackVersion: UInt16 = 1
  /// The oldest version whose readers understand them.
  public var highestCompatibleVersion: UInt16 = 1
  /// Which entry of `fiin`, counted from 1; 0 is none.
  public var partitionEntryID: UInt16 = 0
  /// The share of the bytes that only correct errors, 8.8.
  public var fecOverhead: UInt16 = 0
  /// Version 1.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.uint16("hinttrackversion", &hintTrackVersion)
    try c.uint16("highestcompatibleversion", &highestCompatibleVersion)
    try c.uint16("partition_entry_ID", &partitionEntryID)
    try c.uint16("FEC_overhead", &fecOverhead, as: .fixed(8))
    c.boxes()
  }
}

/// Packets of an MPEG-2 transport stream.
public struct MPEG2TSSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "sm2t", "MPEG-2 TS Server Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 9.3.2")
  public static let holdsBoxes = true
  /// The same for a stream that was received.
  static let reception = BoxInfo("rm2t", "MPEG-2 TS Reception Sample Entry", in: ["stsd"], info.clause)
  /// The same for a stream that was received encrypted.
  static let protected = BoxInfo("pm2t", "Protected MPEG-2 TS Reception Sample Entry", in: ["stsd"], info.clause)
  /// Which entry of `dref` says where the samples lie, and reserved bytes.
  public var entry = SampleEntry()
  /// The version of the instructions.
  public var hintTrackVersion: UInt16 = 1
  /// The oldest version whose readers understand them.
  public var highestCompatibleVersion: UInt16 = 1
  /// Bytes before each packet.
  public var precedingBytesCount: UInt8 = 0
  /// Bytes after each packet.
  public var trailingBytesCount: UInt8 = 0
  /// Whether all samples are packets as they are.
  public var precomputedOnlyFlag: Bool = false
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Version 1.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try entry.fields(&c)
    try c.uint16("hinttrackversion", &hintTrackVersion)
    try c.uint16("highestcompatibleversion", &highestCompatibleVersion)
    try c.uint8("precedingbyteslen", &precedingBytesCount)
    try c.uint8("trailingbyteslen", &trailingBytesCount)
    try c.flag("precomputed_only_flag", &precomputedOnlyFlag)
    try c.reserved(&reserved, bits: 7)
    c.boxes()
  }
}

/// The table of programs of an MPEG-2 transport stream.
public struct PATBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tPAT", "Program Association Table Box", in: ["sm2t", "rm2t"], "ISO/IEC 14496-12:2022, 9.3.2")
  /// The table of one program, in the same layout.
  static let programMap = BoxInfo("tPMT", "Program Map Table Box", in: info.containers, info.clause)
  /// The number of the packets with the table.
  public var pid: UInt16 = 0
  /// The section as it is in the stream.
  public var sectionData: [UInt8] = []
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// An empty table.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 3)
    try c.bits("PID", &pid, 13)
    try c.bytes("sectiondata", &sectionData)
  }
}

/// The clock of a stream of packets.
public struct TimeScaleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tims", "Time Scale Entry", in: ["rtp ", "srtp", "rrtp", "rsrp", "fdp "], "ISO/IEC 14496-12:2022, 9.1.2")
  /// Units of a second.
  public var timescale: UInt32 = 0
  /// No clock.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("timescale", &timescale) }
}

/// What is added to the times of packets.
public struct TimeOffsetEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tsro", "Time Offset", in: ["rtp ", "srtp", "rrtp", "rsrp"], "ISO/IEC 14496-12:2022, 9.1.2")
  /// In units of the clock of the stream.
  public var offset: Int32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.int32("offset", &offset) }
}

/// What is added to the numbers of packets.
public struct SequenceOffsetEntry: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "snro", "Sequence Offset", in: ["rtp ", "srtp", "rrtp", "rsrp"], "ISO/IEC 14496-12:2022, 9.1.2")
  /// The number of the packet 0.
  public var offset: Int32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.int32("offset", &offset) }
}

/// Whether the times of packets that were received agree with those of the samples.
public struct TimestampSynchronyBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tssy", "Timestamp Synchrony Box", in: ["rrtp", "rsrp"], "ISO/IEC 14496-12:2022, 9.4.1")
  /// 0: not known; 1: they agree; 2: they do not.
  public var timestampSync: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// Not known.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bits: 6)
    try c.bits("timestamp_sync", &timestampSync, 2)
  }
}

/// How packets are encrypted.
public struct SRTPProcessBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("srpp", "SRTP Process Box", in: ["srtp", "rsrp"], "ISO/IEC 14496-12:2022, 9.1.2")
  public static let holdsBoxes = true
  public var header = FullBoxHeader()
  /// The encryption of packets; four spaces leave it to the scheme.
  public var encryptionAlgorithmRtp: FourCC = FourCC()
  /// The encryption of reports.
  public var encryptionAlgorithmRtcp: FourCC = FourCC()
  /// The protection of packets.
  public var integrityAlgorithmRtp: FourCC = FourCC()
  /// The protection of reports.
  public var integrityAlgorithmRtcp: FourCC = FourCC()
  /// All four as the scheme says.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("encryption_algorithm_rtp", &encryptionAlgorithmRtp)
    try c.fourCC("encryption_algorithm_rtcp", &encryptionAlgorithmRtcp)
    try c.fourCC("integrity_algorithm_rtp", &integrityAlgorithmRtp)
    try c.fourCC("integrity_algorithm_rtcp", &integrityAlgorithmRtcp)
    c.boxes()
  }
}

/// What a server says of the movie.
public struct RTPMovieHintInformation: BoxPayload, Equatable {
  public static let info = BoxInfo("rtp ", "RTP Movie Hint Information", in: ["hnti"], "ISO/IEC 14496-12:2022, 9.1.4")
  /// The form of the text.
  public var descriptionFormat: FourCC = "sdp "
  /// Lines of SDP.
  public var sdpText: BoxString = BoxString([], form: .unterminated)
  /// No description.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("descriptionformat", &descriptionFormat)
    try c.string("sdptext", &sdpText)
  }
}

/// What a server says of the track.
public struct RTPTrackHintInformation: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "sdp ", "RTP Track SDP Hint Information", in: ["hnti"], "ISO/IEC 14496-12:2022, 9.1.4")
  /// Lines of SDP.
  public var sdpText: BoxString = BoxString([], form: .unterminated)
  /// No description.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("sdptext", &sdpText) }
}
