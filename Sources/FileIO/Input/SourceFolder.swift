public import MP4Bytes
import MP4Platform

/// A folder whose files are opened safely: no name, link or concurrent rename leads out of it.
public final class SourceFolder: Sendable {
  /// The path as given.
  public let name: String
  private let descriptor: Descriptor
  /// Whether the kernel restricts lookups to the folder. If it cannot, links are not followed.
  private let usesOpenat2: Bool

  /// Opens the folder at `path`.
  public convenience init(_ path: Pathname) throws(IOError) { try self.init(path, usesOpenat2: true) }

  init(_ path: Pathname, usesOpenat2: Bool) throws(IOError) {
    name = path.description
    descriptor = try attempt(.open, name, Descriptor(opening: path, [.readOnly, .directory]))
    self.usesOpenat2 = usesOpenat2
  }

  /// Opens the regular file at this path, given by its components.
  ///
  /// - Throws: `IOError` with `.open`, also for a file that is not regular, and for a component that is empty, `.` or
  ///   `..`, or contains a slash.
  public func open(_ names: [Pathname]) throws(IOError) -> FileSource {
    // Opening a named pipe would wait for its writer.
    let (opened, status) = try find(names, [.readOnly, .nonBlocking])
    if status.kind == .directory { throw IOError(.open, file: label(names), .isDirectory) }
    guard status.kind == .regular, let place = FileSource.Place(opened, status, base: 0) else {
      throw IOError(.open, file: label(names), .permissionDenied, reason: "it is not a regular file")
    }
    return FileSource(place, name: label(names))
  }

  /// An entry of a folder.
  package struct Entry: Hashable, Sendable {
    /// Its name.
    package let name: Pathname
    /// Whether it is a folder.
    package let isFolder: Bool
  }

  /// The identity of the folder at this path, whatever links lead to it.
  package func identity(of names: [Pathname]) -> FileIdentity? { try? find(names, [.readOnly, .directory]).1.identity }

  /// The contents of the folder at this path, sorted, at most `limit` entries: files and folders, and links
  /// to those that do not lead out. Names that begin with a dot are omitted.
  package func entries(of names: [Pathname] = [], limit: Int) throws(IOError) -> [Entry] {
    let (opened, _) = try find(names, [.readOnly, .directory])
    var result: [Entry] = []
    func take(_ entry: FolderEntry) -> Bool {
      guard result.count < limit else { return false }
      if entry.name.bytes.first == UInt8(ascii: ".") { return true }
      let kind = kind(of: entry, in: names)
      if kind == .directory || kind == .regular {
        result.append(Entry(name: entry.name, isFolder: kind == .directory))
      }
      return true
    }
    try attempt(.open, label(names), opened.forEachEntry(take))
    return result.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
  }

  /// The type of an entry: as listed in the folder, unless it is a link or the file system does not report it.
  private func kind(of entry: FolderEntry, in names: [Pathname]) -> FileStatus.Kind? {
    switch entry.kind {
    case .link, nil: (try? find(names + [entry.name], [.readOnly, .nonBlocking]))?.1.kind
    case let kind: kind
    }
  }

  private func find(_ names: [Pathname], _ options: OpenOptions) throws(IOError) -> (Descriptor, FileStatus) {
    let isPlain = names.allSatisfy { name in
      name != "" && name != "." && name != ".." && !name.bytes.contains(UInt8(ascii: "/"))
    }
    guard isPlain else { throw IOError(.open, file: label(names), .noSuchFileOrDirectory) }
    let opened = try attempt(.open, label(names), open(names, options))
    return (opened, try attempt(.open, label(names), FileStatus(of: opened)))
  }

  /// The name of this path in messages.
  private func label(_ names: [Pathname]) -> String {
    names.reduce(name) { "\($0)/\($1)" }
  }

  private func open(_ names: [Pathname], _ options: OpenOptions) throws(Errno) -> Descriptor {
    if usesOpenat2 {
      do throws(Errno) { return try Descriptor(opening: names, beneath: descriptor, options) } catch {
        if error != .noFunction { throw error }
      }
    }
    var folder = descriptor
    for name in names.dropLast() {
      folder = try Descriptor(opening: name, from: folder, [.readOnly, .directory, .noFollow])
    }
    return try Descriptor(
      opening: names.last ?? ".", from: folder, options.union([.noFollow, .noControllingTerminal]))
  }
}
