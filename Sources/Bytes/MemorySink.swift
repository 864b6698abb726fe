/// A sink that keeps all bytes in memory.
public final class MemorySink: RewritableSink {
  /// Its name in messages.
  public let name: String
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// The number of bytes written so far.
  public var position: Int { bytes.count }

  /// An empty sink, called `name` in messages.
  public init(name: String = "memory") { self.name = name }

  /// An empty sink with capacity for this many bytes.
  package convenience init(capacity: Int) {
    self.init()
    bytes.reserveCapacity(capacity)
  }

  /// Appends `bytes`.
  public func write(_ bytes: RawSpan) throws(IOError) {
    unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
  }

  /// Replaces bytes that were written earlier.
  public func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    self.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  /// Appends the bytes `range` of `source`. If the source ends early, the bytes before its end are appended.
  public func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    // Copies in steps, so that a source that ends early does not cause a large allocation.
    let buffer = ByteBuffer(count: min(range.count, 1 << 20))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(range.upperBound - offset, buffer.count)
      let count = try buffer.fill(0..<wanted, from: source, at: offset)
      unsafe bytes.append(contentsOf: buffer[0..<count])
      offset += count
      if count < wanted { throw IOError(endOf: source, at: offset, copying: range) }
    }
  }
}
