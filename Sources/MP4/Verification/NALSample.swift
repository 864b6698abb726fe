import ISOBMFF
import MP4Bytes

/// Divides samples into NAL units, and verifies what all codecs with NAL units have in common.
struct NALSample {
  let codec: NALUnits.Codec
  let lengthSize: Int

  /// Whether there is a picture parameter set at the start of a sample.
  static func hasPictureSet(_ bytes: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ lengthSize: Int) -> Bool {
    for unit in NALUnits(bytes, codec, lengthSize: lengthSize) {
      if unit.type == codec.pictureParameterSet { return true }
      if codec.isSlice(unit.type) { return false }
    }
    return false
  }

  /// Calls `body` with each unit and its offset in the source. Returns whether the lengths fill the sample.
  func forEachUnit(
    _ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems,
    _ body: (_ unit: ArraySlice<UInt8>, _ offset: Int, _ problems: inout MediaProblems) -> Void
  ) -> Bool {
    var (at, isFirst) = (bytes.startIndex, true)
    func place(_ index: Int) -> Int { sample.offset + index - bytes.startIndex }
    while at < bytes.endIndex {
      let left = bytes.endIndex - at - lengthSize
      var length = 0
      if left >= 0 { for index in at..<at + lengthSize { length = length << 8 | Int(bytes[index]) } }
      // Some writers append zeros.
      if left < 0 || length == 0, !isFirst, bytes[at...].allSatisfy({ $0 == 0 }) { return true }
      guard left >= 0, length <= left else {
        problems.add(
          .units, "length", sample, at: place(at),
          left < 0
            ? "\(bytes.endIndex - at) bytes follow the last NAL unit"
            : "the length of a NAL unit is \(length), but \(left) bytes of the sample are left")
        return false
      }
      at += lengthSize
      if length < codec.headerSize {
        problems.add(.units, "empty", sample, at: place(at - lengthSize), "a NAL unit has no header")
        if isFirst && length == 0 { return false }
      } else {
        body(bytes[at..<at + length], place(at), &problems)
      }
      at += length
      isFirst = false
    }
    return true
  }

  /// Verifies the bytes of a unit after its header.
  func verifyPayload(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    let bytes = unit.raw
    var end = bytes.byteCount
    // Zeros at the end belong to no unit, but are harmless.
    while end > 0, bytes.bigEndian(at: end - 1, as: UInt8.self) == 0 { end -= 1 }
    // The zeros of an unwritten block are not padding.
    let isUnwritten = bytes.byteCount - end > 8
    guard let place = isUnwritten ? end : bytes.extracting(0..<end).startCode(from: 0, ending: 0...2) else { return }
    problems.add(
      .startCodes, "start code", sample, at: offset + place, "a NAL unit contains a start code, which must be escaped")
  }

  /// Verifies that messages fill a SEI unit.
  func verifyMessages(
    _ unit: ArraySlice<UInt8>, _ offset: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    let plain = EmulationPrevention.removed(from: unit.dropFirst(codec.headerSize)).plain
    guard let last = plain.lastIndex(where: { $0 != 0 }) else {
      return problems.add(.units, "messages", sample, at: offset, "a SEI unit has no messages")
    }
    var at = plain.startIndex
    func number() -> Int? {
      var sum = 0
      while at <= last {
        let byte = plain[at]
        (at, sum) = (at + 1, sum + Int(byte))
        if byte < 255 { return sum }
      }
      return nil
    }
    // The last byte contains the stop bit.
    while at < last {
      guard number() != nil, let size = number(), size <= plain.endIndex - at else {
        return problems.add(
          .units, "messages", sample, at: offset, "a SEI message is longer than the rest of its NAL unit")
      }
      at += size
    }
  }
}

extension MediaProblems {
  /// Adds the problem of a slice whose header cannot be read.
  mutating func add(_ obstacle: SliceObstacle, _ sample: VerifiedSample, at offset: Int) {
    switch obstacle {
    case .pictureSet(let number):
      add(
        .parameterSets, "unknown", sample, at: offset,
        "a slice refers to the picture parameter set \(number), which does not exist")
    case .sequenceSet(let number):
      add(
        .parameterSets, "unknown", sample, at: offset,
        "a slice refers to the sequence parameter set \(number), which does not exist")
    case .unsupported: break
    case .broken:
      add(.headers, "broken", sample, at: offset, "a slice header has impossible values or ends early")
    }
  }
}
