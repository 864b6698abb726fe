import Bytes
import ISOBMFF

/// The bytes of boxes: 16 per line, with their offset and as text.
extension TextPrinter {
  mutating func beginBytes() { finishFields() }

  mutating func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    var at = bytes.startIndex
    while at < bytes.endIndex {
      let end = min(at + 16, bytes.endIndex)
      print(row: bytes[at..<end], at: offset + at - bytes.startIndex)
      at = end
    }
  }

  private mutating func print(row: ArraySlice<UInt8>, at offset: Int) {
    out.indent(depth + 1)
    out.hex(UInt64(offset), width: 8)
    out.byte(0x20)
    for index in 0..<16 {
      if index % 8 == 0 { out.byte(0x20) }
      if index < row.count { out.hexByte(row[row.startIndex + index]) } else { out.spaces(2) }
      out.byte(0x20)
    }
    out.literal(" |")
    for byte in row { out.byte((0x20..<0x7f).contains(byte) ? byte : 0x2e) }
    out.literal("|")
    out.endLine()
  }

  mutating func endBytes(omitted: Int) {
    guard omitted > 0 else { return }
    out.indent(depth + 1)
    out.literal("... ")
    out.unsigned(UInt64(omitted))
    out.literal(" more bytes")
    out.endLine()
  }
}
