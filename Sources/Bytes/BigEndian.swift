extension RawSpan {
  /// The big-endian integer at `offset`, or `nil` if the bytes end before its end.
  @inlinable
  @inline(__always)
  package func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as _: T.Type = T.self) -> T? {
    guard offset >= 0, offset &+ MemoryLayout<T>.size <= byteCount else { return nil }
    return unsafe T(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }
}

extension ArraySlice<UInt8> {
  /// Whether both have the same bytes. Sample tables can have millions of rows, so eight bytes are compared at a time.
  package func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (own, others) = (raw, other.raw)
    for offset in stride(from: 0, to: count & ~7, by: 8)
    where own.bigEndian(at: offset, as: UInt64.self) != others.bigEndian(at: offset) { return false }
    return suffix(count & 7) == other.suffix(count & 7)
  }

  /// The bytes, for loads without further bounds checks.
  @inlinable
  package var raw: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }
}

extension Collection<UInt8> {
  /// The number in at most eight bytes, of which the first is the lowest.
  package var littleEndian: Int { reversed().reduce(0) { $0 << 8 | Int($1) } }
}
