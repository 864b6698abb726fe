package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Descriptor {
  /// Waits until what was written is on the disk.
  package func synchronize() throws(Errno) {
    #if canImport(Darwin)
      // There, fsync leaves the bytes in the cache of the disk.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    do throws(Errno) { _ = try uninterrupted { fsync(number) } } catch {
      // A pipe or a terminal has nothing to flush.
      if error != .invalidArgument, error != .notSupported { throw error }
    }
  }

  /// Waits until the names in `folder`, seen from `start`, are on the disk.
  package static func synchronize(folder: Pathname, from start: Descriptor? = nil) throws(Errno) {
    try Descriptor(opening: folder, from: start, [.readOnly, .directory]).synchronize()
  }

  /// Gives the file this length.
  package func truncate(to byteCount: Int) throws(Errno) {
    _ = try uninterrupted { ftruncate(number, off_t(byteCount)) }
  }

  /// Where the next byte is read or written without an offset.
  package func position() throws(Errno) -> Int { try Int(checked(lseek(number, 0, SEEK_CUR))) }

  /// Lets the next byte be read or written at `offset`.
  package func seek(to offset: Int) throws(Errno) { _ = try checked(lseek(number, off_t(offset), SEEK_SET)) }

  /// The number of bytes of a block device; the position moves to its end.
  package func seekToEnd() throws(Errno) -> Int { try Int(checked(lseek(number, 0, SEEK_END))) }

  /// The number of bytes that can still be written to the file system, or `nil` when it does not say.
  package var freeByteCount: Int? {
    var status = statvfs()
    // A file system that says it has no blocks at all has no fixed size, such as some network ones.
    guard unsafe fstatvfs(number, &status) == 0, status.f_blocks > 0 else { return nil }
    let (count, overflows) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
    return overflows ? nil : count
  }

  /// Whether another program has the file open for writing, as far as the system says; this one must only read it.
  package var isBeingWritten: Bool {
    #if os(Linux)
      // A lease for reading is refused while any process writes, and else released at once. A process that opens the
      // file in this moment makes the system send a signal; this one is ignored where no code waits for it.
      _ = fcntl(number, F_SETSIG, SIGURG)
      if fcntl(number, F_SETLEASE, Int32(F_RDLCK)) != 0 { return errno == EAGAIN }
      _ = fcntl(number, F_SETLEASE, Int32(F_UNLCK))
    #endif
    return false
  }

  /// Takes over mode and, as far as allowed, owner of the file or folder to replace.
  package func adopt(_ existing: FileStatus) {
    if let own = try? FileStatus(of: self), own.owner != existing.owner || own.group != existing.group {
      if fchown(number, existing.owner, existing.group) != 0 { _ = fchown(number, uid_t.max, existing.group) }
    }
    _ = fchmod(number, existing.permissions.mode)
  }
}

extension Descriptor {
  /// Lets the file share the blocks that hold `range` of `source`, from `offset` on; fails where the file system
  /// cannot.
  package func share(_ range: Range<Int>, of source: Descriptor, at offset: Int) throws(Errno) {
    #if os(Linux)
      var request = FileCloneRange(
        source: Int64(source.number), sourceOffset: UInt64(range.lowerBound), count: UInt64(range.count),
        offset: UInt64(offset))
      _ = try uninterrupted { unsafe ioctl(number, FICLONERANGE, &request) }
    #else
      // macOS shares whole files only.
      throw .notSupported
    #endif
  }

  /// Allocates the blocks of `range`, some of which may be after the end of the file, which stays where it is.
  package func reserve(_ range: Range<Int>) throws(Errno) {
    #if os(Linux)
      _ = try uninterrupted {
        fallocate(number, FALLOC_FL_KEEP_SIZE, Int64(range.lowerBound), Int64(range.count))
      }
    #else
      throw .notSupported
    #endif
  }

  /// Lets the kernel copy up to `count` bytes from `offset` of `source` to the position of this file. Returns how many
  /// were copied: 0 at the end of the source, and where the kernel does not do it.
  ///
  /// Whatever the reason for that, reading and writing continues from there or finds the error: another file system
  /// (EXDEV), an output opened for appending (EBADF), a file system that cannot (EINVAL, EOPNOTSUPP), an old kernel
  /// (ENOSYS), a source that ended, a full disk.
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
