import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open stream socket, closed when its last reference is released. Only one thread may read and write; others may
/// shut it down.
package final class Socket: Sendable {
  let number: Int32

  package init(owning number: Int32) { self.number = number }

  deinit { _ = systemClose(number) }

  /// Creates a socket that child processes do not inherit.
  convenience init(family: Int32) throws(Errno) {
    #if os(Linux)
      // Set in one step: a program started by another thread in between would keep the socket open.
      self.init(owning: try checked(socket(family, streamType | closeOnExecution, 0)))
    #else
      self.init(owning: try checked(socket(family, streamType, 0)))
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    #endif
  }

  func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sets the longest time that a call waits.
  private func setTimeout(_ option: Int32, milliseconds: Int) {
    var time = timeval()
    time.tv_sec = .init(milliseconds / 1000)
    time.tv_usec = .init(milliseconds % 1000 * 1000)
    _ = unsafe setsockopt(number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  package func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

  /// Limits how long the connection waits for data and for room, and sends small pieces immediately.
  package func prepareConnection(idleTimeout: Int, sendTimeout: Int) {
    setTimeout(SO_RCVTIMEO, milliseconds: idleTimeout)
    setTimeout(SO_SNDTIMEO, milliseconds: sendTimeout)
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  /// Reads the available bytes, at least one. Returns 0 at the end, on failure and after a timeout.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    (try? uninterrupted { unsafe recv(number, buffer.baseAddress, buffer.count, 0) }) ?? 0
  }

  /// Waits at most `milliseconds` for data or the end of the stream; returns whether either is available.
  package func waitToReceive(milliseconds: Int) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, Int32(clamping: max(milliseconds, 0))) > 0
  }

  /// Writes a part of `bytes`; fails with `wouldBlock` if there was no room before the timeout.
  package func send(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool) throws(Errno) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL) | (moreFollows ? Int32(MSG_MORE) : 0)
    #else
      let flags: Int32 = 0
    #endif
    return try uninterrupted { unsafe systemSend(number, bytes.baseAddress, bytes.count, flags) }
  }

  /// Writes a part of `bytes`; fails with `wouldBlock` if there was no room before the timeout.
  package func send(_ bytes: [UInt8], moreFollows: Bool) throws(Errno) -> Int {
    try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(Errno) in
      try unsafe send(bytes, moreFollows: moreFollows)
    }
  }

  #if os(Linux)
    /// Whether the kernel can send parts of files.
    package static var sendsFiles: Bool { true }

    /// Lets the kernel send a part of a file. Returns 0 at the end of the file; fails with `wouldBlock` if there was no
    /// room before the timeout.
    package func send(_ file: Descriptor, from offset: Int, count: Int) throws(Errno) -> Int {
      var position = off_t(offset)
      return try uninterrupted { unsafe sendfile(number, file.number, &position, count) }
    }
  #else
    package static var sendsFiles: Bool { false }
    package func send(_ file: Descriptor, from offset: Int, count: Int) throws(Errno) -> Int { throw .notSupported }
  #endif

  /// Makes reads from this socket report the end of the stream.
  package func stopReceiving() { _ = shutdown(number, Int32(SHUT_RD)) }

  /// Ends the connection so that the sent data arrives. Bytes that the peer still sends are read for a moment, because
  /// unread bytes would make the system reset the connection, and the peer would lose the data.
  package func finish(milliseconds: Int = 500, limit: Int = 256 << 10) {
    _ = shutdown(number, Int32(SHUT_WR))
    let end = SystemClock.milliseconds + milliseconds
    var rest = limit
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
      while rest > 0, waitToReceive(milliseconds: end - SystemClock.milliseconds) {
        let count = unsafe receive(into: buffer)
        if count <= 0 { return }
        rest -= count
      }
    }
  }

  /// Ends the connection so that the peer notices that data is missing.
  package func abort() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }
}

// Glibc declares enumerations where others declare numbers.
#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
  let closeOnExecution = Int32(SOCK_CLOEXEC.rawValue)
#elseif canImport(Musl)
  private let streamType = SOCK_STREAM
  let closeOnExecution = SOCK_CLOEXEC
#else
  private let streamType = SOCK_STREAM
#endif

// A function whose name is hidden by a member above.
private func systemSend(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  unsafe send(number, start, count, flags)
}
