public import MP4Bytes
import MP4Platform

/// A file that is changed in place: the only type that writes to existing files.
///
/// Until `commit`, all changes can be undone; they are undone when the object is released. Before every step, the size,
/// time and name of the file are checked for changes by other programs.
public final class InPlaceFile: InPlaceSink {
  /// The code of the error for inputs that are not files on a disk: pipes, terminals, devices.
  package static let notAFile: Int32 = Errno.illegalSeek.rawValue

  /// The path as given.
  public let name: String
  /// The original file, for reading.
  public let source: FileSource
  /// Called before every step and every few megabytes with the number of bytes appended so far; returns
  /// whether to continue. If not, the current step fails with `ECANCELED`.
  public var onProgress: ((Int) -> Bool)? {
    get { writer.output.onProgress }
    set { writer.output.onProgress = newValue }
  }

  private let path: Pathname
  private let descriptor: Descriptor
  private let writer: CoalescingWriter
  /// The state of the file when it was opened, and after the last change.
  private let original: FileStatus
  private var left: FileStatus
  /// Replaced bytes, and their original values.
  private var replaced: [(offset: Int, bytes: [UInt8])] = []
  /// The offset at which the writer started.
  private var appendStart = 0
  private var isChanged = false
  /// Whether the file was committed or restored.
  private var isFinished = false
  private var isCommitted = false

  /// The offset of the next appended byte.
  public var position: Int { appendStart + writer.position }

  /// Opens a file to be changed. Fails with `.change` if it is not writable, or if another program is changing it in
  /// place; with `.open` if it does not exist or is not a file on a disk.
  public init(_ path: Pathname) throws(IOError) {
    name = path.description
    self.path = path
    let before = try attempt(.open, name, FileStatus(of: path))
    if before.kind == .directory { throw IOError(.open, file: name, .isDirectory) }
    guard before.kind == .regular, path.namedDescriptor == nil else {
      throw IOError(.open, file: name, code: Self.notAFile, reason: "it cannot be changed in place")
    }
    let reading = try attempt(.open, name, Descriptor(opening: path, [.readOnly, .noControllingTerminal]))
    guard !reading.isBeingWritten else {
      throw IOError(
        .change, file: name, .resourceBusy,
        reason: "another program has it open for writing; is it still being recorded?")
    }
    let opened = try attempt(.change, name, Descriptor(opening: path, [.readWrite, .noControllingTerminal]))
    guard let status = try? FileStatus(of: opened), status.kind == .regular,
      let place = FileSource.Place(opened, status, base: 0)
    else { throw IOError(.open, file: name, .ioError) }
    // Not every file system supports locks; the other checks still apply.
    do throws(Errno) { try opened.lock() } catch {
      if error == .wouldBlock { throw IOError(.change, file: name, error, reason: "another program has locked it") }
    }
    descriptor = opened
    (original, left) = (status, status)
    source = FileSource(place, name: name)
    writer = CoalescingWriter(to: FileWriter(opened, name: name, isNew: false))
  }

  deinit { try? revert() }

  /// Fails if the disk has no room for `byteCount` more bytes.
  public func expect(byteCount: Int) throws(IOError) {
    guard var error = IOError.noSpace(for: byteCount, on: descriptor, file: name) else { return }
    error.operation = .change
    throw error
  }

  // MARK: InPlaceSink

  /// Sets the offset of the following writes, at most the end of the file.
  public func append(at offset: Int) throws(IOError) {
    try begin()
    precondition(offset <= left.size && offset + 8 > left.size, "bytes are appended where the file ends")
    appendStart = offset - writer.position
    if offset < original.size { try keep(offset..<original.size) }
    try attempt(.write, name, offset: offset, descriptor.seek(to: offset))
  }

  /// Appends `bytes`; a full disk may be reported by a later call.
  public func write(_ bytes: RawSpan) throws(IOError) {
    try keepingPlace { () throws(IOError) in
      try unsafe bytes.withUnsafeBytes { bytes throws(IOError) in try unsafe writer.write(bytes) }
    }
  }

  /// Appends the bytes `range` of `source`.
  public func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    try keepingPlace { () throws(IOError) in try writer.copy(range, of: source) }
  }

  /// The writer counts from its start, but errors refer to file offsets.
  private func keepingPlace(_ body: () throws(IOError) -> Void) throws(IOError) {
    do { try body() } catch {
      var placed = error
      if error.operation == .write { placed.offset = error.offset.map { $0 + appendStart } }
      throw placed
    }
  }

  /// Replaces bytes with one system call.
  public func replace(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    try begin()
    try keepAndWrite(bytes, at: offset)
    try end()
  }

  /// Replaces bytes in free space. After `commit` this cannot be undone.
  public func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    if isCommitted { return try attempt(.write, name, offset: offset, descriptor.write(bytes, at: offset)) }
    try replace(bytes, at: offset)
  }

  /// Replaces bytes with one system call if the file and its name have not changed.
  public func commit(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    try begin()
    guard path.identity == original.identity else {
      throw IOError(.write, file: name, reason: "its name now refers to another file")
    }
    try keepAndWrite(bytes, at: offset)
    (isFinished, isCommitted) = (true, true)
  }

  /// Writes everything to the file and flushes it to disk.
  public func synchronize() throws(IOError) {
    try keepingPlace { () throws(IOError) in try writer.flush() }
    try attempt(.write, name, descriptor.synchronize())
    if !isFinished { try end() }
  }

  // MARK: Reverting

  /// Restores the file byte for byte; after `commit` this does nothing.
  package func revert() throws(IOError) {
    guard isChanged, !isFinished else { return }
    isFinished = true
    // Undoes as much as possible even if a step fails.
    var failure: Errno?
    do throws(Errno) { try descriptor.truncate(to: original.size) } catch { failure = error }
    for old in replaced.reversed() {
      do throws(Errno) { try descriptor.write(old.bytes, at: old.offset) } catch { failure = failure ?? error }
    }
    if let failure { throw IOError(.write, file: name, failure) }
    try attempt(.write, name, descriptor.synchronize())
  }

  /// Saves the current bytes of `range`.
  private func keep(_ range: Range<Int>) throws(IOError) {
    guard !range.isEmpty else { return }
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try attempt(
      .read, name, offset: range.lowerBound, descriptor.read(at: range.lowerBound, into: &bytes))
    guard count == range.count else { throw IOError(.read, file: name, offset: range.lowerBound, .ioError) }
    replaced.append((range.lowerBound, bytes))
  }

  private func keepAndWrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    try keep(offset..<offset + bytes.count)
    try attempt(.write, name, offset: offset, descriptor.write(bytes, at: offset))
  }

  // MARK: Other programs

  private func begin() throws(IOError) {
    precondition(!isFinished, "a file is changed before it is committed or taken back")
    if let onProgress, !onProgress(writer.position) {
      throw IOError(.write, file: name, .canceled, reason: "it was stopped")
    }
    let now = try attempt(.write, name, FileStatus(of: descriptor))
    guard now.size == left.size, now.modified == left.modified else {
      // The bytes after the expected end may belong to another process.
      if now.size != left.size { isFinished = true }
      throw IOError(.write, file: name, reason: "another program has changed it; is it still being recorded?")
    }
    isChanged = true
  }

  /// Records the current state of the file.
  private func end() throws(IOError) {
    let now = try attempt(.write, name, FileStatus(of: descriptor))
    left = now
  }
}
