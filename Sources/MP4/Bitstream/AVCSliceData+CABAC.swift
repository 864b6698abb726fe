import ISOBMFF

/// Macroblocks coded with CABAC: ISO/IEC 14496-10, 9.3.
extension AVCSliceData {
  /// Parses the data after the slice header.
  mutating func arithmetic(_ payload: SliceData.Payload) -> SliceData {
    var cabac = ArithmeticDecoder(payload.bytes, from: (header.bitCount + 7) / 8, contextCount: AVCContexts.count)
    guard header.isIntra || 0...2 ~= header.contexts else { return .unknown }
    AVCContexts.start(&cabac, quantizer: header.quantizer, predicted: header.isIntra ? nil : header.contexts)
    var result = SliceData(outcome: .broken)
    var hadChange = false
    while true {
      begin()
      let isSkipped = !header.isIntra && skips(&cabac)
      if isSkipped {
        current.kind = .skipped
        hadChange = false
      } else {
        guard header.isIntra ? macroblock(&cabac, &hadChange) : anyMacroblock(&cabac, &hadChange) else { break }
      }
      if cabac.isPastEnd { break }
      let (evidence, isJudged) = (cabac.terminationEvidence, payload.isJudged(cabac.position))
      if cabac.terminate() {
        guard payload.ends(at: cabac.position) else { break }
        result.outcome = .whole
        result.endsPicture = isLast
        result.evidence += max(0, SliceData.endEvidence(payload) - 2)
        break
      }
      if isLast { break }
      if isJudged { result.evidence += evidence }
      advance()
    }
    // A fault before the data to be judged is none of it.
    return result.outcome == .broken && !payload.isJudged(cabac.position) ? .unknown : result
  }

  /// Returns whether it is valid.
  private mutating func macroblock(_ cabac: inout ArithmeticDecoder, _ hadChange: inout Bool) -> Bool {
    let (left, above) = (leftward, above)
    func count(_ isTrue: (Macroblock) -> Bool) -> Int {
      (left.map(isTrue) ?? false ? 1 : 0) + (above.map(isTrue) ?? false ? 1 : 0)
    }
    return intraMacroblock(
      &cabac, &hadChange, isWhole: cabac.decision(3 + count { $0.kind != .blocks }), contexts: (6, 7, 8, 9, 10))
  }

  /// Parses an intra macroblock after the bin that tells whether it is predicted as a whole; the contexts are those of
  /// the next bins of its type.
  mutating func intraMacroblock(
    _ cabac: inout ArithmeticDecoder, _ hadChange: inout Bool, isWhole: Bool, contexts: (Int, Int, Int, Int, Int)
  ) -> Bool {
    let (left, above) = (leftward, above)
    func count(_ isTrue: (Macroblock) -> Bool) -> Int {
      (left.map(isTrue) ?? false ? 1 : 0) + (above.map(isTrue) ?? false ? 1 : 0)
    }
    current.kind = .blocks
    if isWhole {
      if cabac.terminate() { return raw(&cabac, &hadChange) }
      current.kind = .whole
      current.luma = cabac.decision(contexts.0) ? 15 : 0
      if cabac.decision(contexts.1) { current.chroma = cabac.decision(contexts.2) ? 2 : 1 }
      _ = cabac.decision(contexts.3)
      _ = cabac.decision(contexts.4)
    } else {
      if header.hasTransform8x8 { current.has8x8 = cabac.decision(399 + count { $0.has8x8 }) }
      for _ in 0..<(current.has8x8 ? 4 : 16) where !cabac.decision(68) {
        for _ in 0..<3 { _ = cabac.decision(69) }
      }
    }
    if chromaRows > 0, cabac.decision(64 + count { $0.hasChromaMode }) {
      current.hasChromaMode = true
      if cabac.decision(67) { _ = cabac.decision(67) }
    }
    if current.kind == .blocks { codedBlocks(&cabac) }
    guard current.kind == .whole || current.luma > 0 || current.chroma > 0 else {
      hadChange = false
      return true
    }
    guard quantizerChange(&cabac, &hadChange) else { return false }
    return luma(&cabac) && chroma(&cabac)
  }

  /// A macroblock that is not compressed.
  private mutating func raw(_ cabac: inout ArithmeticDecoder, _ hadChange: inout Bool) -> Bool {
    cabac.begin(at: (cabac.position + 7) / 8 + rawBitCount / 8)
    current = Macroblock(kind: .raw, luma: 15, chroma: 2, hasDC: 7)
    for index in counts.indices { counts[index] = 16 }
    hadChange = false
    return true
  }

  mutating func codedBlocks(_ cabac: inout ArithmeticDecoder) {
    let (left, above) = (leftward, above)
    for block in 0..<4 {
      let leftLuma = block & 1 == 1 ? current.luma >> (block - 1) & 1 : (left?.luma ?? 15) >> (block + 1) & 1
      let aboveLuma = block > 1 ? current.luma >> (block - 2) & 1 : (above?.luma ?? 15) >> (block + 2) & 1
      if cabac.decision(73 + (1 - leftLuma) + 2 * (1 - aboveLuma)) { current.luma |= 1 << block }
    }
    guard chromaRows > 0 else { return }
    let (leftChroma, aboveChroma) = (left?.chroma ?? 0, above?.chroma ?? 0)
    guard cabac.decision(77 + (leftChroma > 0 ? 1 : 0) + (aboveChroma > 0 ? 2 : 0)) else { return }
    current.chroma = cabac.decision(81 + (leftChroma == 2 ? 1 : 0) + (aboveChroma == 2 ? 2 : 0)) ? 2 : 1
  }

  func quantizerChange(_ cabac: inout ArithmeticDecoder, _ hadChange: inout Bool) -> Bool {
    var change = 0
    if cabac.decision(60 + (hadChange ? 1 : 0)) {
      change = 1
      if cabac.decision(62) {
        change = 2
        while cabac.decision(63) {
          change += 1
          if change > quantizerLimit { return false }
        }
      }
    }
    hadChange = change > 0
    return true
  }

  mutating func luma(_ cabac: inout ArithmeticDecoder) -> Bool {
    if current.kind == .whole {
      guard let count = directCurrent(&cabac, 0, category: 0, limit: 16) else { return false }
      if count > 0 { current.hasDC |= 1 }
    }
    for block in 0..<4 where current.luma >> block & 1 == 1 {
      let (x, y) = (block & 1, block >> 1)
      if current.has8x8 {
        guard coefficients(&cabac, category: 5, limit: 64) > 0 else { return false }
        for part in 0..<4 { counts[Self.index(0, x * 2 + part & 1, y * 2 + part >> 1)] = 1 }
        continue
      }
      for part in 0..<4 {
        let isWhole = current.kind == .whole
        guard self.block(&cabac, 0, x * 2 + part & 1, y * 2 + part >> 1, category: isWhole ? 1 : 2) else {
          return false
        }
      }
    }
    return true
  }

  mutating func chroma(_ cabac: inout ArithmeticDecoder) -> Bool {
    guard current.chroma > 0 else { return true }
    for plane in 1...2 {
      guard let count = directCurrent(&cabac, plane, category: 3, limit: 2 * chromaRows) else { return false }
      if count > 0 { current.hasDC |= 1 << plane }
    }
    guard current.chroma == 2 else { return true }
    for plane in 1...2 {
      for y in 0..<chromaRows {
        for x in 0..<2 { guard block(&cabac, plane, x, y, category: 4) else { return false } }
      }
    }
    return true
  }

  /// Parses the DC coefficients of a plane and returns their number, `nil` if they are not valid.
  private func directCurrent(_ cabac: inout ArithmeticDecoder, _ plane: Int, category: Int, limit: Int) -> Int? {
    // An intra macroblock treats neighbors that do not exist as coded.
    let isLeft = leftward.map { $0.hasDC >> plane & 1 == 1 } ?? current.isIntra
    let isAbove = above.map { $0.hasDC >> plane & 1 == 1 } ?? current.isIntra
    guard cabac.decision(85 + 4 * category + (isLeft ? 1 : 0) + (isAbove ? 2 : 0)) else { return 0 }
    let count = coefficients(&cabac, category: category, limit: limit)
    return count > 0 ? count : nil
  }

  private mutating func block(
    _ cabac: inout ArithmeticDecoder, _ plane: Int, _ x: Int, _ y: Int, category: Int
  ) -> Bool {
    let missing: UInt8 = current.isIntra ? 1 : 0
    let isLeft = (leftCount(plane, x, y) ?? missing) > 0
    let isAbove = (aboveCount(plane, x, y) ?? missing) > 0
    guard cabac.decision(85 + 4 * category + (isLeft ? 1 : 0) + (isAbove ? 2 : 0)) else { return true }
    let isDC = category == 1 || category == 4
    guard coefficients(&cabac, category: category, limit: isDC ? 15 : 16) > 0 else { return false }
    counts[Self.index(plane, x, y)] = 1
    return true
  }

  private static let significantOffsets = [0, 15, 29, 44, 47]
  private static let levelOffsets = [227, 237, 247, 257, 266, 426]

  /// Parses the coefficients of a block and returns their number; 0 if they are not valid.
  private func coefficients(_ cabac: inout ArithmeticDecoder, category: Int, limit: Int) -> Int {
    let (significant, last, isField) =
      category == 5
      ? (header.isField ? 436 : 402, header.isField ? 451 : 417, header.isField)
      : (
        (header.isField ? 277 : 105) + Self.significantOffsets[category],
        (header.isField ? 338 : 166) + Self.significantOffsets[category], false
      )
    var count = 0
    var index = 0
    while index < limit - 1 {
      var (own, end) = (index, index)
      if category == 5 {
        own = Int((isField ? AVCContexts.significantField8x8 : AVCContexts.significant8x8)[index])
        end = Int(AVCContexts.last8x8[index])
      } else if category == 3 {
        own = min(index / (limit / 4), 2)
        end = own
      }
      if cabac.decision(significant + own) {
        count += 1
        if cabac.decision(last + end) { break }
      }
      index += 1
    }
    if index == limit - 1 { count += 1 }
    let base = Self.levelOffsets[category]
    var (ones, others) = (0, 0)
    for _ in 0..<count {
      guard cabac.decision(base + (others > 0 ? 0 : min(4, 1 + ones))) else {
        ones += 1
        _ = cabac.bypass()
        continue
      }
      let context = base + 5 + min(category == 3 ? 3 : 4, others)
      others += 1
      var level = 1
      while level < 14, cabac.decision(context) { level += 1 }
      if level == 14 {
        var suffix = 0
        while cabac.bypass() {
          suffix += 1
          if suffix > 20 { return 0 }
        }
        _ = cabac.bypass(suffix)
      }
      _ = cabac.bypass()
    }
    return count
  }
}
