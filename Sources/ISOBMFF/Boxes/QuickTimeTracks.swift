import MP4Bytes

/// The speaker positions of audio channels.
public struct ChannelDescriptionBox: FullBoxPayload, Equatable {
  /// One channel.
  public struct Description: BoxTableRow {
    /// The position of the channel: 1 left, 2 right, 3 center, 4 low frequencies ...; 100 if coordinates declare it.
    public var label: UInt32 = 0
    /// 1: the coordinates are angles; 2: they are in meters.
    public var flags: UInt32 = 0
    /// Three 32-bit floating-point numbers.
    public var coordinates = [UInt8](repeating: 0, count: 12)
    /// An unknown position.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint32("mChannelLabel", &label, as: .named(.channelLabels))
      try c.uint32("mChannelFlags", &flags, as: .hexadecimal)
      try c.bytes("mCoordinates", &coordinates, count: 12)
    }
  }
  public static let info = BoxInfo(
    "chan", "Audio Channel Layout", in: SampleEntries.audioTypes + ["wave"],
    "QuickTime File Format, Audio channel layout")
  public var header = FullBoxHeader()
  /// A layout and, in the low 16 bits, its channel count; 0: described; 0x10000: a bitmap.
  public var layoutTag: UInt32 = 0
  /// The channels as a bit mask.
  public var bitmap: UInt32 = 0
  /// The channels, if the tag is 0.
  public var descriptions = BoxTable<Description>()
  /// A layout with descriptions.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.channelLayoutTag("mChannelLayoutTag", &layoutTag)
    try c.uint32("mChannelBitmap", &bitmap, as: .flags(.channelBits))
    var count = UInt32(clamping: descriptions.count)
    try c.uint32("mNumberChannelDescriptions", &count)
    try c.table("mChannelDescriptions", &descriptions, count: count)
  }
}
