import ISOBMFF

/// An AC-3 frame without mantissas: ETSI TS 102 366, 4.3.
struct AC3Silence {
  let bytes: [UInt8]

  /// A frame for this configuration; `nil` if a value is reserved.
  init?(_ box: AC3SpecificBox) {
    guard let rate = box.kilobitsPerSecond.map(Int.init), box.fscod < 3, box.bsid <= 8 else { return nil }
    // The size in 16-bit words: table 4.13.
    let words = [rate * 2, rate * 1000 * 1536 / 44_100 / 16, rate * 3][Int(box.fscod)]
    var bits = BitString()
    bits.append(0x0b77, 16)
    bits.append(0, 16)
    bits.append(Int(box.fscod), 2)
    bits.append(Int(box.bitRateCode) * 2, 6)
    let channels = [2, 1, 2, 3, 3, 4, 4, 5][Int(box.acmod & 7)]
    Self.appendInformation(box, to: &bits)
    for block in 0..<6 { Self.appendBlock(isFirst: block == 0, box, channels, to: &bits) }
    guard bits.count <= words * 16 - 18 else { return nil }
    while bits.count < words * 16 { bits.append(0, 8 - bits.count % 8) }
    var bytes = bits.bytes
    // The first check word is for the first five eighths of the frame, the second one for the rest.
    let middle = (words / 2 + words / 8) * 2
    let first = Self.checkWord(before: bytes[4..<middle])
    (bytes[2], bytes[3]) = (UInt8(first >> 8), UInt8(first & 0xff))
    let second = Checksums.crc16(bytes[middle..<(bytes.count - 2)])
    (bytes[bytes.count - 2], bytes[bytes.count - 1]) = (UInt8(second >> 8), UInt8(second & 0xff))
    self.bytes = bytes
  }

  /// The bit stream information, 4.3.2.
  private static func appendInformation(_ box: AC3SpecificBox, to bits: inout BitString) {
    bits.append(Int(box.bsid), 5)
    bits.append(Int(box.bsmod), 3)
    bits.append(Int(box.acmod), 3)
    // `cmixlev`, `surmixlev`, `dsurmod`
    if box.acmod & 1 != 0, box.acmod != 1 { bits.append(0, 2) }
    if box.acmod & 4 != 0 { bits.append(0, 2) }
    if box.acmod == 2 { bits.append(0, 2) }
    bits.append(box.lfeon ? 1 : 0, 1)
    for _ in 0..<(box.acmod == 0 ? 2 : 1) {
      bits.append(31, 5)
      bits.append(0, 3)
    }
    // `copyrightb` to `addbsie`
    bits.append(0, 5)
  }

  /// An audio block, 4.3.3: the first one has exponents and a signal-to-noise ratio that allocates no bits.
  private static func appendBlock(isFirst: Bool, _ box: AC3SpecificBox, _ channels: Int, to bits: inout BitString) {
    // `blksw` and `dithflag`, without which missing mantissas are 0; `dynrnge`
    bits.append(0, channels * 2 + (box.acmod == 0 ? 2 : 1))
    // `cplstre`, `cplinu`
    if isFirst { bits.append(0b10, 2) } else { bits.append(0, 1) }
    // `rematstr`, `rematflg`
    if box.acmod == 2 { isFirst ? bits.append(0b10000, 5) : bits.append(0, 1) }
    guard isFirst else {
      // `chexpstr`, `lfeexpstr`: the exponents are reused; `baie`, `snroffste`, `deltbaie`, `skiple`
      return bits.append(0, channels * 2 + (box.lfeon ? 1 : 0) + 4)
    }
    for _ in 0..<channels { bits.append(3, 2) }
    if box.lfeon { bits.append(1, 1) }
    // `chbwcod`: 73 mantissas, with exponents in 6 groups
    for _ in 0..<channels { bits.append(0, 6) }
    for _ in 0..<channels {
      bits.append(15, 4)
      for _ in 0..<6 { bits.append(62, 7) }
      // `gainrng`
      bits.append(0, 2)
    }
    if box.lfeon {
      bits.append(15, 4)
      for _ in 0..<2 { bits.append(62, 7) }
    }
    // `baie` and its parameters
    bits.append(1, 1)
    bits.append(0, 11)
    // `snroffste`, `csnroffst`, and `fsnroffst` and `fgaincod` of each channel
    bits.append(1, 1)
    bits.append(0, 6)
    for _ in 0..<(channels + (box.lfeon ? 1 : 0)) { bits.append(0, 7) }
    // `deltbaie`, `skiple`
    bits.append(0, 2)
  }

  private static let polynomial: UInt16 = 0x8005

  /// The word before `bytes` that makes their check sum 0: the calculation backwards.
  private static func checkWord(before bytes: ArraySlice<UInt8>) -> UInt16 {
    var state: UInt16 = 0
    func back(_ bit: UInt16) {
      let isSet = state & 1 != 0
      state = (state ^ (isSet ? polynomial : 0)) >> 1 | ((isSet ? 1 : 0) ^ bit) << 15
    }
    for byte in bytes.reversed() { for bit in 0..<8 { back(UInt16(byte >> UInt8(bit) & 1)) } }
    for _ in 0..<16 { back(0) }
    return state
  }
}
