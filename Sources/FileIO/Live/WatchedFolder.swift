import MP4Bytes
import MP4Platform

/// The MP4 files of a folder, read one after the other while they are written and new ones appear.
///
/// Existing files are read in the order of their names, and new ones as they appear. The current one is read as it
/// grows, and is complete when another one exists. A renamed file is still the same file. Hidden files and those with
/// other extensions, such as `.tmp`, are ignored until they get their final name. If the folder is not followed, the
/// input ends after the existing files.
final class WatchedFolder: LiveInput {
  let name: String
  private let path: Pathname
  private let isBefore: (Pathname, Pathname) -> Bool
  private let follows: Bool
  private let changes: FileChanges
  private var current: (descriptor: Descriptor, name: String, offset: Int)?
  /// The inode numbers of the files whose reading has begun, as long as they exist.
  private var begun: Set<UInt64> = []
  private var waiting: [FolderEntry] = []
  private var buffer = [UInt8](repeating: 0, count: LiveStream.bufferCount)

  private static let endings = [
    "mp4", "m4s", "m4v", "m4a", "m4f", "cmfv", "cmfa", "cmft", "cmfm", "mov", "fmp4", "frag", "ismv", "isma",
  ]

  init(_ path: Pathname, follows: Bool, _ isBefore: @escaping (Pathname, Pathname) -> Bool) throws(IOError) {
    (self.path, name, self.follows, self.isBefore) = (path, path.description, follows, isBefore)
    changes = FileChanges(path)
    try look()
  }

  func next(waiting time: Duration) throws(IOError) -> LiveInputEvent {
    if let bytes = try readOn() { return bytes }
    if let file = try beginNext() { return file }
    guard follows else { return .end }
    guard changes.wait(milliseconds: time.milliseconds) else { return .nothing }
    if let bytes = try readOn() { return bytes }
    try look()
    return try beginNext() ?? .nothing
  }

  /// The new bytes of the current file.
  private func readOn() throws(IOError) -> LiveInputEvent? {
    guard let (descriptor, name, offset) = current else { return nil }
    let count = try attempt(.read, name, offset: offset, descriptor.read(at: offset, into: &buffer))
    if count > 0 {
      current?.offset += count
      return .bytes(buffer[..<count])
    }
    guard let size = (try? FileStatus(of: descriptor))?.size, size < offset else { return nil }
    // The file was truncated and is being written again.
    current?.offset = 0
    return .file(name)
  }

  /// Continues with the next file, if there is one.
  private func beginNext() throws(IOError) -> LiveInputEvent? {
    guard !waiting.isEmpty else { return nil }
    // Data that was written before the next file appeared is read first.
    if let bytes = try readOn() { return bytes }
    let file = path.appending(waiting.removeFirst().name)
    do throws(Errno) { current = (try Descriptor(opening: file, .readOnly), file.description, 0) } catch {
      // The file was already removed.
      if error == .noSuchFileOrDirectory { return .nothing }
      throw IOError(.open, file: file.description, error)
    }
    return .file(file.description)
  }

  /// Scans for new files.
  private func look() throws(IOError) {
    let entries = try attempt(.read, name, path.entries())
    begun.formIntersection(entries.map(\.inode))
    let new = entries.filter { !begun.contains($0.inode) && Self.isMedia($0.name) }
    waiting += new.sorted { a, b in
      let (x, y) = (Self.isInitialization(a.name), Self.isInitialization(b.name))
      return x != y ? x : isBefore(a.name, b.name)
    }
    begun.formUnion(new.map(\.inode))
  }

  private static func isMedia(_ name: Pathname) -> Bool {
    guard name.bytes.first != UInt8(ascii: "."), let point = name.bytes.lastIndex(of: UInt8(ascii: ".")) else {
      return false
    }
    return endings.contains(String(decoding: name.bytes[(point + 1)...], as: UTF8.self).lowercased())
  }
  /// Init segments precede the segments that need them, regardless of their names.
  private static func isInitialization(_ name: Pathname) -> Bool { name.bytes.starts(with: "init".utf8) }
}
