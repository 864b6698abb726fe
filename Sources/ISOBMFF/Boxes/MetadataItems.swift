/// A value of an item of metadata. Its kind is a number; for the kind 0 the item says how it is to be read.
public struct MetadataDataBox: BoxPayload, Equatable {
  public static let info = BoxInfo("data", "Data Box", in: MetadataItems.types, "QuickTime File Format")
  /// 0 when `type` is one of the well-known ones.
  public var typeSet: UInt8 = 0
  /// 0: as the item demands; 1: UTF-8; 2: UTF-16; 13: JPEG; 14: PNG; 21, 22: whole numbers; 23, 24: floating point …
  public var type: UInt32 = 1
  /// The country that the value is for; 0 for all.
  public var country: UInt16 = 0
  /// The language that the value is for; 0 for all.
  public var language: UInt16 = 0
  /// The value.
  public var value = MetadataValue.text(.none)
  /// No text.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("type_set", &typeSet)
    try c.uint24("type", &type)
    try c.uint16("country", &country)
    try c.uint16("language", &language)
    if c.isDescribing { return try value.describe(&c) }
    if c.isReading {
      value = .empty(typeSet == 0 ? type : .max, item: c.context.parent, size: c.remaining)
    }
    try value.fields(&c)
  }
}

/// The value of an item of metadata.
public enum MetadataValue: Equatable, Sendable {
  /// Text in UTF-8.
  case text(BoxString)
  /// A signed number of any width: that of the well-known types 21, 65, 66, 67 and 74.
  case signed(Int64, bits: Int)
  /// An unsigned number of any width.
  case unsigned(UInt64, bits: Int)
  /// A floating-point number of 32 bits.
  case single(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A place in a series, such as a track of an album, and the length of the series; `size` is 6 or 8 bytes.
  case place(UInt16, of: UInt16, before: UInt16, after: UInt16, size: Int)
  /// A number of the list of genres of ID3, counted from 1.
  case genre(UInt16)
  /// A picture, in the format that the type says.
  case picture([UInt8])
  /// Anything else.
  case bytes([UInt8])

  /// What a value of this type and size is, before it is read.
  static func empty(_ type: UInt32, item: FourCC, size: Int) -> MetadataValue {
    let bits = size <= 8 ? size * 8 : 0
    switch (type, item, size) {
    case (0, "trkn", 6), (0, "trkn", 8), (0, "disk", 6), (0, "disk", 8):
      return .place(0, of: 0, before: 0, after: 0, size: size)
    case (0, "gnre", 2): return .genre(0)
    case (0, "covr", _), (13, _, _), (14, _, _), (27, _, _): return .picture([])
    case (1, _, _): return .text(.none)
    case (21, _, 1), (21, _, 2), (21, _, 4), (21, _, 8), (65, _, 1), (66, _, 2), (67, _, 4), (74, _, 8):
      return .signed(0, bits: bits)
    case (22, _, 1...8), (75, _, 1), (76, _, 2), (77, _, 4), (78, _, 8): return .unsigned(0, bits: bits)
    case (23, _, 4): return .single(0)
    case (24, _, 8): return .double(0)
    default: return .bytes([])
    }
  }

  /// The names are those of mp4dump, which shows text and signed numbers, and for the others what they are.
  mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    switch self {
    case .text(var text):
      try c.text("value", &text)
      self = .text(text)
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
    case .place(var number, var count, var before, var after, let size):
      try c.uint16("reserved", &before)
      try c.uint16("number", &number)
      try c.uint16("count", &count)
      if size == 8 { try c.uint16("reserved_2", &after) }
      self = .place(number, of: count, before: before, after: after, size: size)
    case .genre(var number):
      try c.uint16("genre", &number)
      self = .genre(number)
    case .picture(var bytes):
      try c.bytes("picture", &bytes)
      self = .picture(bytes)
    case .bytes(var bytes):
      try c.bytes("bytes", &bytes)
      self = .bytes(bytes)
    }
  }

  /// The fields of every kind.
  func describe(_ c: inout FieldCoder) throws(BoxError) {
    let kinds: [MetadataValue] = [
      .text(.none), .unsigned(0, bits: 64), .double(0), .place(0, of: 0, before: 0, after: 0, size: 8), .genre(0),
      .picture([]), .bytes([]),
    ]
    for var kind in kinds { try kind.fields(&c) }
  }
}

extension FieldCoder {
  /// A signed field of 8, 16, 32 or 64 bits.
  fileprivate mutating func signed(_ name: StaticString, _ value: inout Int64, _ width: Int) throws(BoxError) {
    switch width {
    case 8:
      var narrow = Int8(truncatingIfNeeded: value)
      try int8(name, &narrow)
      value = Int64(narrow)
    case 16:
      var narrow = Int16(truncatingIfNeeded: value)
      try int16(name, &narrow)
      value = Int64(narrow)
    default: try int(name, &value, wide: width == 64)
    }
  }
  /// An unsigned field of 8 to 64 bits.
  fileprivate mutating func wideBits(_ name: StaticString, _ value: inout UInt64, _ width: Int) throws(BoxError) {
    if width == 64 { try uint64(name, &value) } else { try bits(name, &value, width) }
  }
}

/// Who gave an item of metadata its name, as a domain written backwards.
public struct MetadataMeanBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("mean", "Meaning Box", in: ["----"], "iTunes Metadata Format")
  public var header = FullBoxHeader()
  /// Such as `com.apple.iTunes`.
  public var value = BoxString.none
  /// Nobody.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.text("value", &value) }
}

/// The name of an item of metadata that has no code of its own.
public struct MetadataNameBox: FullBoxPayload, Equatable {
  public static let info = BoxInfo("name", "Name Box", in: ["----"], "iTunes Metadata Format")
  public var header = FullBoxHeader()
  /// Such as `iTunSMPB`.
  public var value = BoxString.none
  /// No name.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.text("value", &value) }
}

/// Tags of ID3.
public struct ID3v2Box: FullBoxPayload, Equatable {
  public static let info = BoxInfo("ID32", "ID3v2 Box", in: ["meta"], "Carriage of ID3 in MP4, 2.1")
  public var header = FullBoxHeader()
  /// Of ISO 639-2.
  public var language: UInt16 = 0x55c4
  /// A whole tag of ID3, version 2.
  public var id3v2Data: [UInt8] = []
  /// No tags.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.language("language", &language)
    try c.bytes("ID3v2_data", &id3v2Data)
  }
}
