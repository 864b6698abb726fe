public import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Descriptor {
  /// A folder that names are looked up in; it need not be readable where the system does not ask for that.
  convenience init?(folder: Path) {
    #if os(Linux)
      self.init(opening: folder, O_PATH | O_DIRECTORY)
    #else
      self.init(opening: folder, O_RDONLY | O_DIRECTORY)
    #endif
  }

  /// Waits until the names in `folder`, seen from `start`, are on the disk; `false` with `errno` set when that fails.
  static func synchronize(folder: Path, from start: Descriptor? = nil) -> Bool {
    Descriptor(opening: folder, from: start, O_RDONLY | O_DIRECTORY)?.synchronize() ?? false
  }

  /// Takes over mode and, as far as allowed, owner of the file or folder to replace.
  func adopt(_ existing: FileStatus) {
    if let own = FileStatus(of: number), own.owner != existing.owner || own.group != existing.group {
      if fchown(number, existing.owner, existing.group) != 0 { _ = fchown(number, uid_t.max, existing.group) }
    }
    _ = fchmod(number, existing.permissions)
  }
}

extension Path {
  /// Makes a folder of this name unless there is one.
  public func makeFolderIfMissing() throws(IOError) {
    if unsafe mkdir(cString, 0o777) == 0 { return }
    let code = errno
    if FileStatus(of: self)?.kind != .directory { throw IOError(.create, file: description, errno: code) }
  }

  /// Whether the file of this name, links followed, is in `folder` or below it; `false` when one of them is not there.
  public func isBelow(_ folder: Path) -> Bool {
    guard let own = resolved, let folder = folder.resolved else { return false }
    let start = folder.bytes + (folder.endsInSlash ? [] : [UInt8(ascii: "/")])
    return own.bytes.starts(with: start)
  }

  /// Whether there is nothing in the folder of this name; `nil` with `errno` set when it cannot be read.
  var isEmptyFolder: Bool? {
    var isEmpty = true
    let isRead = forEachEntry { _, _ in
      isEmpty = false
      return false
    }
    return isRead ? isEmpty : nil
  }

  /// The names in this folder and the numbers of their files; `nil` with `errno` set when it cannot be read.
  var entries: [(name: Path, inode: UInt64)]? {
    var entries: [(name: Path, inode: UInt64)] = []
    let isRead = forEachEntry { name, inode in
      entries.append((name, inode))
      return true
    }
    return isRead ? entries : nil
  }

  /// Calls `body` for what is in the folder, until it returns `false`. Returns whether that could be read.
  private func forEachEntry(_ body: (_ name: Path, _ inode: UInt64) -> Bool) -> Bool {
    guard let folder = unsafe opendir(cString) else { return false }
    defer { _ = unsafe closedir(folder) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(folder) else { return errno == 0 }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Path($0.prefix { $0 != 0 }) }
      guard let name, name != ".", name != ".." else { continue }
      if unsafe !body(name, UInt64(entry.pointee.d_ino)) { return true }
    }
  }

  /// The path from the root without links, `.` and `..`; `nil` where nothing of that name is there.
  public var resolved: Path? {
    guard let text = unsafe realpath(cString, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe Path(cString: text)
  }
}
