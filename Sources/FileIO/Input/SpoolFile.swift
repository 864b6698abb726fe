import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A temporary file without a name, by default in `$TMPDIR` or `/tmp`, that goes when it is closed, however the program ends.
final class SpoolFile {
  let descriptor: Descriptor
  let name: String

  init(in given: Path? = nil) throws(IOError) {
    let folder = given ?? SpoolFile.folder
    name = "temporary file in \(folder)"
    #if os(Linux)
      if let anonymous = Descriptor(opening: folder, O_TMPFILE | O_RDWR, mode: 0o600) {
        descriptor = anonymous
        return
      }
    #endif
    var template = folder.appending("mp4tool.XXXXXX").cString
    let number = unsafe mkstemp(&template)
    if number < 0 { throw IOError(.create, file: name) }
    _ = unsafe unlink(template)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    descriptor = Descriptor(owning: number)
  }

  /// Where the system has temporary files.
  static var folder: Path {
    guard let variable = unsafe getenv("TMPDIR") else { return "/tmp" }
    let path = unsafe Path(cString: variable)
    return path.bytes.isEmpty ? "/tmp" : path
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(IOError) {
    if unsafe !descriptor.writeAll(bytes) { throw IOError(.write, file: name) }
  }

  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(IOError) {
    guard unsafe descriptor.read(at: offset, into: target) == target.count else {
      throw IOError(.read, file: name, offset: offset)
    }
  }
}
