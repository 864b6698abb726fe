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
  /// The bytes, to be loaded from without further checks of an index.
  @inlinable
  package var raw: RawSpan {
    @_lifetime(borrow self) get { unsafe span.bytes }
  }
}
