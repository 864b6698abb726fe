import Bytes

/// Conversions for new values of fields.
extension FieldValue {
  /// The bits of a number of any kind, sign-extended.
  var bits: UInt64? {
    if case .float(let value) = self { value.bitPattern } else { number.map { UInt64(bitPattern: $0) } }
  }

  /// The kind of the value, for messages.
  var kind: StaticText {
    switch self {
    case .unsigned, .hexadecimal, .flags, .explained, .seconds: "a number that is not negative"
    case .signed: "a number"
    case .named: "a number, or the name of a value"
    case .date: "a date such as 2024-02-29T12:00:00Z"
    case .fixed, .float: "a decimal number"
    case .code: "four characters"
    case .language: "a three-letter language code in lower case"
    case .text: "text"
    case .bytes: "bytes in hexadecimal digits"
    }
  }

  /// `new` converted to the type of this value; `nil` if that is impossible. Text is parsed.
  func replaced(by new: FieldValue) -> FieldValue? {
    if case .text(let new) = new {
      if case .text(let text) = self { return .text(BoxString(new.bytes, form: text.form)) }
      return parsed(new.description).flatMap { replaced(by: $0) }
    }
    switch self {
    case .text: return nil
    case .bytes: if case .bytes = new { return new } else { return nil }
    case .float:
      if case .float = new { return new }
      return new.decimal.map { .float($0) }
    case .fixed(_, let fractionBits):
      if case .fixed(_, fractionBits) = new { return new }
      guard let decimal = new.decimal else { return nil }
      let raw = (decimal * Double(sign: .plus, exponent: fractionBits, significand: 1)).rounded()
      return Int64(exactly: raw).map { .fixed(raw: $0, fractionBits: fractionBits) }
    case .code: if case .code = new { return new } else { return nil }
    case .language:
      if case .language = new { return new }
      return new.whole.flatMap { UInt16(exactly: $0.bits) }.map { .language($0) }
    case .signed: return new.whole.flatMap { $0.isLarge ? nil : .signed(Int64(bitPattern: $0.bits)) }
    case .named(_, let names): return new.whole.map { .named($0.bits, names) }
    case .unsigned: return new.notNegative.map { .unsigned($0) }
    case .hexadecimal: return new.notNegative.map { .hexadecimal($0) }
    case .flags(_, let names): return new.notNegative.map { .flags($0, names) }
    case .explained(_, let text): return new.notNegative.map { .explained($0, text) }
    case .date: return new.notNegative.map { .date($0) }
    case .seconds(_, let timescale): return new.notNegative.map { .seconds($0, timescale: timescale) }
    }
  }

  /// An integer: its bits, and whether it exceeds the range of a signed integer.
  private var whole: (bits: UInt64, isLarge: Bool)? {
    switch self {
    case .unsigned(let value), .hexadecimal(let value), .date(let value), .flags(let value, _),
      .explained(let value, _):
      (value, value >> 63 == 1)
    case .signed(let value): (UInt64(bitPattern: value), false)
    case .named(let value, _): (value, false)
    case .language(let value): (UInt64(value), false)
    case .fixed, .float, .code, .seconds, .text, .bytes: nil
    }
  }
  private var notNegative: UInt64? {
    if case .signed(let value) = self { return UInt64(exactly: value) }
    return whole?.bits
  }
  private var decimal: Double? {
    switch self {
    case .fixed(let raw, let fractionBits): Double(raw) / Double(sign: .plus, exponent: fractionBits, significand: 1)
    case .float(let value): value
    case .signed(let value): Double(value)
    default: whole.map { Double($0.bits) }
    }
  }

  /// `text` parsed as a value of this kind; `nil` if it is invalid.
  private func parsed(_ text: String) -> FieldValue? {
    switch self {
    case .text: nil
    case .bytes: Self.bytes(text)
    case .code: FourCC(text).map { .code($0) }
    case .language: LanguageCode(text).map { .language($0.rawValue) } ?? Self.integer(text)
    // Parsing makes a number that is too large infinite.
    case .float, .fixed:
      Double(text).flatMap { $0.isInfinite && text.contains(where: \.isNumber) ? nil : FieldValue.float($0) }
    case .named(_, let names): names.value(named: text).map { .named($0, names) } ?? Self.integer(text)
    case .date: Date1904.seconds(text).map { .date($0) } ?? Self.integer(text)
    case .unsigned, .signed, .hexadecimal, .flags, .explained, .seconds: Self.integer(text)
    }
  }

  private static func integer(_ text: String) -> FieldValue? {
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map { .unsigned($0) } }
    return UInt64(text).map { .unsigned($0) } ?? Int64(text).map { .signed($0) }
  }

  private static func bytes(_ text: String) -> FieldValue? {
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: " ") {
      guard let digit = byte.hexadecimalValue else { return nil }
      digits.append(digit)
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    return .bytes(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }[...])
  }

  /// Whether this value of a fixed-point field is only the nearest one to `new`.
  package func isRounded(from new: FieldValue) -> Bool {
    guard case .fixed = self, let own = decimal else { return false }
    let wanted = if case .text(let text) = new { parsed(text.description)?.decimal } else { new.decimal }
    return wanted.map { $0 != own } ?? false
  }

  /// The value of a fixed-point field with all its digits.
  package var exactDecimal: Double? { if case .fixed = self { decimal } else { nil } }

  /// Whether both values have the same bytes in the file.
  package func isStored(as other: FieldValue) -> Bool {
    switch (self, other) {
    // Text of a fixed length is filled with zero bytes.
    case (.text(let a), .text(let b)):
      a.bytes == b.bytes
        || a.form == .unterminated && a.bytes.starts(with: b.bytes)
          && a.bytes.dropFirst(b.bytes.count).allSatisfy { $0 == 0 }
    case (.bytes(let a), .bytes(let b)): a == b
    // A 32-bit field stores the nearest number that it can represent.
    case (.float(let a), .float(let b)):
      a.bitPattern == b.bitPattern || Float(a) == Float(b) && a.isInfinite == b.isInfinite
    default: bits == other.bits && bits != nil
    }
  }
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  /// An integer.
  public init(integerLiteral value: Int64) { self = value < 0 ? .signed(value) : .unsigned(UInt64(value)) }
  /// A decimal number.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Text, or the text form of a value of another type.
  public init(stringLiteral text: String) { self = .text(BoxString(text)) }
}
