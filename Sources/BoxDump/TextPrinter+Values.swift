import ISOBMFF
import MP4Bytes

/// Values as text.
extension TextPrinter {
  mutating func print(_ value: FieldValue, _ format: DumpLabels.Format) {
    let number = value.number ?? 0
    switch (format, value) {
    case (.plain, _): printPlain(value)
    case (.hex, _): out.hex(UInt64(bitPattern: number))
    case (.raw, _): out.signed(number)
    case (.plus(let more), _): out.signed(number &+ more)
    case (.times(let factor), _): out.signed(number &* factor)
    case (.terminated, .text(let text)): visible(text.bytes.prefix { $0 != 0 })
    case (.lines, .text(let text)): for byte in text.bytes { if byte == 0 { out.endLine() } else { visible(byte) } }
    case (.whole, .fixed(let raw, let bits)): out.signed(raw >> Int64(bits))
    // mp4dump stores these as numbers with 24 significant bits.
    case (.sixDigits, .fixed(let raw, let bits)):
      out.sixDigits(Int64(exactly: Float(raw)) ?? raw, fractionBits: bits)
    case (.named(let names), _):
      if let name = names.name(of: number) { out.literal(name) } else { out.signed(number) }
    case (.spacedBytes, .bytes(let bytes)):
      for byte in bytes {
        out.hexByte(byte)
        out.literal(" ")
      }
    case (.whole, _), (.sixDigits, _), (.spacedBytes, _), (.lines, _), (.terminated, _): printPlain(value)
    }
  }

  mutating func printPlain(_ value: FieldValue) {
    switch value {
    case .unsigned(let number): out.unsigned(number)
    case .signed(let number): out.signed(number)
    case .named(let number, _): out.signed(Int64(bitPattern: number))
    case .explained(let number, _), .date(let number): out.unsigned(number)
    case .hexadecimal(let number), .flags(let number, _):
      // mp4dump has hexadecimal fields but only decimal columns.
      guard tableCount == 0 || verbosity >= 3 else { return out.unsigned(number) }
      out.literal("0x")
      out.hex(number)
    case .fixed(let raw, let fractionBits): out.exact(raw, fractionBits: fractionBits)
    case .float(let number): out.text(number.description)
    case .seconds(let value, let timescale): out.seconds(value, timescale: timescale)
    case .code(let code): print(code)
    case .language(let language): print(language: language)
    case .text(let text): visible(text.bytes[...])
    case .bytes(let bytes): out.byteList(bytes)
    }
  }

  /// At verbosity 3, prints the meaning of a number after it.
  @inline(__always) mutating func printMeaning(_ value: FieldValue) { if verbosity >= 3 { printAnyMeaning(value) } }

  /// Prints the meaning of a field after it. If mp4dump prints the name, the number follows, and the other way around.
  mutating func printMeaning(_ value: FieldValue, _ format: DumpLabels.Format) {
    guard verbosity >= 3 else { return }
    switch (format, value) {
    case (.raw, .code(let code)), (.hex, .code(let code)):
      out.literal(" (")
      print(code)
      out.literal(")")
    case (.named(let names), .named(let number, _)) where names.name(of: Int64(bitPattern: number)) != nil:
      out.literal(" (")
      out.unsigned(number)
      out.literal(")")
    default: printAnyMeaning(value)
    }
  }

  private mutating func printAnyMeaning(_ value: FieldValue) {
    let text: String?
    switch value {
    case .named(let number, let names): text = names.name(of: number)
    case .explained(_, let meaning): text = meaning
    case .language(let number): text = QuickTimeLanguage(number)?.name
    case .flags(let number, let names):
      let set = meanings.names(of: number, names)
      text = set.isEmpty ? nil : set.joined(separator: ", ")
    case .date(let seconds): text = Date1904.text(seconds)
    default: text = nil
    }
    guard let text else { return }
    out.literal(" (")
    out.text(text)
    out.literal(")")
  }

  /// Prints a byte of text; control characters become a period.
  private mutating func visible(_ byte: UInt8) { out.byte(byte < 0x20 || byte == 0x7f ? 0x2e : byte) }

  /// Prints text, usually UTF-8, in which C1 control characters take two bytes.
  private mutating func visible(_ text: ArraySlice<UInt8>) {
    var isBehindC2 = false
    for byte in text {
      let isControl = isBehindC2 && (0x80..<0xa0).contains(byte)
      if isBehindC2, !isControl { out.byte(0xc2) }
      isBehindC2 = byte == 0xc2
      if isControl { out.byte(0x2e) } else if !isBehindC2 { visible(byte) }
    }
    if isBehindC2 { out.byte(0xc2) }
  }

  /// Prints a code up to a zero byte, as mp4dump does; an empty code, as in some files, prints nothing.
  private mutating func print(_ code: FourCC) {
    for shift: UInt32 in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: code.rawValue >> shift)
      if byte == 0 { return }
      visible(byte)
    }
  }
  /// Prints the type of a box; bytes that are not ASCII become a period.
  mutating func printType(_ type: FourCC) {
    let code = type.rawValue
    // Tests all four bytes at once.
    if (code | code &- 0x2020_2020 | code &+ 0x0101_0101) & 0x8080_8080 == 0 { return out.letters(code) }
    for shift: UInt32 in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: type.rawValue >> shift)
      out.byte((0x20..<0x7f).contains(byte) ? byte : 0x2e)
    }
  }
  /// Prints the type in mp4dump's grouping and letter case.
  mutating func print(_ userType: UserType) {
    for (i, byte) in userType.bytes.enumerated() {
      if [6, 8, 10, 12].contains(i) { out.literal("-") }
      for digit in [byte >> 4, byte & 15] { out.byte(digit < 10 ? 48 + digit : 55 + digit) }
    }
  }
  private mutating func print(language: UInt16) {
    // QuickTime's code for an unspecified language.
    guard language != 0x7fff else { return out.literal("und") }
    // mp4dump also prints the other QuickTime codes as letters.
    if language < QuickTimeLanguage.limit, labels == nil || verbosity >= 3 { return out.unsigned(UInt64(language)) }
    for shift: UInt16 in [10, 5, 0] { visible(UInt8(language >> shift & 31) + 0x60) }
  }
}
