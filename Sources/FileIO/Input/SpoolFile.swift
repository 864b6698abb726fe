import MP4Bytes
import MP4Platform

/// An unnamed temporary file, by default in `$TMPDIR` or `/tmp`. It is removed however the program ends.
final class SpoolFile {
  let descriptor: Descriptor
  let name: String

  init(in given: Pathname? = nil) throws(IOError) {
    let folder = given ?? .temporaryFolder
    name = "temporary file in \(folder)"
    descriptor = try attempt(.create, name, Descriptor(temporaryIn: folder))
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    try unsafe attempt(.write, name, descriptor.writeAll(bytes))
  }

  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(IOError) {
    let count = try unsafe attempt(.read, name, offset: offset, descriptor.read(at: offset, into: target))
    if count < target.count { throw IOError(.read, file: name, offset: offset, .ioError) }
  }
}
