/// Makes text safe to show on a terminal.
///
/// Names come from directories and files of unknown origin: an escape sequence in a name must not move the cursor,
/// clear the screen or change the text direction.
enum Printable {
  /// The bytes as text, with invalid UTF-8 as `\xNN`. ``escaped(_:)`` handles control characters.
  static func text(of bytes: [UInt8]) -> String {
    var result = ""
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var position = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        result.unicodeScalars.append(Unicode.UTF8.decode(encoded))
        position += encoded.count
      case .error(let length):
        for byte in bytes[position..<min(position + length, bytes.count)] { result += "\\x" + hexadecimal(byte) }
        position += length
      case .emptyInput:
        return result
      }
    }
  }

  /// The text with control characters and bidirectional controls escaped.
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: needsEscape) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if !needsEscape(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _ where scalar.value < 0x80: result += "\\x" + hexadecimal(UInt8(truncatingIfNeeded: scalar.value))
        default: result += "\\u{" + String(scalar.value, radix: 16) + "}"
        }
      }
    }
    return result
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: true
    // Direction marks, embeddings, isolates, and line and paragraph separators.
    case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0x061c: true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}
