/// The bytes of `value`, most significant first, as in every field of the format.
public func big<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  // A concrete type: generic numbers take eight times as long in a debug build.
  var rest = UInt64(truncatingIfNeeded: value)
  var bytes = zeros(MemoryLayout<Value>.size)
  var index = bytes.count
  while index > 0 {
    index -= 1
    bytes[index] = UInt8(truncatingIfNeeded: rest)
    rest >>= 8
  }
  return bytes
}

/// The bytes of `text`, for four-character types and unterminated strings.
public func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

/// `count` bytes, each returned by `byte`. `map` takes several times as long in a debug build.
public func bytes(_ count: Int, _ byte: (Int) -> UInt8) -> [UInt8] {
  var bytes = zeros(count)
  var index = 0
  while index < count {
    bytes[index] = byte(index)
    index += 1
  }
  return bytes
}

/// `count` zeros, for reserved fields.
public func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

/// A box with a 32-bit size.
public func box(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
  let payload = payload.flatMap { $0 }
  return big(UInt32(payload.count + 8)) + ascii(type) + payload
}

/// A box with a 64-bit size, even if it is small.
public func largeBox(_ type: String, _ payload: [UInt8]) -> [UInt8] {
  big(UInt32(1)) + ascii(type) + big(UInt64(payload.count + 16)) + payload
}

/// A box with version and flags.
public func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ payload: [UInt8]...) -> [UInt8] {
  box(type, big(UInt32(version) << 24 | flags), payload.flatMap { $0 })
}

/// The bytes as lines of sixteen with their offsets, for failure messages.
public func hexDump(_ bytes: some Sequence<UInt8>) -> String {
  let bytes = Array(bytes)
  let lines = stride(from: 0, to: bytes.count, by: 16).map { start in
    let row = bytes[start..<min(start + 16, bytes.count)]
    let letters = row.map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    let hex = row.map(hexadecimal).joined(separator: " ")
    let offset = big(UInt32(start)).map(hexadecimal).joined()
    return offset + "  " + hex + String(repeating: " ", count: 48 - hex.count) + " " + letters
  }
  return lines.joined(separator: "\n")
}

/// The two digits of a byte.
func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
