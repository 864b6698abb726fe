import ISOBMFF

/// Parses the data of I slices of AVC: ISO/IEC 14496-10, 7.3.4 and 7.3.5.
///
/// Macroblock-adaptive fields (MBAFF), 4:4:4 in one slice and slice groups are not parsed.
struct AVCSliceData {
  /// What later macroblocks need to know about one.
  struct Macroblock {
    enum Kind { case blocks, whole, raw }
    var kind = Kind.blocks
    var has8x8 = false
    var hasChromaMode = false
    /// The coded 8x8 blocks of luma. All are coded in a macroblock that does not exist.
    var luma = 15
    /// 1: DC coefficients of chroma are coded; 2: also others.
    var chroma = 0
    /// Whether the blocks of DC coefficients have any: luma, Cb, Cr.
    var hasDC = 0
  }
  let header: AVCSliceHeader.Header
  /// The number of rows of 4x4 blocks of each chroma plane in a macroblock; 0 without chroma.
  let chromaRows: Int
  private(set) var address: Int
  /// The macroblocks of the latest row, by column, and their lowest rows of blocks: the number of coefficients of each.
  private var row: [Macroblock]
  private var rowCounts: [UInt8]
  private var left = Macroblock()
  private var leftCounts = [UInt8](repeating: 0, count: 20)
  /// The number of coefficients of the 4x4 blocks of the current macroblock: 16 of luma, 8 of Cb, 8 of Cr.
  var counts = [UInt8](repeating: 0, count: 32)
  var current = Macroblock()

  /// Parses a whole NAL unit, of which the bytes before the index `judged` are known to be right; of the others, this
  /// `share` is to be judged.
  static func parse(_ unit: ArraySlice<UInt8>, _ headers: AVCSliceHeader, from judged: Int, share: Double = 1)
    -> SliceData
  {
    guard let first = unit.first, [1, 5].contains(first & 31), let header = headers.header(of: unit), header.isIntra,
      !header.isAdaptive, header.chromaFormat < 3, 1...1 << 18 ~= header.width * header.height,
      header.first < header.width * header.height, (8...14).contains(header.lumaDepth),
      (8...14).contains(header.chromaDepth),
      let payload = SliceData.Payload(unit, headerSize: 1, from: max(judged, unit.startIndex + header.size))
    else { return .unknown }
    var parser = AVCSliceData(header)
    return header.hasCABAC ? parser.arithmetic(payload) : parser.variableLength(payload, share: share)
  }

  private init(_ header: AVCSliceHeader.Header) {
    self.header = header
    address = header.first
    chromaRows = [0, 2, 4][header.chromaFormat]
    row = Array(repeating: Macroblock(), count: header.width)
    rowCounts = Array(repeating: 0, count: header.width * 8)
  }

  var column: Int { address % header.width }
  var hasLeft: Bool { column > 0 && address > header.first }
  var hasAbove: Bool { address - header.width >= header.first }
  var isLast: Bool { address + 1 == header.width * header.height }
  /// The macroblock to the left; `nil` unless it is in the slice.
  var leftward: Macroblock? { hasLeft ? left : nil }
  /// The macroblock above; `nil` unless it is in the slice.
  var above: Macroblock? { hasAbove ? row[column] : nil }

  /// The number of coefficients of the block to the left of block (x, y) of a plane (0: luma); `nil` unless it is in
  /// the slice.
  func leftCount(_ plane: Int, _ x: Int, _ y: Int) -> UInt8? {
    if x > 0 { return counts[Self.index(plane, x - 1, y)] }
    return hasLeft ? leftCounts[(plane == 0 ? 0 : 4 * plane) + y] : nil
  }

  /// The same above.
  func aboveCount(_ plane: Int, _ x: Int, _ y: Int) -> UInt8? {
    if y > 0 { return counts[Self.index(plane, x, y - 1)] }
    return hasAbove ? rowCounts[column * 8 + (plane == 0 ? 0 : 2 + 2 * plane) + x] : nil
  }

  static func index(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    plane == 0 ? y * 4 + x : 8 + 8 * plane + y * 2 + x
  }

  /// Starts the macroblock at the current address.
  mutating func begin() {
    current = Macroblock()
    current.luma = 0
    for index in counts.indices { counts[index] = 0 }
  }

  /// Goes to the next macroblock.
  mutating func advance() {
    let column = column
    for index in 0..<4 {
      leftCounts[index] = counts[Self.index(0, 3, index)]
      rowCounts[column * 8 + index] = counts[Self.index(0, index, 3)]
    }
    if chromaRows > 0 {
      for plane in 1...2 {
        for y in 0..<chromaRows { leftCounts[4 * plane + y] = counts[Self.index(plane, 1, y)] }
        for x in 0..<2 { rowCounts[column * 8 + 2 + 2 * plane + x] = counts[Self.index(plane, x, chromaRows - 1)] }
      }
    }
    left = current
    row[column] = current
    address += 1
  }

  /// The number of bits of a macroblock that is not compressed.
  var rawBitCount: Int { 256 * header.lumaDepth + 2 * 8 * 4 * chromaRows * header.chromaDepth }
  /// The largest change of the quantizer, coded without its sign.
  var quantizerLimit: Int { 53 + 6 * (header.lumaDepth - 8) }
}
