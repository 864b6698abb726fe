public import Foundation
@_exported public import MP4Toolkit

extension URL: PathnameConvertible {
  /// The path of a file URL. URLs of servers have none.
  public var pathname: Pathname {
    get throws(IOError) {
      guard isFileURL else {
        throw IOError(.open, file: absoluteString, reason: "it is not a file; read it through an asynchronous source")
      }
      let path = unsafe withUnsafeFileSystemRepresentation { path in unsafe path.map { unsafe Pathname(cString: $0) } }
      guard let path else { throw IOError(.open, file: absoluteString, reason: "the system has no path for this URL") }
      return path
    }
  }
}

/// The bytes of a `Data`, which are not copied.
public final class DataSource: ByteSource {
  /// Its name in messages.
  public let name: String
  /// The number of bytes.
  public var byteCount: Int? { data.count }
  private let data: Data

  /// A source with these bytes.
  public init(_ data: Data, name: String = "data") { (self.data, self.name) = (data, name) }

  /// Reads from `offset` on; fewer bytes than requested mean the end.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = max(0, min(buffer.byteCount, data.count - offset))
    if count == 0 { return 0 }
    let start = data.startIndex + offset
    unsafe buffer.withUnsafeMutableBytes { target in
      _ = unsafe data.copyBytes(to: target, from: start..<start + count)
    }
    return count
  }
}

extension ByteSource where Self == DataSource {
  /// The bytes of a `Data`, which are not copied.
  public static func data(_ data: Data, name: String = "data") -> DataSource { DataSource(data, name: name) }
}

extension ByteSource where Self == AsyncSource {
  /// Bytes that an asynchronous closure returns as `Data`; see `AsyncSource`.
  public static func ranges(
    name: String, byteCount: Int?, blockSize: Int = 64 << 10,
    data: @escaping @Sendable (Range<Int>) async throws -> Data
  ) -> AsyncSource {
    AsyncSource(name: name, byteCount: byteCount, blockSize: blockSize) { range in [UInt8](try await data(range)) }
  }
}
