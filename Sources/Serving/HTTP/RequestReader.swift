import MP4Platform

/// Reads requests from a connection, in chunks of any size.
struct RequestReader {
  /// The limits of a request.
  enum Limit {
    static let lineByteCount = 8 << 10
    static let headByteCount = 16 << 10
    static let fieldCount = 100
    static let contentByteCount = 64 << 10
    /// Empty lines before the first request, which manual clients may send.
    static let emptyLineCount = 2
  }

  private let socket: Socket
  private let peer: SocketAddress
  /// The maximum time for receiving a header, in milliseconds.
  private let headTimeout: Int
  /// Received bytes are in the first `end` bytes; those before `start` were used.
  private var buffer: [UInt8] = []
  private var (start, end) = (0, 0)

  init(_ socket: Socket, from peer: SocketAddress, headTimeout: Int) {
    (self.socket, self.peer, self.headTimeout) = (socket, peer, headTimeout)
  }

  /// Waits for the first byte of a request, up to the timeout of the socket; returns whether there is one. It may have
  /// arrived with the previous request.
  mutating func waitForBytes() -> Bool { start < end || receive() > 0 }

  /// The next request, which has started to arrive; `nil` if the connection ended in it.
  mutating func next() throws(Refusal) -> Server.Request? {
    let deadline = SystemClock.milliseconds + headTimeout
    var lines: [Range<Int>] = []
    lines.reserveCapacity(24)
    var (scan, line, emptyLines) = (start, start, 0)
    while true {
      while scan < end {
        defer { scan += 1 }
        guard buffer[scan] == 0x0a else { continue }
        try checkSizes(to: scan, line: line, isFirst: lines.isEmpty)
        guard scan > line, buffer[scan - 1] == 0x0d else { throw .malformed("a line does not end in CR LF") }
        if line < scan - 1 {
          lines.append(line - start..<scan - 1 - start)
          if lines.count - 1 > Limit.fieldCount { throw Refusal(status: 431, reason: "there are too many fields") }
        } else if lines.isEmpty {
          emptyLines += 1
          if emptyLines > Limit.emptyLineCount { throw .malformed("there is no request line") }
          start = scan + 1
        } else {
          let head = Array(buffer[start...scan])
          start = scan + 1
          return try RequestHead(head, lines: lines, from: peer).request()
        }
        line = scan + 1
      }
      try checkSizes(to: end, line: line, isFirst: lines.isEmpty)
      let before = start
      guard socket.waitToReceive(milliseconds: deadline - SystemClock.milliseconds) else {
        throw Refusal(status: 408, reason: "the request took too long")
      }
      if receive() <= 0 { return nil }
      // The received bytes may have been moved to the front.
      scan -= before - start
      line -= before - start
    }
  }

  /// Rejects a header, or a line of it, that is too long at `end`.
  private func checkSizes(to end: Int, line: Int, isFirst: Bool) throws(Refusal) {
    if end - line > Limit.lineByteCount {
      throw isFirst
        ? Refusal(status: 414, reason: "the target is too long") : Refusal(status: 431, reason: "a field is too long")
    }
    if end - start > Limit.headByteCount { throw Refusal(status: 431, reason: "the head is too long") }
  }

  /// Reads and discards the content of a request; returns whether it arrived.
  mutating func skip(_ count: Int) -> Bool {
    let deadline = SystemClock.milliseconds + headTimeout
    var rest = count
    while true {
      let step = min(rest, end - start)
      start += step
      rest -= step
      if rest == 0 { return true }
      guard socket.waitToReceive(milliseconds: deadline - SystemClock.milliseconds), receive() > 0 else { return false }
    }
  }

  /// Receives more bytes and returns their number.
  private mutating func receive() -> Int {
    if start == end {
      (start, end) = (0, 0)
    } else if start > 0 {
      buffer.replaceSubrange(0..<end - start, with: Array(buffer[start..<end]))
      (start, end) = (0, end - start)
    }
    // A connection that is never used takes little memory.
    if buffer.count - end < 1024 { buffer += [UInt8](repeating: 0, count: max(2048, buffer.count)) }
    let received = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
    }
    if received > 0 { end += received }
    return received
  }
}
