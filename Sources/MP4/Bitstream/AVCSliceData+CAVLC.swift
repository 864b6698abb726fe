import ISOBMFF

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

  /// Returns whether it is valid.
  private mutating func macroblock(_ bits: inout MediaBits) -> Bool {
    let type = bits.golomb()
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

  private mutating func luma(_ bits: inout MediaBits) -> Bool {
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

  private mutating func chroma(_ bits: inout MediaBits) -> Bool {
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
