/// The parameter sets of HEVC and the headers of all its slices: ISO/IEC 23008-2, 7.3.2, 7.3.6 and 7.3.7.
///
/// Of the extensions, only range extensions are known; slices of sequences with others are not supported.
package struct HEVCHeaders: Sendable {
  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  /// The parameter sets of a configuration.
  package init(_ units: some Swift.Sequence<[UInt8]>) { for unit in units { note(unit[...]) } }

  /// Records a NAL unit of the base layer if it is a parameter set; returns whether it is valid. Damaged ones do not
  /// replace others.
  @discardableResult
  package mutating func note(_ unit: ArraySlice<UInt8>) -> Bool {
    guard unit.count > 2, unit[unit.startIndex] & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0 else { return true }
    var r = BitReader(nalUnit: unit, headerSize: 2)
    switch unit[unit.startIndex] >> 1 {
    case 33:
      guard let own = Sequence(&r), own.isValid else { return false }
      sequences[own.id] = own
    case 34:
      guard let (id, own) = Picture.read(&r) else { return false }
      pictures[id] = own
    default: break
    }
    return true
  }

  /// The header of a slice segment.
  package struct Slice: Sendable {
    /// The parameter sets to which it refers.
    package let (sequence, picture): (Sequence, Picture)
    /// Whether it is the first one of its picture.
    package var isFirst = true
    /// Whether other fields are those of the preceding segment.
    package var isDependent = false
    /// The first coding tree block.
    package var address = 0
    /// 0 is B, 1 is P, 2 is I.
    package var type = 2
    /// The low bits of the picture order count, and the number of their values.
    package var order = (low: 0, modulus: 16)
    /// The short-term reference pictures.
    package var shortTerm: [Reference] = []
    /// The long-term reference pictures: the low part of the picture order count, or all of it relative to the picture.
    package var longTerm: [(order: Int, isWhole: Bool, isUsed: Bool)] = []
    /// The first field with an impossible value.
    package var fault: StaticString?
    /// The number of bytes without emulation prevention bytes and the unit header.
    package var byteCount = 0
    /// The initial quantizer of luma.
    package var quantizer = 26
    /// Whether luma and chroma have sample adaptive offsets.
    package var offsets = (luma: false, chroma: false)
    /// `nil` for I slices.
    package var prediction: Prediction?

    /// The number of the initial contexts.
    package var contextType: Int {
      guard let prediction else { return 0 }
      return prediction.isB != prediction.hasInitFlag ? 2 : 1
    }

    fileprivate init(_ sequence: Sequence, _ picture: Picture) { (self.sequence, self.picture) = (sequence, picture) }

    fileprivate mutating func require(_ isValid: Bool, _ field: StaticString) {
      if !isValid, fault == nil { fault = field }
    }
  }

  /// How the blocks of a P or B slice are predicted.
  package struct Prediction: Sendable {
    /// Whether blocks can have two references.
    package var isB = false
    /// `cabac_init_flag`.
    package var hasInitFlag = false
    /// The numbers of reference pictures.
    package var references = (1, 1)
    /// Whether blocks with two references have no second motion vector.
    package var zeroesMotion = false
    /// The maximum number of candidates for merging.
    package var candidates = 5
  }

  /// The fields of a slice header up to the picture order count, for which its first bytes are enough; the others have
  /// initial values. `nil` if the parameter sets are unknown.
  package func start(of unit: ArraySlice<UInt8>) -> Slice? {
    var r = BitReader(nalUnit: unit, headerSize: 2)
    guard let own = try? start(unit, &r), !r.isBroken else { return nil }
    return own
  }

  private func start(_ unit: ArraySlice<UInt8>, _ r: inout BitReader) throws(SliceObstacle) -> Slice {
    guard let type = unit.first.map({ Int($0 >> 1 & 63) }) else { throw .broken }
    let isFirst = r.flag()
    let isRandomAccess = 16...23 ~= type
    if isRandomAccess { r.skip(1) }
    let id = r.golomb()
    guard !r.isBroken else { throw .broken }
    guard let picture = pictures[id] else { throw .pictureSet(id) }
    guard let sequence = sequences[picture.sequence] else { throw .sequenceSet(picture.sequence) }
    var own = Slice(sequence, picture)
    own.isFirst = isFirst
    if !isFirst {
      let count = sequence.columns * sequence.rows
      own.isDependent = picture.hasDependentSlices && r.flag()
      own.address = r.bits(Self.bitCount(count))
      own.require(own.address < count && own.address > 0, "slice_segment_address")
      if own.isDependent { return own }
    }
    r.skip(picture.extraBits)
    own.type = r.golomb()
    own.require(own.type <= 2 && (own.type == 2 || !isRandomAccess || !sequence.isSupported), "slice_type")
    if picture.hasOutputFlag { r.skip(1) }
    if sequence.hasPlanes { r.skip(2) }
    own.order.modulus = 1 << sequence.orderBits
    if type != 19, type != 20 { own.order.low = r.bits(sequence.orderBits) }
    return own
  }

  /// The header of a slice segment of the base layer. Impossible values that do not change the syntax are noted in it.
  package func slice(_ unit: ArraySlice<UInt8>) throws(SliceObstacle) -> Slice {
    guard unit.count > 2, case let type = Int(unit[unit.startIndex] >> 1), type < 10 || 16...21 ~= type,
      unit[unit.startIndex] & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0
    else { throw .unsupported }
    var r = BitReader(nalUnit: unit.prefix(4096), headerSize: 2)
    var own = try start(unit, &r)
    let (sequence, picture) = (own.sequence, own.picture)
    guard sequence.isSupported else { throw .unsupported }
    if !own.isDependent {
      let hasMotion = type != 19 && type != 20 ? try readReferences(&r, &own) : false
      if sequence.hasOffsets {
        own.offsets.luma = r.flag()
        if sequence.hasChroma { own.offsets.chroma = r.flag() }
      }
      if own.type < 2 { try readPrediction(&r, &own, hasMotion) }
      own.quantizer = picture.quantizer + r.signedGolomb()
      own.require(-6 * (sequence.profile.bitDepth - 8)...51 ~= own.quantizer, "slice_qp_delta")
      if picture.hasChromaOffsets {
        own.require(-12...12 ~= r.signedGolomb(), "slice_cb_qp_offset")
        own.require(-12...12 ~= r.signedGolomb(), "slice_cr_qp_offset")
      }
      if picture.hasChromaOffsetLists { r.skip(1) }
      var isUnfiltered = picture.disablesDeblocking
      if picture.overridesDeblocking, r.flag() {
        isUnfiltered = r.flag()
        if !isUnfiltered {
          own.require(-6...6 ~= r.signedGolomb(), "slice_beta_offset_div2")
          own.require(-6...6 ~= r.signedGolomb(), "slice_tc_offset_div2")
        }
      }
      if picture.filtersAcrossSlices, own.offsets.luma || own.offsets.chroma || !isUnfiltered { r.skip(1) }
    }
    if picture.tiles != nil || picture.synchronizes {
      let count = r.golomb()
      own.require(count < 440 * 20, "num_entry_point_offsets")
      if count > 0, own.fault == nil {
        let size = r.golomb() + 1
        own.require(size <= 32, "offset_len_minus1")
        // Long lists extend past the bytes that are looked at.
        if size * count > 16_000 { throw .unsupported }
        r.skip(size * count)
      }
    }
    if picture.hasExtension {
      let count = r.golomb()
      own.require(count <= 256, "slice_segment_header_extension_length")
      r.skip(8 * min(count, 256))
    }
    guard !r.isBroken else { throw .broken }
    own.require(r.flag(), "byte_alignment")
    while r.position % 8 != 0 { own.require(!r.flag(), "byte_alignment") }
    own.byteCount = r.position / 8
    return own
  }

  /// Reads the reference pictures; returns `slice_temporal_mvp_enabled_flag`.
  private func readReferences(_ r: inout BitReader, _ own: inout Slice) throws(SliceObstacle) -> Bool {
    let sequence = own.sequence
    if !r.flag() {
      own.shortTerm = r.referenceSet(sequence.sets, isInSlice: true)
    } else {
      let index = r.bits(Self.bitCount(sequence.sets.count))
      guard sequence.sets.indices.contains(index) else { throw .broken }
      own.shortTerm = sequence.sets[index]
    }
    if r.isBroken { throw .broken }
    if let longTerm = sequence.longTerm {
      let known = longTerm.isEmpty ? 0 : r.golomb()
      let count = known + r.golomb()
      guard count <= 33 else { throw .broken }
      var cycle = 0
      for index in 0..<count {
        var reference = (order: 0, isWhole: false, isUsed: false)
        if index < known {
          let place = r.bits(Self.bitCount(longTerm.count))
          guard longTerm.indices.contains(place) else { throw .broken }
          (reference.order, reference.isUsed) = (longTerm[place].low, longTerm[place].isUsed)
        } else {
          (reference.order, reference.isUsed) = (r.bits(sequence.orderBits), r.flag())
        }
        let isWhole = r.flag()
        // The cycles of both kinds add up: 7.4.7.1.
        if index == 0 || index == known { cycle = 0 }
        if isWhole {
          cycle += r.golomb()
          reference.isWhole = true
          reference.order += -cycle * own.order.modulus - own.order.low
        }
        own.longTerm.append(reference)
      }
    }
    return sequence.hasMotion && r.flag()
  }

  /// Reads the fields of P and B slices.
  private func readPrediction(_ r: inout BitReader, _ own: inout Slice, _ hasMotion: Bool) throws(SliceObstacle) {
    let (sequence, picture) = (own.sequence, own.picture)
    let isB = own.type == 0
    var result = Prediction(isB: isB, references: picture.references)
    if r.flag() {
      result.references.0 = r.golomb() + 1
      if isB { result.references.1 = r.golomb() + 1 }
    }
    guard result.references.0 <= 15, result.references.1 <= 15 else { throw .broken }
    let counts = isB ? [result.references.0, result.references.1] : [result.references.0]
    let total = own.shortTerm.count(where: \.isUsed) + own.longTerm.count(where: \.isUsed)
    // A predicted slice has references.
    own.require(total > 0, "num_ref_idx_active")
    if picture.hasListModification, total > 1 {
      for count in counts where r.flag() { r.skip(count * Self.bitCount(total)) }
    }
    if isB { result.zeroesMotion = r.flag() }
    if picture.hasInitFlag { result.hasInitFlag = r.flag() }
    if hasMotion {
      let count = !isB || r.flag() ? result.references.0 : result.references.1
      if count > 1 { own.require(r.golomb() < count, "collocated_ref_idx") }
    }
    if isB ? picture.isBiweighted : picture.isWeighted {
      own.require(r.golomb() <= 7, "luma_log2_weight_denom")
      if sequence.hasChroma { _ = r.golomb() }
      for count in counts {
        let luma = (0..<count).map { _ in r.flag() }
        let chroma = (0..<count).map { _ in sequence.hasChroma && r.flag() }
        for index in 0..<count { r.skipGolombs((luma[index] ? 2 : 0) + (chroma[index] ? 4 : 0)) }
      }
    }
    let missing = r.golomb()
    own.require(missing <= 4, "five_minus_max_num_merge_cand")
    result.candidates = 5 - min(missing, 4)
    if r.isBroken { throw .broken }
    own.prediction = result
  }

  /// The number of bits for numbers below `count`.
  private static func bitCount(_ count: Int) -> Int {
    count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
  }
}
