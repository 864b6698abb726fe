public import ISOBMFF

/// Bytes in memory.
public final class MemorySource: ByteSource {
  /// What messages call it.
  public let name: String
  /// All bytes of the source.
  public let bytes: [UInt8]

  /// The number of all bytes.
  public var byteCount: Int? { bytes.count }

  /// A source of `bytes`, called `name` in messages.
  public init(_ bytes: [UInt8], name: String = "memory") {
    self.bytes = bytes
    self.name = name
  }

  /// Copies the bytes from `offset` on, as many as there are.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max(bytes.count - offset, 0))
    if count == 0 { return 0 }
    unsafe buffer.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: .init(rebasing: $0[offset..<offset + count])) }
    }
    return count
  }
}
