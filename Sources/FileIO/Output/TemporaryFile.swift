import Bytes
import Platform

/// A file that stands in for an output until that is complete, in the same folder.
///
/// Where the file system can, it has no name, so that nothing is left however the program ends; else it is called
/// `.NAME.XXXXXX` and removed when it is let go or by a signal.
final class TemporaryFile {
  let descriptor: Descriptor
  private let folder: Descriptor
  private let folderPath: Pathname
  /// The name of the output in the folder.
  private var target: Pathname
  /// What messages call the output.
  private let label: String
  /// The name of this file at the moment, and where it is noted for signals.
  private var name: Pathname?
  private var note: Int?

  /// A temporary file in `folder` for the file `target` there, with the mode of `existing` or by the umask.
  /// `named` is whether it must have a name even where it needs none.
  init(
    in folder: Pathname, for target: Pathname, like existing: FileStatus?, label: String, named: Bool
  ) throws(IOError) {
    let opened = try attempt(.create, label, Descriptor(folder: folder))
    self.folder = opened
    folderPath = folder
    self.target = target
    self.label = label
    // A file that replaces a private one must not be open to others for a moment.
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

  /// Removes the file unless it was put in place.
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
  /// Gives the complete file its name, in one step: at any time there is the old file or the whole new one.
  ///
  /// Without `replacing`, a file that has come to bear the name meanwhile stays and is an error, and so is one that has
  /// become one of `inputs`. The name can be another one than was planned.
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
      // On a network the last writes may fail only now.
      try attempt(.write, label, descriptor.close())
    }
    if let name {
      try attempt(
        .create, label,
        replacing ? folder.rename(name, to: target) : folder.renameWithoutReplacing(name, to: target))
      forgetName()
    }
    // Makes the new name last as well.
    if sync { try attempt(.write, label, Descriptor.synchronize(folder: folderPath)) }
  }

  /// Linking cannot replace a file, so the name for the rename has to be made first.
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
