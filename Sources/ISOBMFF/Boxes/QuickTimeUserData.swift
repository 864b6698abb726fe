import Bytes

/// Text about a movie or track, in one or several languages.
public struct UserDataTextBox: BoxPayload, Equatable {
  /// The text in one language.
  public struct Entry: BoxTableRow {
    /// The language: a number of the Macintosh below 0x400, else three letters of five bits each.
    public var language = LanguageCode(rawValue: 0)
    /// The letters, in the encoding of the language or in UTF-8.
    public var text = BoxString([], form: .unterminated)
    /// No text.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      var size = UInt16(clamping: text.bytes.count)
      try c.uint16("text_size", &size)
      try c.language("language", &language)
      try c.text("text", &text, count: Int(size))
    }
  }
  public static let info = BoxInfo("©nam", "Title", in: ["udta"], "QuickTime File Format, User data atoms")
  /// The texts.
  public var entries: [Entry] = []
  /// No text.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = entries.count
    if c.isReading {
      var at = 0
      count = 0
      // Some writers fill the list up with zeros, or end it within an entry.
      while let high = c.peek(at), let low = c.peek(at + 1) {
        at += 4 + Int(high) << 8 + Int(low)
        guard at <= c.remaining else { break }
        count += 1
      }
    }
    try c.rows("entries", &entries, count: count)
  }
}

/// Where the window of a movie opens.
public struct WindowLocationBox: BoxPayload, Equatable {
  public static let info = BoxInfo("WLOC", "Window Location", in: ["udta"], "QuickTime File Format, User data atoms")
  /// Pixels from the left.
  public var x: Int16 = 0
  /// Pixels from the top.
  public var y: Int16 = 0
  /// The upper left corner.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.int16("x", &x)
    try c.int16("y", &y)
  }
}

/// That a movie is repeated.
public struct LoopingBox: BoxPayload, Equatable {
  public static let info = BoxInfo("LOOP", "Looping", in: ["udta"], "QuickTime File Format, User data atoms")
  /// 0: from its start; 1: back and forth.
  public var looping: UInt32 = 0
  /// From its start.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint32("looping", &looping, as: .named("0 from the start; 1 back and forth"))
  }
}

/// Whether only the selection of a movie is played.
public struct PlaySelectionBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "SelO", "Play Selection Only", in: ["udta"], "QuickTime File Format, User data atoms")
  /// Whether all frames are played, however long that takes, in the same layout.
  static let allFrames = BoxInfo("AllF", "Play All Frames", in: ["udta"], info.clause)
  /// 1 for yes.
  public var flag: UInt8 = 0
  /// All of it.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.uint8("flag", &flag) }
}

/// How a movie fills the screen.
public struct PrintToVideoBox: BoxPayload, Equatable {
  public static let info = BoxInfo("ptv ", "Print to Video", in: ["udta"], "QuickTime File Format, User data atoms")
  /// 0: as it is; 1: doubled; 2: halved; 3: as large as the screen; 4: as large as now.
  public var displaySize: UInt16 = 0
  /// 1: each picture waits for a key.
  public var slideShow: UInt8 = 0
  /// 1: playing starts at once.
  public var playOnOpen: UInt8 = 0
  /// What is in the reserved fields.
  public var reserved = ReservedBits()
  /// In its own size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint16("display_size", &displaySize, as: .named("0 normal; 1 double; 2 half; 3 full screen; 4 current"))
    try c.reserved(&reserved, bytes: 4)
    try c.uint8("slide_show", &slideShow)
    try c.uint8("play_on_open", &playOnOpen)
  }
}

/// The name of a track or movie.
public struct UserDataNameBox: BoxPayload, Equatable {
  public static let info = BoxInfo("name", "Name", in: ["udta"], "QuickTime File Format, User data atoms")
  /// How a camera took the samples, in the same layout.
  static let playMode = BoxInfo("SDLN", "Play Mode", in: ["udta"], "Samsung cameras")
  /// The letters.
  public var text: BoxString = BoxString([], form: .unterminated)
  /// No name.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("text", &text) }
}

/// Where the timecodes come from, such as the name of a tape.
public struct TimecodeNameBox: BoxPayload, Equatable {
  public static let info = BoxInfo(
    "name", "Timecode Source Name", in: ["tmcd"], "QuickTime File Format, Timecode sample description")
  /// The language: a number of the Macintosh below 0x400, else three letters of five bits each.
  public var language = LanguageCode(rawValue: 0)
  /// The name.
  public var text = BoxString([], form: .unterminated)
  /// No name.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var size = UInt16(clamping: text.bytes.count)
    try c.uint16("text_size", &size)
    try c.language("language", &language)
    try c.text("text", &text, count: Int(size))
  }
}

extension FieldCoder {
  /// Text of `count` bytes.
  mutating func text(_ name: StaticText, _ value: inout BoxString, count: Int) throws(BoxError) {
    if isReading { value = BoxString(try reader.bytes(name, count: count), form: .unterminated) }
    codeStored(name, value)
  }
}
