package import Bytes
import Platform

/// A temporary file without a name for several things one after the other, each of which becomes a source.
package final class ScratchFile {
  private let file: SpoolFile
  /// How many bytes are in it.
  package private(set) var size = 0

  /// A file in `folder`, or where the system has temporary files.
  package init(in folder: Pathname? = nil) throws(IOError) { file = try SpoolFile(in: folder) }

  /// Adds `bytes` at the end.
  package func append(_ bytes: [UInt8]) throws(IOError) {
    try attempt(.write, file.name, file.descriptor.write(bytes, at: size))
    size += bytes.count
  }

  /// Takes back what lies after the first `count` bytes.
  package func cut(to count: Int) { size = min(size, count) }

  /// The bytes `range` as a source of its own called `name`.
  package func source(_ range: Range<Int>, name: String) throws(IOError) -> FileSource {
    let status = try attempt(.read, name, FileStatus(of: file.descriptor))
    guard let place = FileSource.Place(file.descriptor, status, base: range.lowerBound) else {
      throw IOError(.read, file: name, .illegalSeek)
    }
    return FileSource(place, name: name).part(0..<range.count, name: name)
  }
}
