import ISOBMFF

/// Parses the data of slices of HEVC: ISO/IEC 23008-2, 7.3.8.
///
/// Tiles and wavefronts are parsed; dependent slice segments, range extensions, 4:2:2 and 4:4:4 are not.
struct HEVCSliceData {
  let slice: HEVCHeaders.Slice
  private let scan: Scan
  let payload: SliceData.Payload
  var cabac: ArithmeticDecoder
  /// The improbability of what was parsed in random data.
  var evidence = 0.0
  /// Whether an impossible value was found.
  var isBroken = false
  /// The address of the current coding tree block, and whether those to the left and above are in its slice and tile.
  var column = 0
  var row = 0
  private var hasLeft = false
  private var hasAbove = false
  /// The number of coding tree blocks that were parsed.
  private var blockCount = 0
  /// Whether the quantizer of the current group was declared.
  var hasQuantizer = false
  /// The depths of coding units and the prediction modes of blocks, of the lowest row by column, and of the rightmost
  /// column by row of the current coding tree block; in units of 4 samples.
  private var aboveDepths: [UInt8]
  private var leftDepths = [UInt8](repeating: 0, count: 16)
  private var aboveModes: [UInt8]
  private var leftModes = [UInt8](repeating: 1, count: 16)
  /// Whether coding units are skipped.
  private var aboveSkips: [Bool] = []
  private var leftSkips = [Bool](repeating: false, count: 16)
  /// Coded groups of the current block, in rows of 8.
  var groups = [Bool](repeating: false, count: 64)
  /// The positions of significant coefficients of a group.
  var significant = [UInt8](repeating: 0, count: 16)

  var sequence: HEVCHeaders.Sequence { slice.sequence }
  var picture: HEVCHeaders.Picture { slice.picture }

  /// Parses a whole NAL unit, of which the bytes before the index `judged` are known to be right. Only I slices are
  /// parsed.
  static func parse(_ unit: ArraySlice<UInt8>, _ headers: HEVCHeaders, from judged: Int) -> SliceData {
    guard let slice = try? headers.slice(unit), slice.type == 2 else { return .unknown }
    return parse(unit, slice, from: judged)
  }

  /// Parses a whole NAL unit whose header was read.
  static func parse(_ unit: ArraySlice<UInt8>, _ slice: HEVCHeaders.Slice, from judged: Int) -> SliceData {
    guard !slice.isDependent, slice.sequence.isDecodable, let scan = Scan(slice),
      slice.address < slice.sequence.columns * slice.sequence.rows,
      let payload = SliceData.Payload(unit, headerSize: 2, from: judged), slice.byteCount < payload.bytes.count
    else { return .unknown }
    var parser = HEVCSliceData(slice, scan, payload)
    var data = parser.parse()
    data.count = parser.blockCount << max(0, 2 * (slice.sequence.coding.upperBound - 4))
    return data
  }

  private init(_ slice: HEVCHeaders.Slice, _ scan: Scan, _ payload: SliceData.Payload) {
    (self.slice, self.scan, self.payload) = (slice, scan, payload)
    cabac = ArithmeticDecoder(payload.bytes, from: slice.byteCount, contextCount: HEVCContexts.count)
    let count = slice.sequence.columns << (slice.sequence.coding.upperBound - 2)
    aboveDepths = Array(repeating: 0, count: count)
    aboveModes = Array(repeating: 1, count: count)
    if slice.prediction != nil { aboveSkips = Array(repeating: false, count: count) }
  }

  /// The order of coding tree blocks (6.5.1).
  private struct Scan {
    private let columns: [Int]
    private let rows: [Int]
    private let size: (columns: Int, rows: Int)

    /// `nil` if the tiles do not fit the sequence.
    init?(_ slice: HEVCHeaders.Slice) {
      guard let starts = slice.picture.tileStarts(in: slice.sequence) else { return nil }
      (columns, rows) = starts
      size = (slice.sequence.columns, slice.sequence.rows)
    }

    private func range(_ starts: [Int], _ value: Int, _ end: Int) -> Range<Int> {
      let index = (starts.firstIndex { $0 > value } ?? starts.count) - 1
      return starts[index]..<max(starts[index], index + 1 < starts.count ? starts[index + 1] : end)
    }
    /// The columns and rows of the tile of a block.
    func tile(_ column: Int, _ row: Int) -> (columns: Range<Int>, rows: Range<Int>) {
      (range(columns, column, size.columns), range(rows, row, size.rows))
    }
    /// The number of a block in decoding order.
    func number(_ column: Int, _ row: Int) -> Int {
      let (own, tall) = tile(column, row)
      return size.columns * tall.lowerBound + tall.count * own.lowerBound + (row - tall.lowerBound) * own.count + column
        - own.lowerBound
    }
    /// The next block in decoding order; `nil` at the end.
    func next(_ column: Int, _ row: Int) -> (column: Int, row: Int)? {
      let (own, tall) = tile(column, row)
      if column + 1 < own.upperBound { return (column + 1, row) }
      if row + 1 < tall.upperBound { return (own.lowerBound, row + 1) }
      if own.upperBound < size.columns { return (own.upperBound, tall.lowerBound) }
      return tall.upperBound < size.rows ? (0, tall.upperBound) : nil
    }
  }

  private mutating func parse() -> SliceData {
    (column, row) = (slice.address % sequence.columns, slice.address / sequence.columns)
    let first = scan.number(column, row)
    HEVCContexts.start(&cabac, quantizer: slice.quantizer, type: slice.contextType)
    var saved: [UInt8] = []
    var (isWhole, endsPicture) = (false, false)
    while true {
      let tile = scan.tile(column, row)
      hasLeft = column > tile.columns.lowerBound && scan.number(column - 1, row) >= first
      hasAbove = row > tile.rows.lowerBound && scan.number(column, row - 1) >= first
      treeBlock()
      blockCount += 1
      if isBroken || cabac.isPastEnd { break }
      let (chance, isJudged) = (cabac.terminationEvidence, payload.isJudged(cabac.position))
      let isEnd = cabac.terminate()
      if picture.synchronizes, column == min(tile.columns.lowerBound + 1, tile.columns.upperBound - 1) {
        saved = cabac.contexts
      }
      let next = scan.next(column, row)
      if isEnd {
        isWhole = cabac.position == payload.bitCount
        endsPicture = next == nil
        if isWhole { evidence += SliceData.endEvidence(payload) }
        break
      }
      guard let next else { break }
      if isJudged { evidence += chance }
      let isOtherTile = !tile.columns.contains(next.column) || !tile.rows.contains(next.row)
      if isOtherTile || picture.synchronizes && next.column == tile.columns.lowerBound {
        guard endSubset() else { break }
        // The contexts after the second block of the row above, if this is in the slice.
        let isAbove =
          !isOtherTile && tile.columns.count > 1 && scan.number(tile.columns.lowerBound + 1, next.row - 1) >= first
        if isAbove, !saved.isEmpty {
          cabac.contexts = saved
        } else {
          HEVCContexts.start(&cabac, quantizer: slice.quantizer, type: slice.contextType)
        }
      }
      (column, row) = next
    }
    if isWhole { return SliceData(outcome: .whole, endsPicture: endsPicture, evidence: evidence) }
    return payload.isJudged(cabac.position) ? SliceData(outcome: .broken, evidence: evidence) : .unknown
  }

  /// The end of a tile or of a row of a wavefront; returns whether it is valid.
  private mutating func endSubset() -> Bool {
    let isJudged = payload.isJudged(cabac.position)
    guard cabac.terminate() else { return false }
    let end = cabac.position
    let last = (end + 7) / 8
    guard end > 0, last < payload.bytes.count else { return false }
    // The last bit that was read is a 1, and zeros follow.
    let bits = payload.bytes[(end - 1) / 8]
    guard Int(bits.trailingZeroBitCount) == last * 8 - end else { return false }
    if isJudged { evidence += 7 + Double(last * 8 - end) }
    cabac.begin(at: last)
    return true
  }

  // MARK: Coding units

  private mutating func treeBlock() {
    if slice.offsets.luma || slice.offsets.chroma { sampleOffsets() }
    hasQuantizer = false
    let size = sequence.coding.upperBound
    quadtree(column << size, row << size, size, 0)
  }

  /// Sample adaptive offsets: 7.3.8.3.
  private mutating func sampleOffsets() {
    if hasLeft, cabac.decision(HEVCContexts.merge) { return }
    if hasAbove, cabac.decision(HEVCContexts.merge) { return }
    var type = 0
    for plane in 0..<(sequence.profile.chromaFormat == 0 ? 1 : 3) {
      guard plane == 0 ? slice.offsets.luma : slice.offsets.chroma else { continue }
      if plane < 2 { type = cabac.decision(HEVCContexts.offsetType) ? cabac.bypass() ? 2 : 1 : 0 }
      guard type > 0 else { continue }
      let depth = plane == 0 ? sequence.profile.bitDepth : sequence.profile.chromaBitDepth
      let limit = 1 << (min(depth, 10) - 5) - 1
      var count = 0
      for _ in 0..<4 {
        var offset = 0
        while offset < limit, cabac.bypass() { offset += 1 }
        if offset > 0 { count += 1 }
      }
      if type == 1 {
        _ = cabac.bypass(count)
        _ = cabac.bypass(5)
      } else if plane < 2 {
        _ = cabac.bypass(2)
      }
    }
  }

  private mutating func quadtree(_ x: Int, _ y: Int, _ size: Int, _ depth: Int) {
    if isBroken || cabac.isPastEnd { return }
    var splits = size > sequence.coding.lowerBound
    if splits, x + 1 << size <= sequence.width, y + 1 << size <= sequence.height {
      let (left, above) = neighbors(x, y)
      let isLeft = left.map { Int(leftDepths[$0]) > depth } ?? false
      let isAbove = above.map { Int(aboveDepths[$0]) > depth } ?? false
      splits = cabac.decision(HEVCContexts.split + (isLeft ? 1 : 0) + (isAbove ? 1 : 0))
    }
    if let own = picture.quantizerDepth, size >= sequence.coding.upperBound - own { hasQuantizer = false }
    guard splits else { return unit(x, y, size, depth) }
    let half = 1 << (size - 1)
    for part in 0..<4 {
      let (left, top) = (x + part & 1 * half, y + part >> 1 * half)
      if left < sequence.width, top < sequence.height { quadtree(left, top, size - 1, depth + 1) }
    }
  }

  /// The indices of the neighbors to the left and above; `nil` unless they are in the slice and tile.
  private func neighbors(_ x: Int, _ y: Int) -> (left: Int?, above: Int?) {
    let mask = 1 << sequence.coding.upperBound - 1
    return (hasLeft || x & mask > 0 ? (y & mask) >> 2 : nil, hasAbove || y & mask > 0 ? x >> 2 : nil)
  }

  private mutating func setDepth(_ x: Int, _ y: Int, _ size: Int, _ depth: Int) {
    let mask = 1 << sequence.coding.upperBound - 1
    for index in 0..<1 << (size - 2) {
      leftDepths[(y & mask) >> 2 + index] = UInt8(depth)
      aboveDepths[x >> 2 + index] = UInt8(depth)
    }
  }

  private mutating func setSkip(_ x: Int, _ y: Int, _ size: Int, _ isSkipped: Bool) {
    let mask = 1 << sequence.coding.upperBound - 1
    for index in 0..<1 << (size - 2) {
      leftSkips[(y & mask) >> 2 + index] = isSkipped
      aboveSkips[x >> 2 + index] = isSkipped
    }
  }

  private mutating func setMode(_ x: Int, _ y: Int, _ size: Int, _ mode: Int) {
    let mask = 1 << sequence.coding.upperBound - 1
    for index in 0..<1 << (size - 2) {
      leftModes[(y & mask) >> 2 + index] = UInt8(mode)
      aboveModes[x >> 2 + index] = UInt8(mode)
    }
  }

  private mutating func unit(_ x: Int, _ y: Int, _ size: Int, _ depth: Int) {
    setDepth(x, y, size, depth)
    let bypasses = picture.hasBypass && cabac.decision(HEVCContexts.bypass)
    if let prediction = slice.prediction {
      let (left, above) = neighbors(x, y)
      let skipped = (left.map { leftSkips[$0] } ?? false ? 1 : 0) + (above.map { aboveSkips[$0] } ?? false ? 1 : 0)
      let isSkipped = cabac.decision(HEVCContexts.skip + skipped)
      setSkip(x, y, size, isSkipped)
      if isSkipped {
        setMode(x, y, size, 1)
        return mergeIndex(prediction)
      }
      guard cabac.decision(HEVCContexts.predictionMode) else {
        setMode(x, y, size, 1)
        return predictedUnit(size, depth, prediction, bypasses: bypasses)
      }
    }
    let isSplit = size == sequence.coding.lowerBound && !cabac.decision(HEVCContexts.part)
    if !isSplit, let raw = sequence.raw, raw.sizes.contains(size), cabac.terminate() {
      setMode(x, y, size, 1)
      let chroma = sequence.profile.chromaFormat == 0 ? 0 : raw.depths.1 << (2 * size - 1)
      let bits = raw.depths.0 << (2 * size) + chroma
      return cabac.begin(at: (cabac.position + 7) / 8 + bits / 8)
    }
    let count = isSplit ? 4 : 1
    var known = 0
    for part in 0..<count where cabac.decision(HEVCContexts.mode) { known |= 1 << part }
    var first = 0
    var modes = (0, 0, 0, 0)
    for part in 0..<count {
      let own = isSplit ? size - 1 : size
      let (left, top) = (x + (part & 1) << own, y + (part >> 1) << own)
      let mode = mode(left, top, known >> part & 1 == 1)
      setMode(left, top, own, mode)
      switch part {
      case 0: (first, modes.0) = (mode, mode)
      case 1: modes.1 = mode
      case 2: modes.2 = mode
      default: modes.3 = mode
      }
    }
    var chroma = first
    if sequence.profile.chromaFormat > 0, cabac.decision(HEVCContexts.chromaMode) {
      chroma = [0, 26, 10, 1][cabac.bypass(2)]
      if chroma == first { chroma = 34 }
    }
    var unit = TransformUnit(modes: modes, chromaMode: chroma, bypasses: bypasses, isSplit: isSplit)
    transformTree(&unit, size, 0, 0, cb: true, cr: true)
  }

  /// The prediction mode of a block: 8.4.2.
  private mutating func mode(_ x: Int, _ y: Int, _ isKnown: Bool) -> Int {
    let (left, above) = neighbors(x, y)
    let a = left.map { Int(leftModes[$0]) } ?? 1
    // The row above the coding tree block is not remembered.
    let b = y & (1 << sequence.coding.upperBound - 1) > 0 ? above.map { Int(aboveModes[$0]) } ?? 1 : 1
    var candidates: (Int, Int, Int)
    if a == b {
      candidates = a < 2 ? (0, 1, 26) : (a, 2 + (a + 29) % 32, 2 + (a - 1) % 32)
    } else {
      candidates = (a, b, a != 0 && b != 0 ? 0 : a != 1 && b != 1 ? 1 : 26)
    }
    if isKnown {
      if !cabac.bypass() { return candidates.0 }
      return cabac.bypass() ? candidates.2 : candidates.1
    }
    if candidates.0 > candidates.1 { swap(&candidates.0, &candidates.1) }
    if candidates.0 > candidates.2 { swap(&candidates.0, &candidates.2) }
    if candidates.1 > candidates.2 { swap(&candidates.1, &candidates.2) }
    var mode = cabac.bypass(5)
    if mode >= candidates.0 { mode += 1 }
    if mode >= candidates.1 { mode += 1 }
    if mode >= candidates.2 { mode += 1 }
    return mode
  }
}
