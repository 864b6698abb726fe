#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open socket, closed when nothing holds it any more. One thread reads and writes; others may shut it down.
final class Socket: Sendable {
  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// How long a call waits at most.
  func setTimeout(_ option: Int32, milliseconds: Int) {
    var time = timeval()
    time.tv_sec = .init(milliseconds / 1000)
    time.tv_usec = .init(milliseconds % 1000 * 1000)
    _ = unsafe setsockopt(number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

  /// Lets a connection wait no longer than so for bytes and for room, and send small pieces at once.
  func prepareConnection(idleTimeout: Int, sendTimeout: Int) {
    setTimeout(SO_RCVTIMEO, milliseconds: idleTimeout)
    setTimeout(SO_SNDTIMEO, milliseconds: sendTimeout)
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  /// Reads what there is, at least one byte; 0 at the end, -1 with `errno` when that fails or takes too long.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe recv(number, buffer.baseAddress, buffer.count, 0)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Whether something can be read, or the end was reached, within so many milliseconds.
  func waitToReceive(milliseconds: Int) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, Int32(clamping: max(milliseconds, 0))) > 0
  }

  /// Writes a part of `bytes`; -1 with `errno` when that fails, EAGAIN when there was no room for too long.
  func send(_ bytes: UnsafeRawBufferPointer, moreFollows: Bool) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL) | (moreFollows ? Int32(MSG_MORE) : 0)
    #else
      let flags: Int32 = 0
    #endif
    while true {
      let count = unsafe systemSend(number, bytes.baseAddress, bytes.count, flags)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  #if os(Linux)
    /// Lets the kernel send a part of a file; 0 at its end, -1 with `errno` when that fails.
    func send(file: Int32, from offset: Int, count: Int) -> Int {
      var position = off_t(offset)
      while true {
        let count = unsafe sendfile(number, file, &position, count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  #endif

  /// Makes the peer that reads from the connection see its end.
  func stopReceiving() { _ = shutdown(number, Int32(SHUT_RD)) }

  /// Ends the connection so that what was sent arrives: bytes that the other side still sends are read for a moment,
  /// since they would else make the system tell it to forget everything.
  func finish(milliseconds: Int = 500, limit: Int = 256 << 10) {
    _ = shutdown(number, Int32(SHUT_WR))
    let end = Clock.milliseconds + milliseconds
    var rest = limit
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
      while rest > 0, waitToReceive(milliseconds: end - Clock.milliseconds) {
        let count = unsafe receive(into: buffer)
        if count <= 0 { return }
        rest -= count
      }
    }
  }

  /// Ends the connection so that the other side notices that something is missing.
  func abort() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  func writeByte() -> Bool { unsafe write(number, [0], 1) == 1 }
}

// Glibc has enumerations where others have numbers.
#if canImport(Glibc)
  private let streamType = Int32(SOCK_STREAM.rawValue)
  private let closeOnExecution = Int32(SOCK_CLOEXEC.rawValue)
#elseif canImport(Musl)
  private let streamType = SOCK_STREAM
  private let closeOnExecution = SOCK_CLOEXEC
#else
  private let streamType = SOCK_STREAM
#endif

/// A stream socket of this family that programs started later do not get.
func socketNumber(_ family: Int32) -> Int32 {
  #if os(Linux)
    // In one step: a program that another thread starts in between would keep it open.
    return socket(family, streamType | closeOnExecution, 0)
  #else
    let number = socket(family, streamType, 0)
    if number >= 0 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    return number
  #endif
}

/// Accepts a connection, which blocks and which programs started later do not get.
func acceptConnection(
  _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 {
  #if os(Linux)
    return unsafe accept4(listener, address, length, closeOnExecution)
  #else
    let number = unsafe accept(listener, address, length)
    if number >= 0 {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
    }
    return number
  #endif
}

/// The ends of a pipe that programs started later do not get; `nil` with `errno` set when there is none.
func pipeNumbers() -> (reading: Int32, writing: Int32)? {
  var ends: [Int32] = [-1, -1]
  #if os(Linux)
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
  #else
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  #endif
  return (ends[0], ends[1])
}

#if os(Linux)
  // Glibc hides these behind _GNU_SOURCE, which its Swift module does not define.
  @_silgen_name("accept4")
  private func accept4(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?,
    _ flags: Int32
  ) -> Int32

  @_silgen_name("pipe2")
  private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32
#endif

// A name that a member above hides.
private func systemSend(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  unsafe send(number, start, count, flags)
}
