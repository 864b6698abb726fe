import ISOBMFF

/// Verifies AV1: OBUs, sequence headers, and the starts of frame headers: AV1 Bitstream & Decoding Process
/// Specification, 5.3, 5.5 and 5.9.
struct AV1Verifier: SampleVerifier {
  /// The fields of a sequence header that frame headers depend on.
  private struct Sequence: Sendable {
    var isReduced = false
    var timeBits = 0
    var hasDecoderModel = false
    var hasEqualIntervals = false
    var numberBits = 0
    var deltaBits = 0
    var orderBits = 0
    /// `nil` if frames choose it.
    var screenContent: Bool?
    var integerMotion: Bool?
  }
  private var sequence: Sequence?
  /// Whether each of the eight places has a frame; `nil` before the first key frame.
  private var places: [Bool]?

  init(_ configuration: ArraySlice<UInt8>) {
    var at = configuration.startIndex
    while let unit = Self.unit(configuration[at...]) {
      if unit.type == 1 { sequence = Self.sequence(unit.payload) }
      at += unit.size
    }
  }

  private struct Unit {
    let type: Int
    let payload: ArraySlice<UInt8>
    let size: Int
    /// Whether reserved bits are set, or the type is reserved.
    let isReserved: Bool
  }

  /// The OBU at the start of `bytes`; `nil` if it is longer.
  private static func unit(_ bytes: ArraySlice<UInt8>) -> Unit? {
    guard let header = bytes.first else { return nil }
    var at = bytes.startIndex + (header & 4 != 0 ? 2 : 1)
    var size = bytes.endIndex - at
    if header & 2 != 0 {
      var (value, shift) = (0, 0)
      while true {
        guard at < bytes.endIndex, shift < 56 else { return nil }
        value |= Int(bytes[at] & 0x7f) << shift
        shift += 7
        at += 1
        if bytes[at - 1] & 0x80 == 0 { break }
      }
      size = value
    }
    guard size >= 0, size <= bytes.endIndex - at else { return nil }
    let type = Int(header >> 3 & 15)
    return Unit(
      type: type, payload: bytes[at..<at + size], size: at + size - bytes.startIndex,
      isReserved: header & 0x81 != 0 || type == 0 || 9...14 ~= type)
  }

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var at = bytes.startIndex
    var (hasFrame, hasHeader) = (false, false)
    while at < bytes.endIndex {
      let offset = sample.offset + at - bytes.startIndex
      guard let unit = Self.unit(bytes[at...]) else {
        problems.add(.units, "size", sample, at: offset, "an OBU is longer than the rest of its sample")
        return places = nil
      }
      if unit.isReserved {
        problems.add(.units, "header", sample, at: offset, "an OBU has a reserved type, or reserved bits")
        return places = nil
      }
      switch unit.type {
      case 1:
        guard let own = Self.sequence(unit.payload) else {
          problems.add(
            .parameterSets, "sequence", sample, at: offset, "a sequence header has impossible values or ends early")
          return places = nil
        }
        sequence = own
      case 3, 6:
        verifyFrame(unit, isFirst: !hasFrame, offset, sample, &problems)
        (hasFrame, hasHeader) = (true, true)
      case 4:
        if !hasHeader || unit.payload.isEmpty {
          problems.add(.pictures, "tiles", sample, at: offset, "a tile group has no frame header, or no data")
        }
      default: break
      }
      at += unit.size
    }
    if !hasFrame {
      problems.add(.pictures, "none", sample, at: sample.offset, "the sample has no frame")
    }
  }

  /// Verifies the start of a frame header: 5.9.2.
  private mutating func verifyFrame(
    _ unit: Unit, isFirst: Bool, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    guard let sequence else {
      return problems.add(.parameterSets, "unknown", sample, at: offset, "a frame has no sequence header")
    }
    var bits = MediaBits(unit.payload.prefix(256))
    var (type, isShown, isResilient) = (0, true, true)
    if !sequence.isReduced {
      if bits.flag() {
        let place = bits.bits(3)
        if let places, !places[place] {
          problems.add(
            .references, "shown", sample, at: offset, "the frame that is shown, in place \(place), is missing")
        }
        return
      }
      type = bits.bits(2)
      isShown = bits.flag()
      if isShown, sequence.hasDecoderModel, !sequence.hasEqualIntervals { bits.skip(sequence.timeBits) }
      if !isShown { bits.skip(1) }
      isResilient = type == 3 || type == 0 && isShown || bits.flag()
    }
    if isFirst, sample.isSync != (type == 0 && isShown), type == 0 && isShown || sample.isSync && type == 1 {
      problems.add(
        .sync, "sync", sample, at: offset,
        sample.isSync
          ? "a sync sample starts with a frame that is predicted" : "a key frame is not marked as a sync sample")
    }
    bits.skip(1)
    let isScreen = sequence.screenContent ?? bits.flag()
    if isScreen, sequence.integerMotion == nil { bits.skip(1) }
    bits.skip(sequence.numberBits)
    if type != 3, !sequence.isReduced { bits.skip(1) }
    bits.skip(sequence.orderBits)
    let isIntra = type == 0 || type == 2
    if !isIntra, !isResilient { bits.skip(3) }
    // Removal times of operating points are not parsed.
    guard !sequence.hasDecoderModel else { return }
    let refresh = type == 3 || type == 0 && isShown ? 0xff : bits.bits(8)
    if bits.isPastEnd || type == 2 && refresh == 0xff {
      return problems.add(.headers, "frame", sample, at: offset, "a frame header has impossible values or ends early")
    }
    if type == 0, isShown { places = Array(repeating: true, count: 8) }
    guard var known = places else { return }
    if !isIntra || refresh != 0xff, isResilient, sequence.orderBits > 0 { bits.skip(8 * sequence.orderBits) }
    if !isIntra {
      let isShort = sequence.orderBits > 0 && bits.flag()
      for number in 0..<(isShort ? 2 : 7) {
        let place = bits.bits(3)
        if sequence.numberBits > 0, !isShort { bits.skip(sequence.deltaBits) }
        if !known[place] {
          problems.add(
            .references, "missing", sample, at: offset,
            "the reference frame \(number + 1) of a frame, in place \(place), is missing")
        }
      }
    }
    for place in 0..<8 where refresh >> place & 1 == 1 { known[place] = true }
    places = known
  }

  /// The fields of a sequence header (5.5.1); `nil` if it is damaged.
  private static func sequence(_ payload: ArraySlice<UInt8>) -> Sequence? {
    var own = Sequence()
    var bits = MediaBits(payload)
    let profile = bits.bits(3)
    let isStill = bits.flag()
    own.isReduced = bits.flag()
    guard profile <= 2, !own.isReduced || isStill else { return nil }
    if own.isReduced {
      bits.skip(5)
    } else {
      var delayBits = 0
      if bits.flag() {
        bits.skip(64)
        own.hasEqualIntervals = bits.flag()
        if own.hasEqualIntervals { _ = bits.golomb() }
        own.hasDecoderModel = bits.flag()
        if own.hasDecoderModel {
          delayBits = bits.bits(5) + 1
          bits.skip(32 + 5)
          own.timeBits = bits.bits(5) + 1
        }
      }
      let hasDisplayDelay = bits.flag()
      for _ in 0...bits.bits(5) {
        bits.skip(12)
        if bits.bits(5) > 7 { bits.skip(1) }
        if own.hasDecoderModel, bits.flag() { bits.skip(2 * delayBits + 1) }
        if hasDisplayDelay, bits.flag() { bits.skip(4) }
      }
    }
    let sizes = (bits.bits(4) + 1, bits.bits(4) + 1)
    bits.skip(sizes.0 + sizes.1)
    if !own.isReduced, bits.flag() {
      own.deltaBits = bits.bits(4) + 2
      own.numberBits = own.deltaBits + bits.bits(3) + 1
    }
    bits.skip(3)
    guard !own.isReduced else { return bits.isPastEnd ? nil : own }
    bits.skip(4)
    let hasOrder = bits.flag()
    if hasOrder { bits.skip(2) }
    if !bits.flag() { own.screenContent = bits.flag() }
    if own.screenContent == false {
      own.integerMotion = false
    } else if !bits.flag() {
      own.integerMotion = bits.flag()
    }
    if hasOrder { own.orderBits = bits.bits(3) + 1 }
    return bits.isPastEnd || own.numberBits > 16 ? nil : own
  }
}
