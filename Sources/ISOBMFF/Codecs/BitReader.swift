/// Reads bits of what an encoder wrote for decoders, the most significant first.
///
/// Nothing vouches for these bytes, and a value may decide what follows. So a read past the end gives 0 and is
/// remembered: the reader asks once, at the end, whether all of it was there.
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read so far.
  private(set) var position = 0
  /// Whether more was read than there is, or a number that no decoder takes.
  private(set) var isBroken = false

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Reads a NAL unit after its header of `headerSize` bytes, without the bytes that only keep start codes out of it:
  /// ISO/IEC 14496-10, 7.4.1.
  init(nalUnit: ArraySlice<UInt8>, headerSize: Int) {
    var plain: [UInt8] = []
    var zeroCount = 0
    for byte in nalUnit.dropFirst(headerSize) {
      if zeroCount >= 2, byte == 3 {
        zeroCount = 0
        continue
      }
      zeroCount = byte == 0 ? zeroCount + 1 : 0
      plain.append(byte)
    }
    bytes = plain[...]
  }

  /// How many bits are left.
  var bitsLeft: Int { max(0, bytes.count * 8 - position) }
  /// The bytes from the next whole one on.
  var rest: ArraySlice<UInt8> { bytes.dropFirst((position + 7) / 8) }

  /// An unsigned number of `count` bits, at most 32.
  mutating func bits(_ count: Int) -> Int {
    guard count <= bitsLeft else {
      isBroken = true
      position = bytes.count * 8
      return 0
    }
    var value = 0
    for at in position..<position + count {
      value = value << 1 | Int(bytes[bytes.startIndex + at >> 3] >> UInt8(7 - at & 7) & 1)
    }
    position += count
    return value
  }

  mutating func flag() -> Bool { bits(1) == 1 }

  mutating func skip(_ count: Int) {
    if count > bitsLeft { isBroken = true }
    position += min(max(0, count), bitsLeft)
  }

  /// Goes on to the next whole byte.
  mutating func align() { skip((8 - position % 8) % 8) }

  /// An unsigned number of an Exp-Golomb code, `ue(v)`: ISO/IEC 14496-10, 9.1.
  mutating func golomb() -> Int {
    var zeroCount = 0
    while !isBroken, bits(1) == 0 {
      zeroCount += 1
      if zeroCount > 32 { isBroken = true }
    }
    return isBroken ? 0 : 1 << zeroCount - 1 + bits(zeroCount)
  }

  /// A signed number of an Exp-Golomb code, `se(v)`.
  mutating func signedGolomb() -> Int {
    let code = golomb()
    return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
  }

  /// As many Exp-Golomb codes, of no interest.
  mutating func skipGolombs(_ count: Int) { for _ in 0..<count where !isBroken { _ = golomb() } }

  /// A count of what comes next, which is more than `limit` in no stream.
  mutating func count(_ limit: Int) -> Int {
    let value = golomb()
    if value > limit { isBroken = true }
    return isBroken ? 0 : value
  }

  /// A number in groups of seven bits, the lowest group first: AV1 4.10.5.
  mutating func leb128() -> Int {
    var value = 0
    for index in 0..<8 {
      let byte = bits(8)
      value |= (byte & 0x7f) << (7 * index)
      if byte & 0x80 == 0 { return value }
    }
    isBroken = true
    return 0
  }

  /// As many bytes, from a whole byte on.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bitsLeft / 8 else {
      isBroken = true
      return []
    }
    let result = rest.prefix(count)
    skip(count * 8)
    return result
  }
}
