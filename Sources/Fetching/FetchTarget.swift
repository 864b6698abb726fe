public import MP4Bytes
public import MP4FileIO

/// The destination of the bytes of a download.
public protocol FetchTarget: AnyObject {
  /// Receives the next bytes.
  func append(_ bytes: [UInt8]) throws(IOError)
  /// Discards the bytes so far: the transfer starts over.
  func restart() throws(IOError)
  /// Called when all bytes were received.
  func finish() throws(IOError)
  /// The maximum number of bytes.
  var limit: Int { get }
}

extension FetchTarget {
  /// No limit.
  public var limit: Int { .max }
}

/// Collects bytes in memory, up to a limit.
public final class MemoryTarget: FetchTarget {
  /// The bytes so far.
  public private(set) var bytes: [UInt8] = []
  /// The maximum number of bytes.
  public let limit: Int

  /// A target for at most `limit` bytes.
  public init(limit: Int) { self.limit = limit }

  /// Receives the next bytes.
  public func append(_ bytes: [UInt8]) { self.bytes += bytes }
  /// Discards the bytes so far.
  public func restart() { bytes = [] }
  /// Does nothing.
  public func finish() {}
}

/// A file that appears under its final name when it is complete.
public final class FileTarget: FetchTarget {
  private let path: Pathname
  private var output: OutputFile?

  /// The file `path`, whose folder must exist.
  public init(_ path: Pathname) { self.path = path }

  /// Receives the next bytes.
  public func append(_ bytes: [UInt8]) throws(IOError) { try opened().write(bytes) }
  /// Starts the file over.
  public func restart() {
    output?.discard()
    output = nil
  }
  /// Gives the file its final name.
  public func finish() throws(IOError) { try opened().commit() }

  private func opened() throws(IOError) -> OutputFile {
    if let output { return output }
    let output = try OutputFile(path)
    self.output = output
    return output
  }
}

/// Temporary storage for fetched data: as many temporary files as are written concurrently,
/// regardless of the number of downloads.
public final class ScratchSpace {
  private let folder: Pathname?
  private var free: [ScratchFile] = []

  /// Storage in `folder`, or in the system's temporary folder.
  public init(in folder: Pathname? = nil) { self.folder = folder }

  fileprivate func take() throws(IOError) -> ScratchFile {
    if let file = free.popLast() { return file }
    return try ScratchFile(in: folder)
  }
  fileprivate func release(_ file: ScratchFile) { free.append(file) }
}

/// The target of a download in a `ScratchSpace`.
public final class ScratchTarget: FetchTarget {
  private let space: ScratchSpace
  private var file: ScratchFile?
  private var start = 0
  /// The received bytes as a source, named like the download; `nil` until it is complete.
  public private(set) var source: FileSource?
  private let name: String

  /// A target with this name in messages.
  public init(_ space: ScratchSpace, name: String) {
    self.space = space
    self.name = name
  }

  deinit {
    if let file, source == nil { file.cut(to: start) }
  }

  /// Receives the next bytes.
  public func append(_ bytes: [UInt8]) throws(IOError) { try opened().append(bytes) }
  /// Discards the bytes.
  public func restart() { file?.cut(to: start) }
  /// Creates the source.
  public func finish() throws(IOError) {
    let file = try opened()
    source = try file.source(start..<file.size, name: name)
    space.release(file)
    self.file = nil
  }

  private func opened() throws(IOError) -> ScratchFile {
    if let file { return file }
    let file = try space.take()
    (self.file, start) = (file, file.size)
    return file
  }
}
