import ISOBMFF

/// Transform units and their coefficients: ISO/IEC 23008-2, 7.3.8.8 to 7.3.8.11.
extension HEVCSliceData {
  /// The properties of a coding unit that its transform units need.
  struct TransformUnit {
    /// The prediction modes of its quarters; the first one if it is not split.
    var modes: (Int, Int, Int, Int)
    var chromaMode: Int
    var bypasses: Bool
    var isSplit: Bool
    /// Whether it is predicted from other pictures, and whether it is then divided into parts.
    var isPredicted = false
    var hasParts = false

    func mode(_ quarter: Int) -> Int {
      guard isSplit else { return modes.0 }
      return switch quarter {
      case 0: modes.0
      case 1: modes.1
      case 2: modes.2
      default: modes.3
      }
    }
  }

  /// A transform tree; `quarter` is that of the coding unit, and `part` that of the parent.
  mutating func transformTree(
    _ unit: inout TransformUnit, _ size: Int, _ depth: Int, _ quarter: Int, part: Int = 0, cb: Bool, cr: Bool
  ) {
    if isBroken || cabac.isPastEnd { return }
    let sizes = sequence.transform
    let most = unit.isPredicted ? sequence.predictedDepth : sequence.transformDepth + (unit.isSplit ? 1 : 0)
    // A divided unit is split even if the depth is 0.
    let mustSplit =
      depth == 0 && (unit.isSplit || unit.isPredicted && unit.hasParts && most == 0 && size > sizes.lowerBound)
    var splits = size > sizes.upperBound || mustSplit
    if size <= sizes.upperBound, size > sizes.lowerBound, !mustSplit, depth < most {
      splits = cabac.decision(HEVCContexts.transformSplit + 5 - size)
    }
    var (ownCb, ownCr) = (cb, cr)
    if sequence.profile.chromaFormat == 0 {
      (ownCb, ownCr) = (false, false)
    } else if size > 2 {
      if cb { ownCb = cabac.decision(HEVCContexts.chromaBlock + depth) }
      if cr { ownCr = cabac.decision(HEVCContexts.chromaBlock + depth) }
    }
    if splits {
      guard size > 2 else { return isBroken = true }
      for part in 0..<4 {
        transformTree(&unit, size - 1, depth + 1, depth == 0 ? part : quarter, part: part, cb: ownCb, cr: ownCr)
      }
      return
    }
    // The root of a predicted unit has coefficients.
    let isImplied = unit.isPredicted && depth == 0 && !ownCb && !ownCr
    let hasLuma = isImplied || cabac.decision(HEVCContexts.lumaBlock + (depth == 0 ? 1 : 0))
    guard hasLuma || ownCb || ownCr else { return }
    if picture.quantizerDepth != nil, !hasQuantizer { quantizerChange() }
    if hasLuma { residual(size, unit.mode(quarter), unit.bypasses, isChroma: false) }
    if size > 2 {
      if ownCb { residual(size - 1, unit.chromaMode, unit.bypasses, isChroma: true) }
      if ownCr { residual(size - 1, unit.chromaMode, unit.bypasses, isChroma: true) }
    } else if part == 3 {
      if ownCb { residual(2, unit.chromaMode, unit.bypasses, isChroma: true) }
      if ownCr { residual(2, unit.chromaMode, unit.bypasses, isChroma: true) }
    }
  }

  private mutating func quantizerChange() {
    hasQuantizer = true
    guard cabac.decision(HEVCContexts.quantizer) else { return }
    var change = 1
    while change < 5, cabac.decision(HEVCContexts.quantizer + 1) { change += 1 }
    if change == 5 {
      var count = 0
      while cabac.bypass() {
        change += 1 << count
        count += 1
        if count > 6 { return isBroken = true }
      }
      change += cabac.bypass(count)
    }
    _ = cabac.bypass()
    if change > 26 + 3 * (sequence.profile.bitDepth - 8) { isBroken = true }
  }

  /// The scans of a group of 4x4 coefficients or of groups, as x and y in 4 bits each: 6.5.3 to 6.5.5.
  private static let diagonals: [[UInt8]] = (0...3).map { size in
    var scan: [UInt8] = []
    for sum in 0..<2 << size {
      for x in 0...sum where x < 1 << size && sum - x < 1 << size { scan.append(UInt8(x << 4 | sum - x)) }
    }
    return scan
  }
  private static let horizontals: [[UInt8]] = (0...3).map { size in
    let edge: Int = 1 << size
    return (0..<edge * edge).map { (index: Int) -> UInt8 in UInt8(index % edge * 16 + index / edge) }
  }
  private static let verticals: [[UInt8]] = horizontals.map { $0.map { $0 << 4 | $0 >> 4 } }
  /// The contexts of significant coefficients of 4x4 blocks, by row: table 9-50.
  private static let smallContexts: [UInt8] = [0, 1, 4, 5, 2, 3, 4, 5, 6, 6, 8, 8, 7, 7, 8, 8]

  private mutating func lastPrefix(_ first: Int, _ size: Int, _ isChroma: Bool) -> Int {
    let offset = isChroma ? 15 : 3 * (size - 2) + (size - 1) >> 2
    let shift = isChroma ? size - 2 : (size + 1) >> 2
    var prefix = 0
    while prefix < 2 * size - 1, cabac.decision(first + offset + prefix >> shift) { prefix += 1 }
    return prefix
  }

  private mutating func lastPosition(_ prefix: Int) -> Int {
    guard prefix > 3 else { return prefix }
    let count = prefix >> 1 - 1
    return 1 << count * (2 + prefix & 1) + cabac.bypass(count)
  }

  /// The coefficients of a block.
  private mutating func residual(_ size: Int, _ mode: Int, _ bypasses: Bool, isChroma: Bool) {
    if isBroken || cabac.isPastEnd { return }
    if picture.skipsTransforms, !bypasses, size == 2 {
      _ = cabac.decision(HEVCContexts.transformSkip + (isChroma ? 1 : 0))
    }
    let prefixX = lastPrefix(HEVCContexts.lastX, size, isChroma)
    let prefixY = lastPrefix(HEVCContexts.lastY, size, isChroma)
    var (x, y) = (lastPosition(prefixX), 0)
    y = lastPosition(prefixY)
    var scans = Self.diagonals
    var isDiagonal = true
    if size == 2 || size == 3 && !isChroma {
      if 6...14 ~= mode { (scans, isDiagonal) = (Self.verticals, false) }
      if 22...30 ~= mode { (scans, isDiagonal) = (Self.horizontals, false) }
      if 6...14 ~= mode { swap(&x, &y) }
    }
    guard x < 1 << size, y < 1 << size else { return isBroken = true }
    let (order, inner) = (scans[size - 2], scans[2])
    guard let last = order.firstIndex(of: UInt8((x >> 2) << 4 | y >> 2)),
      let lastInner = inner.firstIndex(of: UInt8((x & 3) << 4 | y & 3))
    else { return isBroken = true }
    for index in groups.indices { groups[index] = false }
    let edge = 1 << (size - 2)
    var greater = 1
    for group in stride(from: last, through: 0, by: -1) {
      let (groupX, groupY) = (Int(order[group] >> 4), Int(order[group] & 15))
      let right = groupX + 1 < edge && groups[groupY * 8 + groupX + 1]
      let below = groupY + 1 < edge && groups[groupY * 8 + 8 + groupX]
      var isInferred = false
      if group < last, group > 0 {
        let context = HEVCContexts.group + (isChroma ? 2 : 0) + (right || below ? 1 : 0)
        guard cabac.decision(context) else { continue }
        isInferred = true
      }
      groups[groupY * 8 + groupX] = true
      var count = 0
      var start = 15
      if group == last {
        significant[0] = UInt8(lastInner)
        (count, start) = (1, lastInner - 1)
      }
      let offset = significantOffset(size, group, isDiagonal, isChroma)
      let neighbors = (right ? 1 : 0) + (below ? 2 : 0)
      var position = start
      while position >= 0 {
        let (innerX, innerY) = (Int(inner[position] >> 4), Int(inner[position] & 15))
        if position == 0, isInferred, count == 0 {
          significant[0] = 0
          count = 1
          break
        }
        let context: Int
        if position == 0, group == 0 {
          context = isChroma ? 27 : 0
        } else if size == 2 {
          context = (isChroma ? 27 : 0) + Int(Self.smallContexts[innerY * 4 + innerX])
        } else {
          context = offset + Self.context(innerX, innerY, neighbors)
        }
        if cabac.decision(HEVCContexts.significant + context) {
          significant[count] = UInt8(position)
          count += 1
        }
        position -= 1
      }
      if count == 0 { continue }
      levels(count, group, &greater, isFirst: group == last, bypasses, isChroma)
      if isBroken || cabac.isPastEnd { return }
    }
  }

  /// The context of a coefficient by its position in its group and the groups to the right (1) and below (2) that are
  /// coded: 9.3.4.2.5.
  private static func context(_ x: Int, _ y: Int, _ neighbors: Int) -> Int {
    switch neighbors {
    case 0: x + y == 0 ? 2 : x + y < 3 ? 1 : 0
    case 1: y == 0 ? 2 : y == 1 ? 1 : 0
    case 2: x == 0 ? 2 : x == 1 ? 1 : 0
    default: 2
    }
  }

  private func significantOffset(_ size: Int, _ group: Int, _ isDiagonal: Bool, _ isChroma: Bool) -> Int {
    if isChroma { return 27 + (size == 3 ? 9 : 12) }
    return (group > 0 ? 3 : 0) + (size == 3 ? isDiagonal ? 9 : 15 : 21)
  }

  /// The levels of the coefficients of a group.
  private mutating func levels(
    _ count: Int, _ group: Int, _ greater: inout Int, isFirst: Bool, _ bypasses: Bool, _ isChroma: Bool
  ) {
    var set = group == 0 || isChroma ? 0 : 2
    if !isFirst, greater == 0 { set += 1 }
    greater = 1
    var ones = 0
    var firstGreater = -1
    for index in 0..<min(count, 8) {
      let context = HEVCContexts.greater1 + (isChroma ? 16 : 0) + 4 * set + greater
      if cabac.decision(context) {
        greater = 0
        ones |= 1 << index
        if firstGreater < 0 { firstGreater = index }
      } else if greater > 0, greater < 3 {
        greater += 1
      }
    }
    var isGreater2 = false
    if firstGreater >= 0 { isGreater2 = cabac.decision(HEVCContexts.greater2 + (isChroma ? 4 : 0) + set) }
    let isHidden = picture.hidesSigns && !bypasses && significant[0] - significant[count - 1] > 3
    _ = cabac.bypass(isHidden ? count - 1 : count)
    var rice = 0
    for index in 0..<count {
      let isOne = index < 8 && ones >> index & 1 == 1
      var level = 1 + (isOne ? 1 : 0) + (index == firstGreater && isGreater2 ? 1 : 0)
      guard level == (index < 8 ? index == firstGreater || firstGreater < 0 ? 3 : 2 : 1) else { continue }
      var prefix = 0
      while cabac.bypass() {
        prefix += 1
        // Levels have 16 bits.
        if prefix > 18 { return isBroken = true }
      }
      if prefix < 4 {
        level += prefix << rice + cabac.bypass(rice)
      } else {
        level += (1 << (prefix - 3) + 2) << rice + cabac.bypass(prefix - 3 + rice)
      }
      if level > 3 << rice, rice < 4 { rice += 1 }
    }
  }
}
