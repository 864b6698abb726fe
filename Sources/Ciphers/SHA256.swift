import MP4Bytes

/// SHA-256: FIPS 180-4.
package struct SHA256: BlockHash {
  static let blockSize = 64
  var rest = PartialBlock()
  private var state: State = (
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
  )
  private let constants = Self.constants

  private typealias State = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

  /// The hash of no bytes.
  package init() {}

  package func digest() -> [UInt8] {
    var last = self
    let blocks = rest.padded(isBigEndian: true)[...]
    last.process(blocks.raw)
    let (a, b, c, d, e, f, g, h) = last.state
    return [a, b, c, d, e, f, g, h].flatMap(\.bigEndianBytes)
  }

  mutating func process(_ blocks: RawSpan) {
    // A copy, because the table would otherwise borrow all of this value.
    let constants = constants
    let table = constants.span
    // Lets the compiler omit bounds checks.
    guard table.count == 64 else { return }
    var at = 0
    while at < blocks.byteCount {
      @inline(__always) func word(_ index: Int) -> UInt32 { blocks.bigEndian(at: at + 4 * index) ?? 0 }
      var (w0, w1, w2, w3) = (
        word(0), word(1), word(2), word(3)
      )
      var (w4, w5, w6, w7) = (
        word(4), word(5), word(6), word(7)
      )
      var (w8, w9, w10, w11) = (
        word(8), word(9), word(10), word(11)
      )
      var (w12, w13, w14, w15) = (
        word(12), word(13), word(14), word(15)
      )
      var (a, b, c, d, e, f, g, h) = state
      var row = 0
      // The words of the message schedule stay in registers.
      while true {
        Self.round(a, b, c, &d, e, f, g, &h, w0 &+ table[row + 0])
        Self.round(h, a, b, &c, d, e, f, &g, w1 &+ table[row + 1])
        Self.round(g, h, a, &b, c, d, e, &f, w2 &+ table[row + 2])
        Self.round(f, g, h, &a, b, c, d, &e, w3 &+ table[row + 3])
        Self.round(e, f, g, &h, a, b, c, &d, w4 &+ table[row + 4])
        Self.round(d, e, f, &g, h, a, b, &c, w5 &+ table[row + 5])
        Self.round(c, d, e, &f, g, h, a, &b, w6 &+ table[row + 6])
        Self.round(b, c, d, &e, f, g, h, &a, w7 &+ table[row + 7])
        Self.round(a, b, c, &d, e, f, g, &h, w8 &+ table[row + 8])
        Self.round(h, a, b, &c, d, e, f, &g, w9 &+ table[row + 9])
        Self.round(g, h, a, &b, c, d, e, &f, w10 &+ table[row + 10])
        Self.round(f, g, h, &a, b, c, d, &e, w11 &+ table[row + 11])
        Self.round(e, f, g, &h, a, b, c, &d, w12 &+ table[row + 12])
        Self.round(d, e, f, &g, h, a, b, &c, w13 &+ table[row + 13])
        Self.round(c, d, e, &f, g, h, a, &b, w14 &+ table[row + 14])
        Self.round(b, c, d, &e, f, g, h, &a, w15 &+ table[row + 15])
        row += 16
        if row == 64 { break }
        w0 = Self.extended(w0, w1, w9, w14)
        w1 = Self.extended(w1, w2, w10, w15)
        w2 = Self.extended(w2, w3, w11, w0)
        w3 = Self.extended(w3, w4, w12, w1)
        w4 = Self.extended(w4, w5, w13, w2)
        w5 = Self.extended(w5, w6, w14, w3)
        w6 = Self.extended(w6, w7, w15, w4)
        w7 = Self.extended(w7, w8, w0, w5)
        w8 = Self.extended(w8, w9, w1, w6)
        w9 = Self.extended(w9, w10, w2, w7)
        w10 = Self.extended(w10, w11, w3, w8)
        w11 = Self.extended(w11, w12, w4, w9)
        w12 = Self.extended(w12, w13, w5, w10)
        w13 = Self.extended(w13, w14, w6, w11)
        w14 = Self.extended(w14, w15, w7, w12)
        w15 = Self.extended(w15, w0, w8, w13)
      }
      state = (
        state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f, state.6 &+ g, state.7 &+ h
      )
      at += Self.blockSize
    }
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
    _ word: UInt32
  ) {
    let choice = g ^ (e & (f ^ g))
    let majority = (a & b) | (c & (a | b))
    let sum = h &+ (e.rotated(left: 26) ^ e.rotated(left: 21) ^ e.rotated(left: 7)) &+ choice &+ word
    d = d &+ sum
    h = sum &+ (a.rotated(left: 30) ^ a.rotated(left: 19) ^ a.rotated(left: 10)) &+ majority
  }

  /// The word 16 places after the first one.
  @inline(__always)
  private static func extended(_ w0: UInt32, _ w1: UInt32, _ w9: UInt32, _ w14: UInt32) -> UInt32 {
    w0 &+ (w1.rotated(left: 25) ^ w1.rotated(left: 14) ^ w1 &>> 3) &+ w9
      &+ (w14.rotated(left: 15) ^ w14.rotated(left: 13) ^ w14 &>> 10)
  }

  /// The fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
