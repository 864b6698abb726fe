public import MP4Bytes

/// Fields that do not fill whole bytes, and reserved fields.
extension FieldCoder {
  /// An unsigned field of `width` bits, at most 56, most significant bit first.
  public mutating func bits<T: FixedWidthInteger>(
    _ name: StaticText, _ value: inout T, _ width: Int, as style: NumberStyle = .decimal
  ) throws(BoxError) {
    let variable = NumberForm(bits: T.bitWidth, isSigned: T.isSigned)
    value = T(truncatingIfNeeded: try codeBits(name, UInt64(truncatingIfNeeded: value), width, of: variable, style))
  }

  /// Codes a number of `width` bits for a variable of the form `variable`. Returns the number that was read, or
  /// `value`.
  @inline(never)
  mutating func codeBits(
    _ name: StaticText, _ value: UInt64, _ width: Int, of variable: NumberForm, _ style: NumberStyle
  ) throws(BoxError) -> UInt64 {
    switch mode {
    case .read:
      let read = variable.extended(try readBits(name, width))
      show(name, FieldValue(read, isSigned: variable.isSigned, style))
      return read
    case .write:
      // A number that would be read back differently does not fit.
      guard variable.extended(value & ((1 << UInt64(width)) - 1)) == value else {
        throw tooWide(name, value, isSigned: variable.isSigned, bits: width)
      }
      writeBits(value, width)
    case .measure: measureBits(width)
    case .describe:
      described.append(
        FieldDescription(name, variable.bits == width && variable.isSigned ? "int" : "uint", bits: width, style))
    case .access: return accessed(name, FieldValue(value, isSigned: variable.isSigned, style), value)
    }
    return value
  }

  /// A 1-bit field.
  public mutating func flag(_ name: StaticText, _ value: inout Bool, as style: NumberStyle = .decimal)
    throws(BoxError)
  {
    var bit: UInt8 = value ? 1 : 0
    try bits(name, &bit, 1, as: style)
    value = bit != 0
  }

  /// Bytes that need not be byte-aligned in the box.
  mutating func bitBytes(_ name: StaticText, _ value: inout [UInt8], count: Int) throws(BoxError) {
    switch mode {
    case .read:
      value = []
      for _ in 0..<count { value.append(UInt8(truncatingIfNeeded: try readBits(name, 8))) }
      show(name, .bytes(value[...]))
    case .write:
      try checkLength(name, value.count, count)
      for byte in value { writeBits(UInt64(byte), 8) }
    case .measure: measureBits(count * 8)
    case .describe: described.append(FieldDescription(name, "bytes", bits: count * 8))
    case .access: accessed(name, &value)
    }
  }

  /// Reserved bits, all zero or all one; other values are kept in `reserved` so that they are written back.
  public mutating func reserved(_ reserved: inout ReservedBits, bits width: Int, ones: Bool = false) throws(BoxError) {
    let expected = ones ? UInt64.max >> UInt64(64 - width) : 0
    try constant("reserved", &reserved, bits: width, expected)
  }

  /// Reserved or predefined zero bytes; other values are kept in `reserved` so that they are written back.
  public mutating func reserved(_ reserved: inout ReservedBits, bytes count: Int) throws(BoxError) {
    var left = count
    while left > 0 {
      let next = min(left, 4)
      try constant("reserved", &reserved, bits: next * 8, 0)
      left -= next
    }
  }

  /// Bits with a value that the standard fixes; other values are kept in `reserved` so that they are written back.
  @inline(never)
  public mutating func constant(
    _ name: StaticText, _ reserved: inout ReservedBits, bits width: Int, _ expected: UInt64
  ) throws(BoxError) {
    let index = reservedCount
    reservedCount += 1
    switch mode {
    case .read:
      let value = try readBits(name, width)
      if value != expected { reserved.deviations.append(ReservedBits.Deviation(index: index, value: value)) }
    case .write: writeBits(reserved.deviations.first { $0.index == index }?.value ?? expected, width)
    case .measure: measureBits(width)
    case .describe: described.append(FieldDescription(name, "bits", bits: width))
    // Fields that the standard fixes cannot be set.
    case .access: break
    }
  }

  /// Reserved bits up to the next byte boundary, if there are any.
  package mutating func fillByte(_ reserved: inout ReservedBits) throws(BoxError) {
    guard pendingCount > 0 else { return }
    try constant("reserved", &reserved, bits: mode == .read ? pendingCount : 8 - pendingCount, 0)
  }

  private mutating func readBits(_ name: StaticText, _ width: Int) throws(BoxError) -> UInt64 {
    while pendingCount < width {
      pendingBits = pendingBits << 8 | UInt64(try reader.integer(name, as: UInt8.self))
      pendingCount += 8
    }
    pendingCount -= width
    let value = pendingBits >> UInt64(pendingCount)
    pendingBits &= (1 << UInt64(pendingCount)) - 1
    return value
  }

  private mutating func writeBits(_ value: UInt64, _ width: Int) {
    pendingBits = pendingBits << UInt64(width) | value & ((1 << UInt64(width)) - 1)
    pendingCount += width
    while pendingCount >= 8 {
      pendingCount -= 8
      writer.integer(UInt8(truncatingIfNeeded: pendingBits >> UInt64(pendingCount)))
    }
    pendingBits &= (1 << UInt64(pendingCount)) - 1
  }

  private mutating func measureBits(_ width: Int) {
    pendingCount += width
    measured += pendingCount / 8
    pendingCount %= 8
  }
}

/// The nonstandard values of the reserved fields of a box.
public struct ReservedBits: Hashable, Sendable {
  struct Deviation: Hashable, Sendable {
    /// The index among the reserved fields of the box, starting at 0.
    var index: Int
    var value: UInt64
  }
  var deviations: [Deviation] = []

  /// Reserved fields with standard values.
  public init() {}
  /// Whether all reserved fields have standard values.
  public var isEmpty: Bool { deviations.isEmpty }
}
