public import Bytes
import Platform

/// A folder of files that is written safely: it bears its name only when all of them are complete.
///
/// Until `commit()` the files go to a temporary folder beside it; without it, nothing is left. There must be nothing of
/// its name, or an empty folder, whose mode the new one takes over; a symbolic link to one stays. Files are written one
/// after the other, so that few are open however many there are.
///
/// A handler of signals cannot remove a folder with files in it: a program that wants nothing to be left when it is asked
/// to stop holds signals back while it writes, and lets `onProgress` look whether one waits.
public final class OutputFolder: SafeOutput {
  /// The path as it was given.
  public let name: String
  private let path: Pathname
  private let syncs: Bool
  private let place: OutputPlace
  private let temporary: TemporaryFolder
  private let writer: CoalescingWriter
  /// The file that is written now, `nil` between files.
  private weak var current: FolderFile?
  private var isOpen = false
  private var isFinished = false

  /// Called with the number of bytes written so far to all files, every few megabytes and some dozens of files; what it returns
  /// says whether to go on. When not, what is at hand fails with `ECANCELED`.
  public var onProgress: ((Int) -> Bool)? {
    get { writer.output.onProgress }
    set { writer.output.onProgress = newValue }
  }

  /// How many system calls were made so far.
  package var calls: SystemCallCounts { writer.output.calls }

  /// Begins the output `path`. Fails when there is a file or a folder with something in it, and where no folder can be
  /// made.
  ///
  /// - Parameters:
  ///   - path: The folder to make.
  ///   - syncs: Whether all files are on the disk before it gets its name.
  public init(_ path: Pathname, syncs: Bool = false) throws(IOError) {
    name = path.description
    self.path = path
    self.syncs = syncs
    let target = try FolderTarget(path, label: name)
    temporary = try TemporaryFolder(for: target, label: name)
    place = OutputPlace(of: target.name, in: target.parent, target.existing)
    // Nothing is written to the folder itself: each file brings its own descriptor.
    writer = CoalescingWriter(to: FileWriter(temporary.descriptor, name: name))
  }

  /// Whether `file` would be in the way of this folder, or lost with the empty one that it replaces.
  package func isSame(as file: OutputFile) -> Bool { place.isSame(as: file.place) || file.place.isInside(place) }

  /// Fails when the disk has no room for files of `byteCount` bytes in all.
  public func expect(byteCount: Int) throws(IOError) {
    let needed = byteCount - writer.output.total
    if let error = IOError.noSpace(for: needed, on: temporary.descriptor, file: name) { throw error }
  }

  /// Ends the file before and begins a new one.
  ///
  /// - Parameter file: The path of the file seen from this folder, without `.` and `..`; folders in it are made.
  /// - Returns: Where its bytes go until the next file begins. An error of these may be thrown by a later call, at the
  ///   latest by `commit()`.
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

  /// As the other, for a path in a text; one that is empty or has a NUL in it names no file.
  public func begin(_ file: String) throws(IOError) -> any ByteSink {
    guard let known = Pathname(file) else { throw IOError(.create, file: file, .invalidArgument) }
    return try begin(known)
  }

  /// Ends the file that is written now, so that an error of it is known before the folder is completed.
  public func flush() throws(IOError) { try keepingFailure { () throws(IOError) in try endFile() } }

  /// Completes the output: it gets its name with everything in it. An output of which anything failed is not completed;
  /// that error is thrown once more.
  public func commit() throws(IOError) {
    try keepingFailure { () throws(IOError) in
      try endFile()
      // The last moment at which a signal can still be heeded.
      try writer.output.report()
    }
    isFinished = true
    defer { temporary.remove() }
    try temporary.putInPlace(sync: syncs)
  }

  /// Gives the output up and removes what there is of it. Without this, the end of the object does the same.
  public func discard() {
    isFinished = true
    temporary.remove()
  }

  private func endFile() throws(IOError) {
    guard isOpen else { return }
    isOpen = false
    try writer.flush()
    let (descriptor, name) = (writer.output.descriptor, writer.output.name)
    if syncs { try attempt(.write, name, descriptor.synchronize()) }
    // On a network the last writes may fail only now.
    try attempt(.write, name, descriptor.close())
  }

  private func keepingFailure(_ body: () throws(IOError) -> Void) throws(IOError) {
    precondition(!isFinished, "an output is written before it is committed or discarded")
    try writer.keepingFailure(body)
  }
}

extension OutputFolder {
  /// One of the files, as long as it is the one that is written.
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
  /// Whether it leads down from a folder and never up again.
  fileprivate var isPlain: Bool {
    bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
  }
}
