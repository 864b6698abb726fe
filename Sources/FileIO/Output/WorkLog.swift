public import MP4Bytes
internal import MP4Platform

/// A file that lists the files on which some work is done, so that interrupted work can continue after them. A line is
/// appended when the work on a file is done. A file whose size or modification time has changed since counts as new.
public final class WorkLog {
  private struct Entry {
    let size: Int
    let modified: Int
    let result: Int
  }

  private let name: String
  private let file: Descriptor
  private var entries: [[UInt8]: Entry] = [:]
  private var end: Int

  /// The largest log that is read.
  private static let limit = 1 << 30

  /// Opens a log, or creates it; it remains locked.
  ///
  /// - Parameters:
  ///   - path: The log.
  ///   - work: What is done, in one line. A log of other work is an error, and is not changed.
  ///   - inputs: Files that are not changed.
  public init(_ path: Pathname, of work: String, inputs: InputRegistry) throws(IOError) {
    name = path.description
    file = try attempt(.create, name, try Descriptor(opening: path, [.readWrite, .create], 0o666))
    let status = try attempt(.open, name, try FileStatus(of: file))
    try inputs.check(status, name: name)
    guard status.kind == .regular else { throw IOError(.create, file: name, reason: "this is not a file") }
    do { try file.lock() } catch {
      throw IOError(.create, file: name, reason: "another run uses it; wait until that one ends")
    }
    guard status.size <= Self.limit else { throw IOError(.create, file: name, reason: "this is not a list of work") }
    var bytes = [UInt8](repeating: 0, count: status.size)
    let count = try attempt(.read, name, try file.read(at: 0, into: &bytes))
    bytes.removeSubrange(count...)
    let header = Array("# \(work)\n".utf8)
    guard bytes.isEmpty || bytes.starts(with: header) else {
      let other = bytes.prefix { $0 != 0x0a }.starts(with: "# mp4tool ".utf8) ? "other work" : "something else"
      throw IOError(.create, file: name, reason: "it lists \(other), not the work of this run; name another file")
    }
    // A line that was not completed is written again.
    end = bytes.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    for line in bytes[..<end].dropFirst(header.count).split(separator: 0x0a) {
      let words = line.split(separator: 0x20, maxSplits: 3, omittingEmptySubsequences: false)
      guard words.count == 4, case let numbers = words[..<3].compactMap({ Int(String(decoding: $0, as: UTF8.self)) }),
        numbers.count == 3
      else { continue }
      entries[Array(words[3])] = Entry(size: numbers[1], modified: numbers[2], result: numbers[0])
    }
    if bytes.isEmpty { try append(header) }
  }

  /// Whether no work was done before.
  public var isEmpty: Bool { entries.isEmpty }

  /// The result of the work on the file at `path` in its present state; `nil` if it is not done.
  public func result(of path: Pathname, _ stamp: FileStamp) -> Int? {
    guard let entry = entries[path.bytes] else { return nil }
    return entry.size == stamp.size && entry.modified == stamp.modified ? entry.result : nil
  }

  /// Notes that the work on the file at `path` is done, with a number as its result. `stamp` is the state of the file
  /// when the work began.
  public func add(_ path: Pathname, _ stamp: FileStamp, result: Int) throws(IOError) {
    // The name must fit in a line.
    guard !path.bytes.contains(0x0a) else { return }
    try append(Array("\(result) \(stamp.size) \(stamp.modified) ".utf8) + path.bytes + [0x0a])
  }

  private func append(_ bytes: [UInt8]) throws(IOError) {
    try attempt(.write, name, try file.write(bytes, at: end))
    end += bytes.count
  }
}
