import MP4Bytes
import MP4FileIO
import MP4Platform

/// Sends to a client: small writes are gathered, and long file ranges are sent by the kernel.
final class SocketSink: ByteSink {
  var name: String { "\(peer)" }
  private let peer: SocketAddress
  private let socket: Socket
  private var buffer: [UInt8] = []
  /// The number of bytes written, including buffered ones.
  private(set) var position = 0
  /// The number of bytes sent.
  private(set) var sentCount = 0
  private var progress: Progress
  private var isTooSlow = false
  /// The number of bytes copied since the last check for changes of their file.
  private var unchecked = 0

  private static let capacity = 64 << 10
  /// Ranges of at least this length are sent by the kernel.
  private static let kernelThreshold = 32 << 10
  /// The number of bytes after which the file is checked for changes.
  private static let step = 1 << 20

  init(_ socket: Socket, to peer: SocketAddress, timeout: Int) {
    self.socket = socket
    self.peer = peer
    progress = Progress(timeout: timeout)
  }

  /// Discards the buffer if nothing was sent; returns whether that is so.
  func discardUnsent() -> Bool {
    guard sentCount == 0 else { return false }
    buffer.removeAll(keepingCapacity: true)
    position = 0
    return true
  }

  func write(_ bytes: RawSpan) throws(IOError) {
    if buffer.count + bytes.byteCount > Self.capacity {
      try flush(moreFollows: true)
      if bytes.byteCount >= Self.capacity {
        position += bytes.byteCount
        return try send(bytes, moreFollows: false)
      }
    }
    unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    position += bytes.byteCount
  }

  func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if Socket.sendsFiles, range.count >= Self.kernelThreshold, let file = source as? FileSource {
      try flush(moreFollows: true)
      return try send(range, of: file)
    }
    try copyPlainly(range, of: source)
  }

  /// Sends the buffered bytes.
  func flush() throws(IOError) { try flush(moreFollows: false) }

  private func flush(moreFollows: Bool) throws(IOError) {
    if buffer.isEmpty { return }
    let all = buffer[...]
    // Bytes that cannot be sent now are never sent.
    buffer = []
    if moreFollows { buffer.reserveCapacity(Self.capacity) }
    try send(all.raw, moreFollows: moreFollows)
  }

  private func send(_ bytes: RawSpan, moreFollows: Bool) throws(IOError) {
    try unsafe bytes.withUnsafeBytes { all throws(IOError) in
      var done = 0
      while done < all.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[done...])
        done += try sent { () throws(Errno) in try unsafe socket.send(rest, moreFollows: moreFollows) }
      }
    }
  }

  /// Counts the bytes that `call` sends; none if it timed out.
  private func sent(_ call: () throws(Errno) -> Int) throws(IOError) -> Int {
    // A slow client still has a complete response if this was the end of it.
    guard !isTooSlow else {
      throw IOError(.write, file: name, offset: sentCount, .timedOut, reason: "the client reads too slowly")
    }
    let start = SystemClock.milliseconds
    var count = 0
    do throws(Errno) { count = try call() } catch {
      if error != .wouldBlock { throw IOError(.write, file: name, offset: sentCount, error) }
    }
    sentCount += count
    isTooSlow = !progress.continues(by: count, in: SystemClock.milliseconds - start)
    return count
  }

  private func send(_ range: Range<Int>, of file: FileSource) throws(IOError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(range.upperBound - offset, Self.step)
      try check(file, at: offset, before: wanted)
      var isAtEnd = false
      let done = try sent { () throws(Errno) in
        let count = try socket.send(file.descriptor, from: file.base + offset, count: wanted)
        isAtEnd = count == 0
        return count
      }
      if isAtEnd { throw IOError(endOf: file, at: offset, copying: range) }
      offset += done
      position += done
    }
  }

  private func copyPlainly(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      if buffer.count == Self.capacity { try flush(moreFollows: true) }
      let wanted = min(range.upperBound - offset, Self.capacity - buffer.count)
      if let file = source as? FileSource { try check(file, at: offset, before: wanted) }
      let start = buffer.count
      var (count, failure) = (0, IOError?.none)
      // The bytes are read into the buffer after the pending ones.
      buffer.append(contentsOf: repeatElement(0, count: wanted))
      unsafe buffer.withUnsafeMutableBytes { all in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start...])
        var span = unsafe MutableRawSpan(_unsafeBytes: part)
        do throws(IOError) { count = try source.read(at: offset, into: &span) } catch { failure = error }
      }
      if count < wanted { buffer.removeLast(wanted - count) }
      position += count
      offset += count
      if let failure { throw failure }
      if count < wanted { throw IOError(endOf: source, at: offset, copying: range) }
    }
  }

  /// A file that was overwritten since it was opened no longer matches the response; one that
  /// only grew does. It is checked after enough bytes were copied for a change to be possible.
  private func check(_ file: FileSource, at offset: Int, before count: Int) throws(IOError) {
    unchecked += count
    if unchecked <= Self.step { return }
    unchecked = count
    guard let now = file.currentStamp, now != file.stamp, now.size <= file.stamp.size else { return }
    throw IOError(.read, file: file.name, offset: offset, reason: "it changed in the meantime")
  }
}

/// Whether a client is fast enough: one that accepts single bytes would block a thread forever.
private struct Progress {
  /// The number of bytes it must accept within the timeout.
  private static let byteCount = 16 << 10

  private let timeout: Int
  private var waited = 0
  private var taken = 0

  init(timeout: Int) { self.timeout = timeout }

  /// Counts bytes and the milliseconds needed to send them; returns whether the rate is sufficient.
  mutating func continues(by count: Int, in milliseconds: Int) -> Bool {
    taken += count
    waited += milliseconds
    if waited < timeout { return true }
    defer { (waited, taken) = (0, 0) }
    return taken >= Self.byteCount
  }
}
