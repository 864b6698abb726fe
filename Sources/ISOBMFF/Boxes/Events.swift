import MP4Bytes

/// An event at a time of the presentation, for the application.
public struct EventMessageBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("emsg", "Event Message Box", in: [.file], "ISO/IEC 23009-1:2022, 5.10.3.3")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// The scheme that defines the message.
  public var schemeIDURI: BoxString = ""
  /// A value that the scheme defines.
  public var value: BoxString = ""
  /// Units per second.
  public var timescale: UInt32 = 1000
  /// The time relative to the start of the segment, in version 0.
  public var presentationTimeDelta: UInt32 = 0
  /// The presentation time, in version 1.
  public var presentationTime: UInt64 = 0
  /// The duration; all ones if unknown.
  public var eventDuration: UInt32 = 0
  /// The event ID: equal messages have the same ID.
  public var id: UInt32 = 0
  /// The data defined by the scheme.
  public var messageData: [UInt8] = []
  /// A message without a scheme.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    if version == 0 {
      try c.string("scheme_id_uri", &schemeIDURI)
      try c.string("value", &value)
    }
    try c.uint32("timescale", &timescale)
    if version == 0 {
      try c.uint32("presentation_time_delta", &presentationTimeDelta)
    } else {
      try c.uint64("presentation_time", &presentationTime)
    }
    try c.uint32("event_duration", &eventDuration)
    try c.uint32("id", &id)
    if version != 0 {
      try c.string("scheme_id_uri", &schemeIDURI)
      try c.string("value", &value)
    }
    try c.bytes("message_data", &messageData)
    c.seconds("presentation_time_in_seconds", version == 0 ? nil : presentationTime, timescale: timescale)
    c.seconds(
      "presentation_time_delta_in_seconds", version == 0 ? UInt64(presentationTimeDelta) : nil, timescale: timescale)
    let isKnown = eventDuration != .max
    c.seconds("event_duration_in_seconds", isKnown ? UInt64(eventDuration) : nil, timescale: timescale)
  }
}

/// The time of day at which a fragment was produced.
public struct ProducerReferenceTimeBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "prft", "Producer Reference Time Box", in: [.file], "ISO/IEC 14496-12:2022, 8.16.5")
  public static let versions: ClosedRange<UInt8> = 0...1
  /// The flags declare the event at that time: 0 the frame was encoded, 4 encoding was finished, 8 it was written …
  public var header = FullBoxHeader(version: 1)
  public static var flagNames: ValueNames {
    """
    0x1f=0 encoder input; 0x1f=1 encoder output; 0x1f=2 finalized; 0x1f=4 written; 0x1f=8 arbitrary; 0x1f=0x18 captured
    """
  }
  /// The track that `mediaTime` refers to.
  public var referenceTrackID: UInt32 = 1
  /// The time of day in NTP format: seconds since 1900 with 32 fractional bits.
  public var ntpTimestamp: UInt64 = 0
  /// The decode time of the first sample of the fragment, in the timescale of the media; 32 bits in version 0.
  public var mediaTime: UInt64 = 0
  /// The start of track 1, in the year 1900.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("reference_track_ID", &referenceTrackID)
    try c.uint64("ntp_timestamp", &ntpTimestamp)
    try c.uint("media_time", &mediaTime, wide: version != 0)
    c.derived("ntp_timestamp_date", NTPTimestamp.text(ntpTimestamp).map { .text(BoxString(Array($0.utf8))) })
    c.seconds("media_time_in_seconds", mediaTime, timescale: c.context.timescale)
  }
}
