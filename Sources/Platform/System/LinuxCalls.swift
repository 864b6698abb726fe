#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  // Glibc declares these only with _GNU_SOURCE, which its Swift module does not define. They are plain C functions of
  // integers and pointers, whose calling convention Swift shares on the 64-bit platforms.

  @_silgen_name("copy_file_range")
  func copy_file_range(
    _ input: Int32, _ inputOffset: UnsafeMutablePointer<Int64>?, _ output: Int32,
    _ outputOffset: UnsafeMutablePointer<Int64>?, _ count: Int, _ flags: UInt32
  ) -> Int

  @_silgen_name("fallocate")
  func fallocate(_ file: Int32, _ mode: Int32, _ offset: Int64, _ count: Int64) -> Int32

  /// The argument of `FICLONERANGE`, `struct file_clone_range`.
  struct FileCloneRange {
    var source: Int64
    var sourceOffset: UInt64
    var count: UInt64
    var offset: UInt64
  }

  @_silgen_name("renameat2")
  func renameat2(
    _ oldFolder: Int32, _ old: UnsafePointer<CChar>, _ newFolder: Int32, _ new: UnsafePointer<CChar>, _ flags: UInt32
  ) -> Int32

  @_silgen_name("pipe2")
  func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32

  @_silgen_name("accept4")
  func accept4(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?,
    _ flags: Int32
  ) -> Int32

  // Current C libraries have no function for this call; `syscall` makes it directly.
  @_silgen_name("syscall")
  private func openat2(
    _ number: Int, _ folder: Int, _ path: UnsafePointer<CChar>, _ how: UnsafePointer<OpenHow>, _ size: Int
  ) -> Int

  /// How `openat2` opens a file.
  struct OpenHow {
    var flags: UInt64
    var mode: UInt64 = 0
    var resolve: UInt64

    /// Fails if a link or `..` leads outside the starting folder.
    static let beneath: UInt64 = 0x08
    /// No magic links such as those in `/proc`, which can lead anywhere.
    static let noMagicLinks: UInt64 = 0x02
  }

  /// Opens `path` relative to `folder`; returns -1 and sets `errno` on failure (ENOSYS before Linux 5.6).
  func openat2(_ folder: Int32, _ path: [CChar], _ how: OpenHow) -> Int32 {
    var how = how
    return unsafe Int32(truncatingIfNeeded: openat2(437, Int(folder), path, &how, MemoryLayout<OpenHow>.size))
  }

  #if canImport(Glibc)
    // Swift cannot import this macro.
    let UTIME_OMIT = (1 << 30) - 2

    // The module does not include the header of this function.
    @_silgen_name("mallopt")
    func mallopt(_ parameter: Int32, _ value: Int32) -> Int32

    let M_TRIM_THRESHOLD: Int32 = -1
    let M_MMAP_THRESHOLD: Int32 = -3
  #endif

  let FALLOC_FL_KEEP_SIZE: Int32 = 1
  /// `_IOW(0x94, 13, struct file_clone_range)`; the number is the same on x86-64 and arm64.
  let FICLONERANGE: UInt = 0x4020_940D
  let RENAME_NOREPLACE: UInt32 = 1
  let F_SETSIG: Int32 = 10
  let F_SETLEASE: Int32 = 1024
  let O_PATH: Int32 = 0o10_000_000
  let O_TMPFILE: Int32 = 0o20_000_000 | O_DIRECTORY
#endif
