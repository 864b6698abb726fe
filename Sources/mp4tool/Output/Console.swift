import ISOBMFF

/// Standard output: what a command prints as its result.
///
/// Bytes gather in a buffer of 64 KiB and leave by plain `write`. The first failure is remembered, so that it is not lost
/// when it happens while a message flushes the buffer, and every later call throws it again.
final class Console {
  let name = "standard output"
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var failure: IOError?
  private static let capacity = 64 << 10

  init(descriptor: Int32 = 1) {
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.capacity)
  }

  /// Whether what is written is read by a person; an MP4 file should not go there.
  var isTerminal: Bool { SystemCalls.isTerminal(descriptor) }

  func write(_ text: String) throws(IOError) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.capacity { try flush() }
  }

  func write(_ bytes: RawSpan) throws(IOError) {
    if bytes.byteCount >= Self.capacity {
      try flush()
      try send(bytes)
      return
    }
    unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Sends what is still in the buffer.
  func flush() throws(IOError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    try unsafe send(buffer.span.bytes)
  }

  private func send(_ bytes: RawSpan) throws(IOError) {
    if let failure { throw failure }
    let code = SystemCalls.write(bytes, to: descriptor)
    guard code != 0 else { return }
    let error = IOError(.write, file: name, code: code, reason: SystemCalls.reason(code))
    failure = error
    throw error
  }
}
