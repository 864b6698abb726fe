public import Bytes
public import FileIO

/// Where the bytes of a download go.
public protocol FetchTarget: AnyObject {
  /// Takes the next bytes.
  func append(_ bytes: [UInt8]) throws(IOError)
  /// Forgets the bytes so far: they are sent once more from the first one on.
  func restart() throws(IOError)
  /// Called when all bytes were there.
  func finish() throws(IOError)
  /// The most bytes that it takes.
  var limit: Int { get }
}

extension FetchTarget {
  /// As many as there are.
  public var limit: Int { .max }
}

/// Bytes that are fetched into memory, of which there is a limit.
public final class MemoryTarget: FetchTarget {
  /// What came so far.
  public private(set) var bytes: [UInt8] = []
  /// The most bytes that it takes.
  public let limit: Int

  /// Memory for `limit` bytes at most.
  public init(limit: Int) { self.limit = limit }

  /// Takes the next bytes.
  public func append(_ bytes: [UInt8]) { self.bytes += bytes }
  /// Forgets the bytes so far.
  public func restart() { bytes = [] }
  /// Nothing is left to do.
  public func finish() {}
}

/// A file that bears its name only when all bytes are there.
public final class FileTarget: FetchTarget {
  private let path: Pathname
  private var output: OutputFile?

  /// The file `path`, whose folder is there.
  public init(_ path: Pathname) { self.path = path }

  /// Takes the next bytes.
  public func append(_ bytes: [UInt8]) throws(IOError) { try opened().write(bytes) }
  /// Begins the file once more.
  public func restart() {
    output?.discard()
    output = nil
  }
  /// Gives the file its name.
  public func finish() throws(IOError) { try opened().commit() }

  private func opened() throws(IOError) -> OutputFile {
    if let output { return output }
    let output = try OutputFile(path)
    self.output = output
    return output
  }
}

/// Room for what is fetched and goes when the program ends: as many temporary files as are written at the same time,
/// whatever the number of downloads.
public final class ScratchSpace {
  private let folder: Pathname?
  private var free: [ScratchFile] = []

  /// Room in `folder`, or where the system has temporary files.
  public init(in folder: Pathname? = nil) { self.folder = folder }

  fileprivate func take() throws(IOError) -> ScratchFile {
    if let file = free.popLast() { return file }
    return try ScratchFile(in: folder)
  }
  fileprivate func release(_ file: ScratchFile) { free.append(file) }
}

/// A download that goes to a part of a `ScratchSpace`.
public final class ScratchTarget: FetchTarget {
  private let space: ScratchSpace
  private var file: ScratchFile?
  private var start = 0
  /// What came, called as the download is; `nil` until all of it is there.
  public private(set) var source: FileSource?
  private let name: String

  /// A download that messages call `name`.
  public init(_ space: ScratchSpace, name: String) {
    self.space = space
    self.name = name
  }

  deinit {
    if let file, source == nil { file.cut(to: start) }
  }

  /// Takes the next bytes.
  public func append(_ bytes: [UInt8]) throws(IOError) { try opened().append(bytes) }
  /// Takes the bytes back.
  public func restart() { file?.cut(to: start) }
  /// Makes the source.
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
