package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file descriptor, closed when its last reference is released.
///
/// Several threads may read and write at offsets at the same time. Only a caller that knows that no other thread uses
/// it may close or release it.
package final class Descriptor: @unchecked Sendable {
  /// The system's number for it, or -1 after `close()`.
  package private(set) var number: Int32
  /// Whether this process holds the lock of the file.
  private var isLocked = false

  package init(owning number: Int32) { self.number = number }

  deinit { try? close() }

  /// Opens `path`, resolved from `folder`.
  package convenience init(
    opening path: Pathname, from folder: Descriptor? = nil, _ options: OpenOptions, _ permissions: Permissions = 0
  ) throws(Errno) {
    let start = folder?.number ?? AT_FDCWD
    let flags = options.rawValue | O_CLOEXEC
    self.init(owning: try uninterrupted { unsafe openat(start, path.cString, flags, permissions.mode) })
  }

  /// Another descriptor for the file that `number` has open; both share the position and the append mode.
  package convenience init(duplicating number: Int32) throws(Errno) {
    self.init(owning: try checked(fcntl(number, F_DUPFD_CLOEXEC, 3)))
  }

  /// Passes the number to the caller, which must close it.
  func release() -> Int32 {
    defer { number = -1 }
    return number
  }

  package var isClosed: Bool { number < 0 }

  /// Closes the descriptor. Some file systems report failed writes only here.
  package func close() throws(Errno) {
    if number < 0 { return }
    defer { number = -1 }
    // If another thread starts a program at this moment, the child has copies of all descriptors until it calls exec.
    // Such copies keep the lock of a file that is only closed.
    if isLocked { _ = flock(number, LOCK_UN) }
    // Linux has closed the descriptor even when it reports EINTR.
    if systemClose(number) != 0, errno != EINTR { throw .current }
  }

  /// Locks the file until `close`; fails with `wouldBlock` if another process holds the lock.
  package func lock() throws(Errno) {
    _ = try uninterrupted { flock(number, LOCK_EX | LOCK_NB) }
    isLocked = true
  }
}

// Functions whose names are hidden by members of types.
func systemClose(_ number: Int32) -> Int32 { close(number) }
func systemRead(_ number: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, start, count)
}
func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, start, count)
}

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

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Descriptor {
  /// Waits until the written data is on the disk.
  package func synchronize() throws(Errno) {
    #if canImport(Darwin)
      // On macOS, fsync leaves the data in the disk's cache.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    do throws(Errno) { _ = try uninterrupted { fsync(number) } } catch {
      // A pipe or a terminal has nothing to flush.
      if error != .invalidArgument, error != .notSupported { throw error }
    }
  }

  /// Waits until the entries of `folder`, resolved from `start`, are on the disk.
  package static func synchronize(folder: Pathname, from start: Descriptor? = nil) throws(Errno) {
    try Descriptor(opening: folder, from: start, [.readOnly, .directory]).synchronize()
  }

  /// Whether every write goes to the end of the file.
  package var appends: Bool { fcntl(number, F_GETFL) & O_APPEND != 0 }

  /// Sets the length of the file.
  package func truncate(to byteCount: Int) throws(Errno) {
    _ = try uninterrupted { ftruncate(number, off_t(byteCount)) }
  }

  /// The position of the next read or write without an offset.
  package func position() throws(Errno) -> Int { try Int(checked(lseek(number, 0, SEEK_CUR))) }

  /// Moves the position of the next read or write to `offset`.
  package func seek(to offset: Int) throws(Errno) { _ = try checked(lseek(number, off_t(offset), SEEK_SET)) }

  /// Moves to the end of a block device and returns its number of bytes.
  package func seekToEnd() throws(Errno) -> Int { try Int(checked(lseek(number, 0, SEEK_END))) }

  /// The number of bytes that can still be written to the file system, or `nil` if it does not report that.
  package var freeByteCount: Int? {
    var status = statvfs()
    // A file system that reports no blocks at all has no fixed size; some network file systems do that.
    guard unsafe fstatvfs(number, &status) == 0, status.f_blocks > 0 else { return nil }
    let (count, overflows) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
    return overflows ? nil : count
  }

  /// Whether another process has the file open for writing, as far as the system reports it. This process must only
  /// read it.
  package var isBeingWritten: Bool {
    #if os(Linux)
      // A process that this one starts has its open files until it runs its program, also those that are closed here in
      // the meantime. This takes far less than a second.
      for _ in 0..<100 {
        if !isOpenForWriting { return false }
        SystemClock.sleep(milliseconds: 10)
      }
      return isOpenForWriting
    #else
      return false
    #endif
  }

  #if os(Linux)
    private var isOpenForWriting: Bool {
      // A read lease is refused while any process has the file open for writing; otherwise it is released at once. If
      // another process opens the file at that moment, the system sends a signal; this signal is ignored by default.
      _ = fcntl(number, F_SETSIG, SIGURG)
      if fcntl(number, F_SETLEASE, Int32(F_RDLCK)) != 0 { return errno == EAGAIN }
      _ = fcntl(number, F_SETLEASE, Int32(F_UNLCK))
      return false
    }
  #endif

  /// Adopts the mode and, if permitted, the owner of the file or folder that is replaced.
  package func adopt(_ existing: FileStatus) {
    if let own = try? FileStatus(of: self), own.owner != existing.owner || own.group != existing.group {
      if fchown(number, existing.owner, existing.group) != 0 { _ = fchown(number, uid_t.max, existing.group) }
    }
    _ = fchmod(number, existing.permissions.mode)
  }
}

extension Descriptor {
  /// Shares the blocks of `range` of `source` with this file at `offset`. Fails if the file system does not support it.
  package func share(_ range: Range<Int>, of source: Descriptor, at offset: Int) throws(Errno) {
    #if os(Linux)
      var request = FileCloneRange(
        source: Int64(source.number), sourceOffset: UInt64(range.lowerBound), count: UInt64(range.count),
        offset: UInt64(offset))
      _ = try uninterrupted { unsafe ioctl(number, FICLONERANGE, &request) }
    #else
      // macOS can only share whole files.
      throw .notSupported
    #endif
  }

  /// Allocates the blocks of `range`. Blocks after the end of the file do not change its length.
  package func reserve(_ range: Range<Int>) throws(Errno) {
    #if os(Linux)
      _ = try uninterrupted {
        fallocate(number, FALLOC_FL_KEEP_SIZE, Int64(range.lowerBound), Int64(range.count))
      }
    #else
      throw .notSupported
    #endif
  }

  /// Lets the kernel copy up to `count` bytes from `offset` of `source` to the position of this file. Returns the
  /// number of copied bytes: 0 at the end of the source, and if the kernel cannot copy.
  ///
  /// In every such case, the caller continues with reading and writing, which succeeds or reports the error: another
  /// file system (EXDEV), an output opened for appending (EBADF), a file system without support (EINVAL, EOPNOTSUPP),
  /// an old kernel (ENOSYS), a source that ended, or a full disk.
  package func copyByKernel(from source: Descriptor, at offset: Int, count: Int) -> Int {
    #if os(Linux)
      var input = Int64(offset)
      let copied = try? uninterrupted { unsafe copy_file_range(source.number, &input, number, nil, count, 0) }
      return copied ?? 0
    #else
      return 0
    #endif
  }
}
