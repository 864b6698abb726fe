/// The fields of AVC parameter sets that determine the length of slice headers: ISO/IEC 14496-10, 7.3.2 and 7.3.3.
package struct AVCSliceHeader: Sendable {
  private struct Sequence {
    var hasPlanes = false
    var chromaFormat = 1
    var frameNumberBits = 4
    var orderType = 0
    var orderBits = 4
    var hasNoOrderDeltas = false
    var isFrames = true
    var isAdaptive = false
    var width = 0
    var height = 0
    var bitDepths = (8, 8)
  }
  private struct Picture {
    var sequence = 0
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

  /// Records a NAL unit if it is a parameter set.
  package mutating func note(_ unit: ArraySlice<UInt8>) {
    switch unit.first.map({ $0 & 31 }) {
    case 7: noteSequence(unit)
    case 8: notePicture(unit)
    default: break
    }
  }

  private mutating func noteSequence(_ unit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    var own = Sequence()
    let profile = r.bits(8)
    r.skip(16)
    let id = r.golomb()
    if SequenceParameters.highProfiles.contains(profile) {
      own.chromaFormat = r.golomb()
      if own.chromaFormat == 3 { own.hasPlanes = r.flag() }
      own.bitDepths = (8 + r.count(6), 8 + r.count(6))
      r.skip(1)
      if r.flag() { r.skipAVCScalingLists(own.chromaFormat == 3 ? 12 : 8) }
    }
    own.frameNumberBits = min(32, r.golomb() + 4)
    own.orderType = r.golomb()
    if own.orderType == 0 {
      own.orderBits = min(32, r.golomb() + 4)
    } else if own.orderType == 1 {
      own.hasNoOrderDeltas = r.flag()
      r.skipGolombs(2)
      r.skipGolombs(min(255, r.golomb()))
    }
    _ = r.golomb()
    r.skip(1)
    (own.width, own.height) = (r.count(1 << 12) + 1, r.count(1 << 12) + 1)
    own.isFrames = r.flag()
    if !own.isFrames {
      own.height *= 2
      own.isAdaptive = r.flag()
    }
    if !r.isBroken { sequences[id] = own }
  }

  private mutating func notePicture(_ unit: ArraySlice<UInt8>) {
    var r = BitReader(nalUnit: unit, headerSize: 1)
    var own = Picture()
    let id = r.golomb()
    own.sequence = r.golomb()
    own.hasCABAC = r.flag()
    own.hasFieldOrder = r.flag()
    // Slice groups are not supported.
    guard r.golomb() == 0 else { return pictures[id] = nil }
    own.references = (r.golomb() + 1, r.golomb() + 1)
    own.isWeighted = r.flag()
    own.bipredictiveWeights = r.bits(2)
    own.quantizer = 26 + r.signedGolomb()
    r.skipGolombs(2)
    own.hasDeblocking = r.flag()
    r.skip(1)
    own.hasRedundancy = r.flag()
    if r.isBroken { return }
    if r.hasMoreData { own.hasTransform8x8 = r.flag() }
    pictures[id] = own
  }

  /// The header of a slice, and what is needed to parse its data.
  package struct Header: Sendable {
    /// The number of bytes of the NAL header and slice header.
    package var size: Int
    /// The number of bits of the slice header, without emulation prevention bytes.
    package var bitCount: Int
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
  }

  /// The header of a slice; `nil` if its parameter sets are unknown.
  package func header(of unit: ArraySlice<UInt8>) -> Header? {
    guard let header = unit.first else { return nil }
    var r = BitReader(nalUnit: unit, headerSize: 1)
    let first = r.golomb()
    let type = r.golomb() % 5
    guard let picture = pictures[r.golomb()], let sequence = sequences[picture.sequence] else { return nil }
    let (isB, isIntra, isIDR) = (type == 1, type == 2 || type == 4, header & 31 == 5)
    if sequence.hasPlanes { r.skip(2) }
    r.skip(sequence.frameNumberBits)
    var isField = false
    if !sequence.isFrames {
      isField = r.flag()
      if isField { r.skip(1) }
    }
    if isIDR { r.skipGolombs(1) }
    if sequence.orderType == 0 {
      r.skip(sequence.orderBits)
      if picture.hasFieldOrder, !isField { r.skipGolombs(1) }
    } else if sequence.orderType == 1, !sequence.hasNoOrderDeltas {
      r.skipGolombs(picture.hasFieldOrder && !isField ? 2 : 1)
    }
    if picture.hasRedundancy { r.skipGolombs(1) }
    if isB { r.skip(1) }
    var references = picture.references
    if !isIntra, r.flag() {
      references.0 = r.golomb() + 1
      if isB { references.1 = r.golomb() + 1 }
    }
    guard references.0 <= 32, references.1 <= 32 else { return nil }
    if !isIntra {
      skipModifications(&r)
      if isB { skipModifications(&r) }
      if isB ? picture.bipredictiveWeights == 1 : picture.isWeighted {
        let hasChroma = sequence.chromaFormat != 0 && !sequence.hasPlanes
        r.skipGolombs(hasChroma ? 2 : 1)
        for _ in 0..<references.0 + (isB ? references.1 : 0) where !r.isBroken {
          if r.flag() { r.skipGolombs(2) }
          if hasChroma, r.flag() { r.skipGolombs(4) }
        }
      }
    }
    if header & 0x60 != 0 { skipMarking(&r, isIDR: isIDR) }
    if picture.hasCABAC, !isIntra { r.skipGolombs(1) }
    let quantizer = picture.quantizer + r.signedGolomb()
    if type == 3 || type == 4 {
      if type == 3 { r.skip(1) }
      r.skipGolombs(1)
    }
    if picture.hasDeblocking, r.golomb() != 1 { r.skipGolombs(2) }
    guard !r.isBroken else { return nil }
    let plainCount = (r.position + 7) / 8
    let size = 1 + EmulationPrevention.removed(from: unit.dropFirst(), limit: plainCount).rawCount
    return Header(
      size: size, bitCount: r.position, hasCABAC: picture.hasCABAC, isIntra: type == 2, first: first,
      quantizer: quantizer, isField: isField, isAdaptive: sequence.isAdaptive && !isField, width: sequence.width,
      height: isField ? sequence.height / 2 : sequence.height,
      chromaFormat: sequence.hasPlanes ? 0 : sequence.chromaFormat, lumaDepth: sequence.bitDepths.0,
      chromaDepth: sequence.bitDepths.1, hasTransform8x8: picture.hasTransform8x8)
  }

  private func skipModifications(_ r: inout BitReader) {
    guard r.flag() else { return }
    while !r.isBroken, r.golomb() != 3 { r.skipGolombs(1) }
  }

  private func skipMarking(_ r: inout BitReader, isIDR: Bool) {
    if isIDR { return r.skip(2) }
    guard r.flag() else { return }
    while !r.isBroken {
      switch r.golomb() {
      case 0: return
      case 3: r.skipGolombs(2)
      case 5: break
      default: r.skipGolombs(1)
      }
    }
  }
}
