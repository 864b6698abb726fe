import ISOBMFF

/// Coding units that are predicted from other pictures: ISO/IEC 23008-2, 7.3.8.5, 7.3.8.6 and 7.3.8.9.
extension HEVCSliceData {
  /// Parses a coding unit after its prediction mode.
  mutating func predictedUnit(_ size: Int, _ depth: Int, _ prediction: HEVCHeaders.Prediction, bypasses: Bool) {
    let parts = parts(size)
    var isMerged = false
    for part in parts {
      isMerged = cabac.decision(HEVCContexts.mergeFlag)
      if isMerged {
        mergeIndex(prediction)
      } else {
        motion(part.width + part.height == 12, depth, prediction)
      }
      if isBroken || cabac.isPastEnd { return }
    }
    guard parts.count == 1 && isMerged || cabac.decision(HEVCContexts.root) else { return }
    var unit = TransformUnit(modes: (1, 1, 1, 1), chromaMode: 1, bypasses: bypasses, isSplit: false)
    (unit.isPredicted, unit.hasParts) = (true, parts.count > 1)
    transformTree(&unit, size, 0, 0, cb: true, cr: true)
  }

  /// The sizes of the parts of a unit: `part_mode`, 9.3.3.7.
  private mutating func parts(_ size: Int) -> [(width: Int, height: Int)] {
    let edge = 1 << size
    if cabac.decision(HEVCContexts.part) { return [(edge, edge)] }
    let (wide, tall) = ((width: edge, height: edge / 2), (width: edge / 2, height: edge))
    if size == sequence.coding.lowerBound {
      if cabac.decision(HEVCContexts.parts) { return [wide, wide] }
      if size == 3 || cabac.decision(HEVCContexts.parts + 1) { return [tall, tall] }
      return Array(repeating: (edge / 2, edge / 2), count: 4)
    }
    let isWide = cabac.decision(HEVCContexts.parts)
    if !sequence.hasUnequalParts || cabac.decision(HEVCContexts.parts + 2) {
      return isWide ? [wide, wide] : [tall, tall]
    }
    let sizes = cabac.bypass() ? (edge * 3 / 4, edge / 4) : (edge / 4, edge * 3 / 4)
    return isWide ? [(edge, sizes.0), (edge, sizes.1)] : [(sizes.0, edge), (sizes.1, edge)]
  }

  mutating func mergeIndex(_ prediction: HEVCHeaders.Prediction) {
    guard prediction.candidates > 1, cabac.decision(HEVCContexts.mergeIndex) else { return }
    var index = 1
    while index < prediction.candidates - 1, cabac.bypass() { index += 1 }
  }

  /// Parses the reference pictures and motion vectors of a part.
  private mutating func motion(_ isSmall: Bool, _ depth: Int, _ prediction: HEVCHeaders.Prediction) {
    var lists = (true, false)
    if prediction.isB {
      if !isSmall, cabac.decision(HEVCContexts.predictionLists + depth) {
        lists = (true, true)
      } else if cabac.decision(HEVCContexts.predictionLists + 4) {
        lists = (false, true)
      }
    }
    if lists.0 {
      referenceIndex(prediction.references.0)
      difference()
      _ = cabac.decision(HEVCContexts.predictor)
    }
    if lists.1 {
      referenceIndex(prediction.references.1)
      if !lists.0 || !prediction.zeroesMotion { difference() }
      _ = cabac.decision(HEVCContexts.predictor)
    }
  }

  private mutating func referenceIndex(_ count: Int) {
    var index = 0
    while index < min(count - 1, 2), cabac.decision(HEVCContexts.referenceIndex + index) { index += 1 }
    if index == 2 { while index < count - 1, cabac.bypass() { index += 1 } }
  }

  /// The difference of a motion vector.
  private mutating func difference() {
    let isX = cabac.decision(HEVCContexts.motionGreater0)
    let isY = cabac.decision(HEVCContexts.motionGreater0)
    let isLargeX = isX && cabac.decision(HEVCContexts.motionGreater1)
    let isLargeY = isY && cabac.decision(HEVCContexts.motionGreater1)
    for (isAny, isLarge) in [(isX, isLargeX), (isY, isLargeY)] where isAny {
      if isLarge {
        var bits = 1
        while cabac.bypass() {
          bits += 1
          // Differences have 16 bits.
          if bits > 16 { return isBroken = true }
        }
        _ = cabac.bypass(bits)
      }
      _ = cabac.bypass()
    }
  }
}
