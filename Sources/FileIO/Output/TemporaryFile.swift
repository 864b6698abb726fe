import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that stands in for an output until that is complete, in the same folder.
///
/// Where the file system can, it has no name, so that nothing is left however the program ends; else it is called
/// `.NAME.XXXXXX` and removed when it is let go or by a signal.
final class TemporaryFile {
  let descriptor: Descriptor
  private let folder: Descriptor
  private let folderPath: Path
  /// The name of the output in the folder.
  private var target: Path
  /// What messages call the output.
  private let label: String
  /// The name of this file at the moment, and where it is noted for signals.
  private var name: Path?
  private var note: Int?

  /// A temporary file in `folder` for the file `target` there, with the mode of `existing` or by the umask.
  /// `named` is whether it must have a name even where it needs none.
  init(
    in folder: Path, for target: Path, like existing: FileStatus?, label: String, named: Bool
  ) throws(IOError) {
    guard let opened = Descriptor(folder: folder) else { throw IOError(.create, file: label) }
    self.folder = opened
    folderPath = folder
    self.target = target
    self.label = label
    // A file that replaces a private one must not be open to others for a moment.
    let mode: mode_t = existing == nil ? 0o666 : 0o600
    if !named, let anonymous = TemporaryFile.anonymous(in: opened, mode: mode) {
      descriptor = anonymous
    } else {
      (descriptor, name) = try TemporaryFile.named(in: opened, for: target, mode: mode, label: label)
      note = name.flatMap { PendingNames.add($0, in: opened) }
    }
    if let existing { descriptor.adopt(existing) }
  }

  deinit { remove() }

  /// Removes the file unless it was put in place.
  func remove() {
    if let name { _ = unsafe unlinkat(folder.number, name.cString, 0) }
    forgetName()
    _ = descriptor.close()
  }

  private func forgetName() {
    PendingNames.remove(note)
    note = nil
    name = nil
  }

}

extension TemporaryFile {
  /// A file without a name, `nil` where the file system has none or where it could not get one later.
  private static func anonymous(in folder: Descriptor, mode: mode_t) -> Descriptor? {
    #if os(Linux)
      guard let file = Descriptor(opening: ".", from: folder, O_TMPFILE | O_RDWR, mode: mode) else { return nil }
      return FileStatus(of: file.procPath, followingLinks: false) == nil ? nil : file
    #else
      return nil
    #endif
  }

  private static func named(
    in folder: Descriptor, for target: Path, mode: mode_t, label: String
  ) throws(IOError) -> (Descriptor, Path) {
    var file: Descriptor?
    let name = FreshName.first(for: target) { name in
      file = Descriptor(opening: name, from: folder, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, mode: mode)
      return file != nil
    }
    guard let file, let name else { throw IOError(.create, file: label) }
    return (file, name)
  }
}

extension TemporaryFile {
  /// Gives the complete file its name, in one step: at any time there is the old file or the whole new one.
  ///
  /// Without `replacing`, a file that has come to bear the name meanwhile stays and is an error, and so is one that has
  /// become one of `inputs`. The name can be another one than was planned.
  func putInPlace(
    as other: Path? = nil, replacing: Bool, keeping inputs: InputRegistry = [], sync: Bool
  ) throws(IOError) {
    if let other { target = other }
    try inputs.check(FileStatus(of: folderPath.appending(target), followingLinks: false), name: label)
    if sync, !descriptor.synchronize() { throw IOError(.write, file: label) }
    if name == nil {
      if link(as: target) { return try finish(sync) }
      if !replacing || errno != EEXIST { throw IOError(.create, file: label) }
      try linkToFreshName()
    } else {
      // On a network the last writes may fail only now.
      let code = descriptor.close()
      if code != 0 { throw IOError(.write, file: label, errno: code) }
    }
    guard let name else { return }
    let done =
      replacing
      ? unsafe renameat(folder.number, name.cString, folder.number, target.cString) == 0
      : renameWithoutReplacing(name)
    if !done { throw IOError(.create, file: label) }
    forgetName()
    try finish(sync)
  }

  /// Links this file, which has no name, under `name`; `false` with `errno` set when that fails.
  private func link(as name: Path) -> Bool {
    #if os(Linux)
      unsafe linkat(AT_FDCWD, descriptor.procPath.cString, folder.number, name.cString, AT_SYMLINK_FOLLOW) == 0
    #else
      false
    #endif
  }

  /// Linking cannot replace a file, so the name for the rename has to be made first.
  private func linkToFreshName() throws(IOError) {
    name = FreshName.first(for: target) { fresh in
      note = PendingNames.add(fresh, in: folder)
      if link(as: fresh) { return true }
      PendingNames.remove(note)
      note = nil
      return false
    }
    if name == nil { throw IOError(.create, file: label) }
  }

  private func renameWithoutReplacing(_ name: Path) -> Bool {
    #if os(Linux)
      let result = unsafe renameat2(folder.number, name.cString, folder.number, target.cString, RENAME_NOREPLACE)
    #else
      let result = unsafe renameatx_np(folder.number, name.cString, folder.number, target.cString, UInt32(RENAME_EXCL))
    #endif
    if result == 0 || errno == EEXIST { return result == 0 }
    // Not every file system has that call; a second link refuses to replace as well.
    guard unsafe linkat(folder.number, name.cString, folder.number, target.cString, 0) == 0 else { return false }
    _ = unsafe unlinkat(folder.number, name.cString, 0)
    return true
  }

  /// Makes the new name last as well.
  private func finish(_ sync: Bool) throws(IOError) {
    if sync, !Descriptor.synchronize(folder: folderPath) { throw IOError(.write, file: label) }
  }
}
