import ISOBMFF

/// Verifies H.264: NAL units, parameter sets, slice headers, the order of pictures, and references: ISO/IEC 14496-10,
/// 7.4.
struct AVCVerifier: SampleVerifier {
  private let syntax: NALSample
  private let decodes: Bool
  private var headers: AVCSliceHeader
  private var budget = SliceData.Budget()
  /// `frame_num` of the latest reference picture; `nil` if it is unknown, as after damage.
  private var reference: Int?
  /// The first slice of the latest picture.
  private var latest: Slice?
  /// The picture order counts of the latest frames, and the reference for the high part.
  private var orders: [Int] = []
  private var order = (high: 0, low: 0)

  private struct Slice {
    var header: AVCSliceHeader.Header
    let unitType: UInt8
    let isReference: Bool

    /// Whether another slice can belong to the same picture: 7.4.1.2.4.
    func isSamePicture(_ other: Slice) -> Bool {
      let (own, others) = (header, other.header)
      return own.frameNumber.value == others.frameNumber.value && own.sets.sequence == others.sets.sequence
        && own.isField == others.isField && own.isBottom == others.isBottom && isReference == other.isReference
        && (unitType == 5) == (other.unitType == 5) && own.instantRefresh == others.instantRefresh
        && own.order?.low == others.order?.low && own.orderDeltas == others.orderDeltas
    }
  }
  /// What was found in a sample.
  private struct Picture {
    var first: Slice?
    /// The latest slice of the current picture or field.
    var last: Slice?
    /// The number of fields and frames.
    var count = 0
    var isBroken = false
    var isIntra = true
    /// The macroblocks of the current picture that slices cover, if their data is parsed.
    var hasOthers = false
  }

  init(_ configuration: DecoderConfiguration, lengthSize: Int, decodes: Bool) {
    syntax = NALSample(codec: .avc, lengthSize: lengthSize)
    headers = AVCSliceHeader(configuration.parameterSets)
    self.decodes = decodes
  }

  /// Whether a sample with these first bytes starts with an IDR picture.
  static func startsSequence(_ bytes: ArraySlice<UInt8>, lengthSize: Int) -> Bool {
    for unit in NALUnits(bytes, .avc, lengthSize: lengthSize) {
      if unit.type == 5 { return true }
      if 1...4 ~= unit.type { return false }
    }
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
    if !isWhole || picture.isBroken { (reference, orders, latest) = (nil, [], nil) }
  }

  private mutating func verify(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ picture: inout Picture,
    _ problems: inout MediaProblems
  ) {
    let header = unit[unit.startIndex]
    let (type, isReference) = (header & 31, header & 0x60 != 0)
    if header & 0x80 != 0 {
      problems.add(.units, "forbidden bit", sample, at: offset, "forbidden_zero_bit of a NAL unit is 1")
      picture.isBroken = true
      return
    }
    switch type {
    case 1, 2, 5:
      syntax.verifyPayload(unit, offset, sample, &problems)
      verifySlice(unit, offset, sample, &picture, &problems)
    case 7, 8:
      syntax.verifyPayload(unit, offset, sample, &problems)
      if headers.note(unit) != .whole {
        problems.add(
          .parameterSets, "set", sample, at: offset,
          "a \(type == 7 ? "sequence" : "picture") parameter set has impossible values or ends early")
      }
    case 6: syntax.verifyMessages(unit, offset, sample, &problems)
    case 9:
      if isReference || unit.count != 2 || unit[unit.startIndex + 1] & 0x1f != 0x10 {
        problems.add(.units, "delimiter", sample, at: offset, "an access unit delimiter is invalid")
      }
    case 10, 11: (reference, orders, latest) = (nil, [], nil)
    case 3, 4, 14, 15, 19, 20, 21: syntax.verifyPayload(unit, offset, sample, &problems)
    case 12:
      if unit.dropFirst().dropLast().contains(where: { $0 != 0xff && $0 != 0 }) {
        problems.add(.units, "filler", sample, at: offset, "filler data has other bytes than 255")
      }
    case 13, 16: break
    case 0, 17, 18, 22, 23:
      problems.add(.units, "reserved type", sample, at: offset, "a NAL unit has the reserved type \(type)")
      picture.isBroken = true
    default: picture.hasOthers = true
    }
  }

  private mutating func verifySlice(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ picture: inout Picture,
    _ problems: inout MediaProblems
  ) {
    let slice: Slice
    do throws(SliceObstacle) {
      let type = unit[unit.startIndex]
      slice = Slice(
        header: try headers.readHeader(of: unit.prefix(2048)), unitType: type & 31, isReference: type & 0x60 != 0)
    } catch {
      problems.add(error, sample, at: offset)
      picture.isBroken = true
      picture.hasOthers = true
      return
    }
    let header = slice.header
    if let fault = header.fault {
      problems.add(.headers, "fault", sample, at: offset, "\(fault) of a slice is impossible")
      picture.isBroken = true
      return
    }
    if header.size >= unit.count {
      problems.add(.headers, "no data", sample, at: offset, "a slice ends after its header")
      picture.isBroken = true
    }
    guard header.redundancy == 0 else { return }
    if slice.unitType == 5, !slice.isReference {
      problems.add(.units, "nal_ref_idc", sample, at: offset, "nal_ref_idc of an IDR picture is 0")
    }
    picture.isIntra = picture.isIntra && (header.type == 2 || header.type == 4)
    if picture.first == nil {
      begin(slice, offset, sample, &picture, &problems)
    } else if let last = picture.last, last.isSamePicture(slice) {
      // Slices of a color plane start at 0 again.
      if header.first <= last.header.first, header.chromaFormat != 0, !picture.isBroken {
        problems.add(
          .pictures, "order", sample, at: offset,
          "first_mb_in_slice is \(header.first), after \(last.header.first)")
        picture.isBroken = true
      }
    } else {
      begin(slice, offset, sample, &picture, &problems)
    }
    picture.last = slice
    if decodes { verifyData(unit, offset, sample, &problems) }
  }

  /// Verifies the start of a frame or field.
  private mutating func begin(
    _ slice: Slice, _ offset: Int, _ sample: VerifiedSample, _ picture: inout Picture, _ problems: inout MediaProblems
  ) {
    let header = slice.header
    if header.first != 0, !picture.isBroken {
      problems.add(
        .pictures, "start", sample, at: offset,
        "the first slice of a picture starts with macroblock \(header.first); the ones before it are missing")
      picture.isBroken = true
    }
    if let last = picture.last, !picture.isBroken {
      let isSecondField =
        last.header.isField && header.isField && picture.count == 1
        && last.header.isBottom != header.isBottom
      if !isSecondField || last.header.frameNumber.value != header.frameNumber.value {
        problems.add(
          .pictures, "several", sample, at: offset,
          "the slices of the sample do not belong to one picture (frame_num \(header.frameNumber.value) follows "
            + "\(last.header.frameNumber.value))")
        picture.isBroken = true
      }
    } else {
      picture.first = slice
      if slice.unitType == 5, !sample.isSync {
        problems.add(.sync, "sync", sample, at: offset, "an IDR picture is not marked as a sync sample")
      }
    }
    picture.count += 1
    guard !picture.isBroken else { return }
    verifyOrder(slice, offset, sample, &problems)
    latest = slice
  }

  /// Verifies `frame_num` (7.4.3) and the picture order count (8.2.1).
  private mutating func verifyOrder(
    _ slice: Slice, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    let (header, number) = (slice.header, slice.header.frameNumber.value)
    if slice.unitType == 5 {
      if number != 0 {
        problems.add(.headers, "frame_num", sample, at: offset, "frame_num of an IDR picture is \(number)")
      }
      if let latest, isSecondField(slice, of: latest) { return }
      (orders, order) = ([], (0, 0))
    } else if let reference, let latest, !isSecondField(slice, of: latest) {
      let next = (reference + 1) % header.frameNumber.modulus
      let isStart = sample.isSync && slice.header.isIntra
      if isStart, number != next {
        // Decoding can start here, and the order of pictures is another one.
        orders = []
      } else if number == reference {
        problems.add(
          .references, "repeated", sample, at: offset,
          "frame_num is \(number) again; a picture occurs twice, or pictures are missing")
      } else if number != next, number != reference, !header.allowsGaps {
        let missing = (number - next + header.frameNumber.modulus) % header.frameNumber.modulus
        problems.add(
          .references, "gap", sample, at: offset,
          "frame_num is \(number), not \(next); "
            + (missing < header.frameNumber.modulus / 2
              ? "\(missing) reference picture\(missing == 1 ? " is" : "s are") missing" : "pictures are out of order"))
      }
    }
    if slice.isReference {
      reference = header.resetsOrder ? 0 : number
    } else if reference == nil || header.allowsGaps || number != reference {
      reference = (number - 1 + header.frameNumber.modulus) % header.frameNumber.modulus
    }
    verifyOutputOrder(slice, offset, sample, &problems)
  }

  private func isSecondField(_ slice: Slice, of first: Slice) -> Bool {
    slice.header.isField && first.header.isField && slice.header.isBottom != first.header.isBottom
      && slice.header.frameNumber.value == first.header.frameNumber.value
  }

  private static let knownOrders = 16

  private mutating func verifyOutputOrder(
    _ slice: Slice, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    guard let (low, modulus) = slice.header.order else { return }
    var high = order.high
    if slice.unitType != 5 {
      if low < order.low, order.low - low >= modulus / 2 {
        high += modulus
      } else if low > order.low, low - order.low > modulus / 2 {
        high -= modulus
      }
    }
    if slice.isReference { order = slice.header.resetsOrder ? (0, 0) : (high, low) }
    guard !slice.header.isField else { return }
    if slice.header.resetsOrder {
      orders = []
      return
    }
    let own = high + low
    if orders.contains(own) {
      problems.add(
        .pictures, "order count", sample, at: offset,
        "two pictures have the picture order count \(own); a picture occurs twice, or pictures are missing")
    }
    if orders.count == Self.knownOrders { orders.removeFirst() }
    orders.append(own)
  }

  private mutating func verifyData(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    guard budget.allows(unit.count) else { return problems.add(.pictures(codec: "H.264, skipped", isDecodable: false)) }
    // Some encoders append the escaped start code of the next unit.
    let unit = unit.suffix(5).elementsEqual([0, 0, 3, 0, 1]) ? unit.dropLast(5) : unit
    let data = AVCSliceData.parse(unit, headers, from: unit.startIndex, includesPrediction: true)
    budget.spend(data)
    switch data.outcome {
    case .whole: break
    case .broken: problems.add(.codedData, "slice", sample, at: offset, "the data of a slice is damaged")
    case .unknown: problems.add(.pictures(codec: "H.264, frames with field macroblocks or 4:4:4", isDecodable: false))
    }
  }
}
