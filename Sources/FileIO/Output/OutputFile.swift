public import MP4Bytes
import MP4Platform

/// A file that is written safely: it appears under its final name only when it is complete.
///
/// Until `commit()` the bytes go to a temporary file in the same folder; without it, nothing remains. The permissions
/// of a new file follow the umask; a replaced file keeps its permissions. A symbolic link is kept, and its target
/// is replaced; other hard links to a replaced file keep the old bytes. Devices, FIFOs and standard output
/// (`-`, `/dev/stdout`) are written directly, in order. A file from which bytes were copied is not replaced.
public final class OutputFile: RewritableSink, SafeOutput {
  /// How an output is written.
  public struct Options: Sendable {
    /// Whether an existing file may be replaced.
    public var replacesExisting = true
    /// Whether `commit()` flushes the file to disk.
    public var syncs = false
    /// The files that the output must not replace, under any name, checked when it is opened and when it is complete.
    public var inputs: Set<FileIdentity> = []
    /// A registry of further such files, to which files can be added while the output is written. Copies of these
    /// options share it.
    public var growingInputs: InputRegistry?
    /// Whether the file is written directly, without a temporary file in its folder: for files from a save panel or a
    /// document provider, whose folder cannot be written.
    ///
    /// The previous contents are lost as soon as writing starts. Other programs see an incomplete file until
    /// `commit()`; after `discard()` or a crash, it is empty or incomplete. An input must never be written in this way;
    /// only those in ``inputs``, and files from which bytes are copied, are recognized.
    public var writesDirectly = false
    /// The expected size; if the disk has no room for it, the output is rejected immediately.
    public var expectedSize: Int?

    /// Replaces existing files, without flushing to disk.
    public init() {}
    /// Whether the temporary file gets a name even if it needs none; for tests.
    package var namesTemporaryFile = false
    /// The operations of the file system; for tests.
    package var system = FileSystemCalls.system
  }

  /// The path as given, or `standard output`.
  public let name: String
  private let options: Options
  private let writer: CoalescingWriter
  /// `nil` for direct output.
  private let temporary: TemporaryFile?
  let place: OutputPlace
  /// The position in the file at which the output starts; `nil` if it is written in order, such as a pipe.
  private let start: Int?
  /// Whether the file has previous contents, which are removed when writing starts.
  private var mustEmpty = false
  private var isFinished = false
  /// The files from which bytes were copied, and the last source.
  private let copied: InputRegistry = []
  private var latest: (any ByteSource)?

  /// The number of bytes accepted so far, written or not.
  public var position: Int { writer.position }

  /// Called with the number of bytes written so far, every few megabytes; returns whether to continue. If not, the
  /// current write or copy fails with `ECANCELED`.
  public var onProgress: ((Int) -> Bool)? {
    get { writer.output.onProgress }
    set { writer.output.onProgress = newValue }
  }

  /// The number of system calls so far.
  package var calls: SystemCallCounts { writer.output.calls }

  /// Begins the output `path`. Fails if it is a directory, an input, or a file that must not be replaced, and if no
  /// file can be created.
  public convenience init(_ path: Pathname, options: Options = Options()) throws(IOError) {
    let name = path == "-" ? "standard output" : path.description
    try self.init(OutputTarget(path, name: name, options: options), name, options)
  }

  /// Begins an output that is written to an open file, pipe or socket, from its current position on. A file is cut off
  /// there if the output is discarded, and at the end of a complete output. The descriptor remains open.
  ///
  /// What ``Options/writesDirectly`` says of losses is also true here.
  ///
  /// - Parameters:
  ///   - descriptor: The number of an open descriptor, such as that of a `FileHandle`.
  ///   - name: Its name in messages.
  ///   - options: How it is written.
  public convenience init(
    descriptor: Int32, name: String = "a file descriptor", options: Options = Options()
  ) throws(IOError) {
    let file = try attempt(.create, name, Descriptor(duplicating: descriptor))
    let status = try attempt(.create, name, FileStatus(of: file))
    try OutputTarget.check(status, name: name, options: options)
    let isDirect = status.kind == .regular && !file.appends
    try self.init(isDirect ? .direct(file) : .stream(file), name, options, empties: false)
  }

  private init(_ target: OutputTarget, _ name: String, _ options: Options, empties: Bool = true) throws(IOError) {
    (self.name, self.options) = (name, options)
    let descriptor: Descriptor
    switch target {
    case .stream(let stream):
      descriptor = stream
      temporary = nil
      place = OutputPlace(of: stream)
      start = nil
    case .direct(let file):
      descriptor = file
      temporary = nil
      place = OutputPlace(of: file)
      mustEmpty = empties
      start = try attempt(.write, name, file.position())
    case .file(let folder, let target, let existing):
      let file = try TemporaryFile(
        in: folder, for: target, like: existing, label: name, named: options.namesTemporaryFile)
      descriptor = file.descriptor
      temporary = file
      place = OutputPlace(of: target, in: folder, existing)
      start = 0
    }
    writer = CoalescingWriter(
      to: FileWriter(descriptor, name: name, isNew: temporary != nil, system: options.system))
    if let size = options.expectedSize { try expect(byteCount: size) }
  }

  /// Whether one of the two would overwrite the other.
  package func isSame(as file: OutputFile) -> Bool { place.isSame(as: file.place) }

  /// Fails if the disk has no room for an output of `byteCount` bytes in total.
  public func expect(byteCount: Int) throws(IOError) {
    guard writer.output.isRegular else { return }
    let needed = byteCount - writer.output.written
    if let error = IOError.noSpace(for: needed, on: writer.output.descriptor, file: name) { throw error }
    writer.output.expectedCount = byteCount
  }

  /// Appends `bytes`. Small writes are gathered, so a full disk may be reported by a later call.
  public func write(_ bytes: RawSpan) throws(IOError) {
    try keepingFailure { () throws(IOError) in
      try unsafe bytes.withUnsafeBytes { bytes throws(IOError) in try unsafe writer.write(bytes) }
    }
  }

  /// Appends the bytes `range` of `source`. Adjacent ranges are merged, so an error of this range may be
  /// thrown by a later call, at the latest by `flush()` or `commit()`.
  public func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
    if source !== latest {
      latest = source
      if let file = source as? FileSource {
        if place.isWritten(file.identity) { throw IOError(overwritingInput: name) }
        copied.add(file.identity)
      }
    }
    try keepingFailure { () throws(IOError) in try writer.copy(range, of: source) }
  }

  /// Replaces bytes that were written earlier. Direct output, such as a pipe, cannot be changed.
  public func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    precondition(offset >= 0 && offset + bytes.count <= position, "only what was written is replaced")
    try flush()
    try keepingFailure { () throws(IOError) in
      guard let start else {
        throw IOError(.write, file: name, offset: offset, .illegalSeek, reason: "it is written in order")
      }
      try attempt(.write, name, offset: offset, writer.output.descriptor.write(bytes, at: start + offset))
    }
  }

  /// Writes everything that is buffered, for a reader at the other end of a pipe.
  public func flush() throws(IOError) {
    try keepingFailure { () throws(IOError) in try writer.flush() }
  }

  /// Completes the output: it gets its final name. If there was an error, the output is not completed, and the error is
  /// thrown again.
  public func commit() throws(IOError) {
    try flush()
    try keepingFailure { () throws(IOError) in try writer.output.finish() }
    isFinished = true
    guard let temporary else { return try closeStream() }
    defer { temporary.remove() }
    try temporary.putInPlace(
      replacing: options.replacesExisting, keeping: options.registries + [copied], sync: options.syncs)
  }

  /// Discards the output. Releasing the object does the same, except for a file that is written directly: discarding
  /// empties it if writing has started.
  public func discard() {
    isFinished = true
    temporary?.remove()
    if temporary == nil, !mustEmpty, let start {
      try? writer.output.descriptor.truncate(to: start)
      try? writer.output.descriptor.seek(to: start)
    }
  }

  private func closeStream() throws(IOError) {
    let descriptor = writer.output.descriptor
    if let start { try attempt(.write, name, descriptor.truncate(to: start + position)) }
    if options.syncs { try attempt(.write, name, descriptor.synchronize()) }
    try attempt(.write, name, descriptor.close())
  }

  private func keepingFailure(_ body: () throws(IOError) -> Void) throws(IOError) {
    if isFinished { throw IOError(.write, file: name, reason: "it was completed or given up before") }
    try writer.keepingFailure { () throws(IOError) in
      if mustEmpty, let start {
        mustEmpty = false
        try attempt(.write, name, writer.output.descriptor.truncate(to: start))
      }
      try body()
    }
  }
}

extension OutputFile.Options {
  /// The files that the output must not replace.
  var registries: [InputRegistry] { [InputRegistry(inputs)] + [growingInputs].compactMap(\.self) }
}
