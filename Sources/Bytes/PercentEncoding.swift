/// The encoding of bytes in URLs as `%` and two hexadecimal digits (RFC 3986, 2.1).
package enum PercentEncoding {
  /// The decoded bytes. If `%` is not followed by two digits, the result is `nil`, or such bytes are kept if
  /// `keepsBroken`.
  package static func decoded(_ bytes: ArraySlice<UInt8>, keepsBroken: Bool = false) -> [UInt8]? {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      if let high = rest.first?.hexadecimalValue, let low = rest.dropFirst().first?.hexadecimalValue {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else if keepsBroken {
        result.append(byte)
      } else {
        return nil
      }
    }
    return result
  }

  /// The text with decoded bytes; a text that would become invalid UTF-8 is not changed.
  package static func decoded(_ text: String) -> String {
    guard let bytes = decoded(Array(text.utf8)[...], keepsBroken: true) else { return text }
    let decoded = String(decoding: bytes, as: UTF8.self)
    return decoded.utf8.elementsEqual(bytes) ? decoded : text
  }

  /// The bytes as text; those that are not `allowed` are encoded.
  package static func encoded(_ bytes: some Sequence<UInt8>, allowed: (UInt8) -> Bool) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if allowed(byte) {
        result.append(byte)
      } else {
        result.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
  /// The bytes of a path as a relative reference (RFC 3986, 4.2).
  package static func relativeReference(toPath path: some Sequence<UInt8>) -> String {
    encoded(path) { plainBytes.contains($0) }
  }
  // Excludes the colon, which would end a scheme.
  private static let plainBytes = Set(
    "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&()*+,;=@".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
