/// The uncompressed header of a VP9 frame: VP9 bitstream specification, 6.2 and 7.2. Missing fields read as 0.
package struct VP9Header: Sendable {
  /// The format of samples, which keyframes declare.
  package struct Format: Sendable {
    /// The bit depth.
    package var bitDepth = 8
    /// The position in the frame of the code of the color space, in bits.
    var place = 0
    /// The code of the color space; 7 is sRGB.
    package var space = 0
    /// Whether values use the full range.
    package var isFullRange = false
    /// Whether chroma has half the width, and half the height.
    package var isHalved = (width: true, height: true)
  }
  /// The profile.
  package private(set) var profile = 0
  /// Whether it only shows a frame again, without data.
  package private(set) var isRepeated = false
  /// Whether it is a keyframe.
  package private(set) var isKey = false
  /// The format; `nil` if the frame does not declare it.
  package private(set) var format: Format?
  /// The size of pictures; `nil` if it is that of a reference.
  package private(set) var size: (width: Int, height: Int)?
  /// The fields after the size.
  private var rest: BitReader
  private var isResilient = false
  private var isBroken = false

  /// Reads the header up to the size; `nil` without a frame marker.
  package init?(_ frame: ArraySlice<UInt8>) {
    rest = BitReader(frame.prefix(512))
    guard rest.bits(2) == 2 else { return nil }
    profile = rest.bits(1) | rest.bits(1) << 1
    if profile == 3 { rest.skip(1) }
    isRepeated = rest.flag()
    if isRepeated { return }
    isKey = !rest.flag()
    let isShown = rest.flag()
    isResilient = rest.flag()
    let isIntra = !isKey && !isShown && rest.flag()
    if !isKey, !isResilient { rest.skip(2) }
    guard isKey || isIntra else {
      rest.skip(8 + 12)
      // The size of the first reference that is marked.
      if rest.flag() || rest.flag() || rest.flag() { skipRenderSize() } else { readSize() }
      rest.skip(1)
      if !rest.flag() { rest.skip(2) }
      return
    }
    // The sync code.
    isBroken = rest.bits(24) != 0x498342
    if isBroken { return }
    if isKey || profile > 0 { readFormat() }
    if isIntra { rest.skip(8) }
    readSize()
  }

  /// Whether the fields that were read are missing or damaged.
  package var isDamaged: Bool { isBroken || rest.isBroken }

  /// The offset of the compressed header, whose first bit is 0 (9.2.1); `nil` if there is none. `width` is that of the
  /// latest frame that declared it.
  package func compressedStart(width: inout Int) -> Int? {
    if isRepeated || isBroken { return nil }
    if let size { width = size.width }
    var r = rest
    r.skip(isResilient ? 2 : 4)
    Self.skipFilter(&r)
    r.skip(8)
    for _ in 0..<3 where r.flag() { r.skip(5) }
    Self.skipSegmentation(&r)
    Self.skipTiles(&r, width)
    let count = r.bits(16)
    r.align()
    return count > 0 && width > 0 && !r.isBroken ? r.position / 8 : nil
  }

  private mutating func readFormat() {
    var own = Format()
    if profile >= 2 { own.bitDepth = rest.flag() ? 12 : 10 }
    own.place = rest.position
    own.space = rest.bits(3)
    let isRGB = own.space == 7
    own.isFullRange = isRGB || rest.flag()
    if isRGB { own.isHalved = (false, false) }
    if profile & 1 == 1 {
      if !isRGB { own.isHalved = (rest.flag(), rest.flag()) }
      rest.skip(1)
    }
    format = own
  }

  private mutating func readSize() {
    size = (rest.bits(16) + 1, rest.bits(16) + 1)
    skipRenderSize()
  }

  private mutating func skipRenderSize() { if rest.flag() { rest.skip(32) } }

  private static func skipFilter(_ r: inout BitReader) {
    r.skip(9)
    guard r.flag(), r.flag() else { return }
    for _ in 0..<6 where r.flag() { r.skip(7) }
  }

  private static func skipSegmentation(_ r: inout BitReader) {
    guard r.flag() else { return }
    if r.flag() {
      for _ in 0..<7 where r.flag() { r.skip(8) }
      if r.flag() { for _ in 0..<3 where r.flag() { r.skip(8) } }
    }
    guard r.flag() else { return }
    r.skip(1)
    for _ in 0..<8 { for size in [9, 7, 2, 0] where r.flag() { r.skip(size) } }
  }

  private static func skipTiles(_ r: inout BitReader, _ width: Int) {
    let columns = (width + 63) / 64
    var (least, most) = (0, 1)
    while 64 << least < columns { least += 1 }
    while columns >> most >= 4 { most += 1 }
    while least < most - 1, r.flag() { least += 1 }
    if r.flag() { r.skip(1) }
  }
}
