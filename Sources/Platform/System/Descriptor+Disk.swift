package import Bytes

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
