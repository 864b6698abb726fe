public import MP4Bytes
package import MP4Platform

/// A file on disk or a block device, with random access.
///
/// Its size is that at the time of opening: bytes that a recorder appends later are not visible, and if the file
/// becomes shorter, reads return fewer bytes. It can be read by several threads concurrently.
public final class FileSource: ByteSource, Sendable {
  /// The path as given.
  public let name: String
  /// The size of the source when it was opened.
  public let size: Int
  /// The identity of the file, to compare with an output.
  public let identity: FileIdentity
  package let descriptor: Descriptor
  /// The file offset at which the source begins; not 0 if standard input was already partly read.
  package let base: Int

  /// The state of the file when it was opened.
  package let stamp: FileStamp
  /// The current state of the file, or `nil` if the system does not report it.
  package var currentStamp: FileStamp? { (try? FileStatus(of: descriptor)).map(FileStamp.init) }

  /// The size of the file when it was opened; always known.
  public var byteCount: Int? { size }

  /// Opens the file or block device at `path`. Directories are rejected, and so are streams, which
  /// `FileSource.open` opens.
  public convenience init(_ path: Pathname) throws(IOError) {
    let name = path.description
    // Opening a named pipe would wait for its writer.
    let descriptor = try attempt(.open, name, Descriptor(opening: path, [.readOnly, .nonBlocking]))
    let status = try attempt(.open, name, FileStatus(of: descriptor))
    if status.kind == .directory { throw IOError(.open, file: name, .isDirectory) }
    guard let source = FileSource.Place(descriptor, status, base: 0) else {
      throw IOError(.open, file: name, .illegalSeek, reason: "random access is not possible")
    }
    self.init(source, name: name)
  }

  init(_ place: Place, name: String) {
    self.name = name
    descriptor = place.descriptor
    identity = place.stamp.identity
    stamp = place.stamp
    base = place.base
    size = place.size
  }

  private init(_ range: Range<Int>, of whole: FileSource, name: String) {
    self.name = name
    descriptor = whole.descriptor
    (identity, stamp) = (whole.identity, whole.stamp)
    base = whole.base + range.lowerBound
    size = range.count
  }

  /// The bytes `range` as a separate source, called `name` in messages; as many of them as exist.
  public func part(_ range: Range<Int>, name: String) -> FileSource {
    FileSource(range.clamped(to: 0..<size), of: self, name: name)
  }

  /// Reads from `offset` on; fewer bytes than requested mean the end of the source.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max(size - offset, 0))
    var part = buffer._mutatingExtracting(..<wanted)
    do throws(Errno) { return try descriptor.read(at: base + offset, into: &part) } catch {
      throw IOError(.read, file: name, offset: offset, error)
    }
  }
}

extension FileSource {
  /// Bytes that differ for every version of the contents of `sources`, as far as the system reports changes; empty if
  /// one of them is not a file.
  package static func identity(of sources: [any ByteSource]) -> [UInt8] {
    let stamps = sources.compactMap { ($0 as? FileSource)?.stamp }
    guard stamps.count == sources.count else { return [] }
    return stamps.flatMap { stamp in Array("\(stamp.identity.inode) \(stamp.size) \(stamp.modified)\n".utf8) }
  }

  /// An open file with random access.
  struct Place {
    let descriptor: Descriptor
    let stamp: FileStamp
    let base: Int
    let size: Int

    /// `nil` if `status` is that of a stream or of a device of unknown size.
    init?(_ descriptor: Descriptor, _ status: FileStatus, base: Int) {
      var end = status.size
      if status.kind == .block {
        end = (try? descriptor.seekToEnd()) ?? 0
        try? descriptor.seek(to: base)
      }
      guard status.kind == .regular || (status.kind == .block && end > 0) else { return nil }
      self.descriptor = descriptor
      self.base = base
      stamp = FileStamp(status)
      size = max(end - base, 0)
    }
  }
}
