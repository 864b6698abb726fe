import MP4Bytes

/// The speaker positions of audio channels.
public struct ChannelLayoutBox: FullBoxPayload, Equatable {
  /// The position of one speaker.
  public struct Speaker: BoxTableRow {
    /// A code of ISO/IEC 23091-3; for 126, angles follow.
    public var speakerPosition: UInt8 = 0
    /// Degrees to the left, for position 126.
    public var azimuth: Int16 = 0
    /// Degrees upwards, for position 126.
    public var elevation: Int8 = 0
    /// Front left.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("speaker_position", &speakerPosition)
      guard c.includes(speakerPosition == 126) else { return }
      try c.int16("azimuth", &azimuth)
      try c.int8("elevation", &elevation)
    }
  }
  public static let info = BoxInfo(
    "chnl", "Channel Layout Box", in: SampleEntries.audioTypes, "ISO/IEC 14496-12:2022, 12.2.4")
  public static let versions: ClosedRange<UInt8> = 0...1
  public var header = FullBoxHeader()
  /// 1: there are channels; 2: there are objects; 3: both.
  public var streamStructure: UInt8 = 1
  /// The order of the channels, from version 1 on.
  public var formatOrdering: UInt8 = 0
  /// The number of channels and objects, from version 1 on.
  public var baseChannelCount: UInt8 = 0
  /// A layout of ISO/IEC 23091-3; 0 if each speaker is described.
  public var definedLayout: UInt8 = 0
  /// The speakers.
  public var speakers: [Speaker] = []
  /// The channel order of a layout, from version 1 on.
  public var channelOrderDefinition: UInt8 = 0
  /// The channels of the layout that are missing, one bit each; always present in version 0.
  public var omittedChannelsMap: UInt64?
  /// The number of objects, in version 0.
  public var objectCount: UInt8 = 0
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// An unknown layout.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    if version == 0 {
      try c.uint8("stream_structure", &streamStructure, as: .flags("0x1 channels; 0x2 objects"))
    } else {
      try c.bits("stream_structure", &streamStructure, 4, as: .flags("0x1 channels; 0x2 objects"))
      try c.bits("format_ordering", &formatOrdering, 4)
      try c.uint8("baseChannelCount", &baseChannelCount)
    }
    if c.includes(streamStructure & 1 != 0) {
      try c.uint8("definedLayout", &definedLayout, as: .named(.channelConfigurations))
      if c.includes(definedLayout == 0) { try speakerFields(&c) }
      if c.includes(definedLayout != 0) { try omissionFields(&c) }
    }
    if version == 0, c.includes(streamStructure & 2 != 0) { try c.uint8("object_count", &objectCount) }
  }
}

extension ChannelLayoutBox {
  private mutating func speakerFields(_ c: inout FieldCoder) throws(BoxError) {
    var count = speakers.count
    if version != 0 {
      var counted = UInt8(clamping: count)
      try c.uint8("layout_channel_count", &counted)
      count = Int(counted)
    } else if c.isReading {
      // Only the sample entry declares the number of channels, but nothing except the count of objects follows them.
      let end = c.remaining - (streamStructure & 2 == 0 ? 0 : 1)
      var at = 0
      count = 0
      while at < end {
        at += c.peek(at) == 126 ? 4 : 1
        count += 1
      }
    }
    try c.rows("speakers", &speakers, count: count)
  }

  private mutating func omissionFields(_ c: inout FieldCoder) throws(BoxError) {
    var isPresent = omittedChannelsMap != nil || version == 0
    if version != 0 {
      try c.reserved(&reserved, bits: 4)
      try c.bits("channel_order_definition", &channelOrderDefinition, 3)
      try c.flag("omitted_channels_present", &isPresent)
    }
    guard c.includes(isPresent) else { return }
    var map = omittedChannelsMap ?? 0
    try c.uint64("omittedChannelsMap", &map, as: .hexadecimal)
    omittedChannelsMap = map
  }
}
