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

/// Bytes as text, if they are UTF-8 without control characters except white space; `nil` if they are not, or empty.
package func plainText(_ bytes: some Collection<UInt8>) -> String? {
  let text = String(decoding: bytes, as: UTF8.self)
  guard !bytes.isEmpty, text.utf8.elementsEqual(bytes) else { return nil }
  let isPlain = text.unicodeScalars.allSatisfy { scalar in
    scalar.value >= 0x20 && !(0x7f..<0xa0 ~= scalar.value) || [9, 10, 13].contains(scalar.value)
  }
  return isPlain ? text : nil
}

/// Decodes base64 (RFC 4648, 4 and 5) with white space; `nil` if it is not valid.
package func base64Bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
  var (result, buffer, bitCount, isPadded) = ([UInt8](), UInt32(0), 0, false)
  for byte in text {
    let value: UInt8
    switch byte {
    case 9, 10, 13, 32: continue
    case UInt8(ascii: "="):
      isPadded = true
      continue
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte + 4
    case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
    default: return nil
    }
    guard !isPadded else { return nil }
    buffer = buffer << 6 | UInt32(value)
    bitCount += 6
    if bitCount >= 8 {
      bitCount -= 8
      result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bitCount)))
    }
  }
  return result.isEmpty ? nil : result
}
