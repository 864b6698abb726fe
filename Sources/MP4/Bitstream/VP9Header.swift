/// The uncompressed header of VP9 frames: VP9 bitstream specification, 6.2 and 7.2.
struct VP9Header {
  /// The width of the latest frame that declared it.
  private var width = 0

  /// The offset of the compressed header of a frame, whose first bit is 0 (9.2.1); `nil` if there is none.
  mutating func compressedStart(_ frame: ArraySlice<UInt8>) -> Int? {
    var bits = MediaBits(frame.prefix(512))
    guard bits.bits(2) == 2 else { return nil }
    let profile = bits.bits(1) | bits.bits(1) << 1
    if profile == 3 { bits.skip(1) }
    // A frame that is shown again has no data.
    guard !bits.flag() else { return nil }
    let (isKey, isShown, isResilient) = (!bits.flag(), bits.flag(), bits.flag())
    if isKey {
      guard skipSync(&bits) else { return nil }
      skipColour(&bits, profile)
      readSize(&bits)
    } else {
      let isIntra = !isShown && bits.flag()
      if !isResilient { bits.skip(2) }
      if isIntra {
        guard skipSync(&bits) else { return nil }
        if profile > 0 { skipColour(&bits, profile) }
        bits.skip(8)
        readSize(&bits)
      } else {
        bits.skip(8 + 12)
        // The size of the first reference that is marked.
        if bits.flag() || bits.flag() || bits.flag() { skipRenderSize(&bits) } else { readSize(&bits) }
        bits.skip(1)
        if !bits.flag() { bits.skip(2) }
      }
    }
    bits.skip(isResilient ? 2 : 4)
    skipFilter(&bits)
    bits.skip(8)
    for _ in 0..<3 where bits.flag() { bits.skip(5) }
    skipSegmentation(&bits)
    skipTiles(&bits)
    let size = bits.bits(16)
    bits.align()
    return size > 0 && width > 0 && !bits.isPastEnd ? bits.position / 8 : nil
  }

  private func skipSync(_ bits: inout MediaBits) -> Bool { bits.bits(24) == 0x498342 }

  private func skipColour(_ bits: inout MediaBits, _ profile: Int) {
    if profile >= 2 { bits.skip(1) }
    let isRGB = bits.bits(3) == 7
    if !isRGB { bits.skip(1) }
    if profile & 1 == 1 { bits.skip(isRGB ? 1 : 3) }
  }

  private mutating func readSize(_ bits: inout MediaBits) {
    width = bits.bits(16) + 1
    bits.skip(16)
    skipRenderSize(&bits)
  }

  private func skipRenderSize(_ bits: inout MediaBits) { if bits.flag() { bits.skip(32) } }

  private func skipFilter(_ bits: inout MediaBits) {
    bits.skip(9)
    guard bits.flag(), bits.flag() else { return }
    for _ in 0..<6 where bits.flag() { bits.skip(7) }
  }

  private func skipSegmentation(_ bits: inout MediaBits) {
    guard bits.flag() else { return }
    if bits.flag() {
      for _ in 0..<7 where bits.flag() { bits.skip(8) }
      if bits.flag() { for _ in 0..<3 where bits.flag() { bits.skip(8) } }
    }
    guard bits.flag() else { return }
    bits.skip(1)
    for _ in 0..<8 { for size in [9, 7, 2, 0] where bits.flag() { bits.skip(size) } }
  }

  private func skipTiles(_ bits: inout MediaBits) {
    let columns = (width + 63) / 64
    var (least, most) = (0, 1)
    while 64 << least < columns { least += 1 }
    while columns >> most >= 4 { most += 1 }
    while least < most - 1, bits.flag() { least += 1 }
    if bits.flag() { bits.skip(1) }
  }
}
