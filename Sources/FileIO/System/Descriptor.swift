#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Repeats a system call while a signal interrupts it.
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// An open file descriptor, closed when nothing holds it any more.
package final class Descriptor {
  /// What the system calls it, or -1 after `close()`.
  package private(set) var number: Int32
  /// Whether this process holds the lock of the file.
  private var isLocked = false

  init(owning number: Int32) { self.number = number }

  deinit { _ = close() }

  /// Opens `path`, seen from `folder`; `nil` with `errno` set when that fails.
  convenience init?(opening path: Path, from folder: Descriptor? = nil, _ flags: Int32, mode: mode_t = 0) {
    let start = folder?.number ?? AT_FDCWD
    let number = uninterrupted { unsafe openat(start, path.cString, flags | O_CLOEXEC, mode) }
    if number < 0 { return nil }
    self.init(owning: number)
  }

  /// Another descriptor of what `number` has open; they share position and append mode.
  convenience init?(duplicating number: Int32) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    if copy < 0 { return nil }
    self.init(owning: copy)
  }

  /// Hands the number over to the caller, which closes it.
  func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  /// Closes the descriptor; some file systems report only now that writing failed. Returns 0 or the `errno`.
  func close() -> Int32 {
    if number < 0 { return 0 }
    defer { number = -1 }
    // A program that another thread starts at this moment has copies of all descriptors until it runs. They keep a lock
    // that is only closed.
    if isLocked { _ = flock(number, LOCK_UN) }
    #if canImport(Darwin)
      let result = Darwin.close(number)
    #elseif canImport(Glibc)
      let result = Glibc.close(number)
    #elseif canImport(Musl)
      let result = Musl.close(number)
    #endif
    // Linux has closed the descriptor even when it says EINTR.
    return result == 0 || errno == EINTR ? 0 : errno
  }
}

extension Descriptor {
  /// Fills `buffer` from `offset` of the file, as far as the file goes; `nil` with `errno` set when reading fails.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = uninterrupted { unsafe pread(number, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count < 0 { return nil }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of `buffer` at `offset` of the file; `false` with `errno` set when that fails.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
      let count = uninterrupted { unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count < 0 { return false }
      done += count
    }
    return true
  }

  /// Reads the next bytes of a stream, at least one unless it ended; `nil` with `errno` set when reading fails.
  func readNext(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      #if canImport(Darwin)
        let count = uninterrupted { unsafe Darwin.read(number, buffer.baseAddress, buffer.count) }
      #elseif canImport(Glibc)
        let count = uninterrupted { unsafe Glibc.read(number, buffer.baseAddress, buffer.count) }
      #elseif canImport(Musl)
        let count = uninterrupted { unsafe Musl.read(number, buffer.baseAddress, buffer.count) }
      #endif
      if count >= 0 { return count }
      guard errno == EAGAIN else { return nil }
      waitUntil(POLLIN)
    }
  }

  /// Writes a part of `buffer`, at least one byte; `nil` with `errno` set when writing fails.
  func writeNext(_ buffer: UnsafeRawBufferPointer) -> Int? {
    while true {
      #if canImport(Darwin)
        let count = uninterrupted { unsafe Darwin.write(number, buffer.baseAddress, buffer.count) }
      #elseif canImport(Glibc)
        let count = uninterrupted { unsafe Glibc.write(number, buffer.baseAddress, buffer.count) }
      #elseif canImport(Musl)
        let count = uninterrupted { unsafe Musl.write(number, buffer.baseAddress, buffer.count) }
      #endif
      if count >= 0 { return count }
      guard errno == EAGAIN else { return nil }
      waitUntil(POLLOUT)
    }
  }

  /// Writes the whole of `buffer`; `false` with `errno` set when writing fails.
  func writeAll(_ buffer: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      guard let count = unsafe writeNext(UnsafeRawBufferPointer(rebasing: buffer[done...])) else { return false }
      done += count
    }
    return true
  }

  /// A descriptor that was handed to us, such as standard input, may be non-blocking; then this waits in its place.
  private func waitUntil(_ event: some BinaryInteger) {
    var request = pollfd(fd: number, events: Int16(event), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }
}

extension Descriptor {
  /// Waits until what was written is on the disk; `false` with `errno` set when that fails.
  func synchronize() -> Bool {
    #if canImport(Darwin)
      // There, fsync leaves the bytes in the cache of the disk.
      if fcntl(number, F_FULLFSYNC) == 0 { return true }
    #endif
    // A pipe or a terminal has nothing to flush.
    return uninterrupted { fsync(number) } == 0 || errno == EINVAL || errno == ENOTSUP
  }

  /// Takes the lock of the file, which is released by `close`; `false` with `errno` set when that fails, which is
  /// `EWOULDBLOCK` where another program has it.
  func lock() -> Bool {
    isLocked = uninterrupted { flock(number, LOCK_EX | LOCK_NB) } == 0
    return isLocked
  }

  /// Whether another program has the file open for writing, as far as the system says; this one must only read it.
  var isBeingWritten: Bool {
    #if os(Linux)
      // A lease for reading is refused while any process writes, and else released at once. A process that opens the file in this
      // moment makes the system send a signal; this one is ignored where no code waits for it.
      _ = fcntl(number, F_SETSIG, SIGURG)
      if fcntl(number, F_SETLEASE, Int32(F_RDLCK)) != 0 { return errno == EAGAIN }
      _ = fcntl(number, F_SETLEASE, Int32(F_UNLCK))
    #endif
    return false
  }

  #if os(Linux)
    /// A name that leads to this open file even when it has none of its own.
    var procPath: Path { Path("/proc/self/fd/\(number)") ?? "/proc/self/fd" }
  #endif
}
