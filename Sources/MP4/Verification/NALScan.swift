import MP4Bytes

/// Searches NAL units for what they cannot contain: ISO/IEC 14496-10, 7.4.1; the same in HEVC and VVC.
enum NALScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// The offset of the first three bytes 0, 0 and at most 2 in a unit; `nil` if there are none. Zeros at the end belong
  /// to no unit, but are harmless.
  static func startCode(in unit: ArraySlice<UInt8>) -> Int? {
    let bytes = unit.raw
    var end = bytes.byteCount
    while end > 0, bytes.bigEndian(at: end - 1, as: UInt8.self) == 0 { end -= 1 }
    // The zeros of an unwritten block are not padding.
    if bytes.byteCount - end > 8 { return end }
    var at = 0
    while true {
      // Most units have no pair of zeros in 64 bytes.
      while at + 33 <= end, !hasPair(bytes, at) { at += 32 }
      let stop = min(at + 32, end - 2)
      guard at < stop else { return nil }
      while at < stop {
        if bytes.bigEndian(at: at, as: UInt16.self) == 0, bytes.bigEndian(at: at + 2, as: UInt8.self) ?? 3 < 3 {
          return at
        }
        at += 1
      }
    }
  }

  /// Whether one of 32 pairs of neighbouring bytes may be zeros; `true` can be wrong.
  @inline(__always)
  private static func hasPair(_ bytes: RawSpan, _ at: Int) -> Bool {
    var found: UInt64 = 0
    for offset in stride(from: at, to: at + 32, by: 8) {
      let first = bytes.bigEndian(at: offset, as: UInt64.self) ?? 0
      let second = bytes.bigEndian(at: offset + 1, as: UInt64.self) ?? 0
      let both = first | second
      found |= (both &- ones) & ~both
    }
    return found & (ones << 7) != 0
  }
}
