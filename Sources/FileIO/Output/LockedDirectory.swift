package import MP4Bytes
import MP4Platform

/// A folder whose files are created, used and removed by one process only, such as a cache. Every file in it is
/// complete.
package final class LockedDirectory: Sendable {
  /// An entry of the folder.
  package struct Entry {
    package var name: Pathname
    /// Its size in bytes; `nil` if it is not a file.
    package var size: Int?
    /// When it was last used, in nanoseconds since 1970.
    package var used: Int
  }

  /// Its name in messages.
  package var name: String { path.description }
  private let path: Pathname
  private let descriptor: Descriptor
  private let isTemporary: Bool

  /// The folder `name` in `folder`; both are created if necessary. Fails if another process owns it, or if
  /// one of `inputs` is in it.
  package init(_ name: Pathname, in folder: Pathname, keeping inputs: InputRegistry = []) throws(IOError) {
    try folder.makeFolderIfMissing()
    path = folder.appending(name)
    isTemporary = false
    // Cached data may be private.
    do throws(Errno) { try path.makeFolder(0o700) } catch {
      if error != .fileExists { throw IOError(.create, file: path.description, error) }
    }
    descriptor = try LockedDirectory.locked(path)
    for entry in (try? path.entries()) ?? [] {
      let file = path.appending(entry.name)
      try inputs.check(try? FileStatus(of: file, followingLinks: false), name: file.description)
    }
  }

  /// A new folder in `folder`, or in the system's temporary folder, called `name` with the last six letters replaced.
  /// `close` removes it. Folders of processes that were killed are removed first.
  package convenience init(temporary name: Pathname, in folder: Pathname? = nil) throws(IOError) {
    let folder = folder ?? .temporaryFolder
    LockedDirectory.removeAbandoned(name, in: folder)
    let (path, descriptor) = try LockedDirectory.makeTemporary(name, in: folder)
    self.init(temporary: path, descriptor)
  }

  /// Creates a folder with a new name, and locks it.
  private static func makeTemporary(_ name: Pathname, in folder: Pathname) throws(IOError) -> (Pathname, Descriptor) {
    var attempts = 8
    while true {
      attempts -= 1
      let path = try attempt(.create, folder.description, folder.appending(name).makeTemporaryFolder())
      do throws(IOError) {
        let descriptor = try locked(path)
        // Another process may have considered it abandoned and removed it.
        let isThere =
          (try? FileStatus(of: path, followingLinks: false))?.identity == (try? FileStatus(of: descriptor))?.identity
        if isThere || attempts == 0 { return (path, descriptor) }
      } catch {
        if attempts == 0 { throw error }
      }
    }
  }

  private init(temporary path: Pathname, _ descriptor: Descriptor) {
    (self.path, self.descriptor, isTemporary) = (path, descriptor, true)
  }

  /// Removes the folders of this user with the same name, except for its last six letters, that no process owns.
  private static func removeAbandoned(_ name: Pathname, in folder: Pathname) {
    let start = name.bytes.dropLast(6)
    for entry in (try? folder.entries()) ?? []
    where entry.name.bytes.count == name.bytes.count && entry.name.bytes.starts(with: start) {
      let path = folder.appending(entry.name)
      guard let status = try? FileStatus(of: path, followingLinks: false), status.kind == .directory,
        status.isOwn, let descriptor = try? locked(path)
      else { continue }
      LockedDirectory(temporary: path, descriptor).close()
    }
  }

  private static func locked(_ path: Pathname) throws(IOError) -> Descriptor {
    let descriptor = try attempt(
      .create, path.description, Descriptor(opening: path, [.readOnly, .directory, .noFollow]))
    do throws(Errno) { try descriptor.lock() } catch {
      guard error == .wouldBlock else { throw IOError(.change, file: path.description, error) }
      throw IOError(.change, file: path.description, error, reason: "it is in use by another program")
    }
    return descriptor
  }

  /// Its entries.
  package func entries() throws(IOError) -> [Entry] {
    try attempt(.read, path.description, path.entries()).map { entry in
      guard let status = try? FileStatus(of: path.appending(entry.name), followingLinks: false), status.kind == .regular
      else {
        return Entry(name: entry.name, size: nil, used: 0)
      }
      return Entry(name: entry.name, size: status.size, used: status.used)
    }
  }

  /// Opens the file `name`.
  package func open(_ name: Pathname) throws(IOError) -> FileSource {
    let label = path.appending(name).description
    let file = try attempt(
      .open, label, Descriptor(opening: name, from: descriptor, [.readOnly, .noFollow, .nonBlocking]))
    let status = try attempt(.open, label, FileStatus(of: file))
    guard let place = FileSource.Place(file, status, base: 0) else { throw IOError(.open, file: label, .illegalSeek) }
    return FileSource(place, name: label)
  }

  /// Creates the file `name`, which appears when all its bytes are written.
  package func write(_ bytes: [UInt8], as name: Pathname) throws(IOError) {
    let label = path.appending(name).description
    let file = try TemporaryFile(in: path, for: name, like: nil, label: label, named: false)
    try attempt(.write, label, file.descriptor.write(bytes, at: 0))
    try file.putInPlace(replacing: true, sync: false)
  }

  /// Records when the file `name` was last used, without changing its contents.
  package func note(_ name: Pathname, used nanoseconds: Int) {
    try? descriptor.setUse(of: name, nanoseconds: nanoseconds)
  }

  /// Removes the file `name`; open files remain readable.
  package func remove(_ name: Pathname) { try? descriptor.remove(name) }

  /// Removes a temporary folder with its contents, and releases a persistent one.
  package func close() {
    if descriptor.isClosed { return }
    if isTemporary {
      for entry in (try? path.entries()) ?? [] { remove(entry.name) }
      try? path.removeFolder()
    }
    try? descriptor.close()
  }
}
