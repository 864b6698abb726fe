import ISOBMFF

/// The fields of parameter sets and slice headers that are needed to parse the data of I slices of HEVC: ISO/IEC
/// 23008-2, 7.3.2 and 7.3.6.
struct HEVCParameters {
  struct Sequence {
    var chromaFormat = 1
    var width = 0
    var height = 0
    var depths = (8, 8)
    var orderBits = 4
    /// The sizes of coding and transform blocks, as logarithms.
    var coding = 3...6
    var transform = 2...5
    var transformDepth = 0
    var predictedDepth = 0
    /// Whether coding units can be divided into unequal parts.
    var hasUnequalParts = false
    var hasOffsets = false
    /// The sizes of uncompressed blocks, and their bit depths.
    var raw: (sizes: ClosedRange<Int>, depths: (Int, Int))?
    /// The number of pictures in each reference picture set.
    var sets: [Int] = []
    var hasLongTerm = false
    var longTermCount = 0
    var hasMotion = false

    /// The number of coding tree blocks in a row, and of rows.
    var columns: Int { (width - 1) >> coding.upperBound + 1 }
    var rows: Int { (height - 1) >> coding.upperBound + 1 }
  }
  struct Picture {
    var sequence = 0
    var hasDependentSlices = false
    var hasOutputFlag = false
    var extraBits = 0
    var hidesSigns = false
    var quantizer = 26
    var skipsTransforms = false
    /// The depth of the smallest blocks with a quantizer of their own; `nil` if there are none.
    var quantizerDepth: Int?
    var hasChromaOffsets = false
    var hasBypass = false
    var synchronizes = false
    /// The starts of the columns and rows of tiles; empty without tiles.
    var tileColumns: [Int] = []
    var tileRows: [Int] = []
    var filtersAcrossSlices = false
    var overridesDeblocking = false
    var disablesDeblocking = false
    var hasExtension = false
  }
  /// How the blocks of a P or B slice are predicted.
  struct Prediction {
    var isB = false
    var hasInitFlag = false
    /// The numbers of reference pictures.
    var references = (1, 1)
    /// Whether blocks with two references have no second motion vector.
    var zeroesMotion = false
    /// The maximum number of candidates for merging.
    var candidates = 5
  }
  /// A slice.
  struct Slice {
    var sequence: Sequence
    var picture: Picture
    /// The first coding tree block.
    var address = 0
    var offsetsLuma = false
    var offsetsChroma = false
    var quantizer = 26
    /// The byte at which the data starts.
    var start = 0
    /// `nil` for I slices.
    var prediction: Prediction?

    /// The number of the initial contexts.
    var contextType: Int {
      guard let prediction else { return 0 }
      return prediction.isB != prediction.hasInitFlag ? 2 : 1
    }
  }
  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  init(_ units: some Swift.Sequence<[UInt8]>) { for unit in units { note(unit[...]) } }

  /// Records a NAL unit if it is a parameter set of the base layer.
  mutating func note(_ unit: ArraySlice<UInt8>) {
    guard unit.count > 2, unit[unit.startIndex] & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0 else { return }
    var bits = MediaBits(nalUnit: unit, headerSize: 2)
    switch unit[unit.startIndex] >> 1 {
    case 33: noteSequence(&bits)
    case 34: notePicture(&bits)
    default: break
    }
  }

  private mutating func noteSequence(_ bits: inout MediaBits) {
    bits.skip(4)
    let layers = bits.bits(3)
    bits.skip(1 + 3)
    // Only Main, Main 10 and Main Still Picture have no extensions that change the syntax.
    let profile = bits.bits(5)
    bits.skip(32 + 48 + 8)
    if layers > 0 {
      let present = (0..<layers).map { _ in (profile: bits.flag(), level: bits.flag()) }
      bits.skip(2 * (8 - layers))
      for layer in present { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    }
    let id = bits.golomb()
    guard id < 16 else { return }
    guard let own = Self.sequence(&bits, layers), 1...3 ~= profile, !bits.isPastEnd else {
      return sequences[id] = nil
    }
    sequences[id] = own
  }

  private static func sequence(_ bits: inout MediaBits, _ layers: Int) -> Sequence? {
    var own = Sequence()
    own.chromaFormat = bits.golomb()
    guard own.chromaFormat < 2 else { return nil }
    (own.width, own.height) = (bits.golomb(), bits.golomb())
    if bits.flag() { bits.skipGolombs(4) }
    own.depths = (8 + bits.golomb(), 8 + bits.golomb())
    own.orderBits = bits.golomb() + 4
    bits.skipGolombs(3 * (bits.flag() ? layers + 1 : 1))
    let coding = bits.golomb() + 3
    own.coding = coding...coding + bits.golomb()
    let transform = bits.golomb() + 2
    own.transform = transform...transform + bits.golomb()
    own.predictedDepth = bits.golomb()
    own.transformDepth = bits.golomb()
    if bits.flag(), bits.flag() { bits.skipScalingLists() }
    own.hasUnequalParts = bits.flag()
    own.hasOffsets = bits.flag()
    if bits.flag() {
      let depths = (bits.bits(4) + 1, bits.bits(4) + 1)
      let size = bits.golomb() + 3
      own.raw = (size...size + bits.golomb(), depths)
      bits.skip(1)
    }
    let count = bits.golomb()
    guard count <= 64, !bits.isPastEnd else { return nil }
    for _ in 0..<count {
      guard let size = referenceSet(&bits, own.sets, isInSlice: false) else { return nil }
      own.sets.append(size)
    }
    own.hasLongTerm = bits.flag()
    if own.hasLongTerm {
      own.longTermCount = bits.golomb()
      guard own.longTermCount <= 32 else { return nil }
      bits.skip(own.longTermCount * (own.orderBits + 1))
    }
    own.hasMotion = bits.flag()
    guard 1...16384 ~= own.width, 1...16384 ~= own.height, own.depths.0 <= 16, own.depths.1 <= 16,
      own.orderBits <= 16, own.coding.upperBound <= 6, own.transform.upperBound <= 5,
      own.transform.lowerBound < own.coding.lowerBound, own.transformDepth <= 4, own.predictedDepth <= 4
    else { return nil }
    return own
  }

  private mutating func notePicture(_ bits: inout MediaBits) {
    var own = Picture()
    let id = bits.golomb()
    guard id < 64 else { return }
    pictures[id] = nil
    own.sequence = bits.golomb()
    own.hasDependentSlices = bits.flag()
    own.hasOutputFlag = bits.flag()
    own.extraBits = bits.bits(3)
    own.hidesSigns = bits.flag()
    bits.skip(1)
    bits.skipGolombs(2)
    own.quantizer = 26 + bits.signedGolomb()
    bits.skip(1)
    own.skipsTransforms = bits.flag()
    if bits.flag() { own.quantizerDepth = bits.golomb() }
    bits.skipGolombs(2)
    own.hasChromaOffsets = bits.flag()
    bits.skip(2)
    own.hasBypass = bits.flag()
    let hasTiles = bits.flag()
    own.synchronizes = bits.flag()
    if hasTiles {
      guard let sequence = sequences[own.sequence] else { return }
      let counts = (bits.golomb() + 1, bits.golomb() + 1)
      guard counts.0 <= min(20, sequence.columns), counts.1 <= min(22, sequence.rows) else { return }
      let isUniform = bits.flag()
      own.tileColumns = Self.starts(counts.0, sequence.columns, isUniform, &bits)
      own.tileRows = Self.starts(counts.1, sequence.rows, isUniform, &bits)
      bits.skip(1)
    }
    own.filtersAcrossSlices = bits.flag()
    if bits.flag() {
      own.overridesDeblocking = bits.flag()
      own.disablesDeblocking = bits.flag()
      if !own.disablesDeblocking { bits.skipGolombs(2) }
    }
    if bits.flag() { bits.skipScalingLists() }
    bits.skip(1)
    _ = bits.golomb()
    own.hasExtension = bits.flag()
    if !bits.isPastEnd { pictures[id] = own }
  }

  /// The starts of tiles: 6.5.1.
  private static func starts(_ count: Int, _ size: Int, _ isUniform: Bool, _ bits: inout MediaBits) -> [Int] {
    if isUniform { return (0..<count).map { $0 * size / count } }
    var starts = [0]
    for _ in 1..<max(count, 1) { starts.append(min(starts[starts.count - 1] + bits.golomb() + 1, size)) }
    return starts
  }

  /// Parses a reference picture set (7.3.7) and returns the number of its pictures.
  private static func referenceSet(_ bits: inout MediaBits, _ sets: [Int], isInSlice: Bool) -> Int? {
    if !sets.isEmpty, bits.flag() {
      let distance = isInSlice ? bits.golomb() + 1 : 1
      bits.skip(1)
      _ = bits.golomb()
      guard distance <= sets.count else { return nil }
      var count = 0
      for _ in 0...sets[sets.count - distance] where bits.flag() || bits.flag() { count += 1 }
      return count
    }
    let counts = (bits.golomb(), bits.golomb())
    guard counts.0 <= 16, counts.1 <= 16 else { return nil }
    for _ in 0..<counts.0 + counts.1 {
      _ = bits.golomb()
      bits.skip(1)
    }
    return counts.0 + counts.1
  }

  /// The slice with a header that was read; `nil` if it is not supported.
  func slice(_ header: HEVCHeaders.Slice) -> Slice? {
    guard !header.isDependent, let picture = pictures[header.sets.picture],
      let sequence = sequences[picture.sequence]
    else { return nil }
    var own = Slice(sequence: sequence, picture: picture)
    (own.address, own.start, own.quantizer) = (header.address, header.byteCount, header.quantizer)
    (own.offsetsLuma, own.offsetsChroma, own.prediction) = (header.offsets.0, header.offsets.1, header.prediction)
    return own.address < sequence.columns * sequence.rows ? own : nil
  }

  /// The header of an I slice; `nil` if it is not one, or not supported.
  func slice(_ unit: ArraySlice<UInt8>) -> Slice? {
    guard unit.count > 3, let first = unit.first, unit[unit.startIndex + 1] >> 3 == 0, first & 1 == 0 else {
      return nil
    }
    let type = Int(first >> 1)
    guard type < 10 || 16...21 ~= type else { return nil }
    var bits = MediaBits(nalUnit: unit.prefix(2048), headerSize: 2)
    let isFirst = bits.flag()
    if type >= 16 { bits.skip(1) }
    guard let picture = pictures[bits.golomb()], let sequence = sequences[picture.sequence] else { return nil }
    var own = Slice(sequence: sequence, picture: picture)
    if !isFirst {
      if picture.hasDependentSlices, bits.flag() { return nil }
      own.address = bits.bits(Self.bitCount(sequence.columns * sequence.rows))
      guard own.address < sequence.columns * sequence.rows else { return nil }
    }
    bits.skip(picture.extraBits)
    guard bits.golomb() == 2 else { return nil }
    if picture.hasOutputFlag { bits.skip(1) }
    if type != 19, type != 20, !Self.skipReferences(&bits, sequence) { return nil }
    if sequence.hasOffsets {
      own.offsetsLuma = bits.flag()
      if sequence.chromaFormat > 0 { own.offsetsChroma = bits.flag() }
    }
    own.quantizer = picture.quantizer + bits.signedGolomb()
    if picture.hasChromaOffsets { bits.skipGolombs(2) }
    var isUnfiltered = picture.disablesDeblocking
    if picture.overridesDeblocking, bits.flag() {
      isUnfiltered = bits.flag()
      if !isUnfiltered { bits.skipGolombs(2) }
    }
    if picture.filtersAcrossSlices, own.offsetsLuma || own.offsetsChroma || !isUnfiltered { bits.skip(1) }
    if picture.synchronizes || !picture.tileColumns.isEmpty {
      let count = bits.golomb()
      if count > 0 { bits.skip((bits.golomb() + 1) * count) }
    }
    if picture.hasExtension { bits.skip(8 * bits.golomb()) }
    guard bits.flag(), !bits.isPastEnd else { return nil }
    own.start = (bits.position + 7) / 8
    return own
  }

  /// Skips the picture order count and the reference pictures; returns whether they are valid.
  private static func skipReferences(_ bits: inout MediaBits, _ sequence: Sequence) -> Bool {
    bits.skip(sequence.orderBits)
    if !bits.flag() {
      guard referenceSet(&bits, sequence.sets, isInSlice: true) != nil else { return false }
    } else if sequence.sets.count > 1 {
      bits.skip(bitCount(sequence.sets.count))
    }
    if sequence.hasLongTerm {
      let known = sequence.longTermCount > 0 ? bits.golomb() : 0
      let count = known + bits.golomb()
      guard count <= 33 else { return false }
      for index in 0..<count {
        if index < known {
          if sequence.longTermCount > 1 { bits.skip(bitCount(sequence.longTermCount)) }
        } else {
          bits.skip(sequence.orderBits + 1)
        }
        if bits.flag() { _ = bits.golomb() }
      }
    }
    if sequence.hasMotion { bits.skip(1) }
    return !bits.isPastEnd
  }

  /// The number of bits for numbers below `count`.
  private static func bitCount(_ count: Int) -> Int {
    count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
  }
}

extension MediaBits {
  /// Skips the scaling lists of HEVC: ISO/IEC 23008-2, 7.3.4.
  mutating func skipScalingLists() {
    for size in 0..<4 {
      // The lists of 32x32 chroma blocks are derived.
      for _ in 0..<(size == 3 ? 2 : 6) where !isPastEnd {
        guard flag() else {
          _ = golomb()
          continue
        }
        if size > 1 { _ = golomb() }
        skipGolombs(min(64, 1 << (4 + size << 1)))
      }
    }
  }
}
