import MP4Bytes
import MP4Platform

/// A temporary folder `.NAME.XXXXXX` beside an output folder, until that is complete.
///
/// A signal removes it while it is empty. It is removed with its contents when it is released.
final class TemporaryFolder {
  let descriptor: Descriptor
  private let parent: Descriptor
  private let target: FolderTarget
  /// The name of the output in messages.
  private let label: String
  /// Its current name, registered for removal by signals.
  private var name: Pathname?
  private var note: Int?
  /// The created files and folders; folders in the order of creation.
  private var files: [Pathname] = []
  private var folders: [Pathname] = []

  init(for target: FolderTarget, label: String) throws(IOError) {
    let parent = try attempt(.create, label, Descriptor(folder: target.parent))
    // A folder that replaces a private one must never be accessible to other users, even briefly.
    let permissions: Permissions = target.existing == nil ? 0o777 : 0o700
    do throws(Errno) {
      let (name, note) = try TemporaryName.first(for: target.name) { name throws(Errno) in
        let note = SignalCleanup.add(name, in: parent, isFolder: true)
        do throws(Errno) { try parent.makeFolder(name, permissions) } catch {
          SignalCleanup.remove(note)
          throw error
        }
        return note
      }
      do throws(Errno) {
        descriptor = try Descriptor(opening: name, from: parent, [.readOnly, .directory, .noFollow])
      } catch {
        try? parent.removeFolder(name)
        SignalCleanup.remove(note)
        throw error
      }
      (self.name, self.note) = (name, note)
    } catch { throw IOError(.create, file: label, error) }
    (self.parent, self.target, self.label) = (parent, target, label)
  }

  deinit { remove() }

  /// Creates the file `path` and its parent folders.
  func makeFile(_ path: Pathname, label: String) throws(IOError) -> Descriptor {
    try makeFolder(path.folder)
    let file = try attempt(
      .create, label, Descriptor(opening: path, from: descriptor, [.createNew, .writeOnly], 0o666))
    files.append(path)
    return file
  }

  private func makeFolder(_ path: Pathname) throws(IOError) {
    var missing: [Pathname] = []
    var folder = path
    while folder != ".", !folders.contains(folder) {
      missing.append(folder)
      folder = folder.folder
    }
    for folder in missing.reversed() {
      try attempt(.create, label, descriptor.makeFolder(folder, 0o777))
      folders.append(folder)
    }
  }

  /// Removes the folder with its contents, unless it has its final name.
  func remove() {
    guard let name else { return }
    for file in files { try? descriptor.remove(file) }
    for folder in folders.reversed() { try? descriptor.removeFolder(folder) }
    try? parent.removeFolder(name)
    forgetName()
  }

  private func forgetName() {
    SignalCleanup.remove(note)
    note = nil
    name = nil
  }

  /// Gives the complete folder its final name atomically. Anything that has appeared under that name is kept, except an
  /// empty folder.
  func putInPlace(sync: Bool) throws(IOError) {
    guard let name else { return }
    if let existing = target.existing { descriptor.adopt(existing) }
    if sync {
      for folder in folders.reversed() {
        try attempt(.write, label, Descriptor.synchronize(folder: folder, from: descriptor))
      }
      try attempt(.write, label, descriptor.synchronize())
    }
    do throws(Errno) { try parent.rename(name, to: target.name) } catch {
      // The name belongs to a non-empty folder or a file.
      throw IOError(.create, file: label, error == .notDirectory ? .fileExists : error)
    }
    forgetName()
    if sync { try attempt(.write, label, Descriptor.synchronize(folder: target.parent)) }
  }
}
