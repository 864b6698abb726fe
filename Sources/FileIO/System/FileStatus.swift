#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Which file it is, whatever its name: two paths with one identity are one file.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the device that holds the file.
  public let device: UInt64
  /// The number of the file on its device.
  public let inode: UInt64

  /// The identity with these two numbers.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The identity of the file at `path`, links followed, or `nil` when there is none that could be overwritten by
  /// mistake: no file, or a terminal, pipe or other stream, whose input and output differ.
  public init?(of path: Path) {
    let status =
      if let number = path.namedDescriptor { FileStatus(of: number) } else { FileStatus(of: path) }
    guard let identity = status?.storedIdentity else { return nil }
    self = identity
  }
}

/// What changes when the bytes of a file do, as far as the system says.
public struct FileStamp: Hashable, Sendable {
  /// Which file it is.
  public let identity: FileIdentity
  /// The number of its bytes.
  public let size: Int
  /// When its bytes changed last, in nanoseconds since 1970.
  public let modified: Int

  /// The stamp of the file at `path`, links followed, or `nil` when there is none.
  public init?(of path: Path) {
    guard let status = FileStatus(of: path) else { return nil }
    self.init(status)
  }

  init(_ status: FileStatus) { (identity, size, modified) = (status.identity, status.size, status.modified) }
}

/// What `stat` says, as far as it matters here.
struct FileStatus {
  enum Kind { case regular, directory, link, block, character, pipe, other }

  var kind: Kind
  var identity: FileIdentity
  var size: Int
  var permissions: mode_t
  var owner: uid_t
  var group: gid_t
  /// When the bytes changed last, in nanoseconds.
  var modified: Int
  /// When the bytes were read last, as far as the system keeps that, in nanoseconds.
  var used: Int

  /// The identity of a file whose bytes stay, so that writing one name of it harms the others; `nil` for a stream.
  var storedIdentity: FileIdentity? { kind == .regular || kind == .block ? identity : nil }

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
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
    size = Int(status.st_size)
    permissions = status.st_mode & 0o777
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

  /// The status of the open file `number`; `nil` with `errno` set when that fails.
  init?(of number: Int32) {
    var status = stat()
    if unsafe fstat(number, &status) != 0 { return nil }
    self.init(status)
  }

  /// The status of the file at `path`; `nil` with `errno` set when that fails.
  init?(of path: Path, followingLinks: Bool = true) {
    var status = stat()
    if unsafe fstatat(AT_FDCWD, path.cString, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) != 0 { return nil }
    self.init(status)
  }
}
