import MP4Bytes

/// Finds a field by its path, and optionally sets its value.
final class FieldAccess {
  private let path: [UInt8]
  /// The position in the path where the name of the next field starts.
  private var at = 0
  private let new: FieldValue?
  /// The current value of the field.
  private(set) var found: FieldValue?
  /// The new value of the field, converted to its kind.
  private(set) var given: FieldValue?
  /// The problem with the path or the new value.
  private(set) var problem: FieldError.Problem?

  init(_ path: String, _ new: FieldValue? = nil) { (self.path, self.new) = (Array(path.utf8), new) }

  /// Whether the path refers to the field `name`.
  func isAt(_ name: StaticText) -> Bool { found == nil && hasNext(name) && at + name.count == path.count }
  /// Whether the field `name` has no value yet and is given one.
  func adds(_ name: StaticText) -> Bool { new != nil && isAt(name) }

  /// The new value of the field `name`, whose value is `value`; `nil` if the path refers to another field, or the value
  /// does not change.
  func value(_ name: StaticText, _ value: FieldValue) -> FieldValue? {
    guard isAt(name) else { return nil }
    found = value
    guard let new else { return nil }
    given = value.replaced(by: new)
    if given == nil { problem = .unsuitable(value.kind) }
    return given?.isStored(as: value) == true ? nil : given
  }

  /// Enters a row of the table `name` if the field is in it. Row numbers in a path start at 1.
  func enterRow(of name: StaticText, count: Int) -> Int? {
    guard found == nil, problem == nil, hasNext(name) else { return nil }
    guard let (index, next) = number(from: at + name.count) else { return nil }
    guard next == path.count || path[next] == UInt8(ascii: ".") else { return nil }
    guard (1...max(1, count)).contains(index), count > 0 else {
      problem = .noRow(count: count)
      return nil
    }
    at = next == path.count ? next : next + 1
    return index - 1
  }
  /// Enters the structure `name`, which is number `index` of those with that name, if the field is in it.
  func enter(_ name: StaticText, _ index: Int = 1) -> Bool {
    guard found == nil, hasNext(name) else { return false }
    var (wanted, next) = (1, at + name.count)
    if let number = number(from: next) { (wanted, next) = number }
    guard wanted == index, next < path.count, path[next] == UInt8(ascii: ".") else { return false }
    at = next + 1
    return true
  }
  /// The position in the path, which is restored after a row.
  var place: Int {
    get { at }
    set { at = newValue }
  }

  private func hasNext(_ name: StaticText) -> Bool {
    guard path.count - at >= name.count else { return false }
    return (0..<name.count).allSatisfy { path[at + $0] == name[$0] }
  }

  /// A number in brackets, and the position in the path after it.
  private func number(from start: Int) -> (Int, next: Int)? {
    guard start < path.count, path[start] == UInt8(ascii: "[") else { return nil }
    guard let end = path[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    guard let number = Int(String(decoding: path[(start + 1)..<end], as: UTF8.self)) else { return nil }
    return (number, end + 1)
  }
}

extension FieldCoder {
  /// A coder that accesses a field.
  @_lifetime(immortal)
  init(_ access: FieldAccess, context: BoxContext) {
    self.init(.access, context: context)
    self.access = access
  }

  /// The new bits of a number if it is the field that is accessed, otherwise `bits`.
  func accessed(_ name: StaticText, _ value: FieldValue, _ bits: UInt64) -> UInt64 {
    access?.value(name, value)?.bits ?? bits
  }
  func accessed(_ name: StaticText, _ value: inout [UInt8]) {
    if case .bytes(let bytes)? = access?.value(name, .bytes(value[...])) { value = Array(bytes) }
  }
  func accessed(_ name: StaticText, _ value: inout BoxString) {
    if case .text(let text)? = access?.value(name, .text(value)) { value = text }
  }
}

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
