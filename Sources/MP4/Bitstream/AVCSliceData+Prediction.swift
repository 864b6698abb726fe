import ISOBMFF

/// Macroblocks that are predicted from other pictures: ISO/IEC 14496-10, 7.3.5.1, 7.3.5.2 and 7.4.5.
extension AVCSliceData {
  /// A part of a macroblock that is predicted in the same way, in units of 4x4 blocks.
  struct Part {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    /// Whether it is predicted from pictures of each list.
    var lists: (Bool, Bool)
    /// The 8x8 block whose reference index it has.
    var block: Int { y / 2 * 2 + x / 2 }

    func uses(_ list: Int) -> Bool { list == 0 ? lists.0 : lists.1 }
  }

  /// The parts of a macroblock of this type; `nil` if it is divided into 8x8 blocks that have types.
  func parts(_ type: Int) -> [Part]? {
    func lists(_ code: Int) -> (Bool, Bool) { (code != 1, code != 0) }
    if header.type == 0 {
      switch type {
      case 0: return [Part(x: 0, y: 0, width: 4, height: 4, lists: (true, false))]
      case 1: return (0..<2).map { Part(x: 0, y: 2 * $0, width: 4, height: 2, lists: (true, false)) }
      case 2: return (0..<2).map { Part(x: 2 * $0, y: 0, width: 2, height: 4, lists: (true, false)) }
      default: return nil
      }
    }
    if type < 4 { return [Part(x: 0, y: 0, width: 4, height: 4, lists: lists(type - 1))] }
    guard type < 22 else { return nil }
    // The lists of both parts, by the type: 0 is the first list, 1 the second, 2 both.
    let pairs = [(0, 0), (1, 1), (0, 1), (1, 0), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]
    let pair = pairs[(type - 4) / 2]
    let isTall = type & 1 == 1
    return [pair.0, pair.1].enumerated().map { index, code in
      isTall
        ? Part(x: 2 * index, y: 0, width: 2, height: 4, lists: lists(code))
        : Part(x: 0, y: 2 * index, width: 4, height: 2, lists: lists(code))
    }
  }

  /// The parts of an 8x8 block of this type; none if they are derived.
  func parts(ofBlock block: Int, _ type: Int) -> [Part] {
    let (x, y) = (block & 1 * 2, block >> 1 * 2)
    var (size, lists) = ((2, 2), (true, false))
    if header.type == 0 {
      size = [(2, 2), (2, 1), (1, 2), (1, 1)][type]
    } else {
      guard type > 0 else { return [] }
      let shapes = [(2, 2), (2, 2), (2, 2), (2, 1), (1, 2), (2, 1), (1, 2), (2, 1), (1, 2), (1, 1), (1, 1), (1, 1)]
      size = shapes[type - 1]
      let codes = [0, 1, 2, 0, 0, 1, 1, 2, 2, 0, 1, 2]
      lists = (codes[type - 1] != 1, codes[type - 1] != 0)
    }
    var parts: [Part] = []
    for top in stride(from: 0, to: 2, by: size.1) {
      for left in stride(from: 0, to: 2, by: size.0) {
        parts.append(Part(x: x + left, y: y + top, width: size.0, height: size.1, lists: lists))
      }
    }
    return parts
  }

  /// Whether the transform of a macroblock with these types of 8x8 blocks can be 8x8.
  func allows8x8(_ types: [Int]) -> Bool {
    types.allSatisfy { header.type == 0 ? $0 == 0 : $0 == 0 ? header.hasDirect8x8 : $0 < 4 }
  }

  /// The number of types of 8x8 blocks.
  var blockTypeCount: Int { header.type == 0 ? 4 : 13 }
}

/// With variable-length codes.
extension AVCSliceData {
  /// Parses a predicted macroblock after its type; returns whether it is valid.
  mutating func predictedMacroblock(_ type: Int, _ bits: inout MediaBits) -> Bool {
    let isB = header.type == 1
    current.kind = isB && type == 0 ? .direct : .predicted
    var canBe8x8 = !isB || type > 0 || header.hasDirect8x8
    if let parts = isB && type == 0 ? [] : parts(type) {
      guard references(parts, &bits) else { return false }
      for list in 0..<2 { for part in parts where part.uses(list) { bits.skipGolombs(2) } }
    } else {
      var types: [Int] = []
      for _ in 0..<4 {
        let own = bits.golomb()
        guard own < blockTypeCount else { return false }
        types.append(own)
      }
      canBe8x8 = allows8x8(types)
      let blocks = types.enumerated().map { parts(ofBlock: $0, $1) }
      // In type 4 of P slices, all reference indices are 0.
      if isB || type == 3, !references(blocks.compactMap(\.first), &bits) { return false }
      for list in 0..<2 { for part in blocks.joined() where part.uses(list) { bits.skipGolombs(2) } }
    }
    let code = bits.golomb()
    let blocks = chromaRows > 0 ? AVCCodes.predictedBlocks : AVCCodes.predictedLumaBlocks
    guard code < blocks.count else { return false }
    (current.luma, current.chroma) = (blocks[code] & 15, blocks[code] >> 4)
    if current.luma > 0, header.hasTransform8x8, canBe8x8 { current.has8x8 = bits.flag() }
    guard current.luma > 0 || current.chroma > 0 else { return !bits.isPastEnd }
    guard abs(bits.signedGolomb()) <= quantizerLimit / 2 + 1 else { return false }
    return luma(&bits) && chroma(&bits) && !bits.isPastEnd
  }

  /// Parses reference indices; returns whether they are valid.
  private func references(_ parts: [Part], _ bits: inout MediaBits) -> Bool {
    for (list, count) in [header.references.0, header.references.1].enumerated() where count > 1 {
      for part in parts where part.uses(list) {
        if count == 2 { bits.skip(1) } else if bits.golomb() >= count { return false }
      }
    }
    return true
  }
}

/// With arithmetic codes.
extension AVCSliceData {
  /// Whether the current macroblock of a P or B slice is skipped.
  mutating func skips(_ cabac: inout ArithmeticDecoder) -> Bool {
    let others =
      (leftward.map { $0.kind != .skipped } ?? false ? 1 : 0) + (above.map { $0.kind != .skipped } ?? false ? 1 : 0)
    return cabac.decision((header.type == 0 ? 11 : 24) + others)
  }

  /// Parses a macroblock of a P or B slice that is not skipped; returns whether it is valid.
  mutating func anyMacroblock(_ cabac: inout ArithmeticDecoder, _ hadChange: inout Bool) -> Bool {
    guard let type = header.type == 0 ? predictedType(&cabac) : bipredictedType(&cabac) else {
      let first = header.type == 0 ? 17 : 32
      return intraMacroblock(
        &cabac, &hadChange, isWhole: cabac.decision(first),
        contexts: (first + 1, first + 2, first + 2, first + 3, first + 3))
    }
    let isB = header.type == 1
    current.kind = isB && type == 0 ? .direct : .predicted
    var canBe8x8 = !isB || type > 0 || header.hasDirect8x8
    if let parts = isB && type == 0 ? [] : parts(type) {
      guard predict(parts, parts, &cabac) else { return false }
    } else {
      var types: [Int] = []
      for _ in 0..<4 { types.append(isB ? bipredictedBlockType(&cabac) : predictedBlockType(&cabac)) }
      canBe8x8 = allows8x8(types)
      let blocks = types.enumerated().map { parts(ofBlock: $0, $1) }
      guard predict(blocks.compactMap { $0.first.map(Self.block) }, Array(blocks.joined()), &cabac) else {
        return false
      }
    }
    codedBlocks(&cabac)
    if current.luma > 0, header.hasTransform8x8, canBe8x8 {
      let others = (leftward?.has8x8 ?? false ? 1 : 0) + (above?.has8x8 ?? false ? 1 : 0)
      current.has8x8 = cabac.decision(399 + others)
    }
    guard current.luma > 0 || current.chroma > 0 else {
      hadChange = false
      return true
    }
    guard quantizerChange(&cabac, &hadChange) else { return false }
    return luma(&cabac) && chroma(&cabac)
  }

  /// The whole 8x8 block of its first part.
  private static func block(_ part: Part) -> Part {
    var part = part
    (part.width, part.height) = (2, 2)
    return part
  }

  /// The type of a macroblock of a P slice; `nil` for intra macroblocks.
  private func predictedType(_ cabac: inout ArithmeticDecoder) -> Int? {
    if cabac.decision(14) { return nil }
    if cabac.decision(15) { return cabac.decision(17) ? 1 : 2 }
    return cabac.decision(16) ? 3 : 0
  }

  /// The type of a macroblock of a B slice; `nil` for intra macroblocks.
  private func bipredictedType(_ cabac: inout ArithmeticDecoder) -> Int? {
    func counts(_ other: Macroblock?) -> Int {
      other.map { $0.kind != .skipped && $0.kind != .direct } ?? false ? 1 : 0
    }
    guard cabac.decision(27 + counts(leftward) + counts(above)) else { return 0 }
    guard cabac.decision(30) else { return 1 + cabac.bin(32) }
    var code = cabac.bin(31) << 3
    code |= cabac.bin(32) << 2
    code |= cabac.bin(32) << 1
    code |= cabac.bin(32)
    switch code {
    case ..<8: return code + 3
    case 13: return nil
    case 14: return 11
    case 15: return 22
    default: return code << 1 + cabac.bin(32) - 4
    }
  }

  private func predictedBlockType(_ cabac: inout ArithmeticDecoder) -> Int {
    if cabac.decision(21) { return 0 }
    guard cabac.decision(22) else { return 1 }
    return cabac.decision(23) ? 2 : 3
  }

  private func bipredictedBlockType(_ cabac: inout ArithmeticDecoder) -> Int {
    guard cabac.decision(36) else { return 0 }
    guard cabac.decision(37) else { return 1 + cabac.bin(39) }
    var type = 3
    if cabac.decision(38) {
      if cabac.decision(39) { return 11 + cabac.bin(39) }
      type += 4
    }
    type += 2 * cabac.bin(39)
    return type + cabac.bin(39)
  }

  /// Parses the reference indices of some parts and the motion vectors of others; returns whether they are valid.
  private mutating func predict(_ blocks: [Part], _ parts: [Part], _ cabac: inout ArithmeticDecoder) -> Bool {
    for (list, count) in [header.references.0, header.references.1].enumerated() where count > 1 {
      for part in blocks where part.uses(list) {
        var (index, context) = (0, referenceIncrement(list, part.x / 2, part.y / 2))
        while cabac.decision(54 + context) {
          index += 1
          context = context >> 2 + 4
          if index >= 32 { return false }
        }
        guard index < count else { return false }
        for y in part.y / 2..<(part.y + part.height + 1) / 2 {
          for x in part.x / 2..<(part.x + part.width + 1) / 2 { references[4 * list + 2 * y + x] = index > 0 }
        }
      }
    }
    for list in 0..<2 {
      for part in parts where part.uses(list) {
        for component in 0..<2 {
          guard let size = difference(motionSum(list, part.x, part.y, component), component, &cabac) else {
            return false
          }
          for y in part.y..<part.y + part.height {
            for x in part.x..<part.x + part.width { motion[32 * list + (4 * y + x) * 2 + component] = size }
          }
        }
      }
    }
    return true
  }

  /// Parses a component of the difference of a motion vector; returns its magnitude, of which large ones are equal.
  private func difference(_ sum: Int, _ component: Int, _ cabac: inout ArithmeticDecoder) -> UInt8? {
    let base = component == 0 ? 40 : 47
    guard cabac.decision(base + (sum < 3 ? 0 : sum > 32 ? 2 : 1)) else { return 0 }
    var (size, context) = (1, 3)
    while size < 9, cabac.decision(base + context) {
      if size < 4 { context += 1 }
      size += 1
    }
    if size >= 9 {
      var bits = 3
      while cabac.bypass() {
        size += 1 << bits
        bits += 1
        if bits > 24 { return nil }
      }
      size += cabac.bypass(bits)
    }
    _ = cabac.bypass()
    return UInt8(min(size, 100))
  }
}
