/// Bytes that a closure gives: of an archive, of a database, of a cache, or computed.
///
/// The closure is called by the task that reads, perhaps by several at the same time.
public final class ClosureSource: ByteSource {
  /// What messages call it.
  public let name: String
  /// The number of bytes; `nil` where it is not known before the end is read.
  public let byteCount: Int?
  private let bytes: @Sendable (Range<Int>) throws -> [UInt8]

  /// A source whose bytes come from `bytes`.
  ///
  /// - Parameters:
  ///   - name: What messages call it.
  ///   - byteCount: The number of bytes; `nil` where it is not known.
  ///   - bytes: Returns the bytes of a range; fewer only where the source ends in it, and its number of bytes is not
  ///     known. An error that it throws, and another number of bytes, are an `IOError` of reading.
  public init(name: String, byteCount: Int?, bytes: @escaping @Sendable (Range<Int>) throws -> [UInt8]) {
    (self.name, self.byteCount, self.bytes) = (name, byteCount, bytes)
  }

  /// Asks the closure for as many bytes as fit into `buffer`, but for none after the end that is known.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max((byteCount ?? .max) - offset, 0))
    if count == 0 { return 0 }
    let given: [UInt8]
    do { given = try bytes(offset..<offset + count) } catch let error as IOError { throw error } catch {
      throw IOError(.read, file: name, offset: offset, reason: "\(error)")
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
