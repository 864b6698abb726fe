import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform

/// Standard output: the result of a command.
///
/// Bytes are buffered in 64 KiB. The first failure is remembered, so that it is not lost
/// if it happens while a message flushes the buffer, and every later call throws it again.
final class Console: ByteSink {
  let name = "standard output"
  private let stream: StandardStream
  private var buffer: [UInt8] = []
  private var failure: IOError?
  /// The number of bytes written so far, including buffered ones.
  private(set) var position = 0
  private static let capacity = 64 << 10
  /// Whether nothing is buffered, for output in real time.
  var isImmediate = false

  init(descriptor: Int32 = 1) {
    stream = StandardStream(descriptor)
    buffer.reserveCapacity(Self.capacity)
  }

  /// Whether the output is a terminal; MP4 data should not be written to it.
  var isTerminal: Bool { stream.isTerminal }

  func write(_ text: String) throws(IOError) {
    position += text.utf8.count
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.capacity { try flush() }
  }

  func write(_ bytes: RawSpan) throws(IOError) {
    position += bytes.byteCount
    if bytes.byteCount >= Self.capacity {
      try flush()
      try send(bytes)
      return
    }
    unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    if isImmediate || buffer.count >= Self.capacity { try flush() }
  }

  /// Appends bytes of a source by reading them.
  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var window = ByteWindow(source)
    var done = range.lowerBound
    while done < range.upperBound {
      let piece = try window.slice(at: done, count: min(Self.capacity, range.upperBound - done))
      guard !piece.isEmpty else {
        throw IOError(.read, file: source.name, offset: done, reason: "the file became shorter")
      }
      try write(piece.raw)
      done += piece.count
    }
  }

  /// Writes the buffer.
  func flush() throws(IOError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    try unsafe send(buffer.span.bytes)
  }

  private func send(_ bytes: RawSpan) throws(IOError) {
    if let failure { throw failure }
    do throws(Errno) { try stream.write(bytes) } catch {
      let failed = IOError(.write, file: name, error)
      failure = failed
      throw failed
    }
  }
}
