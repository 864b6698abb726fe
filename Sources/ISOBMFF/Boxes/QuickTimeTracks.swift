import Bytes

/// The size of the pictures of a track in one way of showing them.
public struct ApertureDimensionsBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "clef", "Track Clean Aperture Dimensions", in: ["tapt"], "QuickTime File Format, Track aperture modes")
  public var header = FullBoxHeader()
  /// The same in other ways.
  static let others = [
    BoxInfo("prof", "Track Production Aperture Dimensions", in: ["tapt"], info.clause),
    BoxInfo("enof", "Track Encoded Pixels Dimensions", in: ["tapt"], info.clause),
  ]
  /// The width, 16.16.
  public var width: UInt32 = 0
  /// The height, 16.16.
  public var height: UInt32 = 0
  /// No extent.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("width", &width, as: .fixed(16))
    try c.uint32("height", &height, as: .fixed(16))
  }
}

/// How much of a track to load before it is played.
public struct TrackLoadSettingsBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "load", "Track Load Settings Atom", in: ["trak"], "QuickTime File Format, Track load settings atoms")
  /// Where to start, in the timescale of the movie.
  public var preloadStartTime: UInt32 = 0
  /// How much; all ones for all.
  public var preloadDuration: UInt32 = 0
  /// 1: whenever the movie is opened; 2: only when the track is enabled.
  public var preloadFlags: UInt32 = 0
  /// Bits: 0x20 double buffer, 0x100 high quality.
  public var defaultHints: UInt32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("preload_start_time", &preloadStartTime)
    try c.uint32("preload_duration", &preloadDuration)
    try c.uint32(
      "preload_flags", &preloadFlags, as: .named("1 whenever the movie is opened; 2 when the track is enabled"))
    try c.uint32("default_hints", &defaultHints, as: .flags("0x20 keep in buffer; 0x100 high quality"))
  }
}

/// What a track does with the samples of another one.
public struct TrackInputBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "\0\0in", "Track Input Atom", in: ["imap"], "QuickTime File Format, Track input map atoms")
  public static let holdsBoxes = true
  /// Which of the tracks of `ssrc`, counted from 1.
  public var atomID: UInt32 = 1
  /// The number of boxes that follow.
  public var childCount: UInt16 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// No input.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("atom_ID", &atomID)
    try c.reserved(&reserved, bytes: 2)
    try c.uint16("child_count", &childCount)
    try c.reserved(&reserved, bytes: 4)
    c.boxes()
  }
}

/// What the input is for, or what of a sprite it changes.
public struct TrackInputValueBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "\0\0ty", "Input Type Atom", in: ["\0\0in"], "QuickTime File Format, Track input map atoms")
  /// The object that is changed, in the same layout.
  static let object = BoxInfo("obid", "Object ID Atom", in: ["\0\0in"], info.clause)
  /// 1: matrix; 2: clipping; 3: volume; 4: balance; 5: graphics mode; the number of the object in `obid`.
  public var value: UInt32 = 0
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint32("value", &value) }
}

/// The colours to choose for a screen that cannot show all.
public struct ColorTableBox: BoxPayload, Equatable {
  /// One colour.
  public struct Color: BoxTableRow {
    /// Always 0, or its number.
    public var index: UInt16 = 0
    /// Red.
    public var red: UInt16 = 0
    /// Green.
    public var green: UInt16 = 0
    /// Blue.
    public var blue: UInt16 = 0
    /// Black.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint16("index", &index)
      try c.uint16("red", &red)
      try c.uint16("green", &green)
      try c.uint16("blue", &blue)
    }
  }
  public static let info = BoxInfo("ctab", "Color Table Atom", in: ["moov"], "QuickTime File Format, Color table atoms")
  /// 0.
  public var colorTableSeed: UInt32 = 0
  /// 0x8000.
  public var colorTableFlags: UInt16 = 0x8000
  /// The colours, one at least.
  public var colors = BoxTable<Color>([Color()])
  /// No colours.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("color_table_seed", &colorTableSeed)
    try c.uint16("color_table_flags", &colorTableFlags, as: .hexadecimal)
    var last = UInt16(clamping: max(0, colors.count - 1))
    try c.uint16("color_table_size", &last)
    try c.table("colors", &colors, count: Int(last) + 1)
  }
}

/// The part of a movie or track that is shown.
public struct ClippingRegionBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "crgn", "Clipping Region Atom", in: ["clip"], "QuickTime File Format, Clipping atoms")
  /// The bytes of the region: 10 for a rectangle.
  public var regionSize: UInt16 = 10
  /// The upper edge.
  public var top: Int16 = 0
  /// The left edge.
  public var left: Int16 = 0
  /// The lower edge.
  public var bottom: Int16 = 0
  /// The right edge.
  public var right: Int16 = 0
  /// What a region has that is not a rectangle.
  public var regionData: [UInt8] = []
  /// Nothing.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("region_size", &regionSize)
    try c.int16("top", &top)
    try c.int16("left", &left)
    try c.int16("bottom", &bottom)
    try c.int16("right", &right)
    try c.bytes("region_data", &regionData)
  }
}

/// A picture that says how far each pixel of a track is seen.
public struct CompressedMatteBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo(
    "kmat", "Compressed Matte Atom", in: ["matt"], "QuickTime File Format, Track matte atoms")
  public var header = FullBoxHeader()
  /// An image description and a compressed picture.
  public var matteData: [UInt8] = []
  /// No picture.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.bytes("matte_data", &matteData)
  }
}

/// Where the speakers are that the channels of sound are for.
public struct ChannelDescriptionBox: FullBoxPayload, Equatable {
  /// One channel.
  public struct Description: BoxTableRow {
    /// What the channel is for: 1 left, 2 right, 3 centre, 4 low frequencies ...; 100 where coordinates say.
    public var label: UInt32 = 0
    /// 1: the coordinates are angles; 2: they are in metres.
    public var flags: UInt32 = 0
    /// Three floating-point numbers of 32 bits.
    public var coordinates = [UInt8](repeating: 0, count: 12)
    /// Unknown.
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
  /// A layout and, in the low 16 bits, its channels; 0: described; 0x10000: as the bits say.
  public var layoutTag: UInt32 = 0
  /// A bit for each channel that is there.
  public var bitmap: UInt32 = 0
  /// The channels, where the tag is 0.
  public var descriptions = BoxTable<Description>()
  /// A layout that descriptions say.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.channelLayoutTag("mChannelLayoutTag", &layoutTag)
    try c.uint32("mChannelBitmap", &bitmap, as: .flags(.channelBits))
    var count = UInt32(clamping: descriptions.count)
    try c.uint32("mNumberChannelDescriptions", &count)
    try c.table("mChannelDescriptions", &descriptions, count: count)
  }
}
