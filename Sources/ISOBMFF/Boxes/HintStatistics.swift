import Bytes

/// How many bytes are sent in all.
public struct HintBytesSentBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "trpy", "Total Bytes Sent, with RTP headers", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The same for other kinds of bytes.
  static let others = [
    BoxInfo("tpyl", "Total Bytes Sent, without RTP headers", in: info.containers, info.clause),
    BoxInfo("dmed", "Bytes Sent from Media Tracks", in: info.containers, info.clause),
    BoxInfo("dimm", "Bytes Sent of Immediate Data", in: info.containers, info.clause),
    BoxInfo("drep", "Bytes of Repeated Packets", in: info.containers, info.clause),
  ]
  /// The number of bytes.
  public var bytesSent: UInt64 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint64("bytessent", &bytesSent) }
}

/// How many packets are sent in all.
public struct HintPacketsSentBox: BoxPayload, Equatable {
  public static let info = BoxInfo("nump", "Total Packets Sent", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The number of packets.
  public var packetsSent: UInt64 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint64("packetssent", &packetsSent) }
}

/// How many bytes are sent in all, as a shorter number.
public struct HintBytesBox: BoxPayload, Equatable {
  public static let info = BoxInfo("totl", "Total Bytes Sent, 32 bits", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The same without the headers of the packets.
  static let others = [
    BoxInfo("tpay", "Total Bytes Sent, without RTP headers, 32 bits", in: info.containers, info.clause)
  ]
  /// The number of bytes.
  public var bytesSent: UInt32 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("bytessent", &bytesSent) }
}

/// How large the largest packet is.
public struct HintLargestPacketBox: BoxPayload, Equatable {
  public static let info = BoxInfo("pmax", "Largest Packet", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The number of bytes, with the header.
  public var bytes: UInt32 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("bytes", &bytes) }
}

/// How many packets are sent in all.
public struct HintPacketsBox: BoxPayload, Equatable {
  public static let info = BoxInfo("npck", "Total Packets Sent, 32 bits", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The number of packets.
  public var packetsSent: UInt32 = 0
  /// None.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("packetssent", &packetsSent) }
}

/// The most that is sent in a period.
public struct HintMaximumRateBox: BoxPayload, Equatable {
  public static let info = BoxInfo("maxr", "Maximum Data Rate", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// Milliseconds.
  public var period: UInt32 = 0
  /// The number of bytes, with RTP headers.
  public var bytes: UInt32 = 0
  /// No period.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("period", &period)
    try c.uint32("bytes", &bytes)
  }
}

/// How much earlier or later than it should a packet is sent.
public struct HintTimeBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "tmin", "Smallest Relative Transmission Time", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The same for the latest one.
  static let largest = BoxInfo("tmax", "Largest Relative Transmission Time", in: info.containers, info.clause)
  /// Milliseconds.
  public var time: Int32 = 0
  /// On time.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.int32("time", &time) }
}

/// The packet that lasts longest.
public struct HintLongestPacketBox: BoxPayload, Equatable {
  public static let info = BoxInfo("dmax", "Longest Packet", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// Milliseconds.
  public var time: UInt32 = 0
  /// No packet.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("time", &time) }
}

/// What a number in RTP headers means.
public struct HintPayloadIDBox: BoxPayload, Equatable {
  public static let info = BoxInfo("payt", "Payload ID", in: ["hinf"], "ISO/IEC 14496-12:2022, 9.1.5")
  /// The number.
  public var payloadID: UInt32 = 0
  /// The name of the coding and its clock, as SDP has it: `MP4V-ES/90000`.
  public var rtpMap: [UInt8] = []
  /// The number 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("payloadID", &payloadID)
    var count = UInt8(clamping: rtpMap.count)
    try c.uint8("count", &count)
    try c.bytes("rtpmap_string", &rtpMap, count: Int(count))
  }
}

/// The source of packets that were received.
public struct ReceivedSSRCBox: BoxPayload, Equatable {
  public static let info = BoxInfo("rssr", "Received SSRC Box", in: ["rrtp"], "ISO/IEC 14496-12:2022, 9.4.1")
  /// The number of the source in the packets.
  public var ssrc: UInt32 = 0
  /// The number 0.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("SSRC", &ssrc) }
}
