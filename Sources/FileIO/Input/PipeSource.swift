package import MP4Bytes
import MP4Platform

/// A stream that cannot seek: a pipe, a FIFO, a terminal or another character device.
///
/// It is read forward, and skipped bytes are discarded. At least the last 256 KiB before the end of the latest read can
/// be read again. Reading further back requires a spooling source.
package final class PipeSource: ByteSource {
  /// The number of bytes before the end of the latest read that are always kept.
  package static let keptCount = 256 << 10
  /// The limit for reading ahead, so that the kept bytes fit into the buffer.
  fileprivate static let readCount = 256 << 10
  fileprivate static let capacity = keptCount + readCount

  /// The path as given, or `standard input`.
  package let name: String
  /// The size, known once the end has been reached.
  package var byteCount: Int? { stream { $0.byteCount } }

  private let stream: Monitor<PipeStream>

  init(_ descriptor: Descriptor, name: String, spool: Bool, onSpool: (() -> Void)?) {
    self.name = name
    stream = Monitor(PipeStream(descriptor, name: name, spool: spool, onSpool: onSpool))
  }

  /// Waits for the bytes at `offset`, discarding those before. Fails for bytes that are no longer kept.
  package func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(IOError) in
      try stream { stream throws(IOError) in try unsafe stream.read(at: offset, into: bytes) }
    }
  }
}

/// The bytes read from a pipe.
private struct PipeStream {
  /// The size, known once the end has been reached.
  private(set) var byteCount: Int?
  private let name: String
  private let descriptor: Descriptor
  private static let capacity = PipeSource.capacity
  /// The latest bytes; byte `n` of the stream is at `n % capacity`.
  private let ring = ByteBuffer(count: Self.capacity)
  /// The number of bytes read from the stream.
  private var taken = 0
  private let spools: Bool
  private let onSpool: (() -> Void)?
  private var spool: SpoolFile?

  init(_ descriptor: Descriptor, name: String, spool: Bool, onSpool: (() -> Void)?) {
    self.descriptor = descriptor
    self.name = name
    spools = spool
    self.onSpool = onSpool
  }

  mutating func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(IOError) -> Int {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      if offset + done < taken {
        done += try unsafe takeKept(at: offset + done, into: rest)
      } else if byteCount == nil {
        try takeMore()
      } else {
        break
      }
    }
    return done
  }

  /// Copies bytes that were read from the stream before; returns their number, at least one.
  private func takeKept(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(IOError) -> Int {
    let oldest = max(taken - Self.capacity, 0)
    if offset >= oldest {
      let start = offset % Self.capacity
      let count = min(taken - offset, Self.capacity - start, target.count)
      unsafe target.copyMemory(from: ring[start..<start + count])
      return count
    }
    guard let spool else {
      throw IOError(
        .read, file: name, offset: offset, .illegalSeek,
        reason: "pipes cannot seek back to this byte; use a file")
    }
    let count = min(oldest - offset, target.count)
    try unsafe spool.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
    return count
  }

  /// Reads the next bytes of the stream, or reaches its end.
  private mutating func takeMore() throws(IOError) {
    let start = taken % Self.capacity
    if spools, taken == Self.capacity { try startSpooling() }
    let end = min(start + PipeSource.readCount, Self.capacity)
    let free = unsafe UnsafeMutableRawBufferPointer(rebasing: ring.bytes[start..<end])
    try waitForMore()
    let count = try unsafe attempt(.read, name, offset: taken, descriptor.readNext(into: free))
    if let spool { try unsafe spool.append(ring[start..<start + count]) }
    taken += count
    if count == 0 { byteCount = taken }
  }

  /// Waits for bytes, or the end, unless the operation is cancelled. Reading would also wait, but not end.
  private func waitForMore() throws(IOError) {
    guard Cancellation.current != nil else { return }
    repeat { try Cancellation.check(.read, of: name) } while !descriptor.waitToRead(milliseconds: 20)
  }

  /// Moves all bytes so far, from the first byte on, to a temporary file; a short stream never needs one.
  private mutating func startSpooling() throws(IOError) {
    let spool = try SpoolFile()
    try unsafe spool.append(ring[0..<ring.count])
    self.spool = spool
    onSpool?()
  }
}
