import Bytes
import FileIO
import ISOBMFF
import Platform

/// Standard output: what a command prints as its result.
///
/// Bytes gather in a buffer of 64 KiB and leave by plain `write`. The first failure is remembered, so that it is not lost
/// when it happens while a message flushes the buffer, and every later call throws it again.
final class Console: ByteSink {
  let name = "standard output"
  private let stream: StandardStream
  private var buffer: [UInt8] = []
  private var failure: IOError?
  /// The number of bytes written so far, with those in the buffer.
  private(set) var position = 0
  private static let capacity = 64 << 10
  /// Whether nothing waits in the buffer: for what is printed as it comes.
  var isImmediate = false

  init(descriptor: Int32 = 1) {
    stream = StandardStream(descriptor)
    buffer.reserveCapacity(Self.capacity)
  }

  /// Whether what is written is read by a person; an MP4 file should not go there.
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

  /// Appends bytes of a source by reading them; what is copied by the kernel goes through `OutputFile`.
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

  /// Sends what is still in the buffer.
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
