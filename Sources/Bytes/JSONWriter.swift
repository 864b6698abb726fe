/// Writes JSON to a sink: objects, arrays and values, with commas between them.
@usableFromInline
package struct JSONWriter: ~Copyable {
  @usableFromInline
  package var out: TextBuffer
  /// Whether the next value in the current object or array needs a comma.
  @usableFromInline
  package var needsComma = false

  package init(_ output: any ByteSink) { out = TextBuffer(output) }
  /// The error of the output.
  package var failure: IOError? { out.failure }
  /// Ends the last line and flushes the output.
  package mutating func finish() {
    out.byte(0x0a)
    out.drain()
  }

  // MARK: Structure

  package mutating func beginObject() { open(0x7b) }
  package mutating func endObject() { close(0x7d) }
  package mutating func beginArray() { open(0x5b) }
  package mutating func endArray() { close(0x5d) }

  /// Begins the member `name` of the current object.
  @inlinable
  package mutating func key(_ name: StaticText, onNewLine: Bool = false) {
    element(onNewLine: onNewLine)
    out.byte(0x22)
    out.literal(name)
    out.literal("\":")
  }
  package mutating func member(_ name: StaticText, _ text: String) {
    key(name)
    value(text)
  }
  package mutating func member(_ name: StaticText, _ number: Int) {
    key(name)
    value(number)
  }
  /// Begins an element of the current array.
  @inlinable
  package mutating func element(onNewLine: Bool = false) {
    comma()
    if onNewLine { out.byte(0x0a) }
  }
  @inlinable
  package mutating func open(_ bracket: UInt8) {
    out.byte(bracket)
    needsComma = false
  }
  @inlinable
  package mutating func close(_ bracket: UInt8) {
    out.byte(bracket)
    needsComma = true
  }
  @inlinable
  package mutating func comma() {
    if needsComma { out.byte(0x2c) }
    needsComma = true
  }

  // MARK: Values

  package mutating func value(_ text: String) { string(text) }
  package mutating func value(_ number: Int) { out.signed(Int64(number)) }
  package mutating func value(_ number: Int64) { out.signed(number) }
  package mutating func value(_ number: UInt64) { out.unsigned(number) }
  package mutating func value(_ claim: Bool) { if claim { out.literal("true") } else { out.literal("false") } }
  package mutating func null() { out.literal("null") }

  package mutating func code(_ code: FourCC) {
    // Four letters are the most common case.
    var isPlain = true
    for shift: UInt32 in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: code.rawValue >> shift)
      isPlain = isPlain && byte < 0x7f && Self.isPlain(byte)
    }
    guard isPlain else { return string(code.description) }
    out.byte(0x22)
    for shift: UInt32 in [24, 16, 8, 0] { out.byte(UInt8(truncatingIfNeeded: code.rawValue >> shift)) }
    out.byte(0x22)
  }
  package mutating func hex(_ bytes: ArraySlice<UInt8>) {
    out.byte(0x22)
    for byte in bytes { out.hexByte(byte) }
    out.byte(0x22)
  }
  package mutating func string(_ text: String) {
    var text = text
    out.byte(0x22)
    text.withUTF8 { bytes in
      // Nearly all texts are names that need no escaping.
      if unsafe bytes.allSatisfy(Self.isPlain) { return unsafe out.raw(bytes) }
      for i in 0..<bytes.count { unsafe character(bytes[i]) }
    }
    out.byte(0x22)
  }
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x22 && byte != 0x5c && byte != 0x7f
  }
  private mutating func character(_ byte: UInt8) {
    switch byte {
    case 0x22: out.literal("\\\"")
    case 0x5c: out.literal("\\\\")
    case _ where Self.isPlain(byte): out.byte(byte)
    default:
      out.literal("\\u00")
      out.hexByte(byte)
    }
  }
}
