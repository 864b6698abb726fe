public import ISOBMFF

/// The bytes of an answer, whose number is known, and of which any range can be written.
///
/// Writing may take its time, and wait for bytes that are not there yet: every connection has a thread of its own. What
/// fails before anything was written becomes the answer 500; later, the connection is cut off, so that the client
/// notices that something is missing.
public protocol Content: Sendable {
  /// The number of bytes.
  var byteCount: Int { get }
  /// Writes the bytes `range`, all of them; ranges of a file that `sink` copies are sent by the kernel.
  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError)
}

/// Bytes in memory.
public struct Bytes: Content {
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
