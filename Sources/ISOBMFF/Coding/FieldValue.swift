public import MP4Bytes

/// The value of a field, and how to display it.
public enum FieldValue: Sendable, Equatable {
  /// An unsigned number.
  case unsigned(UInt64)
  /// A signed number.
  case signed(Int64)
  /// Bits, flags or codes, displayed in hexadecimal.
  case hexadecimal(UInt64)
  /// An enumerated value; a negative one is sign-extended.
  case named(UInt64, ValueNames)
  /// A combination of flags.
  case flags(UInt64, ValueNames)
  /// A number with an explanation that cannot be listed in advance.
  indirect case explained(UInt64, String)
  /// Seconds since 1904-01-01 00:00 UTC.
  case date(UInt64)
  /// A fixed-point number: `raw` divided by two to the power of `fractionBits`.
  case fixed(raw: Int64, fractionBits: Int)
  /// A floating-point number, possibly infinite or NaN.
  case float(Double)
  /// A four-character code.
  case code(FourCC)
  /// A language: three letters of five bits each, or a QuickTime language code below 0x400.
  case language(UInt16)
  /// A time in units of 1/`timescale` s; the timescale is not 0.
  case seconds(UInt64, timescale: UInt32)
  /// Text as in the file; it need not be valid UTF-8.
  case text(BoxString)
  /// Other bytes. The case is indirect so that all values are small, because they are copied many times.
  indirect case bytes(ArraySlice<UInt8>)

  /// The value of a number of any kind, or `nil` for text, bytes and floating point; a large unsigned one wraps.
  public var number: Int64? {
    switch self {
    case .unsigned(let value), .hexadecimal(let value), .date(let value): Int64(truncatingIfNeeded: value)
    case .named(let value, _), .flags(let value, _), .explained(let value, _): Int64(truncatingIfNeeded: value)
    case .signed(let value): value
    case .seconds(let value, _): Int64(truncatingIfNeeded: value)
    case .fixed(let raw, _): raw
    case .code(let code): Int64(code.rawValue)
    case .language(let value): Int64(value)
    case .float, .text, .bytes: nil
    }
  }
}

extension FieldValue {
  /// A number whose bits are sign-extended.
  init(_ value: UInt64, isSigned: Bool, _ style: NumberStyle) {
    switch style {
    case .decimal: self = isSigned ? .signed(Int64(bitPattern: value)) : .unsigned(value)
    case .hexadecimal: self = .hexadecimal(value)
    case .named(let names): self = .named(value, names)
    case .flags(let names): self = .flags(value, names)
    case .date: self = .date(value)
    case .fixed(let bits): self = .fixed(raw: Int64(bitPattern: value), fractionBits: bits)
    }
  }
}

/// How to display a number.
public enum NumberStyle: Sendable {
  /// As a plain number.
  case decimal
  /// As bits.
  case hexadecimal
  /// As an enumerated value.
  case named(ValueNames)
  /// As a combination of flags.
  case flags(ValueNames)
  /// As seconds since 1904-01-01 00:00 UTC.
  case date
  /// As a fixed-point number with this number of fractional bits.
  case fixed(Int)
}

/// A string with its storage form, so that it is written as it was read.
public struct BoxString: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// How the end of a string is determined.
  public enum Form: Hashable, Sendable {
    /// By a zero byte, as the standard requires.
    case terminated
    /// By the end of the box, without a zero byte.
    case unterminated
    /// By a length byte before it, as in QuickTime.
    case counted
  }
  /// The text, usually UTF-8.
  public var bytes: [UInt8]
  /// How its end is determined.
  public var form: Form

  /// The UTF-8 of `text`, terminated by a zero byte.
  public init(stringLiteral text: String) { self.init(text) }
  /// The UTF-8 of `text`.
  public init(_ text: String, form: Form = .terminated) { self.init(Array(text.utf8), form: form) }
  /// A string of these bytes.
  public init(_ bytes: [UInt8], form: Form = .terminated) {
    self.bytes = bytes
    self.form = form
  }
  /// The text, with invalid UTF-8 replaced.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes in the file, including the length or the zero byte.
  var stored: [UInt8] {
    switch form {
    case .terminated: bytes + [0]
    case .unterminated: bytes
    case .counted: [UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
  }
}

/// Receives the fields of a box in order: the text dump and the JSON dump are sinks.
package protocol FieldSink: AnyObject {
  /// The version and flags of a full box, before all other fields, and the names of the flags.
  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames)
  /// A field. In a table of plain values, the name is empty.
  func field(_ name: StaticText, _ value: FieldValue)
  /// A value that the box does not contain but that follows from it and from other boxes. It is never in a table or
  /// descriptor.
  func derived(_ name: StaticText, _ value: FieldValue)
  /// Begins a table or list of `count` entries. Returns whether its rows are wanted.
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool
  /// Begins a row of the table.
  func beginRow(_ index: Int)
  /// Ends the row.
  func endRow()
  /// A complete row: `beginRow`, `field` for each of its fields, and `endRow`.
  func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)])
  /// Ends the table.
  func endTable()
  /// Begins a descriptor of ISO/IEC 14496-1, whose body has `size` bytes.
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int)
  /// Ends the descriptor.
  func endDescriptor()
}

extension FieldSink {
  /// Shows the row field by field.
  package func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) {
    beginRow(index)
    for (name, value) in fields { field(name, value) }
    endRow()
  }
}
