extension RawSpan {
  /// The first position in a range where `moov` or `moof` starts.
  package func movieType(from start: Int, upTo limit: Int) -> Int? {
    var at = start
    let end = Swift.min(limit, byteCount - 3)
    while at < end {
      // Both types contain two letters `o`, which are rare in media data.
      if at + 10 <= byteCount, unsafe !hasPair(of: 0x6f, at: at + 1) {
        at += 8
        continue
      }
      let stop = Swift.min(at + 8, end)
      while at < stop {
        let type: UInt32? = bigEndian(at: at)
        if type == FourCC("moov").rawValue || type == FourCC("moof").rawValue { return at }
        at += 1
      }
    }
    return nil
  }

  /// Whether one of eight pairs of neighbouring bytes, the first of which is at `offset`, may consist of `byte`; `true`
  /// can be wrong. The span has nine bytes there.
  @inline(__always)
  @unsafe private func hasPair(of byte: UInt8, at offset: Int) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = ones &* UInt64(byte)
    let first = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self) ^ pattern
    let second = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset + 1, as: UInt64.self) ^ pattern
    // Zero bytes are what is left of pairs.
    let rest = first | second
    return (rest &- ones) & ~rest & (ones << 7) != 0
  }
}

extension RawSpan {
  /// The first position from `start` on of two zeros and a third byte of these values: with 1, NAL units start in a
  /// byte stream; none of 0 to 2 can be in a unit.
  package func startCode(from start: Int, ending third: ClosedRange<UInt8> = 1...1) -> Int? {
    var at = start
    let end = byteCount - 2
    while true {
      // Most media has no pair of zeros in 32 bytes.
      while at + 34 <= byteCount {
        var hasPair = false
        for offset in stride(from: at, to: at + 32, by: 8) {
          hasPair = unsafe self.hasPair(of: 0, at: offset) || hasPair
        }
        if hasPair { break }
        at += 32
      }
      let stop = Swift.min(at + 32, end)
      guard at < stop else { return nil }
      while at < stop {
        if unsafe unsafeLoad(fromUncheckedByteOffset: at, as: UInt8.self) == 0,
          unsafe unsafeLoad(fromUncheckedByteOffset: at + 1, as: UInt8.self) == 0,
          unsafe third.contains(unsafeLoad(fromUncheckedByteOffset: at + 2, as: UInt8.self))
        {
          return at
        }
        at += 1
      }
    }
  }
}
