public import MP4Bytes

/// Floating-point fields, and text in less common forms.
extension FieldCoder {
  /// A floating-point number of 32 bits.
  public mutating func float32(_ name: StaticText, _ value: inout Float) throws(BoxError) {
    switch mode {
    case .read:
      value = Float(bitPattern: try reader.integer(name))
      // The shortest digits of the 32-bit number, not those of the nearest 64-bit number.
      show(name, .float(Double(value.description) ?? Double(value)))
    case .write: writer.integer(value.bitPattern)
    case .measure: measured += 4
    case .describe: described.append(FieldDescription(name, "float", bits: 32))
    case .access:
      if case .float(let new)? = access?.value(name, .float(Double(value.description) ?? Double(value))) {
        value = Float(new)
      }
    }
  }

  /// A floating-point number of 64 bits.
  public mutating func float64(_ name: StaticText, _ value: inout Double) throws(BoxError) {
    switch mode {
    case .read:
      value = Double(bitPattern: try reader.integer(name))
      show(name, .float(value))
    case .write: writer.integer(value.bitPattern)
    case .measure: measured += 8
    case .describe: described.append(FieldDescription(name, "float", bits: 64))
    case .access: if case .float(let new)? = access?.value(name, .float(value)) { value = new }
    }
  }

  /// Text of `count` bytes, or of all remaining bytes of the box.
  public mutating func text(_ name: StaticText, _ value: inout BoxString, count: Int? = nil) throws(BoxError) {
    if mode == .read {
      value = BoxString(try reader.bytes(name, count: count ?? reader.remaining), form: .unterminated)
    }
    guard mode != .describe else {
      return described.append(FieldDescription(name, "string", bits: count.flatMap { $0 > 0 ? $0 * 8 : nil }))
    }
    if mode == .measure, let count {
      measured += count
      return
    }
    try checkLength(name, value.stored.count, count)
    let old = value.bytes.count
    codeStored(name, &value)
    // Shorter text is filled with zero bytes.
    if mode == .access, let count, old == count, value.bytes.count < count {
      value.bytes += Array(repeating: 0, count: count - value.bytes.count)
    }
  }

  /// Text preceded by a length byte.
  public mutating func countedString(_ name: StaticText, _ value: inout BoxString) throws(BoxError) {
    if mode == .read {
      let count: UInt8 = try reader.integer(name)
      value = BoxString(try reader.bytes(name, count: Int(count)), form: .counted)
    }
    codeStored(name, &value)
  }

  /// Text up to a zero character or the end of the box, in UTF-8 or, after a byte order mark, in UTF-16.
  package mutating func markedString(_ name: StaticText, _ value: inout BoxString) throws(BoxError) {
    guard mode == .read, peek() == 0xfe, peek(1) == 0xff else {
      let isWide = value.bytes.starts(with: [0xfe, 0xff])
      try string(name, &value)
      // The zero character is among the bytes in UTF-16, and after them in UTF-8.
      if isWide, !value.bytes.starts(with: [0xfe, 0xff]) { value.form = .terminated }
      return
    }
    var count = 2
    while let high = peek(count), let low = peek(count + 1) {
      count += 2
      if high == 0, low == 0 { break }
    }
    try text(name, &value, count: count)
  }
}

extension BoxString {
  /// No text and no terminator.
  static let none = BoxString([], form: .unterminated)
}

/// A floating-point number as a plain row.
extension Float: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// A single unnamed value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.float32("", &self) }
}
