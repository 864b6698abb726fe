// The standard library's properties with these names require macOS 26 and iOS 26: an array of objects may be a
// Foundation array, which only the runtime of those systems can access. No array in this package holds objects. These
// two properties hide the others where this module is imported.
extension Array {
  /// The elements, accessed in place.
  @inlinable package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
    }
  }

  /// The elements, for changes in place.
  @inlinable package var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self)
    mutating get {
      let elements = unsafe withUnsafeMutableBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
    }
  }
}

extension [UInt8] {
  /// The bytes, for changes in place.
  @inlinable package var mutableRaw: MutableRawSpan {
    @_lifetime(&self)
    mutating get {
      let bytes = unsafe withUnsafeMutableBytes { unsafe $0 }
      return unsafe _overrideLifetime(MutableRawSpan(_unsafeBytes: bytes), mutating: &self)
    }
  }
}

extension MutableRawSpan {
  /// Writes a big-endian integer at `offset`; does nothing if it does not fit.
  @inlinable
  @inline(__always)
  package mutating func storeBigEndian(_ value: UInt64, at offset: Int) {
    guard offset >= 0, offset &+ 8 <= byteCount else { return }
    unsafe storeBytes(of: value.bigEndian, toUncheckedByteOffset: offset, as: UInt64.self)
  }

  /// Overwrites the bytes from `offset` on with `bytes`, up to the end of the span.
  package mutating func replace(from offset: Int, with bytes: ArraySlice<UInt8>) {
    let count = Swift.min(bytes.count, byteCount - offset)
    guard offset >= 0, count > 0 else { return }
    unsafe withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target[offset...].copyBytes(from: $0.prefix(count)) }
    }
  }

  /// Overwrites the bytes from `offset` on with `bytes`, up to the end of the span.
  package mutating func replace(from offset: Int, with bytes: RawSpan) {
    let count = Swift.min(bytes.byteCount, byteCount - offset)
    guard offset >= 0, count > 0 else { return }
    unsafe withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[..<count]))
      }
    }
  }

  /// The big-endian integer at `offset`; 0 if the bytes end before its end.
  @inlinable
  @inline(__always)
  package func loadBigEndian(at offset: Int) -> UInt64 { bytes.bigEndian(at: offset, as: UInt64.self) ?? 0 }
}
