import ISOBMFF

/// Parses the data of slices of AVC: ISO/IEC 14496-10, 7.3.4 and 7.3.5.
///
/// Macroblock-adaptive fields (MBAFF), 4:4:4 in one slice and slice groups are not parsed.
struct AVCSliceData {
  /// What later macroblocks need to know about one.
  struct Macroblock {
    enum Kind { case blocks, whole, raw, predicted, direct, skipped }
    var kind = Kind.blocks
    var has8x8 = false
    var hasChromaMode = false
    /// The coded 8x8 blocks of luma. All are coded in a macroblock that does not exist.
    var luma = 15
    /// 1: DC coefficients of chroma are coded; 2: also others.
    var chroma = 0
    /// Whether the blocks of DC coefficients have any: luma, Cb, Cr.
    var hasDC = 0
    /// Whether its blocks are predicted from the picture itself.
    var isIntra: Bool { kind == .blocks || kind == .whole || kind == .raw }
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
  /// The magnitudes of the differences of motion vectors of the current macroblock: for each list, each 4x4 block in
  /// rows, x and y. Only for arithmetic coding of P and B slices, like the following.
  var motion = [UInt8](repeating: 0, count: 64)
  /// Whether the reference index of each 8x8 block is not 0, for each list.
  var references = [Bool](repeating: false, count: 8)
  /// The same of the macroblocks to the left, and of the latest row by column: only the nearest blocks.
  private var leftMotion = [UInt8](repeating: 0, count: 16)
  private var rowMotion: [UInt8]
  private var leftReferences = [Bool](repeating: false, count: 4)
  private var rowReferences: [Bool]

  /// Parses a whole NAL unit, of which the bytes before the index `judged` are known to be right; of the others, this
  /// `share` is to be judged. P and B slices are not parsed unless `includesPrediction`.
  static func parse(
    _ unit: ArraySlice<UInt8>, _ headers: AVCSliceHeader, from judged: Int, share: Double = 1,
    includesPrediction: Bool = false
  ) -> SliceData {
    guard let first = unit.first, [1, 5].contains(first & 31), let header = headers.header(of: unit),
      header.isIntra || includesPrediction && header.type < 2,
      !header.isAdaptive, header.chromaFormat < 3, 1...1 << 18 ~= header.width * header.height, header.width <= 1024,
      header.first < header.width * header.height, (8...14).contains(header.lumaDepth),
      (8...14).contains(header.chromaDepth),
      let payload = SliceData.Payload(unit, headerSize: 1, from: max(judged, unit.startIndex + header.size))
    else { return .unknown }
    var parser = AVCSliceData(header)
    var data = header.hasCABAC ? parser.arithmetic(payload) : parser.variableLength(payload, share: share)
    data.count = parser.address - header.first
    return data
  }

  private init(_ header: AVCSliceHeader.Header) {
    self.header = header
    address = header.first
    chromaRows = [0, 2, 4][header.chromaFormat]
    row = Array(repeating: Macroblock(), count: header.width)
    rowCounts = Array(repeating: 0, count: header.width * 8)
    let hasMotion = header.hasCABAC && !header.isIntra
    rowMotion = Array(repeating: 0, count: hasMotion ? header.width * 16 : 0)
    rowReferences = Array(repeating: false, count: hasMotion ? header.width * 4 : 0)
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
    guard !rowMotion.isEmpty else { return }
    for index in motion.indices { motion[index] = 0 }
    for index in references.indices { references[index] = false }
  }

  /// The magnitude of the difference of a motion vector to the left of a block, and above it.
  func motionSum(_ list: Int, _ x: Int, _ y: Int, _ part: Int) -> Int {
    let left =
      x > 0
      ? Int(motion[32 * list + (4 * y + x - 1) * 2 + part])
      : hasLeft ? Int(leftMotion[8 * list + 2 * y + part]) : 0
    let above =
      y > 0
      ? Int(motion[32 * list + (4 * y - 4 + x) * 2 + part])
      : hasAbove ? Int(rowMotion[16 * column + 8 * list + 2 * x + part]) : 0
    return left + above
  }

  /// The context increment for the reference index of an 8x8 block.
  func referenceIncrement(_ list: Int, _ x: Int, _ y: Int) -> Int {
    let left = x > 0 ? references[4 * list + 2 * y] : hasLeft && leftReferences[2 * list + y]
    let above = y > 0 ? references[4 * list + x] : hasAbove && rowReferences[4 * column + 2 * list + x]
    return (left ? 1 : 0) + (above ? 2 : 0)
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
    if !rowMotion.isEmpty {
      for list in 0..<2 {
        for index in 0..<4 {
          for part in 0..<2 {
            leftMotion[8 * list + 2 * index + part] = motion[32 * list + (4 * index + 3) * 2 + part]
            rowMotion[16 * column + 8 * list + 2 * index + part] = motion[32 * list + (12 + index) * 2 + part]
          }
        }
        for index in 0..<2 {
          leftReferences[2 * list + index] = references[4 * list + 2 * index + 1]
          rowReferences[4 * column + 2 * list + index] = references[4 * list + 2 + index]
        }
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

/// Macroblocks coded with variable-length codes (CAVLC): ISO/IEC 14496-10, 9.2.
extension AVCSliceData {
  /// The evidence, in bits, that a macroblock of random data has no impossible value; one in four has.
  private static let macroblockEvidence = 0.3

  /// Parses the data after the slice header.
  ///
  /// Data after a wrong part is valid now and then because variable-length codes synchronize, so that macroblocks count
  /// only by the share of data to be judged.
  mutating func variableLength(_ payload: SliceData.Payload, share: Double) -> SliceData {
    var bits = MediaBits(payload.bytes[...])
    bits.skip(header.bitCount)
    var result = SliceData(outcome: .broken)
    // The stop bit is not data.
    let end = payload.bitCount - 1
    while bits.position < end {
      begin()
      if !header.isIntra {
        guard skip(bits.golomb()) else { break }
        // Skipped macroblocks can end a slice.
        if bits.position == end {
          result.outcome = .whole
          result.endsPicture = address == header.width * header.height
          break
        }
      }
      guard address < header.width * header.height, macroblock(&bits) else { break }
      if payload.isJudged(bits.position) { result.evidence += Self.macroblockEvidence * share }
      let isLast = isLast
      advance()
      if bits.position == end {
        result.outcome = .whole
        result.endsPicture = isLast
        result.evidence += SliceData.endEvidence(payload)
      }
    }
    return result.outcome == .broken && !payload.isJudged(bits.position) ? .unknown : result
  }

  /// Skips macroblocks; returns whether the picture has as many.
  private mutating func skip(_ count: Int) -> Bool {
    guard count <= header.width * header.height - address else { return false }
    for _ in 0..<count {
      current.kind = .skipped
      advance()
      begin()
    }
    return true
  }

  /// Returns whether it is valid.
  private mutating func macroblock(_ bits: inout MediaBits) -> Bool {
    var type = bits.golomb()
    if !header.isIntra {
      let predicted = header.type == 0 ? 5 : 23
      guard type >= predicted else { return predictedMacroblock(type, &bits) }
      type -= predicted
    }
    guard type <= 25 else { return false }
    if type == 25 {
      bits.align()
      bits.skip(rawBitCount)
      current = Macroblock(kind: .raw)
      for index in counts.indices { counts[index] = 16 }
      return !bits.isPastEnd
    }
    if type == 0 {
      if header.hasTransform8x8 { current.has8x8 = bits.flag() }
      for _ in 0..<(current.has8x8 ? 4 : 16) where !bits.flag() { bits.skip(3) }
      current.kind = .blocks
    } else {
      current.kind = .whole
      current.luma = type > 12 ? 15 : 0
      current.chroma = (type - 1) / 4 % 3
    }
    if chromaRows > 0, bits.golomb() > 3 { return false }
    if type == 0 {
      let code = bits.golomb()
      let blocks = chromaRows > 0 ? AVCCodes.codedBlocks : AVCCodes.codedLumaBlocks
      guard code < blocks.count else { return false }
      (current.luma, current.chroma) = (blocks[code] & 15, blocks[code] >> 4)
    }
    // The macroblock types of 16x16 prediction declare chroma that does not exist in gray pictures.
    guard chromaRows > 0 || current.chroma == 0 else { return false }
    guard type > 0 || current.luma > 0 || current.chroma > 0 else { return !bits.isPastEnd }
    guard abs(bits.signedGolomb()) <= quantizerLimit / 2 + 1 else { return false }
    return luma(&bits) && chroma(&bits) && !bits.isPastEnd
  }

  mutating func luma(_ bits: inout MediaBits) -> Bool {
    let isWhole = current.kind == .whole
    if isWhole, coefficients(&bits, table(0, 0, 0), limit: 16) == nil { return false }
    for block in 0..<4 where current.luma >> block & 1 == 1 {
      for part in 0..<4 {
        let (x, y) = (block & 1 * 2 + part & 1, block >> 1 * 2 + part >> 1)
        guard let count = coefficients(&bits, table(0, x, y), limit: isWhole ? 15 : 16) else { return false }
        counts[Self.index(0, x, y)] = UInt8(count)
      }
    }
    return true
  }

  mutating func chroma(_ bits: inout MediaBits) -> Bool {
    guard current.chroma > 0 else { return true }
    for _ in 1...2 {
      guard coefficients(&bits, chromaRows == 2 ? 4 : 5, limit: 2 * chromaRows) != nil else { return false }
    }
    guard current.chroma == 2 else { return true }
    for plane in 1...2 {
      for y in 0..<chromaRows {
        for x in 0..<2 {
          guard let count = coefficients(&bits, table(plane, x, y), limit: 15) else { return false }
          counts[Self.index(plane, x, y)] = UInt8(count)
        }
      }
    }
    return true
  }

  /// The number of the table for a block.
  private func table(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    let count: Int
    switch (leftCount(plane, x, y), aboveCount(plane, x, y)) {
    case (let left?, let above?): count = (Int(left) + Int(above) + 1) >> 1
    case (let one?, nil), (nil, let one?): count = Int(one)
    case (nil, nil): count = 0
    }
    return count < 2 ? 0 : count < 4 ? 1 : count < 8 ? 2 : 3
  }

  /// Parses a block (9.2) and returns the number of coefficients; `nil` if it is not valid.
  private func coefficients(_ bits: inout MediaBits, _ table: Int, limit: Int) -> Int? {
    guard let token = AVCCodes.tokens[table].read(&bits) else { return nil }
    let (count, ones) = (token >> 2, token & 3)
    guard count <= limit else { return nil }
    if count == 0 { return 0 }
    bits.skip(ones)
    guard levels(&bits, count, ones) else { return nil }
    var zeros = 0
    if count < limit {
      let tables = limit == 4 ? AVCCodes.chromaZeros : limit == 8 ? AVCCodes.tallChromaZeros : AVCCodes.zeros
      guard let read = tables[count - 1].read(&bits), read + count <= limit else { return nil }
      zeros = read
    }
    for _ in 1..<max(count, 1) where zeros > 0 {
      guard let run = AVCCodes.runs[min(zeros, 7) - 1].read(&bits), run <= zeros else { return nil }
      zeros -= run
    }
    return count
  }

  /// Parses the levels after the trailing ones: 9.2.2.1.
  private func levels(_ bits: inout MediaBits, _ count: Int, _ ones: Int) -> Bool {
    var size = count > 10 && ones < 3 ? 1 : 0
    for index in ones..<max(count, ones) {
      var prefix = 0
      while !bits.flag() {
        prefix += 1
        if prefix > 19 || bits.isPastEnd { return false }
      }
      var code = min(15, prefix) << size
      let suffix = prefix == 14 && size == 0 ? 4 : prefix >= 15 ? prefix - 3 : size
      code += bits.bits(suffix)
      if prefix >= 15, size == 0 { code += 15 }
      if prefix >= 16 { code += 1 << (prefix - 3) - 4096 }
      if index == ones, ones < 3 { code += 2 }
      if size == 0 { size = 1 }
      if code >> 1 + 1 > 3 << (size - 1), size < 6 { size += 1 }
    }
    return true
  }
}
