/// Reads numbers and bytes of a payload, most significant bit first. After the end, all numbers are 0.
struct PayloadReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read.
  private var position = 0
  /// Whether more was read than the payload has.
  private(set) var isPastEnd = false

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The number of whole bytes that remain.
  var byteCount: Int { (bytes.count &* 8 &- position) / 8 }

  /// Reads a number of at most 64 bits.
  mutating func bits(_ count: Int) -> UInt64 {
    guard count <= bytes.count &* 8 &- position else {
      isPastEnd = true
      position = bytes.count &* 8
      return 0
    }
    var value: UInt64 = 0
    for at in position..<(position + count) {
      value = value << 1 | UInt64(bytes[bytes.startIndex + at >> 3] >> UInt8(7 - at & 7) & 1)
    }
    position += count
    return value
  }
  mutating func flag() -> Bool { bits(1) == 1 }
  mutating func skip(_ count: Int) { _ = bits(count) }

  /// Reads the next bytes, or the remaining ones; only at a byte boundary.
  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    if count > byteCount { isPastEnd = true }
    let taken = bytes.dropFirst(position / 8).prefix(max(0, count))
    position += taken.count * 8
    return taken
  }
}

/// Bytes as text, if they are UTF-8 without control characters except white space; `nil` if they are not, or empty.
func plainText(_ bytes: some Collection<UInt8>) -> String? {
  let text = String(decoding: bytes, as: UTF8.self)
  guard !bytes.isEmpty, text.utf8.elementsEqual(bytes) else { return nil }
  let isPlain = text.unicodeScalars.allSatisfy { scalar in
    scalar.value >= 0x20 && !(0x7f..<0xa0 ~= scalar.value) || [9, 10, 13].contains(scalar.value)
  }
  return isPlain ? text : nil
}

/// Decodes base64 (RFC 4648, 4 and 5) with white space; `nil` if it is not valid.
func base64Bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
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
