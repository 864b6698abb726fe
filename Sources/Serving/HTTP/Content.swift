public import MP4Bytes

extension Server {
  /// The content of a response, with a known length, of which any range can be written.
  ///
  /// Writing may block, and wait for bytes that are not available yet, because every connection has its own thread. If
  /// it fails before anything was sent, an error response is sent; later, the connection is closed, so that the client
  /// notices that the content is incomplete.
  public protocol Content: Sendable {
    /// The number of bytes.
    var byteCount: Int { get }
    /// Writes the bytes `range`, all of them; file ranges that `sink` copies are sent by the kernel.
    func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError)
    /// The response if writing fails before anything was sent.
    func response(to failure: IOError) -> Server.Response
  }
}

extension Server.Content {
  /// Status 500.
  public func response(to failure: IOError) -> Server.Response { Server.Response(500, "the content cannot be read") }
}

/// Content whose length is known only at the end. It has no ranges, and is sent in chunks.
package protocol UnboundedContent: Server.Content {
  /// Writes all of it.
  func write(to sink: any ByteSink) throws(IOError)
}

extension UnboundedContent {
  package var byteCount: Int { 0 }
  package func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {}
}

extension Server {
  /// Content in memory.
  public struct MemoryContent: Content {
    private let bytes: [UInt8]

    /// Creates content from bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of bytes.
    public var byteCount: Int { bytes.count }

    /// Writes a range of them.
    public func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
      let part = bytes[range]
      try sink.write(part.raw)
    }
  }
}
