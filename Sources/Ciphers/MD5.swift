import MP4Bytes

/// MD5: RFC 1321. It finds accidental changes only, since different data with the same hash can be made.
package struct MD5: BlockHash {
  static let blockSize = 64
  var rest = PartialBlock()
  private var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)
  private let constants = Self.constants

  /// The hash of no bytes.
  package init() {}

  package func digest() -> [UInt8] {
    var last = self
    let blocks = rest.padded(isBigEndian: false)[...]
    last.process(blocks.raw)
    let (a, b, c, d) = last.state
    return [a, b, c, d].flatMap(\.byteSwapped.bigEndianBytes)
  }

  mutating func process(_ blocks: RawSpan) {
    // A copy, because the table would otherwise borrow all of this value.
    let constants = constants
    let table = constants.span
    // Lets the compiler omit bounds checks.
    guard table.count == 64 else { return }
    var at = 0
    while at < blocks.byteCount {
      var (a, b, c, d) = state
      @inline(__always)
      func step(_ a: inout UInt32, _ b: UInt32, _ mixed: UInt32, _ word: Int, _ row: Int, _ shift: UInt32) {
        let sum = a &+ mixed &+ blocks.littleEndian(at: at + 4 * word) &+ table[row]
        a = b &+ sum.rotated(left: shift)
      }
      for i in stride(from: 0, to: 16, by: 4) {
        step(&a, b, Self.choice(b, c, d), i, i, 7)
        step(&d, a, Self.choice(a, b, c), i + 1, i + 1, 12)
        step(&c, d, Self.choice(d, a, b), i + 2, i + 2, 17)
        step(&b, c, Self.choice(c, d, a), i + 3, i + 3, 22)
      }
      for i in stride(from: 0, to: 16, by: 4) {
        step(&a, b, Self.otherChoice(b, c, d), (5 * i + 1) & 15, 16 + i, 5)
        step(&d, a, Self.otherChoice(a, b, c), (5 * i + 6) & 15, 16 + i + 1, 9)
        step(&c, d, Self.otherChoice(d, a, b), (5 * i + 11) & 15, 16 + i + 2, 14)
        step(&b, c, Self.otherChoice(c, d, a), (5 * i + 16) & 15, 16 + i + 3, 20)
      }
      for i in stride(from: 0, to: 16, by: 4) {
        step(&a, b, Self.parity(b, c, d), (3 * i + 5) & 15, 32 + i, 4)
        step(&d, a, Self.parity(a, b, c), (3 * i + 8) & 15, 32 + i + 1, 11)
        step(&c, d, Self.parity(d, a, b), (3 * i + 11) & 15, 32 + i + 2, 16)
        step(&b, c, Self.parity(c, d, a), (3 * i + 14) & 15, 32 + i + 3, 23)
      }
      for i in stride(from: 0, to: 16, by: 4) {
        step(&a, b, Self.mix(b, c, d), (7 * i) & 15, 48 + i, 6)
        step(&d, a, Self.mix(a, b, c), (7 * i + 7) & 15, 48 + i + 1, 10)
        step(&c, d, Self.mix(d, a, b), (7 * i + 14) & 15, 48 + i + 2, 15)
        step(&b, c, Self.mix(c, d, a), (7 * i + 21) & 15, 48 + i + 3, 21)
      }
      state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
      at += Self.blockSize
    }
  }

  // The functions F, G, H and I.
  @inline(__always) private static func choice(_ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 { d ^ (b & (c ^ d)) }
  @inline(__always)
  private static func otherChoice(_ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 { (d & b) &+ (~d & c) }
  @inline(__always) private static func parity(_ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 { b ^ c ^ d }
  @inline(__always) private static func mix(_ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 { c ^ (b | ~d) }

  /// 2^32 times the absolute values of the sines of 1 to 64.
  private static let constants: [UInt32] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
  ]
}
