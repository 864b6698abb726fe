package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Operations relative to an open folder; they still work if it is renamed.
extension Descriptor {
  /// Opens a folder in which names are looked up. It does not have to be readable unless the system requires it.
  package convenience init(folder: Pathname) throws(Errno) {
    #if os(Linux)
      try self.init(opening: folder, OpenOptions(rawValue: O_PATH | O_DIRECTORY))
    #else
      try self.init(opening: folder, [.readOnly, .directory])
    #endif
  }

  /// A new unnamed file in `folder`, resolved from `start`. Fails if the file system does not support unnamed files.
  package convenience init(
    unnamedIn folder: Pathname, from start: Descriptor? = nil, _ permissions: Permissions
  ) throws(Errno) {
    #if os(Linux)
      try self.init(opening: folder, from: start, OpenOptions(rawValue: O_TMPFILE | O_RDWR), permissions)
    #else
      throw .notSupported
    #endif
  }

  /// A new file in `folder` whose name is already removed.
  package convenience init(temporaryIn folder: Pathname) throws(Errno) {
    if let unnamed = try? Descriptor(unnamedIn: folder, 0o600) {
      self.init(owning: unnamed.release())
      return
    }
    var template = folder.appending("mp4tool.XXXXXX").cString
    let number = try checked(unsafe mkstemp(&template))
    _ = unsafe unlink(template)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    self.init(owning: number)
  }

  /// Opens the path formed by `names` from `folder`, without leaving the folder by links or `..`, even if other
  /// processes move folders meanwhile. Fails with `noFunction` if the kernel cannot guarantee that.
  package convenience init(opening names: [Pathname], beneath folder: Descriptor, _ options: OpenOptions) throws(Errno)
  {
    #if os(Linux)
      let how = OpenHow(
        flags: UInt64(options.rawValue | O_CLOEXEC | O_NOCTTY), resolve: OpenHow.beneath | OpenHow.noMagicLinks)
      let path = Descriptor.joined(names)
      var attempts = 8
      while true {
        attempts -= 1
        do throws(Errno) {
          self.init(owning: try uninterrupted { openat2(folder.number, path, how) })
          return
        } catch {
          // Another process is moving folders; retrying may succeed.
          if error == .wouldBlock, attempts > 0 { continue }
          // A sandbox that does not know the call returns EPERM.
          throw error == .notPermitted ? .noFunction : error
        }
      }
    #else
      throw .noFunction
    #endif
  }

  /// The path formed by these names, relative to the folder, as a C string.
  private static func joined(_ names: [Pathname]) -> [CChar] {
    if names.isEmpty { return [CChar(bitPattern: 0x2e), 0] }
    var path: [CChar] = []
    path.reserveCapacity(names.reduce(0) { $0 + $1.bytes.count + 1 })
    for name in names {
      for byte in name.bytes { path.append(CChar(bitPattern: byte)) }
      path.append(CChar(bitPattern: UInt8(ascii: "/")))
    }
    path[path.count - 1] = 0
    return path
  }

  package func makeFolder(_ name: Pathname, _ permissions: Permissions) throws(Errno) {
    _ = try checked(unsafe mkdirat(number, name.cString, permissions.mode))
  }

  /// Removes a file; processes that have it open keep access to it.
  package func remove(_ name: Pathname) throws(Errno) { _ = try checked(unsafe unlinkat(number, name.cString, 0)) }

  /// Removes an empty folder.
  package func removeFolder(_ name: Pathname) throws(Errno) {
    _ = try checked(unsafe unlinkat(number, name.cString, Int32(AT_REMOVEDIR)))
  }

  /// Renames the file or folder `name` to `target`, which is replaced atomically.
  package func rename(_ name: Pathname, to target: Pathname) throws(Errno) {
    _ = try checked(unsafe renameat(number, name.cString, number, target.cString))
  }

  /// Renames the file `name` to `target`; fails with `fileExists` if `target` exists.
  package func renameWithoutReplacing(_ name: Pathname, to target: Pathname) throws(Errno) {
    #if os(Linux)
      let result = unsafe renameat2(number, name.cString, number, target.cString, RENAME_NOREPLACE)
    #else
      let result = unsafe renameatx_np(number, name.cString, number, target.cString, UInt32(RENAME_EXCL))
    #endif
    if result == 0 { return }
    if errno == EEXIST { throw .fileExists }
    // Not every file system supports that call; a second link also refuses to replace a file.
    _ = try checked(unsafe linkat(number, name.cString, number, target.cString, 0))
    _ = unsafe unlinkat(number, name.cString, 0)
  }

  #if os(Linux)
    /// A name that refers to this open file even if the file has none of its own.
    private var procPath: Pathname { Pathname("/proc/self/fd/\(number)") ?? "/proc/self/fd" }
  #endif

  /// Whether an unnamed file can be given a name by `link`.
  package var canBeLinked: Bool {
    #if os(Linux)
      return (try? FileStatus(of: procPath, followingLinks: false)) != nil
    #else
      return false
    #endif
  }

  /// Gives the unnamed file `file` a name in this folder; fails with `fileExists` if the name is taken.
  package func link(_ file: Descriptor, as name: Pathname) throws(Errno) {
    #if os(Linux)
      _ = try checked(
        unsafe linkat(AT_FDCWD, file.procPath.cString, number, name.cString, AT_SYMLINK_FOLLOW))
    #else
      throw .notSupported
    #endif
  }

  /// Sets the access time of the file `name`, in nanoseconds since 1970. The contents do not change.
  package func setUse(of name: Pathname, nanoseconds: Int) throws(Errno) {
    var times = [timespec(), timespec()]
    times[0].tv_sec = .init(nanoseconds / 1_000_000_000)
    times[0].tv_nsec = .init(nanoseconds % 1_000_000_000)
    times[1].tv_nsec = .init(UTIME_OMIT)
    _ = try checked(unsafe utimensat(number, name.cString, times, AT_SYMLINK_NOFOLLOW))
  }
}

/// An entry of a folder.
package struct FolderEntry {
  package let name: Pathname
  /// The inode number of the file on its device.
  package let inode: UInt64
  /// The kind of file, if the folder reports it.
  package let kind: FileStatus.Kind?
}

extension Descriptor {
  /// Calls `body` for each entry of the folder except `.` and `..`, until it returns `false`.
  package func forEachEntry(_ body: (FolderEntry) -> Bool) throws(Errno) {
    guard let list = unsafe fdopendir(try Descriptor(duplicating: number).release()) else { throw .current }
    defer { _ = unsafe closedir(list) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(list) else {
        if errno == 0 { return }
        throw .current
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Pathname($0.prefix { $0 != 0 }) }
      guard let name, name != ".", name != ".." else { continue }
      let kind: FileStatus.Kind? =
        switch unsafe Int(entry.pointee.d_type) {
        case Int(DT_REG): .regular
        case Int(DT_DIR): .directory
        case Int(DT_LNK): .link
        case Int(DT_UNKNOWN): nil
        default: .other
        }
      if unsafe !body(FolderEntry(name: name, inode: UInt64(entry.pointee.d_ino), kind: kind)) { return }
    }
  }
}
