package import MP4Bytes
import MP4Platform

/// An unnamed temporary file for several pieces of data, each of which becomes a source.
package final class ScratchFile {
  private let file: SpoolFile
  /// Its size in bytes.
  package private(set) var size = 0

  /// A file in `folder`, or in the system's temporary folder.
  package init(in folder: Pathname? = nil) throws(IOError) { file = try SpoolFile(in: folder) }

  /// Appends `bytes`.
  package func append(_ bytes: [UInt8]) throws(IOError) {
    try attempt(.write, file.name, file.descriptor.write(bytes, at: size))
    size += bytes.count
  }

  /// Truncates the file to `count` bytes.
  package func cut(to count: Int) { size = min(size, count) }

  /// The bytes `range` as a separate source called `name`.
  package func source(_ range: Range<Int>, name: String) throws(IOError) -> FileSource {
    let status = try attempt(.read, name, FileStatus(of: file.descriptor))
    guard let place = FileSource.Place(file.descriptor, status, base: range.lowerBound) else {
      throw IOError(.read, file: name, .illegalSeek)
    }
    return FileSource(place, name: name).part(0..<range.count, name: name)
  }
}
