package import MP4Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The parts of the result of `stat` that are used here.
package struct FileStatus: Sendable {
  package enum Kind: Sendable { case regular, directory, link, block, character, pipe, other }

  package let kind: Kind
  /// The number of the device that holds the file.
  package let device: UInt64
  /// The inode number of the file on its device.
  package let inode: UInt64
  package let size: Int
  /// The file system's preferred transfer size in bytes: a block on a local disk, much more over a network.
  package let transferSize: Int
  package let permissions: Permissions
  let owner: uid_t
  let group: gid_t
  /// The modification time, in nanoseconds since 1970.
  package let modified: Int
  /// The access time, if the system records it, in nanoseconds since 1970.
  package let used: Int

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFBLK: .block
      case S_IFCHR: .character
      case S_IFIFO: .pipe
      default: .other
      }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    transferSize = Int(status.st_blksize)
    permissions = Permissions(rawValue: UInt32(status.st_mode & 0o777))
    owner = status.st_uid
    group = status.st_gid
    #if canImport(Darwin)
      let (change, use) = (status.st_mtimespec, status.st_atimespec)
    #else
      let (change, use) = (status.st_mtim, status.st_atim)
    #endif
    modified = Int(change.tv_sec) &* 1_000_000_000 &+ Int(change.tv_nsec)
    used = Int(use.tv_sec) &* 1_000_000_000 &+ Int(use.tv_nsec)
  }

  /// The status of the open file `number`.
  package init(of number: Int32) throws(Errno) {
    var status = stat()
    _ = try checked(unsafe fstat(number, &status))
    self.init(status)
  }

  /// The status of an open file.
  package init(of file: Descriptor) throws(Errno) { try self.init(of: file.number) }

  /// The status of the file at `path`.
  package init(of path: Pathname, followingLinks: Bool = true) throws(Errno) {
    var status = stat()
    _ = try checked(unsafe fstatat(AT_FDCWD, path.cString, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW))
    self.init(status)
  }

  /// Whether the file belongs to the effective user of this process.
  package var isOwn: Bool { owner == geteuid() }
}
