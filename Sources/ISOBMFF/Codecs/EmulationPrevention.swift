/// The bytes that prevent start codes in NAL units: ISO/IEC 14496-10, 7.4.1; the same in HEVC and VVC.
package enum EmulationPrevention {
  /// The first `limit` bytes of a NAL unit after its header without these bytes, and the number of `bytes` consumed.
  package static func removed(
    from bytes: ArraySlice<UInt8>, limit: Int = .max
  ) -> (plain: ArraySlice<UInt8>, rawCount: Int) {
    var plain: [UInt8] = []
    // Most units have none near their start; bytes are copied only after the first one.
    var copied = bytes.startIndex
    var zeroCount = 0
    var index = bytes.startIndex
    while index < bytes.endIndex, plain.count + (index - copied) < limit {
      let byte = bytes[index]
      if zeroCount >= 2, byte == 3 {
        zeroCount = 0
        plain += bytes[copied..<index]
        copied = index + 1
      } else {
        zeroCount = byte == 0 ? zeroCount + 1 : 0
      }
      index += 1
    }
    let rest = bytes[copied..<index]
    let rawCount = index - bytes.startIndex
    return copied == bytes.startIndex ? (rest, rawCount) : ((plain + rest)[...], rawCount)
  }
}
