extension RawSpan {
  /// The big-endian integer at `offset`, or `nil` where the bytes end before it does.
  @inlinable
  @inline(__always)
  package func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as _: T.Type = T.self) -> T? {
    guard offset >= 0, offset &+ MemoryLayout<T>.size <= byteCount else { return nil }
    return unsafe T(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }
}

extension ArraySlice<UInt8> {
  /// Whether these are the same bytes as others. Tables of samples can have many millions, so that eight are compared
  /// at a time.
  package func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (own, others) = (raw, other.raw)
    for offset in stride(from: 0, to: count & ~7, by: 8)
    where own.bigEndian(at: offset, as: UInt64.self) != others.bigEndian(at: offset) { return false }
    return suffix(count & 7) == other.suffix(count & 7)
  }

  /// The bytes, to be loaded from without further checks of an index.
  @inlinable
  package var raw: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }
}
