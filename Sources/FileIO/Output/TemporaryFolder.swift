import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder `.NAME.XXXXXX` that stands in for an output folder until that is complete, beside it.
///
/// A signal removes it as long as it is empty. It is removed with everything that was made in it when it is let go.
final class TemporaryFolder {
  let descriptor: Descriptor
  private let parent: Descriptor
  private let target: FolderTarget
  /// What messages call the output.
  private let label: String
  /// The name of this folder at the moment, and where it is noted for signals.
  private var name: Path?
  private var note: Int?
  /// What was made in it; folders in the order in which they were made.
  private var files: [Path] = []
  private var folders: [Path] = []

  init(for target: FolderTarget, label: String) throws(IOError) {
    guard let parent = Descriptor(folder: target.parent) else { throw IOError(.create, file: label) }
    // A folder that replaces a private one must not be open to others for a moment.
    let mode: mode_t = target.existing == nil ? 0o777 : 0o700
    var note: Int?
    let name = FreshName.first(for: target.name) { name in
      note = PendingNames.add(name, in: parent, isFolder: true)
      if unsafe mkdirat(parent.number, name.cString, mode) == 0 { return true }
      PendingNames.remove(note)
      return false
    }
    guard let name else { throw IOError(.create, file: label) }
    guard let descriptor = Descriptor(opening: name, from: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
      let error = IOError(.create, file: label)
      _ = unsafe unlinkat(parent.number, name.cString, Int32(AT_REMOVEDIR))
      PendingNames.remove(note)
      throw error
    }
    (self.descriptor, self.parent, self.target, self.label) = (descriptor, parent, target, label)
    (self.name, self.note) = (name, note)
  }

  deinit { remove() }

  /// Makes the file `path`, and the folders that lead to it.
  func makeFile(_ path: Path, label: String) throws(IOError) -> Descriptor {
    try makeFolder(path.folder)
    guard let file = Descriptor(opening: path, from: descriptor, O_CREAT | O_EXCL | O_WRONLY, mode: 0o666) else {
      throw IOError(.create, file: label)
    }
    files.append(path)
    return file
  }

  private func makeFolder(_ path: Path) throws(IOError) {
    var missing: [Path] = []
    var folder = path
    while folder != ".", !folders.contains(folder) {
      missing.append(folder)
      folder = folder.folder
    }
    for folder in missing.reversed() {
      if unsafe mkdirat(descriptor.number, folder.cString, 0o777) != 0 { throw IOError(.create, file: label) }
      folders.append(folder)
    }
  }

  /// Removes the folder and what was made in it, unless it was put in place.
  func remove() {
    guard let name else { return }
    for file in files { _ = unsafe unlinkat(descriptor.number, file.cString, 0) }
    for folder in folders.reversed() { _ = unsafe unlinkat(descriptor.number, folder.cString, Int32(AT_REMOVEDIR)) }
    _ = unsafe unlinkat(parent.number, name.cString, Int32(AT_REMOVEDIR))
    forgetName()
  }

  private func forgetName() {
    PendingNames.remove(note)
    note = nil
    name = nil
  }

  /// Gives the complete folder its name, in one step. What came to bear the name meanwhile stays, but for an empty folder.
  func putInPlace(sync: Bool) throws(IOError) {
    guard let name else { return }
    if let existing = target.existing { descriptor.adopt(existing) }
    if sync {
      for folder in folders.reversed() where !Descriptor.synchronize(folder: folder, from: descriptor) {
        throw IOError(.write, file: label)
      }
      if !descriptor.synchronize() { throw IOError(.write, file: label) }
    }
    if unsafe renameat(parent.number, name.cString, parent.number, target.name.cString) != 0 {
      // A folder that is not empty, or a file.
      throw IOError(.create, file: label, errno: errno == ENOTDIR ? EEXIST : errno)
    }
    forgetName()
    if sync, !Descriptor.synchronize(folder: target.parent) { throw IOError(.write, file: label) }
  }
}
