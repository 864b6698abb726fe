/// Bytes returned by a closure: of an archive, a database or a cache, or computed.
///
/// The closure is called by the task that reads, possibly by several concurrently.
public final class ClosureSource: ByteSource {
  /// Its name in messages.
  public let name: String
  /// The number of bytes; `nil` if unknown before the end has been read.
  public let byteCount: Int?
  private let bytes: @Sendable (Range<Int>) throws -> [UInt8]

  /// A source whose bytes come from `bytes`.
  ///
  /// - Parameters:
  ///   - name: Its name in messages.
  ///   - byteCount: The number of bytes; `nil` if unknown.
  ///   - bytes: Returns the bytes of a range; fewer only if the source ends in it and its size is
  ///     unknown. A thrown error, or another number of bytes, becomes an `IOError` of reading.
  public init(name: String, byteCount: Int?, bytes: @escaping @Sendable (Range<Int>) throws -> [UInt8]) {
    (self.name, self.byteCount, self.bytes) = (name, byteCount, bytes)
  }

  /// Requests as many bytes as fit into `buffer`, but none after a known end.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max((byteCount ?? .max) - offset, 0))
    if count == 0 { return 0 }
    let given: [UInt8]
    do { given = try bytes(offset..<offset + count) } catch let error as IOError { throw error } catch {
      throw IOError(reading: name, at: offset, error)
    }
    guard given.count == count || given.count < count && byteCount == nil else {
      let reason = "it returned \(counted(given.count, "byte")) instead of \(count)"
      throw IOError(.read, file: name, offset: offset, reason: reason)
    }
    unsafe buffer.withUnsafeMutableBytes { target in
      unsafe given.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    }
    return given.count
  }
}
