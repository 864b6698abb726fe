/// Bytes in memory.
public final class MemorySource: ByteSource {
  /// What messages call it.
  public let name: String
  /// All bytes that there are.
  public let bytes: [UInt8]
  /// Where the first of them is: a part of a stream has the offsets that it has there.
  public let baseOffset: Int

  /// Where the bytes end.
  public var byteCount: Int? { range.upperBound }
  /// Where the bytes are.
  public var range: Range<Int> { baseOffset..<baseOffset + bytes.count }

  /// A source of `bytes` from `baseOffset` on, called `name` in messages.
  public init(_ bytes: [UInt8], name: String = "memory", baseOffset: Int = 0) {
    precondition(baseOffset >= 0, "offsets are not negative")
    (self.bytes, self.name, self.baseOffset) = (bytes, name, baseOffset)
  }

  /// Copies the bytes from `offset` on, as many as there are; none before `baseOffset`.
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
