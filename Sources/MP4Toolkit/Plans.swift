/// A plan that can be written as one file.
public protocol FilePlan: Sendable {
  /// The number of bytes of the file.
  var byteCount: Int { get }
  /// Diagnostics, including decisions, repairs and data loss.
  var diagnostics: [Diagnostic] { get }
  /// Writes the file.
  func write(to sink: any ByteSink) throws
}

/// A plan that can be written as a folder of files.
public protocol FolderPlan: Sendable {
  /// The number of bytes of all files.
  var folderByteCount: Int { get }
  /// Diagnostics, including decisions, repairs and data loss.
  var diagnostics: [Diagnostic] { get }
  /// Writes the files. The folder gets its final name when it is committed.
  func write(to folder: OutputFolder) throws(MovieError)
}

extension OutputPlan: FilePlan {}
extension FragmentPlan: FilePlan {}
extension TrackExtraction: FilePlan {}

extension FragmentPlan: FolderPlan {
  /// The size in bytes of the init segment and all media segments as separate files.
  public var folderByteCount: Int {
    segments.indices.reduce(initializationByteCount) { $0 + byteCount(ofSegment: $1) }
  }
  /// Writes the init segment and the media segments; `Fragmenter.Options.names` has their names.
  public func write(to folder: OutputFolder) throws(MovieError) {
    try writeInitialization(to: folder.file(initializationName))
    for index in segments.indices { try writeSegment(index, to: folder.file(name(ofSegment: index))) }
  }
}

extension PackagePlan: FolderPlan {
  /// The number of bytes of all files.
  public var folderByteCount: Int { byteCount }
  /// Writes all files of the presentation.
  public func write(to folder: OutputFolder) throws(MovieError) {
    for file in files { try write(file, to: folder.file(file.path)) }
  }
}

extension SubtitlePlan: FolderPlan {
  /// The number of bytes of all files.
  public var folderByteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
  /// Writes all files that are added to the presentation. The caller writes the multivariant playlist.
  public func write(to folder: OutputFolder) throws(MovieError) {
    for file in files { try write(file, to: folder.file(file.path)) }
  }
}

extension OutputFolder {
  /// As `begin`, with the type of errors of an operation.
  fileprivate func file(_ name: some PathnameConvertible) throws(MovieError) -> any ByteSink {
    try io(begin(name.pathname))
  }
}

extension Defragmenter: MediaOperation {
  /// Plans one progressive file.
  /// Plans the file without followers.
  public func plan(
    _ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool
  ) throws(MovieError) -> OutputPlan {
    try plan(inputs, followers: [], onProgress: onProgress)
  }
}

extension Joiner: MediaOperation {}
extension Concatenator: MediaOperation {}

extension Multiplexer: MediaOperation {
  /// Plans the file without followers.
  public func plan(
    _ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool
  ) throws(MovieError) -> OutputPlan {
    try plan(inputs, followers: [], onProgress: onProgress)
  }
}

extension Fragmenter: MediaOperation {}
extension Encryption: MediaOperation {}
extension Decrypter: MediaOperation {}
extension Cut: MediaOperation {}

extension Packager: MediaOperation {}
