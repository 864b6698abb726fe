package import MP4Bytes

/// A sink to a client that may buffer bytes.
package protocol ClientSink: ByteSink {
  /// Sends the buffered bytes.
  func flush() throws(IOError)
}

extension SocketSink: ClientSink {}

/// Chunked transfer coding, for content of unknown length: RFC 9112, 7.1.
final class ChunkedSink: ClientSink {
  private let sink: SocketSink
  var name: String { sink.name }
  private(set) var position = 0
  /// The number of bytes that are not content.
  private(set) var framingCount = 0

  init(_ sink: SocketSink) { self.sink = sink }

  func write(_ bytes: RawSpan) throws(IOError) {
    // An empty chunk would end the content.
    if bytes.isEmpty { return }
    try frame("\(String(bytes.byteCount, radix: 16))\r\n")
    try sink.write(bytes)
    try frame("\r\n")
    position += bytes.byteCount
  }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if range.isEmpty { return }
    try frame("\(String(range.count, radix: 16))\r\n")
    try sink.copy(range, of: source)
    try frame("\r\n")
    position += range.count
  }

  func flush() throws(IOError) { try sink.flush() }

  /// Writes the last chunk.
  func finish() throws(IOError) { try frame("0\r\n\r\n") }

  private func frame(_ text: String) throws(IOError) {
    framingCount += text.utf8.count
    try sink.write(Array(text.utf8))
  }
}
