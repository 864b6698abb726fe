import MP4Bytes

/// Text about a movie or track, in one or several languages.
public struct UserDataTextBox: BoxPayload, Equatable {
  /// The text in one language.
  public struct Entry: BoxTableRow {
    /// The language: a Macintosh code below 0x400, otherwise three letters of five bits each.
    public var language = LanguageCode(rawValue: 0)
    /// The text, in the encoding of the language or in UTF-8.
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
      // Some writers pad the list with zeros, or end it within an entry.
      while let high = c.peek(at), let low = c.peek(at + 1) {
        at += 4 + Int(high) << 8 + Int(low)
        guard at <= c.remaining else { break }
        count += 1
      }
    }
    try c.rows("entries", &entries, count: count)
  }
}

/// The name of a track or movie.
public struct UserDataNameBox: BoxPayload, Equatable {
  public static let info = BoxInfo("name", "Name", in: ["udta"], "QuickTime File Format, User data atoms")
  /// The recording mode of a camera, in the same layout.
  static let playMode = BoxInfo("SDLN", "Play Mode", in: ["udta"], "Samsung cameras")
  /// The text.
  public var text: BoxString = BoxString([], form: .unterminated)
  /// No name.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.string("text", &text) }
}

extension FieldCoder {
  /// Text of `count` bytes.
  mutating func text(_ name: StaticText, _ value: inout BoxString, count: Int) throws(BoxError) {
    if isReading { value = BoxString(try reader.bytes(name, count: count), form: .unterminated) }
    codeStored(name, &value)
  }
}
