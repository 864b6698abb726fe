import MP4Bytes

/// An event of an event message track, which is repeated in each sample during which it is active.
public struct EventMessageInstanceBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("emib", "Event Message Instance Box", in: [], "ISO/IEC 23001-18:2022, 6.1")
  public var header = FullBoxHeader()
  /// The start of the event relative to the presentation time of the sample, in the timescale of the track.
  public var presentationTimeDelta: Int64 = 0
  /// The duration in the timescale of the track; all ones if unknown.
  public var eventDuration: UInt32 = 0
  /// The event ID: equal messages of a scheme and value have the same ID.
  public var id: UInt32 = 0
  /// The scheme that defines the message.
  public var schemeIDURI: BoxString = ""
  /// A value that the scheme defines.
  public var value: BoxString = ""
  /// The data defined by the scheme.
  public var messageData: [UInt8] = []
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// A message without a scheme.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 4)
    try c.int("presentation_time_delta", &presentationTimeDelta, wide: true)
    try c.uint32("event_duration", &eventDuration)
    try c.uint32("id", &id)
    try c.string("scheme_id_uri", &schemeIDURI)
    try c.string("value", &value)
    try c.bytes("message_data", &messageData)
  }
}

/// The format of event message samples: boxes with events.
public struct EventMessageSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("evte", "Event Message Sample Entry", in: ["stsd"], "ISO/IEC 23001-18:2022, 7.2")
  public static let holdsBoxes = true
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    c.boxes()
  }
}
