extension RawSpan {
  /// The first position in a range where `moov` or `moof` starts; most bytes are not examined.
  package func movieType(from start: Int, upTo limit: Int) -> Int? {
    // The position of the last letter, which tells how far the next possible one is.
    var at = start + 3
    let end = Swift.min(limit + 3, byteCount)
    while at < end {
      switch unsafe unsafeLoad(fromUncheckedByteOffset: at, as: UInt8.self) {
      case 0x76, 0x66:
        let type: UInt32? = bigEndian(at: at - 3)
        if type == FourCC("moov").rawValue || type == FourCC("moof").rawValue { return at - 3 }
        at += 4
      case 0x6f: at += 1
      case 0x6d: at += 3
      default: at += 4
      }
    }
    return nil
  }
}
