import ISOBMFF

/// Verifies H.265: NAL units, parameter sets, slice headers, and reference pictures: ISO/IEC 23008-2, 7.4 and 8.3.
struct HEVCVerifier: SampleVerifier {
  private let syntax: NALSample
  private let decodes: Bool
  private var headers: HEVCHeaders
  private var budget = SliceData.Budget()
  /// The picture order counts of the pictures that can be references; `nil` before the first random access picture, and
  /// after damage.
  private var references: [Int]?
  /// The picture order count of the latest picture of the lowest temporal layer.
  private var order = 0
  /// Whether leading pictures of the latest random access picture cannot be decoded.
  private var skipsLeading = true

  /// What was found in a sample.
  private struct Picture {
    var first: HEVCHeaders.Slice?
    var type = 0
    var address = 0
    var isBroken = false
    var hasOthers = false
  }

  init(_ configuration: DecoderConfiguration, lengthSize: Int, decodes: Bool) {
    syntax = NALSample(codec: .hevc, lengthSize: lengthSize)
    headers = HEVCHeaders(configuration.parameterSets)
    self.decodes = decodes
  }

  /// Whether a sample with these first bytes starts with a random access picture.
  static func startsSequence(_ bytes: ArraySlice<UInt8>, lengthSize: Int) -> Bool {
    for unit in NALUnits(bytes, .hevc, lengthSize: lengthSize) where unit.type < 32 { return 16...23 ~= unit.type }
    return false
  }

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var picture = Picture()
    let isWhole = syntax.forEachUnit(bytes, sample, &problems) { unit, offset, problems in
      verify(unit, offset, sample, &picture, &problems)
    }
    if isWhole, picture.first == nil, !picture.isBroken, !picture.hasOthers {
      picture.isBroken = true
      problems.add(.pictures, "none", sample, at: sample.offset, "the sample has no slice of a picture")
    }
    if !isWhole || picture.isBroken { references = nil }
  }

  private mutating func verify(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ picture: inout Picture,
    _ problems: inout MediaProblems
  ) {
    let (first, second) = (unit[unit.startIndex], unit[unit.startIndex + 1])
    let type = Int(first >> 1) & 63
    guard first & 0x80 == 0, second & 7 != 0 else {
      problems.add(
        .units, "unit header", sample, at: offset,
        first & 0x80 != 0
          ? "forbidden_zero_bit of a NAL unit is 1" : "nuh_temporal_id_plus1 of a NAL unit is 0")
      picture.isBroken = true
      return
    }
    guard NALUnits.Codec.hevc.isBase(first, second) else {
      if type < 48 { syntax.verifyPayload(unit, offset, sample, &problems) }
      picture.hasOthers = true
      return
    }
    switch type {
    case 0...9, 16...21:
      syntax.verifyPayload(unit, offset, sample, &problems)
      verifySlice(unit, type, offset, sample, &picture, &problems)
    case 32...34:
      syntax.verifyPayload(unit, offset, sample, &problems)
      if !headers.note(unit) {
        problems.add(
          .parameterSets, "set", sample, at: offset,
          "a \(type == 33 ? "sequence" : "picture") parameter set has impossible values or ends early")
      }
    case 35:
      if unit.count != 3 || unit[unit.startIndex + 2] & 0x1f != 0x10 {
        problems.add(.units, "delimiter", sample, at: offset, "an access unit delimiter is invalid")
      }
    case 36, 37: (references, skipsLeading) = (nil, true)
    case 38:
      if unit.dropFirst(2).dropLast().contains(where: { $0 != 0xff && $0 != 0 }) {
        problems.add(.units, "filler", sample, at: offset, "filler data has other bytes than 255")
      }
    case 39, 40: syntax.verifyMessages(unit, offset, sample, &problems)
    case 10...15, 22...31, 41...47:
      problems.add(.units, "reserved type", sample, at: offset, "a NAL unit has the reserved type \(type)")
      picture.isBroken = true
    default: picture.hasOthers = true
    }
  }

  private mutating func verifySlice(
    _ unit: ArraySlice<UInt8>, _ type: Int, _ offset: Int, _ sample: VerifiedSample, _ picture: inout Picture,
    _ problems: inout MediaProblems
  ) {
    let slice: HEVCHeaders.Slice
    do throws(SliceObstacle) { slice = try headers.slice(unit) } catch {
      problems.add(error, sample, at: offset)
      (picture.isBroken, picture.hasOthers) = (true, true)
      return
    }
    if let fault = slice.fault {
      problems.add(.headers, "fault", sample, at: offset, "\(fault) of a slice is impossible")
      picture.isBroken = true
      return
    }
    if slice.byteCount + 2 >= unit.count {
      problems.add(.headers, "no data", sample, at: offset, "a slice ends after its header")
      picture.isBroken = true
    }
    if decodes, !budget.allows(unit.count) {
      problems.add(.pictures(codec: "H.265, skipped", isDecodable: false))
    } else if decodes {
      let data = HEVCSliceData.parse(unit, slice, from: unit.startIndex)
      budget.spend(data)
      switch data.outcome {
      case .whole: break
      case .broken: problems.add(.codedData, "slice", sample, at: offset, "the data of a slice is damaged")
      case .unknown: problems.add(.pictures(codec: "H.265 with extensions or dependent slices", isDecodable: false))
      }
    }
    guard let first = picture.first else {
      picture.first = slice
      picture.type = type
      guard slice.isFirst else {
        problems.add(
          .pictures, "start", sample, at: offset,
          "the first slice of a picture starts with block \(slice.address); the ones before it are missing")
        picture.isBroken = true
        return
      }
      if !sample.isSync, type == 19 || type == 20 {
        problems.add(.sync, "sync", sample, at: offset, "an IDR picture is not marked as a sync sample")
      }
      verifyReferences(slice, type, unit, offset, sample, &problems)
      return
    }
    guard !picture.isBroken else { return }
    if slice.isFirst || type != picture.type || !slice.isDependent && slice.order.low != first.order.low {
      problems.add(
        .pictures, "several", sample, at: offset, "the slices of the sample do not belong to one picture")
      picture.isBroken = true
    } else if slice.address <= picture.address {
      problems.add(
        .pictures, "order", sample, at: offset,
        "slice_segment_address is \(slice.address), after \(picture.address)")
      picture.isBroken = true
    }
    picture.address = slice.address
  }

  /// Verifies that the reference pictures exist: 8.3.1 and 8.3.2.
  private mutating func verifyReferences(
    _ slice: HEVCHeaders.Slice, _ type: Int, _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample,
    _ problems: inout MediaProblems
  ) {
    let isRandomAccess = 16...23 ~= type
    let isStart = isRandomAccess && (type != 21 || references == nil)
    let (low, modulus) = slice.order
    var own = low
    if !isStart {
      let high = order - (order & (modulus - 1))
      let latest = order & (modulus - 1)
      own += high
      if low < latest, latest - low >= modulus / 2 { own += modulus }
      if low > latest, low - latest > modulus / 2 { own -= modulus }
    }
    let isLeading = 6...9 ~= type
    if isRandomAccess { skipsLeading = isStart }
    // Pictures of the lowest layer that others can refer to: 8.3.1.
    let isAnchor = unit[unit.startIndex + 1] & 7 == 1 && !isLeading && (type > 15 || type & 1 == 1)
    if isStart {
      references = [own]
      order = own
      return
    }
    if isAnchor { order = own }
    // Leading pictures that refer to pictures before the start are not decoded.
    guard var known = references, !(skipsLeading && (type == 8 || type == 9)) else { return }
    if known.contains(own) {
      problems.add(
        .pictures, "order count", sample, at: offset,
        "two pictures have the picture order count \(own); a picture occurs twice, or pictures are missing")
    }
    var kept: [Int] = []
    func require(_ isKnown: (Int) -> Bool, _ order: Int, _ isUsed: Bool) {
      if let found = known.first(where: isKnown) {
        kept.append(found)
      } else if isUsed {
        problems.add(
          .references, "missing", sample, at: offset,
          "the reference picture with the picture order count \(order) is missing")
        // It is reported once.
        kept.append(order)
      }
    }
    for reference in slice.shortTerm {
      let order = own + reference.delta
      require({ $0 == order }, order, reference.isUsed)
    }
    for reference in slice.longTerm {
      let order = reference.isWhole ? own + reference.order : reference.order
      require(
        { reference.isWhole ? $0 == order : $0 & (modulus - 1) == reference.order }, order, reference.isUsed)
    }
    known = kept
    known.append(own)
    references = known
  }
}
