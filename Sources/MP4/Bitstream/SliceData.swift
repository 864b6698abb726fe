import ISOBMFF

/// The result of parsing the data of a slice.
struct SliceData: Equatable {
  enum Outcome {
    /// Its macroblocks or coding tree units end where the data ends.
    case whole
    /// It has an impossible value, or ends elsewhere.
    case broken
    /// It uses something that is not parsed, or there is nothing to parse.
    case unknown
  }
  var outcome: Outcome
  /// Whether the last macroblock or coding tree unit of the picture is in it.
  var endsPicture = false
  /// The number of macroblocks that were parsed, or of blocks of their size.
  var count = 0
  /// How improbable it is, in bits, that random bytes would have been parsed up to this point.
  var evidence = 0.0

  static let unknown = SliceData(outcome: .unknown)

  /// How many macroblocks are parsed: a few bytes can skip all of a large picture, and a file can have many of them.
  struct Budget {
    private var count = 1 << 20
    /// The number of macroblocks for each byte of slices; pictures that do not change have fewer.
    private static let perByte = 256

    /// Whether a slice of this size can be parsed.
    mutating func allows(_ byteCount: Int) -> Bool {
      count = min(count + Self.perByte * byteCount, 1 << 40)
      return count > 0
    }
    mutating func spend(_ data: SliceData) { count -= data.count }
  }

  /// The data of a NAL unit after its header, without emulation prevention bytes.
  struct Payload {
    let bytes: [UInt8]
    /// The number of bits up to and including the stop bit.
    let bitCount: Int
    /// The byte from which on the data is to be judged.
    let start: Int

    /// The payload of a unit, of which the bytes before the index `judged` are known to be right; `nil` without data.
    init?(_ unit: ArraySlice<UInt8>, headerSize: Int, from judged: Int) {
      bytes = Array(EmulationPrevention.removed(from: unit.dropFirst(headerSize)).plain)
      guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
      bitCount = last * 8 + 8 - bytes[last].trailingZeroBitCount
      start = EmulationPrevention.removed(from: unit[..<max(judged, unit.startIndex)].dropFirst(headerSize)).plain.count
    }

    /// Whether arithmetic data ends at this bit. x264 sets another bit after the stop bit now and then.
    func ends(at position: Int) -> Bool {
      guard 1...bitCount ~= position, (position + 7) / 8 == (bitCount + 7) / 8 else { return false }
      return bytes[(position - 1) / 8] >> UInt8(-position & 7) & 1 == 1
    }

    /// Whether a decision that used the bits before `position` depends on data to be judged.
    func isJudged(_ position: Int) -> Bool { start * 8 < bitCount && position > start * 8 + 9 }
  }

  /// How improbable, in bits, the exact end is in random data of this size. The bin that ends it has a probability of
  /// at most 2/256, and the number of bits that random decisions take varies with the square root of the size.
  static func endEvidence(_ payload: Payload) -> Double {
    let count = payload.bitCount - payload.start * 8
    guard count >= 64 else { return 0 }
    return 6 + Double(Int.bitWidth - count.leadingZeroBitCount - 1) / 2
  }
}
