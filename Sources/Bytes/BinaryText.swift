/// Bytes as hexadecimal digits.
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
  var digits: [UInt8] = []
  for byte in bytes {
    for digit in [byte >> 4, byte & 15] { digits.append(digit < 10 ? 48 + digit : 87 + digit) }
  }
  return String(decoding: digits, as: UTF8.self)
}

/// Bytes in base64: RFC 4648, 4.
package func base64Text(_ bytes: [UInt8]) -> String {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let part = bytes[start..<min(start + 3, bytes.count)]
    let word = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
    for index in 0..<4 { text.append(index <= part.count ? letters[word >> (18 - 6 * index) & 63] : "=") }
  }
  return text
}

/// UUIDs as text.
package enum UUIDText {
  /// 16 bytes as groups of hexadecimal digits: RFC 9562, 4.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hexText(bytes[$0.clamped(to: bytes.indices)]) }
      .joined(separator: "-")
  }
}
