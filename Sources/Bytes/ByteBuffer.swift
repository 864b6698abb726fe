/// A piece of memory of a fixed size that system calls read and write in place.
@safe package final class ByteBuffer {
  package let count: Int
  /// The whole memory; valid while the buffer exists.
  @unsafe package let bytes: UnsafeMutableRawBufferPointer

  package init(count: Int) {
    self.count = count
    unsafe bytes = .allocate(byteCount: count, alignment: 16)
  }

  deinit { unsafe bytes.deallocate() }

  /// A part of the memory for reading; the buffer must outlive it.
  @unsafe package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  /// Fills `range` from `offset` of `source` and returns the number of bytes read.
  package func fill(_ range: Range<Int>, from source: any ByteSource, at offset: Int) throws(IOError) -> Int {
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
    var span = unsafe MutableRawSpan(_unsafeBytes: part)
    return try source.readOn(at: offset, into: &span)
  }
}

extension ByteBuffer {
  /// A part of a buffer, which it keeps alive.
  package struct Part {
    package let buffer: ByteBuffer
    package var range: Range<Int>

    package init(_ buffer: ByteBuffer, _ range: Range<Int>) {
      self.buffer = buffer
      self.range = range
    }

    /// The bytes of the part, which must outlive them.
    @unsafe package var bytes: UnsafeRawBufferPointer { unsafe buffer[range] }
  }
}
