import MP4Bytes
import MP4Platform

/// A temporary file in the folder of an output file, until that is complete.
///
/// If the file system supports it, it has no name, so nothing remains however the program ends. Otherwise it is called
/// `.NAME.XXXXXX` and removed when it is released or by a signal.
final class TemporaryFile {
  let descriptor: Descriptor
  private let folder: Descriptor
  private let folderPath: Pathname
  /// The name of the output in the folder.
  private var target: Pathname
  /// The name of the output in messages.
  private let label: String
  /// Its current name, registered for removal by signals.
  private var name: Pathname?
  private var note: Int?

  /// A temporary file in `folder` for the file `target` there, with the permissions of `existing` or according to the
  /// umask. `named` gives it a name even if it needs none.
  init(
    in folder: Pathname, for target: Pathname, like existing: FileStatus?, label: String, named: Bool
  ) throws(IOError) {
    let opened = try attempt(.create, label, Descriptor(folder: folder))
    self.folder = opened
    folderPath = folder
    self.target = target
    self.label = label
    // A file that replaces a private one must never be accessible to other users, even briefly.
    let permissions: Permissions = existing == nil ? 0o666 : 0o600
    if !named, let unnamed = try? Descriptor(unnamedIn: ".", from: opened, permissions), unnamed.canBeLinked {
      descriptor = unnamed
    } else {
      let (name, file) = try attempt(.create, label, TemporaryFile.named(in: opened, for: target, permissions))
      (self.name, descriptor) = (name, file)
      note = SignalCleanup.add(name, in: opened)
    }
    if let existing { descriptor.adopt(existing) }
  }

  deinit { remove() }

  /// Removes the file unless it has its final name.
  func remove() {
    if let name { try? folder.remove(name) }
    forgetName()
    try? descriptor.close()
  }

  private func forgetName() {
    SignalCleanup.remove(note)
    note = nil
    name = nil
  }
}

extension TemporaryFile {
  /// Gives the complete file its final name atomically: at any time, either the old file or the complete new one
  /// exists.
  ///
  /// Fails if a file has appeared under the name meanwhile, unless `replacing` is set, or if the file there has become
  /// one of `inputs`. The name may differ from the planned one.
  func putInPlace(
    as other: Pathname? = nil, replacing: Bool, keeping inputs: [InputRegistry] = [], sync: Bool
  ) throws(IOError) {
    if let other { target = other }
    let status = try? FileStatus(of: folderPath.appending(target), followingLinks: false)
    for files in inputs { try files.check(status, name: label) }
    if sync { try attempt(.write, label, descriptor.synchronize()) }
    if name == nil {
      do throws(Errno) { try folder.link(descriptor, as: target) } catch {
        if !replacing || error != .fileExists { throw IOError(.create, file: label, error) }
        try attempt(.create, label, linkToTemporaryName())
      }
    } else {
      // On a network file system, the last writes may fail only now.
      try attempt(.write, label, descriptor.close())
    }
    if let name {
      try attempt(
        .create, label,
        replacing ? folder.rename(name, to: target) : folder.renameWithoutReplacing(name, to: target))
      forgetName()
    }
    // Makes the new name durable as well.
    if sync { try attempt(.write, label, Descriptor.synchronize(folder: folderPath)) }
  }

  /// Linking cannot replace a file, so a name for the rename is created first.
  private func linkToTemporaryName() throws(Errno) {
    (name, note) = try TemporaryName.first(for: target) { name throws(Errno) in
      let note = SignalCleanup.add(name, in: folder)
      do throws(Errno) { try folder.link(descriptor, as: name) } catch {
        SignalCleanup.remove(note)
        throw error
      }
      return note
    }
  }

  private static func named(
    in folder: Descriptor, for target: Pathname, _ permissions: Permissions
  ) throws(Errno) -> (Pathname, Descriptor) {
    try TemporaryName.first(for: target) { name throws(Errno) in
      try Descriptor(opening: name, from: folder, [.createNew, .readWrite, .noFollow], permissions)
    }
  }
}
