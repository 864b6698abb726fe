public import Bytes

extension Server {
  /// The bytes of an answer, whose number is known, and of which any range can be written.
  ///
  /// Writing may take its time, and wait for bytes that are not there yet: every connection has a thread of its own. What
  /// fails before anything was sent becomes another answer; later, the connection is cut off, so that the client notices
  /// that something is missing.
  public protocol Content: Sendable {
    /// The number of bytes.
    var byteCount: Int { get }
    /// Writes the bytes `range`, all of them; ranges of a file that `sink` copies are sent by the kernel.
    func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError)
    /// What is answered when writing has failed before anything was sent.
    func response(to failure: IOError) -> Server.Response
  }
}

extension Server.Content {
  /// 500: it is not the fault of the client.
  public func response(to failure: IOError) -> Server.Response { Server.Response(500, "the content cannot be read") }
}

/// Content whose number of bytes is known only when all were written. It has no ranges, and is sent in chunks.
protocol UnboundedContent: Server.Content {
  /// Writes all of it.
  func write(to sink: any ByteSink) throws(IOError)
}

extension UnboundedContent {
  var byteCount: Int { 0 }
  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {}
}

extension Server {
  /// Bytes in memory.
  public struct MemoryContent: Content {
    private let bytes: [UInt8]

    /// These bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes.
    public var byteCount: Int { bytes.count }

    /// Writes a part of them.
    public func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
      let part = bytes[range]
      try sink.write(part.raw)
    }
  }
}
