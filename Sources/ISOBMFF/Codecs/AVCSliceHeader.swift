/// The fields of AVC parameter sets that determine the length of slice headers: ISO/IEC 14496-10, 7.3.2 and 7.3.3.
package struct AVCSliceHeader: Sendable {
  private struct Picture {
    var sequence = 0
    /// Whether it has slice groups, which are not supported. The fields after their number are unknown then.
    var hasSliceGroups = false
    var quantizer = 26
    var hasTransform8x8 = false
    var hasCABAC = false
    var hasFieldOrder = false
    var references = (1, 1)
    var isWeighted = false
    var bipredictiveWeights = 0
    var hasDeblocking = false
    var hasRedundancy = false
  }
  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  /// The parameter sets of a configuration.
  package init(_ units: some Swift.Sequence<[UInt8]>) { for unit in units { note(unit[...]) } }

  /// How much of a parameter set is valid.
  package enum Validity {
    /// All of it.
    case whole
    /// The fields on which slice headers depend.
    case start
    /// Some fields are impossible or missing.
    case none
  }

  /// Records a NAL unit if it is a parameter set.
  @discardableResult
  package mutating func note(_ unit: ArraySlice<UInt8>) -> Validity {
    switch unit.first.map({ $0 & 31 }) {
    case 7: noteSequence(unit)
    case 8: notePicture(unit)
    default: .whole
    }
  }

  private mutating func noteSequence(_ unit: ArraySlice<UInt8>) -> Validity {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    guard var own = Sequence(&r), own.isUsable else { return .none }
    if r.flag() { (own.timingBits, own.reorderCount) = r.usability() }
    sequences[own.id] = own
    return r.isBroken || r.hasMoreData ? .start : .whole
  }

  private mutating func notePicture(_ unit: ArraySlice<UInt8>) -> Validity {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    var own = Picture()
    let id = r.golomb()
    own.sequence = r.golomb()
    own.hasCABAC = r.flag()
    own.hasFieldOrder = r.flag()
    own.hasSliceGroups = r.golomb() != 0
    if own.hasSliceGroups {
      pictures[id] = own
      return .whole
    }
    own.references = (r.golomb() + 1, r.golomb() + 1)
    own.isWeighted = r.flag()
    own.bipredictiveWeights = r.bits(2)
    own.quantizer = 26 + r.signedGolomb()
    r.skipGolombs(2)
    own.hasDeblocking = r.flag()
    r.skip(1)
    own.hasRedundancy = r.flag()
    if r.isBroken { return .none }
    let isExtended = r.hasMoreData
    if isExtended { own.hasTransform8x8 = r.flag() }
    pictures[id] = own
    // The number of scaling lists depends on a sequence parameter set, which can follow.
    guard id < 256, own.sequence < 32, own.references.0 <= 32, own.references.1 <= 32, own.bipredictiveWeights < 3
    else { return .none }
    guard isExtended, let sequence = sequences[own.sequence] else { return .whole }
    if r.flag() {
      r.skipAVCScalingLists(6 + (own.hasTransform8x8 ? sequence.profile.chromaFormat == 3 ? 6 : 2 : 0))
    }
    r.skipGolombs(1)
    return r.isBroken || r.hasMoreData ? .start : .whole
  }

  /// What determines the references and the output order of a slice's picture: ISO/IEC 14496-10, 7.4.3, 8.2.1 and E.2.
  package struct Order: Sendable {
    /// Its number among the reference pictures.
    package var frameNumber: Int
    /// The number of values that `frameNumber` has.
    package var frameNumberModulus: Int
    /// The low bits of its picture order count, and the number of their values; `nil` if pictures are output in
    /// decoding order.
    package var count: (low: Int, modulus: Int)?
    /// The maximum number of reference frames.
    package var referenceCount: Int
    /// The maximum number of frames that precede another in decoding order and follow it in output order; `nil` if
    /// unknown.
    package var reorderCount: Int?
  }

  /// The order of a slice's picture. The beginning of the slice is enough; `nil` if its parameter sets are unknown.
  package func order(of unit: ArraySlice<UInt8>) -> Order? {
    guard let header = start(of: unit), let sequence = sequences[header.sets.sequence] else { return nil }
    return Order(
      frameNumber: header.frameNumber.value, frameNumberModulus: header.frameNumber.modulus, count: header.order,
      referenceCount: min(16, sequence.referenceFrames), reorderCount: sequence.reorderCount)
  }

  /// The header of a slice, and what is needed to parse its data.
  package struct Header: Sendable {
    /// The number of bytes of the NAL header and slice header.
    package var size = 0
    /// The number of bits of the slice header, without emulation prevention bytes.
    package var bitCount = 0
    /// Whether the data is coded with CABAC.
    package var hasCABAC: Bool
    /// Whether all macroblocks are intra coded, with types of I slices.
    package var isIntra: Bool
    /// The number of the first macroblock.
    package var first: Int
    /// The initial quantizer of luma.
    package var quantizer: Int
    /// Whether it is a field.
    package var isField: Bool
    /// Whether pairs of macroblocks can be coded as fields (MBAFF).
    package var isAdaptive: Bool
    /// The size of the frame or field in macroblocks.
    package var width: Int
    /// The height in macroblocks.
    package var height: Int
    /// The chroma format; 0 if each slice has only one color plane.
    package var chromaFormat: Int
    /// The bit depth of luma.
    package var lumaDepth: Int
    /// The bit depth of chroma.
    package var chromaDepth: Int
    /// Whether macroblocks can use the 8x8 transform.
    package var hasTransform8x8: Bool
    /// `slice_type` modulo 5: 0 is P, 1 is B, 2 is I, 3 is SP, 4 is SI.
    package var type = 0
    /// The numbers of its picture and sequence parameter sets.
    package var sets = (picture: 0, sequence: 0)
    /// `frame_num`, and the number of its values.
    package var frameNumber = (value: 0, modulus: 16)
    /// Whether `frame_num` can skip values.
    package var allowsGaps = false
    /// Whether it is a bottom field.
    package var isBottom = false
    /// `idr_pic_id`; 0 if the picture is not an IDR picture.
    package var instantRefresh = 0
    /// The low bits of the picture order count, and the number of their values; `nil` if they are not in the header.
    package var order: (low: Int, modulus: Int)?
    /// `delta_pic_order_cnt_bottom`, or the deltas of `pic_order_cnt_type` 1.
    package var orderDeltas = (0, 0)
    /// `redundant_pic_cnt`.
    package var redundancy = 0
    /// The numbers of active reference pictures.
    package var references = (1, 1)
    /// Whether it resets the order of pictures (`memory_management_control_operation` 5).
    package var resetsOrder = false
    /// `cabac_init_idc`.
    package var contexts = 0
    /// Whether direct prediction uses the corners of 8x8 blocks (`direct_8x8_inference_flag`).
    package var hasDirect8x8 = false
    /// The first field with an impossible value.
    package var fault: StaticString?

    fileprivate mutating func require(_ isValid: Bool, _ field: StaticString) {
      if !isValid, fault == nil { fault = field }
    }
  }

  /// The fields of a slice header up to the picture order count, for which its first bytes are enough; the others have
  /// initial values, and the address is not verified. `nil` if the parameter sets are unknown.
  package func start(of unit: ArraySlice<UInt8>) -> Header? {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    guard let result = try? start(unit, &r).header, !r.isBroken else { return nil }
    return result
  }

  private func start(
    _ unit: ArraySlice<UInt8>, _ r: inout BitReader
  ) throws(SliceObstacle) -> (header: Header, sequence: Sequence, picture: Picture) {
    guard let unitHeader = unit.first else { throw .broken }
    let first = r.golomb()
    let fullType = r.golomb()
    let number = r.golomb()
    guard let picture = pictures[number] else { throw .pictureSet(number) }
    guard let sequence = sequences[picture.sequence] else { throw .sequenceSet(picture.sequence) }
    let (type, isIDR) = (fullType % 5, unitHeader & 31 == 5)
    var result = Header(
      hasCABAC: picture.hasCABAC, isIntra: type == 2, first: first, quantizer: picture.quantizer, isField: false,
      isAdaptive: false, width: sequence.width, height: sequence.height,
      chromaFormat: sequence.hasChroma ? sequence.profile.chromaFormat : 0, lumaDepth: sequence.profile.bitDepth,
      chromaDepth: sequence.profile.chromaBitDepth, hasTransform8x8: picture.hasTransform8x8, type: type,
      sets: (number, picture.sequence), allowsGaps: sequence.allowsGaps, references: picture.references,
      hasDirect8x8: sequence.hasDirect8x8)
    result.require(fullType <= 9 && (!isIDR || type == 2 || type == 4), "slice_type")
    if sequence.hasPlanes { result.require(r.bits(2) < 3, "colour_plane_id") }
    result.frameNumber = (r.bits(sequence.frameNumberBits), 1 << sequence.frameNumberBits)
    if !sequence.isFrames {
      result.isField = r.flag()
      if result.isField {
        result.isBottom = r.flag()
        result.height /= 2
      }
      result.isAdaptive = sequence.isAdaptive && !result.isField
    }
    if isIDR { result.instantRefresh = r.golomb() }
    result.require(result.instantRefresh < 1 << 16, "idr_pic_id")
    if sequence.orderType == 0 {
      result.order = (r.bits(sequence.orderBits), 1 << sequence.orderBits)
      if picture.hasFieldOrder, !result.isField { result.orderDeltas.0 = r.signedGolomb() }
    } else if sequence.orderType == 1, !sequence.hasNoOrderDeltas {
      result.orderDeltas.0 = r.signedGolomb()
      if picture.hasFieldOrder, !result.isField { result.orderDeltas.1 = r.signedGolomb() }
    }
    return (result, sequence, picture)
  }

  /// The header of a slice; `nil` if its parameter sets are unknown.
  package func header(of unit: ArraySlice<UInt8>) -> Header? { try? readHeader(of: unit) }

  /// The header of a slice. Impossible values that do not change the syntax are noted in it.
  package func readHeader(of unit: ArraySlice<UInt8>) throws(SliceObstacle) -> Header {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    let (start, sequence, picture) = try start(unit, &r)
    if picture.hasSliceGroups { throw .unsupported }
    var result = start
    let blockCount = result.width * result.height / (result.isAdaptive ? 2 : 1)
    result.require(result.first < blockCount, "first_mb_in_slice")
    let (type, isB, isIntra) = (result.type, result.type == 1, result.type == 2 || result.type == 4)
    if picture.hasRedundancy { result.redundancy = r.golomb() }
    result.require(result.redundancy <= 127, "redundant_pic_cnt")
    if isB { r.skip(1) }
    if !isIntra, r.flag() {
      result.references.0 = r.golomb() + 1
      if isB { result.references.1 = r.golomb() + 1 }
    }
    let references = result.references
    guard references.0 <= 32, references.1 <= 32 else { throw .broken }
    result.require(result.isField || references.0 <= 16 && references.1 <= 16 || isIntra, "num_ref_idx_active")
    if !isIntra {
      skipModifications(&r)
      if isB { skipModifications(&r) }
      if isB ? picture.bipredictiveWeights == 1 : picture.isWeighted {
        result.require(r.golomb() <= 7, "luma_log2_weight_denom")
        if sequence.hasChroma { result.require(r.golomb() <= 7, "chroma_log2_weight_denom") }
        for _ in 0..<references.0 + (isB ? references.1 : 0) where !r.isBroken {
          if r.flag() { r.skipGolombs(2) }
          if sequence.hasChroma, r.flag() { r.skipGolombs(4) }
        }
      }
    }
    if let unitHeader = unit.first, unitHeader & 0x60 != 0 {
      let areKnown = skipMarking(&r, isIDR: unitHeader & 31 == 5, &result.resetsOrder)
      result.require(areKnown, "memory_management_control_operation")
    }
    if picture.hasCABAC, !isIntra { result.contexts = r.golomb() }
    result.require(result.contexts <= 2, "cabac_init_idc")
    result.quantizer += r.signedGolomb()
    result.require(-6 * (result.lumaDepth - 8)...51 ~= result.quantizer, "slice_qp_delta")
    if type == 3 || type == 4 {
      if type == 3 { r.skip(1) }
      r.skipGolombs(1)
    }
    if picture.hasDeblocking {
      let filter = r.golomb()
      result.require(filter <= 2, "disable_deblocking_filter_idc")
      if filter != 1 {
        result.require(-6...6 ~= r.signedGolomb(), "slice_alpha_c0_offset_div2")
        result.require(-6...6 ~= r.signedGolomb(), "slice_beta_offset_div2")
      }
    }
    guard !r.isBroken else { throw .broken }
    result.bitCount = r.position
    if picture.hasCABAC {
      while r.position % 8 != 0 { result.require(r.flag(), "cabac_alignment_one_bit") }
    }
    let plainCount = (result.bitCount + 7) / 8
    result.size = 1 + EmulationPrevention.removed(from: unit.dropFirst(), limit: plainCount).rawCount
    return result
  }

  private func skipModifications(_ r: inout BitReader) {
    guard r.flag() else { return }
    while !r.isBroken, r.golomb() != 3 { r.skipGolombs(1) }
  }

  /// Skips the marking of reference pictures; returns whether all operations exist.
  private func skipMarking(_ r: inout BitReader, isIDR: Bool, _ resetsOrder: inout Bool) -> Bool {
    if isIDR {
      r.skip(2)
      return true
    }
    guard r.flag() else { return true }
    var areKnown = true
    while !r.isBroken {
      switch r.golomb() {
      case 0: return areKnown
      case 3: r.skipGolombs(2)
      case 5: resetsOrder = true
      case 1, 2, 4, 6: r.skipGolombs(1)
      default:
        r.skipGolombs(1)
        areKnown = false
      }
    }
    return areKnown
  }
}

extension AVCSliceHeader {
  /// How a picture that can have two fields is coded.
  package struct Fields: Hashable, Sendable {
    /// The order; `nil` if it is unknown.
    package var order: FieldOrder?
    /// Whether each field is a picture of its own.
    package var areSeparate: Bool
  }

  /// The fields of the first picture among `units`, which can include parameter sets and SEI messages; `nil` if the
  /// sequence contains only frames, or if there is no readable slice.
  ///
  /// The order is that of `pic_struct` (ISO/IEC 14496-10, D.2.3) or, without it, that of the picture order counts
  /// (8.2.1).
  package func fields(of units: some Swift.Sequence<ArraySlice<UInt8>>) -> Fields? {
    var own = self
    var timing: ArraySlice<UInt8>?
    for unit in units {
      own.note(unit)
      switch unit.first.map({ $0 & 31 }) {
      case 6: timing = timing ?? SEIMessages(unit, .avc).first { $0.type == 1 }?.payload
      case 1, 5: return own.fields(ofSlice: unit, timing)
      default: break
      }
    }
    return nil
  }

  private func fields(ofSlice unit: ArraySlice<UInt8>, _ timing: ArraySlice<UInt8>?) -> Fields? {
    guard let header = start(of: unit.prefix(64)), let sequence = sequences[header.sets.sequence],
      let picture = pictures[header.sets.picture], !sequence.isFrames
    else { return nil }
    var order: FieldOrder?
    if header.isField {
      order = header.isBottom ? .bottomFirst : .topFirst
    } else if let timing, let bits = sequence.timingBits {
      var message = BitReader(timing)
      message.skip(bits)
      order = message.isBroken ? nil : FieldOrder(pictureStructure: message.bits(4))
    } else if header.order != nil, picture.hasFieldOrder {
      let difference = header.orderDeltas.0
      order = difference == 0 ? .progressive : difference > 0 ? .topFirst : .bottomFirst
    }
    return Fields(order: order, areSeparate: header.isField)
  }
}

extension BitReader {
  /// Reads usability information. Returns the number of bits before
  /// `pic_struct` in messages about picture timing, `nil` if they do not contain it, and `max_num_reorder_frames`,
  /// `nil` if it is not specified: ISO/IEC 14496-10, E.1.1.
  fileprivate mutating func usability() -> (timingBits: Int?, reorderCount: Int?) {
    if flag(), bits(8) == 255 { skip(32) }
    if flag() { skip(1) }
    if flag() {
      skip(4)
      if flag() { skip(24) }
    }
    if flag() { skipGolombs(2) }
    if flag() { skip(65) }
    return decoderRestrictions()
  }

  /// Reads the usability information from the parameters of the hypothetical decoder on.
  mutating func decoderRestrictions() -> (timingBits: Int?, reorderCount: Int?) {
    var delayBits = 0
    var hasDelays = false
    for _ in 0..<2 where flag() {
      hasDelays = true
      let count = count(31) + 1
      skip(8)
      for _ in 0..<count where !isBroken {
        skipGolombs(2)
        skip(1)
      }
      skip(5)
      delayBits = bits(5) + 1 + bits(5) + 1
      skip(5)
    }
    if hasDelays { skip(1) }
    let hasStructure = flag()
    let timingBits = isBroken || !hasStructure ? nil : delayBits
    guard flag() else { return (timingBits, nil) }
    skip(1)
    skipGolombs(4)
    let reorderCount = golomb()
    skipGolombs(1)
    return (timingBits, isBroken ? nil : min(16, reorderCount))
  }
}
