import MP4Bytes

/// Values in formats that only codec boxes use.
extension FieldCoder {
  /// Text of `count` bytes. Writing throws if the value has another length.
  mutating func text(_ name: StaticText, _ value: inout [UInt8], count: Int? = nil) throws(BoxError) {
    switch mode {
    case .read:
      value = try reader.bytes(name, count: count ?? reader.remaining)
      show(name, .text(BoxString(value, form: .unterminated)))
    case .describe: described.append(FieldDescription(name, "string", bits: count.map { $0 * 8 }))
    case .access:
      var text = BoxString(value, form: .unterminated)
      accessed(name, &text)
      value = text.bytes
    case .write, .measure: try bytes(name, &value, count: count)
    }
  }

  /// A 64-bit floating-point number, stored as its bits. It is shown as a number if it has at most 16 fractional bits.
  mutating func float64(_ name: StaticText, _ bits: inout UInt64) throws(BoxError) {
    if mode == .read { bits = try reader.integer(name) }
    let raw = Int64(exactly: Double(bitPattern: bits) * 65536)
    let value = raw.map { FieldValue.fixed(raw: $0, fractionBits: 16) } ?? .hexadecimal(bits)
    switch mode {
    case .read: show(name, value)
    case .write, .measure, .describe: try uint64(name, &bits)
    case .access:
      switch access?.value(name, value) {
      case .fixed(let raw, _)?: bits = (Double(raw) / 65536).bitPattern
      case let new?: bits = new.bits ?? bits
      case nil: break
      }
    }
  }

  /// A number in groups of seven bits, lowest group first. The top bit of a byte is set if another one follows.
  mutating func leb128(_ name: StaticText, _ value: inout UInt64, _ form: inout LEB128Form) throws(BoxError) {
    switch mode {
    case .read:
      (value, form) = (0, LEB128Form())
      for index in 0..<8 {
        let byte: UInt8 = try reader.integer(name)
        value |= UInt64(byte & 0x7f) << UInt64(7 * index)
        form.byteCount = index + 1
        if byte & 0x80 == 0 { break }
        if index == 7 { form.continues = true }
      }
      show(name, .unsigned(value))
    case .write:
      guard value >> 56 == 0 else { throw tooWide(name, value, isSigned: false, bits: 56) }
      writer.bytes += form.bytes(of: value)
    case .measure: measured += form.bytes(of: value).count
    case .describe: described.append(FieldDescription(name, "uint", bits: nil))
    case .access: value = accessed(name, .unsigned(value), value)
    }
  }
}

/// The encoded length of a LEB128 number of AV1 and IAMF: seven bits per byte, in one to eight bytes.
public struct LEB128Form: Hashable, Sendable {
  /// The number of bytes; more are used if the number needs them. Ignored by comparison.
  public var byteCount = 1
  /// Whether the eighth byte declares that another one follows, which is invalid.
  var continues = false

  /// As few bytes as the number needs.
  public init() {}
  /// Whether both can encode the same number.
  public static func == (a: LEB128Form, b: LEB128Form) -> Bool { a.continues == b.continues }
  /// Hashes the compared properties.
  public func hash(into hasher: inout Hasher) { hasher.combine(continues) }

  /// The bytes in the file.
  func bytes(of number: UInt64) -> [UInt8] {
    var left = number
    var bytes: [UInt8] = []
    repeat {
      bytes.append(UInt8(left & 0x7f) | 0x80)
      left >>= 7
    } while left > 0 || bytes.count < min(byteCount, 8)
    if !continues { bytes[bytes.count - 1] &= 0x7f }
    return bytes
  }
}
