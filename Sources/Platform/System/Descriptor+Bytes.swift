package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Descriptor {
  /// Fills `buffer` from `offset` of the file, up to the end of the file; returns the number of bytes read.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try uninterrupted { unsafe pread(number, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Fills `buffer` from `offset` of the file, up to the end of the file; returns the number of bytes read.
  package func read(at offset: Int, into buffer: inout MutableRawSpan) throws(Errno) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes throws(Errno) in try unsafe read(at: offset, into: bytes) }
  }

  /// Fills `buffer` from `offset` of the file, up to the end of the file; returns the number of bytes read.
  package func read(at offset: Int, into buffer: inout [UInt8]) throws(Errno) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try read(at: offset, into: &bytes)
  }

  /// Writes all of `buffer` at `offset` of the file.
  package func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
      done += try uninterrupted { unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset + done)) }
    }
  }

  /// Writes all of `bytes` at `offset` of the file.
  package func write(_ bytes: RawSpan, at offset: Int) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { buffer throws(Errno) in try unsafe write(buffer, at: offset) }
  }

  /// Writes all of `bytes` at `offset` of the file.
  package func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    try unsafe write(bytes.span.bytes, at: offset)
  }

  /// Reads the next bytes of a stream: at least one, or none at the end.
  package func readNext(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      if let count = try unsafe readAvailable(into: buffer) { return count }
      waitUntil(POLLIN)
    }
  }

  /// Reads the next bytes of a stream: at least one, or none at the end.
  package func readNext(into buffer: inout [UInt8]) throws(Errno) -> Int {
    var span = buffer.mutableSpan
    var bytes = unsafe span.mutableBytes
    return try unsafe bytes.withUnsafeMutableBytes { bytes throws(Errno) in try unsafe readNext(into: bytes) }
  }

  /// Reads the available bytes of a non-blocking stream. Returns 0 at its end and `nil` when no bytes are available
  /// yet.
  package func readAvailable(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    do throws(Errno) {
      return try uninterrupted { unsafe systemRead(number, buffer.baseAddress, buffer.count) }
    } catch {
      guard error == .wouldBlock else { throw error }
      return nil
    }
  }

  /// Writes a part of `buffer`, at least one byte.
  package func writeNext(_ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    while true {
      do throws(Errno) {
        return try uninterrupted { unsafe systemWrite(number, buffer.baseAddress, buffer.count) }
      } catch {
        guard error == .wouldBlock else { throw error }
        waitUntil(POLLOUT)
      }
    }
  }

  /// Writes the first bytes of `parts`, one part after the other, with one call. Returns the number of bytes, at least
  /// one.
  package func writeNext(_ parts: ArraySlice<ByteBuffer.Part>) throws(Errno) -> Int {
    if parts.count == 1, let part = parts.first { return try unsafe writeNext(part.bytes) }
    let vectors = unsafe parts.prefix(Self.partLimit).map { part in
      unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: part.bytes.baseAddress), iov_len: part.range.count)
    }
    while true {
      do throws(Errno) {
        return try uninterrupted { unsafe writev(number, vectors, Int32(vectors.count)) }
      } catch {
        guard error == .wouldBlock else { throw error }
        waitUntil(POLLOUT)
      }
    }
  }

  /// The number of parts that every system accepts in one call.
  private static let partLimit = 1024

  /// Writes the whole of `buffer`.
  package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(Errno) {
    var done = 0
    while done < buffer.count { done += try unsafe writeNext(UnsafeRawBufferPointer(rebasing: buffer[done...])) }
  }

  /// Waits at most `milliseconds` for data or the end of the stream; returns whether either is available. A signal ends
  /// the wait.
  package func waitToRead(milliseconds: Int) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&request, 1, Int32(clamping: milliseconds))
    return count > 0 || (count < 0 && errno != EINTR)
  }

  /// Waits for `event`. An inherited descriptor, such as standard input, may be non-blocking.
  private func waitUntil(_ event: some BinaryInteger) {
    var request = pollfd(fd: number, events: Int16(event), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }
}
