package import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder whose files one process alone makes, uses and removes, as a cache does. Every file in it is whole.
package final class OwnedFolder: @unchecked Sendable {
  /// What is in the folder.
  package struct Entry {
    package var name: Path
    /// The number of its bytes; `nil` for what is no file.
    package var size: Int?
    /// When it was used last, in nanoseconds since 1970.
    package var used: Int
  }

  /// What messages call it.
  package var name: String { path.description }
  private let path: Path
  private let descriptor: Descriptor
  private let isTemporary: Bool

  /// The folder `name` in `folder`; both are made where they are missing. Fails when another process owns it, and when
  /// one of `inputs` is in it.
  package init(_ name: Path, in folder: Path, keeping inputs: InputRegistry = []) throws(IOError) {
    try folder.makeFolderIfMissing()
    path = folder.appending(name)
    isTemporary = false
    // What is cached may be private.
    if unsafe mkdir(path.cString, 0o700) != 0, errno != EEXIST { throw IOError(.create, file: path.description) }
    descriptor = try OwnedFolder.locked(path)
    for entry in path.entries ?? [] {
      let file = path.appending(entry.name)
      try inputs.check(FileStatus(of: file, followingLinks: false), name: file.description)
    }
  }

  /// A new folder in `folder`, or where the system has temporary files, called `name`, whose last six letters are replaced;
  /// `close` removes it. Those that processes have left that were killed are removed first.
  package convenience init(temporary name: Path, in folder: Path? = nil) throws(IOError) {
    let folder = folder ?? SpoolFile.folder
    OwnedFolder.removeAbandoned(name, in: folder)
    let (path, descriptor) = try OwnedFolder.makeTemporary(name, in: folder)
    self.init(temporary: path, descriptor)
  }

  /// Makes a folder of a new name, and owns it.
  private static func makeTemporary(_ name: Path, in folder: Path) throws(IOError) -> (Path, Descriptor) {
    var attempts = 8
    while true {
      attempts -= 1
      var template = folder.appending(name).cString
      if unsafe mkdtemp(&template) == nil { throw IOError(.create, file: folder.description) }
      let path = unsafe Path(cString: template)
      do throws(IOError) {
        let descriptor = try locked(path)
        // Another process may have taken it for one that was left.
        let isThere =
          FileStatus(of: path, followingLinks: false)?.identity == FileStatus(of: descriptor.number)?.identity
        if isThere || attempts == 0 { return (path, descriptor) }
      } catch {
        if attempts == 0 { throw error }
      }
    }
  }

  private init(temporary path: Path, _ descriptor: Descriptor) {
    (self.path, self.descriptor, isTemporary) = (path, descriptor, true)
  }

  /// Removes the folders of this user that are called as `name`, but for its last six letters, and that no process owns.
  private static func removeAbandoned(_ name: Path, in folder: Path) {
    let start = name.bytes.dropLast(6)
    for entry in folder.entries ?? []
    where entry.name.bytes.count == name.bytes.count && entry.name.bytes.starts(with: start) {
      let path = folder.appending(entry.name)
      guard let status = FileStatus(of: path, followingLinks: false), status.kind == .directory,
        status.owner == geteuid(), let descriptor = try? locked(path)
      else { continue }
      OwnedFolder(temporary: path, descriptor).close()
    }
  }

  private static func locked(_ path: Path) throws(IOError) -> Descriptor {
    guard let descriptor = Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
      throw IOError(.create, file: path.description)
    }
    if descriptor.lock() { return descriptor }
    guard errno == EWOULDBLOCK else { throw IOError(.change, file: path.description) }
    throw IOError(.change, file: path.description, code: EWOULDBLOCK, reason: "another program uses it")
  }

  /// Everything in it.
  package func entries() throws(IOError) -> [Entry] {
    guard let entries = path.entries else { throw IOError(.read, file: path.description) }
    return entries.map { entry in
      guard let status = FileStatus(of: path.appending(entry.name), followingLinks: false), status.kind == .regular
      else {
        return Entry(name: entry.name, size: nil, used: 0)
      }
      return Entry(name: entry.name, size: status.size, used: status.used)
    }
  }

  /// Opens the file `name`.
  package func open(_ name: Path) throws(IOError) -> FileSource {
    let label = path.appending(name).description
    guard let file = Descriptor(opening: name, from: descriptor, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let status = FileStatus(of: file.number)
    else { throw IOError(.open, file: label) }
    guard let place = FileSource.Place(file, status, base: 0) else { throw IOError(.open, file: label, errno: ESPIPE) }
    return FileSource(place, name: label)
  }

  /// Makes the file `name`, which is there when all its bytes are.
  package func write(_ bytes: [UInt8], as name: Path) throws(IOError) {
    let label = path.appending(name).description
    let file = try TemporaryFile(in: path, for: name, like: nil, label: label, named: false)
    let isWritten = unsafe bytes.withUnsafeBytes { unsafe file.descriptor.write($0, at: 0) }
    if !isWritten { throw IOError(.write, file: label) }
    try file.putInPlace(replacing: true, sync: false)
  }

  /// Notes when the file `name` was used last; that changes nothing of what it holds.
  package func note(_ name: Path, used nanoseconds: Int) {
    var times = [timespec(), timespec()]
    times[0].tv_sec = .init(nanoseconds / 1_000_000_000)
    times[0].tv_nsec = .init(nanoseconds % 1_000_000_000)
    times[1].tv_nsec = .init(UTIME_OMIT)
    _ = unsafe utimensat(descriptor.number, name.cString, times, AT_SYMLINK_NOFOLLOW)
  }

  /// Removes the file `name`; who has it open can read it still.
  package func remove(_ name: Path) { _ = unsafe unlinkat(descriptor.number, name.cString, 0) }

  /// Removes a temporary folder with everything in it, and lets another process own one that stays.
  package func close() {
    if descriptor.number < 0 { return }
    if isTemporary {
      for entry in path.entries ?? [] { remove(entry.name) }
      _ = unsafe rmdir(path.cString)
    }
    _ = descriptor.close()
  }
}
