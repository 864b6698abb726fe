public import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder whose files are opened beneath it: no name, no link and no process that moves things meanwhile leads out of it.
public final class SourceFolder: @unchecked Sendable {
  /// The path as it was given.
  public let name: String
  private let descriptor: Descriptor
  /// Whether the kernel is asked to stay beneath the folder; where it cannot, no link is followed at all.
  private let asksKernel: Bool

  /// Opens the folder at `path`.
  public convenience init(_ path: Path) throws(IOError) { try self.init(path, asksKernel: true) }

  init(_ path: Path, asksKernel: Bool) throws(IOError) {
    name = path.description
    guard let descriptor = Descriptor(opening: path, O_RDONLY | O_DIRECTORY) else {
      throw IOError(.open, file: name)
    }
    self.descriptor = descriptor
    self.asksKernel = asksKernel
  }

  /// Opens the regular file that is reached by these names one after the other.
  ///
  /// - Throws: `IOError` with `.open`, also for what is no regular file and for a name that is empty, `.` or `..`, or
  ///   has a slash in it.
  public func open(_ names: [Path]) throws(IOError) -> FileSource {
    // Opening a named pipe would wait for its writer.
    let (opened, status) = try find(names, O_RDONLY | O_NONBLOCK)
    if status.kind == .directory { throw IOError(.open, file: label(names), errno: EISDIR) }
    guard status.kind == .regular, let place = FileSource.Place(opened, status, base: 0) else {
      throw IOError(.open, file: label(names), code: EACCES, reason: "it is not a regular file")
    }
    return FileSource(place, name: label(names))
  }

  /// One of the things in a folder.
  public struct Entry: Hashable, Sendable {
    /// Its name.
    public let name: Path
    /// Whether it is a folder.
    public let isFolder: Bool
  }

  /// What tells the folder that is reached by these names from every other, whatever links lead to it.
  public func identity(of names: [Path]) -> FileIdentity? { try? find(names, O_RDONLY | O_DIRECTORY).1.identity }

  /// What is in the folder that is reached by these names, sorted, `limit` entries at most: files and folders, and links
  /// to such that do not lead out. What has a name that begins with a point is left out.
  public func entries(of names: [Path] = [], limit: Int) throws(IOError) -> [Entry] {
    let (opened, _) = try find(names, O_RDONLY | O_DIRECTORY)
    guard let copy = Descriptor(duplicating: opened.number), let list = unsafe fdopendir(copy.release()) else {
      throw IOError(.open, file: label(names))
    }
    defer { _ = unsafe closedir(list) }
    var result: [Entry] = []
    while result.count < limit, let entry = unsafe readdir(list) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Path($0.prefix { $0 != 0 }) }
      guard let name, name.bytes.first != UInt8(ascii: "."),
        let kind = unsafe kind(of: Int(entry.pointee.d_type), names + [name])
      else { continue }
      if kind == .directory || kind == .regular { result.append(Entry(name: name, isFolder: kind == .directory)) }
    }
    return result.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
  }

  /// What an entry is: what the folder says of it, unless it is a link or the file system does not say.
  private func kind(of type: Int, _ names: [Path]) -> FileStatus.Kind? {
    switch type {
    case Int(DT_REG): .regular
    case Int(DT_DIR): .directory
    case Int(DT_LNK), Int(DT_UNKNOWN): (try? find(names, O_RDONLY | O_NONBLOCK))?.1.kind
    default: nil
    }
  }

  private func find(_ names: [Path], _ flags: Int32) throws(IOError) -> (Descriptor, FileStatus) {
    let isPlain = names.allSatisfy { name in
      name != "" && name != "." && name != ".." && !name.bytes.contains(UInt8(ascii: "/"))
    }
    guard isPlain else { throw IOError(.open, file: label(names), errno: ENOENT) }
    guard let opened = open(names, flags), let status = FileStatus(of: opened.number) else {
      let code = errno
      throw IOError(.open, file: label(names), errno: code)
    }
    return (opened, status)
  }

  /// What messages call what these names lead to.
  private func label(_ names: [Path]) -> String {
    names.reduce(name) { "\($0)/\($1)" }
  }

  /// `nil` with `errno` set when that fails.
  private func open(_ names: [Path], _ flags: Int32) -> Descriptor? {
    #if os(Linux)
      if asksKernel {
        let how = OpenHow(
          flags: UInt64(flags | O_CLOEXEC | O_NOCTTY), resolve: OpenHow.beneath | OpenHow.noMagicLinks)
        let path = Self.joined(names)
        // Another process moves folders around: EAGAIN, after which it can be tried again.
        for _ in 0..<8 {
          let number = uninterrupted { openat2(descriptor.number, path, how) }
          if number >= 0 { return Descriptor(owning: number) }
          if errno != EAGAIN { break }
        }
        // Where a sandbox does not know the call, it says EPERM.
        guard errno == ENOSYS || errno == EPERM else { return nil }
      }
    #endif
    var folder = descriptor
    for name in names.dropLast() {
      guard let next = Descriptor(opening: name, from: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return nil }
      folder = next
    }
    return Descriptor(opening: names.last ?? ".", from: folder, flags | O_NOFOLLOW | O_NOCTTY)
  }

  /// The path of these names, seen from the folder, as system calls want it.
  private static func joined(_ names: [Path]) -> [CChar] {
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
}
