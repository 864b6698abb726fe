import MP4Bytes

/// XXH64 with the seed 0: xxHash fast digest algorithm, 0.2.0. It is fast and finds accidental changes only.
package struct XXH64: BlockHash {
  static let blockSize = 32
  var rest = PartialBlock()
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    prime1 &+ prime2, prime2, 0, 0 &- prime1
  )

  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  /// The hash of no bytes.
  package init() {}

  mutating func process(_ blocks: RawSpan) {
    var (a, b, c, d) = lanes
    var at = 0
    while at < blocks.byteCount {
      a = Self.round(a, blocks.littleEndian(at: at))
      b = Self.round(b, blocks.littleEndian(at: at + 8))
      c = Self.round(c, blocks.littleEndian(at: at + 16))
      d = Self.round(d, blocks.littleEndian(at: at + 24))
      at += Self.blockSize
    }
    lanes = (a, b, c, d)
  }

  /// The bytes of the number, the most significant one first.
  package func digest() -> [UInt8] {
    var hash = Self.prime5
    if rest.total >= UInt64(Self.blockSize) {
      let (a, b, c, d) = lanes
      hash = a.rotated(left: 1) &+ b.rotated(left: 7) &+ c.rotated(left: 12) &+ d.rotated(left: 18)
      for lane in [a, b, c, d] { hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4 }
    }
    hash = hash &+ rest.total
    let last = rest.bytes[...]
    let bytes = last.raw
    var at = 0
    while at + 8 <= bytes.byteCount {
      hash = (hash ^ Self.round(0, bytes.littleEndian(at: at))).rotated(left: 27) &* Self.prime1 &+ Self.prime4
      at += 8
    }
    if at + 4 <= bytes.byteCount {
      let word = UInt64(bytes.littleEndian(at: at, as: UInt32.self))
      hash = (hash ^ word &* Self.prime1).rotated(left: 23) &* Self.prime2 &+ Self.prime3
      at += 4
    }
    while at < bytes.byteCount {
      let byte = UInt64(bytes.littleEndian(at: at, as: UInt8.self))
      hash = (hash ^ byte &* Self.prime5).rotated(left: 11) &* Self.prime1
      at += 1
    }
    hash = (hash ^ hash &>> 33) &* Self.prime2
    hash = (hash ^ hash &>> 29) &* Self.prime3
    return (hash ^ hash &>> 32).bigEndianBytes
  }

  @inline(__always) private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    (lane &+ word &* prime2).rotated(left: 31) &* prime1
  }
}
