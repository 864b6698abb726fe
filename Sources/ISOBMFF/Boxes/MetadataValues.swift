import MP4Bytes

/// The value of a metadata item. Its type is a number; for type 0, the item determines the format.
public struct MetadataDataBox: BoxPayload, Equatable {
  public static let info = BoxInfo("data", "Data Box", in: MetadataItems.types, "QuickTime File Format")
  /// 0 if `type` is a well-known type.
  public var typeSet: UInt8 = 0
  /// 0: determined by the item; 1: UTF-8; 2: UTF-16; 13: JPEG; 14: PNG; 21, 22: integers; 23, 24: floating point …
  public var type: UInt32 = 1
  /// The country to which the value applies; 0 for all.
  public var country: UInt16 = 0
  /// The language to which the value applies; 0 for all.
  public var language: UInt16 = 0
  /// The value.
  public var value = MetadataValue.text(.none)
  /// No text.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("type_set", &typeSet)
    try c.uint24("type", &type, as: c.isReading && typeSet != 0 ? .decimal : .named(.metadataTypes))
    try c.localeCode("country", &country, letters: 2)
    try c.localeCode("language", &language, letters: 3)
    if c.isDescribing { return try value.describe(&c) }
    if c.isReading {
      value = .empty(typeSet == 0 ? type : .max, item: c.context.parent, size: c.remaining)
    }
    try value.fields(&c)
  }
}

/// The value of a metadata item.
public enum MetadataValue: Equatable, Sendable {
  /// Text in UTF-8.
  case text(BoxString)
  /// UTF-16 text, big-endian unless there is a byte order mark.
  case wideText([UInt8])
  /// A signed number of any width, for the well-known types 21, 65, 66, 67 and 74.
  case signed(Int64, bits: Int)
  /// An unsigned number of any width.
  case unsigned(UInt64, bits: Int)
  /// A 32-bit floating-point number.
  case single(Float)
  /// A 64-bit floating-point number.
  case double(Double)
  /// A point, a width and height, or both.
  case geometry(BoxTable<Float>)
  /// A position in a series, such as a track of an album, and the length of the series; `size` is 6 or 8 bytes.
  case place(UInt16, of: UInt16, before: UInt16, after: UInt16, size: Int)
  /// The number of an ID3 genre, counted from 1.
  case genre(UInt16)
  /// A picture in the format that the type declares.
  case picture([UInt8])
  /// Anything else.
  case bytes([UInt8])

  /// An empty value of this type and size.
  static func empty(_ type: UInt32, item: FourCC, size: Int) -> MetadataValue {
    let bits = size <= 8 ? size * 8 : 0
    switch (type, item, size) {
    case (0, "trkn", 6), (0, "trkn", 8), (0, "disk", 6), (0, "disk", 8):
      return .place(0, of: 0, before: 0, after: 0, size: size)
    case (0, "gnre", 2): return .genre(0)
    case (0, _, 1...8) where item.isNumber: return .unsigned(0, bits: bits)
    case (0, "covr", _), (12, _, _), (13, _, _), (14, _, _), (27, _, _): return .picture([])
    case (1, _, _), (4, _, _): return .text(.none)
    case (2, _, _), (5, _, _): return .wideText([])
    case (21, _, 1), (21, _, 2), (21, _, 4), (21, _, 8), (65, _, 1), (66, _, 2), (67, _, 4), (74, _, 8):
      return .signed(0, bits: bits)
    case (22, _, 1...8), (75, _, 1), (76, _, 2), (77, _, 4), (78, _, 8): return .unsigned(0, bits: bits)
    case (23, _, 4): return .single(0)
    case (24, _, 8): return .double(0)
    case (70, _, 8), (71, _, 8), (72, _, 16): return .geometry(BoxTable())
    default: return .bytes([])
    }
  }

  /// The names for text and signed numbers are mp4dump's. Other names describe the value.
  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    switch self {
    case .text(var text):
      try c.text("value", &text)
      self = .text(text)
    case .wideText(var bytes):
      try c.wideText("utf16_value", &bytes)
      self = .wideText(bytes)
    case .signed(var number, let bits):
      try c.signed("value", &number, bits)
      self = .signed(number, bits: bits)
    case .unsigned(var number, let bits):
      try c.wideBits("unsigned_value", &number, bits)
      self = .unsigned(number, bits: bits)
    case .single(var number):
      try c.float32("float_value", &number)
      self = .single(number)
    case .double(var number):
      try c.float64("float_value", &number)
      self = .double(number)
    case .geometry(var numbers):
      try c.tableToEnd("float_values", &numbers)
      self = .geometry(numbers)
    case .place(var number, var count, var before, var after, let size):
      try c.uint16("reserved", &before)
      try c.uint16("number", &number)
      try c.uint16("count", &count)
      if size == 8 { try c.uint16("reserved_2", &after) }
      self = .place(number, of: count, before: before, after: after, size: size)
    case .genre(var number):
      try c.uint16("genre", &number, as: .named(.genres))
      self = .genre(number)
    case .picture(var bytes):
      try c.bytes("picture", &bytes)
      self = .picture(bytes)
    case .bytes(var bytes):
      try c.bytes("bytes", &bytes)
      self = .bytes(bytes)
    }
  }

  /// The fields of all kinds of values.
  func describe(_ c: inout FieldCoder) throws(BoxError) {
    let kinds: [MetadataValue] = [
      .text(.none), .wideText([]), .unsigned(0, bits: 64), .double(0), .geometry(BoxTable()),
      .place(0, of: 0, before: 0, after: 0, size: 8), .genre(0),
      .picture([]), .bytes([]),
    ]
    for var kind in kinds { try kind.fields(&c) }
  }
}

extension FieldCoder {
  /// A signed field of 8, 16, 32 or 64 bits, whose item can have names for its values.
  fileprivate mutating func signed(_ name: StaticText, _ value: inout Int64, _ width: Int) throws(BoxError) {
    let style = MetadataItems.style(of: context.parent)
    switch width {
    case 8: value = Int64(try integer(name, Int8(truncatingIfNeeded: value), style))
    case 16: value = Int64(try integer(name, Int16(truncatingIfNeeded: value), style))
    case 32: value = Int64(try integer(name, Int32(truncatingIfNeeded: value), style))
    default: value = try integer(name, value, style)
    }
  }
  private mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ name: StaticText, _ value: T, _ style: NumberStyle
  ) throws(BoxError) -> T {
    var value = value
    try integer(name, &value, style)
    return value
  }
  /// An unsigned field of 8 to 64 bits.
  fileprivate mutating func wideBits(_ name: StaticText, _ value: inout UInt64, _ width: Int) throws(BoxError) {
    let style = MetadataItems.style(of: context.parent)
    if width == 64 { try uint64(name, &value, as: style) } else { try bits(name, &value, width, as: style) }
  }

  /// A country as two 8-bit letters, or a language as three 5-bit letters. 0 means all; small numbers refer to a list
  /// elsewhere.
  fileprivate mutating func localeCode(_ name: StaticText, _ value: inout UInt16, letters count: Int)
    throws(BoxError)
  {
    guard mode == .read else { return try uint16(name, &value) }
    value = try reader.integer(name)
    let letters =
      count == 2
      ? [value >> 8, value & 0xff].map { UInt8(truncatingIfNeeded: $0) }
      : [10, 5, 0].map { UInt8(value >> UInt16($0) & 31) + 0x60 }
    let isText = value >= QuickTimeLanguage.limit && letters.allSatisfy { (0x41...0x5a).contains($0 & 0xdf) }
    let number = UInt64(value)
    show(name, isText ? .explained(number, String(decoding: letters, as: UTF8.self)) : .unsigned(number))
  }

  /// UTF-16 text that fills the rest of the box.
  fileprivate mutating func wideText(_ name: StaticText, _ value: inout [UInt8]) throws(BoxError) {
    switch mode {
    case .read:
      value = try reader.bytes(name, count: reader.remaining)
      show(name, .text(BoxString(Array(MetadataValue.text(utf16: value).utf8), form: .unterminated)))
    case .write, .measure: try bytes(name, &value)
    case .describe: described.append(FieldDescription(name, "string", bits: nil))
    case .access:
      let text = BoxString(MetadataValue.text(utf16: value), form: .unterminated)
      if case .text(let new)? = access?.value(name, .text(text)) {
        value = new.description.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
      }
    }
  }
}

extension MetadataValue {
  /// The text in `bytes`; invalid UTF-16 is replaced.
  package static func text(utf16 bytes: [UInt8]) -> String {
    var units = stride(from: 0, to: bytes.count / 2 * 2, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    if units.first == 0xfffe { units = units.map(\.byteSwapped) }
    if units.first == 0xfeff { units.removeFirst() }
    return String(decoding: units, as: UTF16.self)
  }
}
