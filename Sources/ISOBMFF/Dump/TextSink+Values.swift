/// Values as text.
extension TextSink {
  func print(_ value: FieldValue, _ format: DumpLabels.Format) {
    let number = value.number ?? 0
    switch (format, value) {
    case (.hex, _): out.hex(UInt64(bitPattern: number))
    case (.raw, _): out.signed(number)
    case (.plus(let more), _): out.signed(number + more)
    case (.whole, .fixed(let raw, let bits)): out.signed(raw >> Int64(bits))
    case (.sixDigits, .fixed(let raw, let bits)): out.sixDigits(raw, fractionBits: bits)
    case (.named(let name), _): if let name = name(number) { out.literal(name) } else { out.signed(number) }
    case (.spacedBytes, .bytes(let bytes)):
      for byte in bytes {
        out.hexByte(byte)
        out.literal(" ")
      }
    default: printPlain(value)
    }
  }
  private func printPlain(_ value: FieldValue) {
    switch value {
    case .unsigned(let number): out.unsigned(number)
    case .signed(let number): out.signed(number)
    case .hexadecimal(let number):
      // mp4dump has hexadecimal fields, but only decimal columns.
      guard tables.isEmpty else { return out.unsigned(number) }
      out.literal("0x")
      out.hex(number)
    case .fixed(let raw, let fractionBits): out.exact(raw, fractionBits: fractionBits)
    case .code(let code): name(of: code)
    case .language(let language): for shift: UInt16 in [10, 5, 0] { out.byte(UInt8(language >> shift & 31) + 0x60) }
    case .text(let text): out.raw(text.bytes)
    case .bytes(let bytes): out.byteList(bytes)
    }
  }
}
