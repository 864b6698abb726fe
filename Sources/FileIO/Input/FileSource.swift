public import Bytes
package import Platform

/// A file on disk or a block device, read at any offset.
///
/// The number of bytes is that of the moment of opening: what a recorder appends later is not seen, and a file that
/// gets shorter gives fewer bytes to those who ask for the missing ones. Several threads may read at once.
public final class FileSource: ByteSource, Sendable {
  /// The path as it was given.
  public let name: String
  /// The number of bytes from the start of the source to its end when it was opened.
  public let size: Int
  /// Which file this is, to compare with an output.
  public let identity: FileIdentity
  package let descriptor: Descriptor
  /// Where in the file the source begins: not at 0 for a standard input from which something was read before.
  package let base: Int

  /// The state of the file when it was opened.
  package let stamp: FileStamp
  /// The state of the file now, or `nil` when the system does not say.
  package var currentStamp: FileStamp? { (try? FileStatus(of: descriptor)).map(FileStamp.init) }

  /// The number of bytes when the file was opened; always known.
  public var byteCount: Int? { size }

  /// Opens the file or block device at `path`. A directory is refused, and so is what cannot be read at any offset;
  /// `openSource` opens those too.
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

  /// The bytes `range` as a source of its own, called `name` in messages; as much of them as there is.
  public func part(_ range: Range<Int>, name: String) -> FileSource {
    FileSource(range.clamped(to: 0..<size), of: self, name: name)
  }

  /// Reads from `offset` of the source on; fewer bytes than asked for mean its end, also one that came nearer.
  public func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max(size - offset, 0))
    var part = buffer._mutatingExtracting(..<wanted)
    do throws(Errno) { return try descriptor.read(at: base + offset, into: &part) } catch {
      throw IOError(.read, file: name, offset: offset, error)
    }
  }
}

extension FileSource {
  /// An open file of a kind that can be read at any offset.
  struct Place {
    let descriptor: Descriptor
    let stamp: FileStamp
    let base: Int
    let size: Int

    /// `nil` when `status` is that of a stream, or of a device that does not say its size.
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
