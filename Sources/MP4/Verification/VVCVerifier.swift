import ISOBMFF

/// Verifies the NAL units of H.266: ISO/IEC 23090-3, 7.4.2.
struct VVCVerifier: SampleVerifier {
  private let syntax: NALSample

  init(lengthSize: Int) { syntax = NALSample(codec: .vvc, lengthSize: lengthSize) }

  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    var (hasPicture, isBroken) = (false, false)
    let isWhole = syntax.forEachUnit(bytes, sample, &problems) { unit, offset, problems in
      let (first, second) = (unit[unit.startIndex], unit[unit.startIndex + 1])
      guard first & 0xc0 == 0, second & 7 != 0 else {
        problems.add(
          .units, "unit header", sample, at: offset,
          first & 0xc0 != 0
            ? "forbidden_zero_bit or nuh_reserved_zero_bit of a NAL unit is 1"
            : "nuh_temporal_id_plus1 of a NAL unit is 0")
        isBroken = true
        return
      }
      let type = Int(second >> 3)
      switch type {
      case 0...3, 7...10:
        hasPicture = true
        syntax.verifyPayload(unit, offset, sample, &problems)
      case 12...19: syntax.verifyPayload(unit, offset, sample, &problems)
      case 4...6, 11, 26, 27:
        problems.add(.units, "reserved type", sample, at: offset, "a NAL unit has the reserved type \(type)")
        isBroken = true
      case 23, 24: syntax.verifyMessages(unit, offset, sample, &problems)
      case 28...31: hasPicture = true
      default: break
      }
    }
    if isWhole, !hasPicture, !isBroken {
      problems.add(.pictures, "none", sample, at: sample.offset, "the sample has no slice of a picture")
    }
  }
}
