/// Bytes in memory.
public final class MemorySource: ByteSource {
  /// Its name in messages.
  public let name: String
  /// The bytes.
  public let bytes: [UInt8]
  /// The offset of the first byte: a part of a stream keeps its offsets.
  public let baseOffset: Int

  /// The end offset.
  public var byteCount: Int? { range.upperBound }
  /// The range of offsets.
  public var range: Range<Int> { baseOffset..<baseOffset + bytes.count }

  /// A source of `bytes` from `baseOffset` on, called `name` in messages.
  public init(_ bytes: [UInt8], name: String = "memory", baseOffset: Int = 0) {
    precondition(baseOffset >= 0, "offsets are not negative")
    (self.bytes, self.name, self.baseOffset) = (bytes, name, baseOffset)
  }

  /// Copies the bytes from `offset` on, as many as exist; none before `baseOffset`.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let start = offset - baseOffset
    let count = start < 0 ? 0 : min(buffer.byteCount, max(bytes.count - start, 0))
    if count == 0 { return 0 }
    unsafe buffer.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: .init(rebasing: $0[start..<start + count])) }
    }
    return count
  }
}
