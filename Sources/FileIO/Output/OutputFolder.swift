public import MP4Bytes
import MP4Platform

/// A folder of files that is written safely: it appears under its final name only when all files are complete.
///
/// Until `commit()` the files go to a temporary folder beside it; without it, nothing remains. The folder must not
/// exist, or must be empty; its permissions are kept, and so is a symbolic link to it. Files are written one
/// after the other, so few are open at a time.
///
/// A signal handler cannot remove a folder that contains files: to leave nothing after a signal,
/// block signals while writing, and let `onProgress` check for a pending one.
public final class OutputFolder: SafeOutput {
  /// The path as given.
  public let name: String
  private let path: Pathname
  private let syncs: Bool
  private let place: OutputPlace
  private let temporary: TemporaryFolder
  private let writer: CoalescingWriter
  /// The current file, `nil` between files.
  private weak var current: FolderFile?
  private var isOpen = false
  private var isFinished = false

  /// Called with the number of bytes written so far to all files, every few megabytes and every few dozen files;
  /// returns whether to continue. If not, the current operation fails with `ECANCELED`.
  public var onProgress: ((Int) -> Bool)? {
    get { writer.output.onProgress }
    set { writer.output.onProgress = newValue }
  }

  /// The number of system calls so far.
  package var calls: SystemCallCounts { writer.output.calls }

  /// Begins the output `path`. Fails if there is a file or a non-empty folder, and if no folder can be
  /// created.
  ///
  /// - Parameters:
  ///   - path: The folder to create.
  ///   - syncs: Whether all files are flushed to disk before the folder gets its final name.
  public init(_ path: Pathname, syncs: Bool = false) throws(IOError) {
    name = path.description
    self.path = path
    self.syncs = syncs
    let target = try FolderTarget(path, label: name)
    temporary = try TemporaryFolder(for: target, label: name)
    place = OutputPlace(of: target.name, in: target.parent, target.existing)
    // Nothing is written to the folder itself; each file has its own descriptor.
    writer = CoalescingWriter(to: FileWriter(temporary.descriptor, name: name, isNew: true))
  }

  /// Whether `file` conflicts with this folder, or is in the empty folder that it replaces.
  package func isSame(as file: OutputFile) -> Bool { place.isSame(as: file.place) || file.place.isInside(place) }

  /// Fails if the disk has no room for files of `byteCount` bytes in total.
  public func expect(byteCount: Int) throws(IOError) {
    let needed = byteCount - writer.output.total
    if let error = IOError.noSpace(for: needed, on: temporary.descriptor, file: name) { throw error }
  }

  /// Ends the current file and begins a new one.
  ///
  /// - Parameter file: The path of the file in this folder, without `.` and `..`; subfolders are created.
  /// - Returns: The sink for its bytes until the next file begins. Errors may be thrown by a later call, at the latest
  ///   by `commit()`.
  public func begin(_ file: Pathname) throws(IOError) -> any ByteSink {
    precondition(file.isPlain, "a file in a folder has a plain path")
    let label = path.appending(file).description
    try keepingFailure { () throws(IOError) in
      try endFile()
      try writer.begin(try temporary.makeFile(file, label: label), name: label)
      isOpen = true
    }
    let sink = FolderFile(name: label, folder: self)
    current = sink
    return sink
  }

  /// The same for a path as text. An empty one, or one with a NUL, is not valid.
  public func begin(_ file: String) throws(IOError) -> any ByteSink {
    guard let known = Pathname(file) else { throw IOError(.create, file: file, .invalidArgument) }
    return try begin(known)
  }

  /// Ends the current file, so that its errors are known before the folder is completed.
  public func flush() throws(IOError) { try keepingFailure { () throws(IOError) in try endFile() } }

  /// Completes the output: it gets its final name with all files. If there was an error, the output is not completed,
  /// and the error is thrown again.
  public func commit() throws(IOError) {
    try keepingFailure { () throws(IOError) in
      try endFile()
      // The last point at which a signal can still stop the operation.
      try writer.output.report()
    }
    isFinished = true
    defer { temporary.remove() }
    try temporary.putInPlace(sync: syncs)
  }

  /// Discards the output. Releasing the object does the same.
  public func discard() {
    isFinished = true
    temporary.remove()
  }

  private func endFile() throws(IOError) {
    guard isOpen else { return }
    isOpen = false
    try writer.flush()
    try writer.output.finish()
    let (descriptor, name) = (writer.output.descriptor, writer.output.name)
    if syncs { try attempt(.write, name, descriptor.synchronize()) }
    // On a network file system, the last writes may fail only now.
    try attempt(.write, name, descriptor.close())
  }

  private func keepingFailure(_ body: () throws(IOError) -> Void) throws(IOError) {
    precondition(!isFinished, "an output is written before it is committed or discarded")
    try writer.keepingFailure(body)
  }
}

extension OutputFolder {
  /// One of the files, while it is the current one.
  private final class FolderFile: ByteSink {
    let name: String
    private let folder: OutputFolder

    init(name: String, folder: OutputFolder) {
      self.name = name
      self.folder = folder
    }

    var position: Int { folder.writer(of: self).position }

    func write(_ bytes: RawSpan) throws(IOError) {
      let writer = folder.writer(of: self)
      try folder.keepingFailure { () throws(IOError) in
        try unsafe bytes.withUnsafeBytes { bytes throws(IOError) in try unsafe writer.write(bytes) }
      }
    }

    func copy(_ range: Range<Int>, of source: any ByteSource) throws(IOError) {
      let writer = folder.writer(of: self)
      try folder.keepingFailure { () throws(IOError) in try writer.copy(range, of: source) }
    }
  }

  private func writer(of file: FolderFile) -> CoalescingWriter {
    precondition(file === current, "a file in a folder is written before the next one begins")
    return writer
  }
}

extension Pathname {
  /// Whether all components are proper names: none is empty, `.` or `..`.
  fileprivate var isPlain: Bool {
    bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
  }
}
