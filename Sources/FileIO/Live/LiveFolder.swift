public import MP4Bytes
import MP4Platform

/// A folder that other processes read while it is written: each file appears complete, or atomically replaces another.
public final class LiveFolder {
  /// The path as given.
  public let name: String
  private let path: Pathname
  private let syncs: Bool
  private var open: TemporaryFile?
  /// The size of the open file.
  private var size = 0
  /// Whether this object created the folder and it is still empty.
  private var isFresh: Bool
  /// The names of the files written to it; only these may be replaced.
  private var own: Set<Pathname> = []
  /// The folders created in it.
  private var folders: [LiveFolder] = []

  /// Creates the folder `path`, or uses an empty one.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - syncs: Whether files are flushed to disk before they appear.
  public init(_ path: Pathname, syncs: Bool = false) throws(IOError) {
    name = path.description
    self.syncs = syncs
    // The path may be a link that changes later. Files are created at the resolved path, so they stay together.
    do throws(Errno) {
      try path.makeFolder()
      isFresh = true
    } catch {
      guard error == .fileExists, (try? FileStatus(of: path))?.kind == .directory else {
        throw IOError(.create, file: name, error)
      }
      isFresh = false
      guard try attempt(.create, name, path.isEmptyFolder()) else {
        throw IOError(.create, file: name, .directoryNotEmpty)
      }
    }
    self.path = path.resolved ?? path
  }

  /// Whether `path` is this folder.
  package func isSame(as path: Pathname) -> Bool { path.identity == self.path.identity }

  /// Creates a folder in this one.
  public func makeFolder(_ folder: Pathname) throws(IOError) -> LiveFolder {
    folders.append(try LiveFolder(path.appending(folder), syncs: syncs))
    return folders[folders.count - 1]
  }

  /// Removes the folder, and those in it, if this object created them and they are empty.
  package func removeIfEmpty() {
    discard()
    for folder in folders { folder.removeIfEmpty() }
    if isFresh { try? path.removeFolder() }
  }

  /// Appends bytes to the open file, or opens one.
  public func append(_ bytes: ArraySlice<UInt8>) throws(IOError) {
    let file: TemporaryFile
    if let open {
      file = open
    } else {
      file = try makeFile("segment")
      (open, size) = (file, 0)
    }
    try attempt(.write, name, offset: size, file.descriptor.write(bytes.raw, at: size))
    size += bytes.count
  }

  /// Replaces bytes of the open file.
  public func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    guard let open, offset + bytes.count <= size else { return }
    try attempt(.write, name, offset: offset, open.descriptor.write(bytes, at: offset))
  }

  /// Truncates the open file to `byteCount` bytes.
  public func truncate(to byteCount: Int) throws(IOError) {
    guard let open, byteCount < size else { return }
    try attempt(.write, name, offset: byteCount, open.descriptor.truncate(to: byteCount))
    size = byteCount
  }

  /// Completes the open file: it appears as `file`.
  public func finish(as file: Pathname) throws(IOError) {
    guard let open else { return }
    self.open = nil
    defer { open.remove() }
    try putInPlace(open, as: file)
  }

  /// Discards the open file, if there is one.
  public func discard() {
    open?.remove()
    open = nil
  }

  /// Creates or atomically replaces the file `file`.
  public func write(_ bytes: [UInt8], as file: Pathname) throws(IOError) {
    let temporary = try makeFile(file)
    defer { temporary.remove() }
    try attempt(.write, path.appending(file).description, temporary.descriptor.write(bytes, at: 0))
    try putInPlace(temporary, as: file)
  }

  /// Removes a file that was written here, if it still exists.
  public func remove(_ file: Pathname) {
    if own.remove(file) != nil { try? path.appending(file).removeFile() }
  }

  private func putInPlace(_ temporary: TemporaryFile, as file: Pathname) throws(IOError) {
    try temporary.putInPlace(as: file, replacing: own.contains(file), sync: syncs)
    own.insert(file)
    isFresh = false
  }

  private func makeFile(_ file: Pathname) throws(IOError) -> TemporaryFile {
    try TemporaryFile(in: path, for: file, like: nil, label: path.appending(file).description, named: false)
  }
}
