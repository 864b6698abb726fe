import ISOBMFF

/// The parameter sets of HEVC and the headers of all its slices: ISO/IEC 23008-2, 7.3.2, 7.3.6 and 7.3.7.
///
/// Of the extensions, only range extensions are known; sets with others are not supported.
struct HEVCHeaders: Sendable {
  /// A picture in a reference picture set.
  struct Reference: Hashable {
    /// Its distance in the picture order count.
    var delta: Int
    var isUsed: Bool
  }
  struct Sequence {
    var isSupported = true
    var hasPlanes = false
    var chromaFormat = 1
    var depths = (8, 8)
    var blockCount = 0
    var orderBits = 4
    var sets: [[Reference]] = []
    var hasLongTerm = false
    var longTerm: [(low: Int, isUsed: Bool)] = []
    var hasOffsets = false
    var hasMotion = false
  }
  struct Picture {
    var sequence = 0
    var hasDependentSlices = false
    var hasOutputFlag = false
    var extraBits = 0
    var hasInitFlag = false
    var references = (1, 1)
    var quantizer = 26
    var hasChromaOffsets = false
    var isWeighted = false
    var isBiweighted = false
    var hasEntryPoints = false
    var filtersAcrossSlices = false
    var overridesDeblocking = false
    var disablesDeblocking = false
    var hasListModification = false
    var hasExtension = false
    var hasChromaOffsetLists = false
  }
  /// The header of a slice segment.
  struct Slice {
    var isFirst = true
    var isDependent = false
    var address = 0
    /// 0 is B, 1 is P, 2 is I.
    var type = 2
    /// The low part of the picture order count, and the number of its values.
    var order = (low: 0, modulus: 16)
    /// The short-term reference pictures.
    var shortTerm: [Reference] = []
    /// The long-term reference pictures: the low part of the picture order count, or all of it relative to the picture.
    var longTerm: [(order: Int, isWhole: Bool, isUsed: Bool)] = []
    var sets = (picture: 0, sequence: 0)
    /// The first field with an impossible value.
    var fault: StaticString?
    /// The number of bytes without emulation prevention bytes and the unit header.
    var byteCount = 0
    /// The initial quantizer of luma, and whether luma and chroma have sample adaptive offsets.
    var quantizer = 26
    var offsets = (false, false)
    /// `nil` for I slices.
    var prediction: HEVCParameters.Prediction?
  }

  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  init(_ units: some Swift.Sequence<[UInt8]>) { for unit in units { note(unit[...]) } }

  /// Records a NAL unit of the base layer if it is a parameter set; returns whether it is valid.
  @discardableResult
  mutating func note(_ unit: ArraySlice<UInt8>) -> Bool {
    guard unit.count > 2, unit[unit.startIndex] & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0 else { return true }
    var bits = MediaBits(nalUnit: unit, headerSize: 2)
    switch unit[unit.startIndex] >> 1 {
    case 33: return noteSequence(&bits)
    case 34: return notePicture(&bits)
    default: return true
    }
  }

  private mutating func noteSequence(_ bits: inout MediaBits) -> Bool {
    var own = Sequence()
    bits.skip(4)
    let layers = bits.bits(3)
    guard layers < 7 else { return false }
    bits.skip(1 + 3)
    own.isSupported = bits.bits(5) <= 4
    bits.skip(32 + 48 + 8)
    if layers > 0 {
      let present = (0..<layers).map { _ in (profile: bits.flag(), level: bits.flag()) }
      bits.skip(2 * (8 - layers))
      for layer in present { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    }
    let id = bits.golomb()
    own.chromaFormat = bits.golomb()
    guard id < 16, own.chromaFormat <= 3 else { return false }
    if own.chromaFormat == 3 { own.hasPlanes = bits.flag() }
    let (width, height) = (bits.golomb(), bits.golomb())
    if bits.flag() { bits.skipGolombs(4) }
    own.depths = (8 + bits.golomb(), 8 + bits.golomb())
    own.orderBits = bits.golomb() + 4
    bits.skipGolombs(3 * (bits.flag() ? layers + 1 : 1))
    let least = bits.golomb() + 3
    let coding = least + bits.golomb()
    let transform = bits.golomb() + 2
    let largest = transform + bits.golomb()
    bits.skipGolombs(2)
    guard 1...1 << 16 ~= width, 1...1 << 16 ~= height, own.depths.0 <= 16, own.depths.1 <= 16, own.orderBits <= 16,
      coding <= 6, transform < least, largest <= 5
    else { return false }
    own.blockCount = ((width - 1) >> coding + 1) * ((height - 1) >> coding + 1)
    if bits.flag(), bits.flag() { bits.skipScalingLists() }
    bits.skip(1)
    own.hasOffsets = bits.flag()
    if bits.flag() {
      bits.skip(8)
      bits.skipGolombs(2)
      bits.skip(1)
    }
    let count = bits.golomb()
    guard count <= 64 else { return false }
    for _ in 0..<count {
      guard let set = Self.referenceSet(&bits, own.sets, isInSlice: false) else { return false }
      own.sets.append(set)
    }
    own.hasLongTerm = bits.flag()
    if own.hasLongTerm {
      let count = bits.golomb()
      guard count <= 32 else { return false }
      for _ in 0..<count { own.longTerm.append((bits.bits(own.orderBits), bits.flag())) }
    }
    own.hasMotion = bits.flag()
    guard !bits.isPastEnd else { return false }
    sequences[id] = own
    return true
  }

  private mutating func notePicture(_ bits: inout MediaBits) -> Bool {
    var own = Picture()
    let id = bits.golomb()
    own.sequence = bits.golomb()
    guard id < 64, own.sequence < 16 else { return false }
    own.hasDependentSlices = bits.flag()
    own.hasOutputFlag = bits.flag()
    own.extraBits = bits.bits(3)
    bits.skip(1)
    own.hasInitFlag = bits.flag()
    own.references = (bits.golomb() + 1, bits.golomb() + 1)
    own.quantizer = 26 + bits.signedGolomb()
    bits.skip(1)
    let skipsTransforms = bits.flag()
    if bits.flag() { _ = bits.golomb() }
    let offsets = (bits.signedGolomb(), bits.signedGolomb())
    own.hasChromaOffsets = bits.flag()
    own.isWeighted = bits.flag()
    own.isBiweighted = bits.flag()
    bits.skip(1)
    let hasTiles = bits.flag()
    own.hasEntryPoints = bits.flag() || hasTiles
    if hasTiles {
      let counts = (bits.golomb(), bits.golomb())
      guard counts.0 < 64, counts.1 < 64 else { return false }
      if !bits.flag() { bits.skipGolombs(counts.0 + counts.1) }
      bits.skip(1)
    }
    own.filtersAcrossSlices = bits.flag()
    if bits.flag() {
      own.overridesDeblocking = bits.flag()
      own.disablesDeblocking = bits.flag()
      if !own.disablesDeblocking { bits.skipGolombs(2) }
    }
    if bits.flag() { bits.skipScalingLists() }
    own.hasListModification = bits.flag()
    _ = bits.golomb()
    own.hasExtension = bits.flag()
    if bits.flag() {
      let hasRangeExtension = bits.flag()
      bits.skip(7)
      if hasRangeExtension {
        if skipsTransforms { _ = bits.golomb() }
        bits.skip(1)
        own.hasChromaOffsetLists = bits.flag()
      }
    }
    guard !bits.isPastEnd, own.references.0 <= 15, own.references.1 <= 15, -12...12 ~= offsets.0, -12...12 ~= offsets.1
    else { return false }
    pictures[id] = own
    return true
  }

  /// Parses a reference picture set: 7.3.7 and 7.4.8.
  private static func referenceSet(
    _ bits: inout MediaBits, _ sets: [[Reference]], isInSlice: Bool
  ) -> [Reference]? {
    if !sets.isEmpty, bits.flag() {
      let distance = isInSlice ? bits.golomb() + 1 : 1
      guard distance <= sets.count else { return nil }
      let isNegative = bits.flag()
      let change = bits.golomb() + 1
      guard change <= 1 << 15 else { return nil }
      let delta = isNegative ? -change : change
      var result: [Reference] = []
      let base = sets[sets.count - distance]
      for index in 0...base.count {
        let isUsed = bits.flag()
        guard isUsed || bits.flag() else { continue }
        result.append(Reference(delta: delta + (index < base.count ? base[index].delta : 0), isUsed: isUsed))
      }
      guard result.count <= 16, !bits.isPastEnd else { return nil }
      // Those before the picture come first, the nearest one of both kinds first.
      let before = result.filter { $0.delta < 0 }.sorted { $0.delta > $1.delta }
      return before + result.filter { $0.delta > 0 }.sorted { $0.delta < $1.delta }
    }
    let counts = (bits.golomb(), bits.golomb())
    guard counts.0 <= 16, counts.1 <= 16 - counts.0 else { return nil }
    var result: [Reference] = []
    for (count, sign) in [(counts.0, -1), (counts.1, 1)] {
      var delta = 0
      for _ in 0..<count {
        let step = bits.golomb() + 1
        guard step <= 1 << 15 else { return nil }
        delta += sign * step
        result.append(Reference(delta: delta, isUsed: bits.flag()))
      }
    }
    return bits.isPastEnd ? nil : result
  }

  /// The header of a slice segment of the base layer.
  func slice(_ unit: ArraySlice<UInt8>) throws(SliceObstacle) -> Slice {
    let type = Int(unit[unit.startIndex] >> 1)
    var bits = MediaBits(nalUnit: unit.prefix(4096), headerSize: 2)
    var own = Slice()
    var fault: StaticString?
    func require(_ isValid: Bool, _ field: StaticString) { if !isValid, fault == nil { fault = field } }
    own.isFirst = bits.flag()
    if 16...23 ~= type { bits.skip(1) }
    own.sets.picture = bits.golomb()
    guard !bits.isPastEnd else { throw .broken }
    guard let picture = pictures[own.sets.picture] else { throw .pictureSet(own.sets.picture) }
    own.sets.sequence = picture.sequence
    guard let sequence = sequences[picture.sequence] else { throw .sequenceSet(picture.sequence) }
    guard sequence.isSupported else { throw .unsupported }
    if !own.isFirst {
      own.isDependent = picture.hasDependentSlices && bits.flag()
      own.address = bits.bits(Self.bitCount(sequence.blockCount))
      require(own.address < sequence.blockCount && own.address > 0, "slice_segment_address")
    }
    if !own.isDependent {
      bits.skip(picture.extraBits)
      own.type = bits.golomb()
      require(own.type <= 2 && (own.type == 2 || !(16...23 ~= type)), "slice_type")
      if picture.hasOutputFlag { bits.skip(1) }
      if sequence.hasPlanes { bits.skip(2) }
      var hasMotion = false
      if type != 19, type != 20 {
        hasMotion = try readReferences(&bits, sequence, &own)
      } else {
        own.order.modulus = 1 << sequence.orderBits
      }
      var (offsetsLuma, offsetsChroma) = (false, false)
      if sequence.hasOffsets {
        offsetsLuma = bits.flag()
        if sequence.chromaFormat != 0, !sequence.hasPlanes { offsetsChroma = bits.flag() }
      }
      if own.type < 2 {
        guard let prediction = Self.prediction(&bits, own, picture, sequence, hasMotion, require) else {
          throw .broken
        }
        own.prediction = prediction
      }
      let quantizer = picture.quantizer + bits.signedGolomb()
      require(-6 * (sequence.depths.0 - 8)...51 ~= quantizer, "slice_qp_delta")
      (own.quantizer, own.offsets) = (quantizer, (offsetsLuma, offsetsChroma))
      if picture.hasChromaOffsets {
        require(-12...12 ~= bits.signedGolomb(), "slice_cb_qp_offset")
        require(-12...12 ~= bits.signedGolomb(), "slice_cr_qp_offset")
      }
      if picture.hasChromaOffsetLists { bits.skip(1) }
      var isUnfiltered = picture.disablesDeblocking
      if picture.overridesDeblocking, bits.flag() {
        isUnfiltered = bits.flag()
        if !isUnfiltered {
          require(-6...6 ~= bits.signedGolomb(), "slice_beta_offset_div2")
          require(-6...6 ~= bits.signedGolomb(), "slice_tc_offset_div2")
        }
      }
      if picture.filtersAcrossSlices, offsetsLuma || offsetsChroma || !isUnfiltered { bits.skip(1) }
    }
    if picture.hasEntryPoints {
      let count = bits.golomb()
      require(count < 440 * 20, "num_entry_point_offsets")
      if count > 0, fault == nil {
        let size = bits.golomb() + 1
        require(size <= 32, "offset_len_minus1")
        // Long lists extend past the bytes that are looked at.
        if size * count > 16_000 { throw .unsupported }
        bits.skip(size * count)
      }
    }
    if picture.hasExtension {
      let count = bits.golomb()
      require(count <= 256, "slice_segment_header_extension_length")
      bits.skip(8 * min(count, 256))
    }
    guard !bits.isPastEnd else { throw .broken }
    require(bits.flag(), "byte_alignment")
    while bits.position % 8 != 0 { require(!bits.flag(), "byte_alignment") }
    (own.byteCount, own.fault) = (bits.position / 8, fault)
    return own
  }

  /// Reads the picture order count and the reference pictures; returns `slice_temporal_mvp_enabled_flag`.
  private func readReferences(
    _ bits: inout MediaBits, _ sequence: Sequence, _ own: inout Slice
  ) throws(SliceObstacle) -> Bool {
    own.order = (bits.bits(sequence.orderBits), 1 << sequence.orderBits)
    if !bits.flag() {
      guard let set = Self.referenceSet(&bits, sequence.sets, isInSlice: true) else { throw .broken }
      own.shortTerm = set
    } else {
      let index = sequence.sets.count > 1 ? bits.bits(Self.bitCount(sequence.sets.count)) : 0
      guard sequence.sets.indices.contains(index) else { throw .broken }
      own.shortTerm = sequence.sets[index]
    }
    if sequence.hasLongTerm {
      let known = sequence.longTerm.isEmpty ? 0 : bits.golomb()
      let count = known + bits.golomb()
      guard count <= 33 else { throw .broken }
      var cycle = 0
      for index in 0..<count {
        var reference = (order: 0, isWhole: false, isUsed: false)
        if index < known {
          let place = sequence.longTerm.count > 1 ? bits.bits(Self.bitCount(sequence.longTerm.count)) : 0
          guard sequence.longTerm.indices.contains(place) else { throw .broken }
          (reference.order, reference.isUsed) = (sequence.longTerm[place].low, sequence.longTerm[place].isUsed)
        } else {
          (reference.order, reference.isUsed) = (bits.bits(sequence.orderBits), bits.flag())
        }
        let isWhole = bits.flag()
        // The cycles of both kinds add up: 7.4.7.1.
        if index == 0 || index == known { cycle = 0 }
        if isWhole {
          cycle += bits.golomb()
          reference.isWhole = true
          reference.order += -cycle * own.order.modulus - own.order.low
        }
        own.longTerm.append(reference)
      }
    }
    return sequence.hasMotion && bits.flag()
  }

  /// Reads the fields of P and B slices; `nil` if the next fields cannot be read.
  private static func prediction(
    _ bits: inout MediaBits, _ own: Slice, _ picture: Picture, _ sequence: Sequence, _ hasMotion: Bool,
    _ require: (Bool, StaticString) -> Void
  ) -> HEVCParameters.Prediction? {
    var references = picture.references
    let isB = own.type == 0
    if bits.flag() {
      references.0 = bits.golomb() + 1
      if isB { references.1 = bits.golomb() + 1 }
    }
    guard references.0 <= 15, references.1 <= 15 else { return nil }
    let total = own.shortTerm.count(where: \.isUsed) + own.longTerm.count(where: \.isUsed)
    // A predicted slice has references.
    require(total > 0, "num_ref_idx_active")
    if picture.hasListModification, total > 1 {
      for count in isB ? [references.0, references.1] : [references.0] where bits.flag() {
        bits.skip(count * bitCount(total))
      }
    }
    var result = HEVCParameters.Prediction(isB: isB, references: references)
    if isB { result.zeroesMotion = bits.flag() }
    if picture.hasInitFlag { result.hasInitFlag = bits.flag() }
    if hasMotion {
      let isFirstList = !isB || bits.flag()
      let count = isFirstList ? references.0 : references.1
      if count > 1 { require(bits.golomb() < count, "collocated_ref_idx") }
    }
    if isB ? picture.isBiweighted : picture.isWeighted {
      require(bits.golomb() <= 7, "luma_log2_weight_denom")
      let hasChroma = sequence.chromaFormat != 0 && !sequence.hasPlanes
      if hasChroma { _ = bits.golomb() }
      for count in isB ? [references.0, references.1] : [references.0] {
        let luma = (0..<count).map { _ in bits.flag() }
        let chroma = (0..<count).map { _ in hasChroma && bits.flag() }
        for index in 0..<count {
          if luma[index] { bits.skipGolombs(2) }
          if chroma[index] { bits.skipGolombs(4) }
        }
      }
    }
    let missing = bits.golomb()
    require(missing <= 4, "five_minus_max_num_merge_cand")
    result.candidates = 5 - min(missing, 4)
    return bits.isPastEnd ? nil : result
  }

  /// The number of bits for numbers below `count`.
  private static func bitCount(_ count: Int) -> Int {
    count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
  }
}
