/// Reads bits of decoder data, the most significant bit first.
///
/// The data can be damaged, and a value can determine what follows. A read past the end therefore returns 0 and is
/// recorded, and the caller checks `isBroken` once at the end.
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read so far.
  private(set) var position = 0
  /// Whether a read went past the end, or a number is too large for any decoder.
  private(set) var isBroken = false

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Reads a NAL unit after its header of `headerSize` bytes, without the emulation prevention bytes.
  init(nalUnit: ArraySlice<UInt8>, headerSize: Int) {
    bytes = EmulationPrevention.removed(from: nalUnit.dropFirst(headerSize)).plain
  }

  /// The number of remaining bits.
  var bitsLeft: Int { max(0, bytes.count * 8 - position) }
  /// Whether data precedes the trailing bits of a NAL unit, `more_rbsp_data()`.
  var hasMoreData: Bool {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return false }
    return position < (last - bytes.startIndex) * 8 + 7 - bytes[last].trailingZeroBitCount
  }
  /// The remaining bytes, from the next byte boundary on.
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

  /// Skips to the next byte boundary.
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

  /// Skips `count` Exp-Golomb codes.
  mutating func skipGolombs(_ count: Int) { for _ in 0..<count where !isBroken { _ = golomb() } }

  /// A count of elements that follow. A count above `limit` is an error.
  mutating func count(_ limit: Int) -> Int {
    let value = golomb()
    if value > limit { isBroken = true }
    return isBroken ? 0 : value
  }

  /// A number in groups of seven bits, lowest group first: AV1, 4.10.5.
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

  /// Records an impossible value.
  mutating func require(_ isValid: Bool) { if !isValid { isBroken = true } }

  /// `count` bytes from the next byte boundary on.
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
