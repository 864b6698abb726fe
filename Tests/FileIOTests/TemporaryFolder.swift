import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A new folder for one test, removed afterwards with its contents.
final class TemporaryFolder {
  let path: Pathname

  init(in parent: String = "/tmp") {
    var template = Array("\(parent)/FileIOTests.XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { fatalError("\(parent) can hold no folder") }
    unsafe path = Pathname(cString: made)
  }

  deinit { TemporaryFolder.remove(path) }

  /// The path of `name` in the folder.
  func callAsFunction(_ name: Pathname) -> Pathname { path.appending(name) }

  /// The names in the folder, without `.` and `..`, sorted.
  var names: [String] { path.namesInside }

  fileprivate static func names(in folder: Pathname) -> [Pathname] {
    guard let stream = unsafe opendir(folder.c) else { return [] }
    defer { _ = unsafe closedir(stream) }
    var names: [Pathname] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Pathname($0.prefix { $0 != 0 }) }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func remove(_ path: Pathname) {
    if unsafe unlink(path.c) == 0 { return }
    for name in names(in: path) { remove(path.appending(name)) }
    _ = unsafe rmdir(path.c)
  }
}

extension Pathname {
  /// The names in this folder, without `.` and `..`, sorted.
  var namesInside: [String] { TemporaryFolder.names(in: self).map(\.description).sorted() }
}

/// Pseudorandom bytes, so that a wrong offset is noticed.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var state = seed
  return bytes(count) { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
}

extension ByteSource {
  /// Up to `count` bytes from `offset` on.
  func bytes(at offset: Int, _ count: Int) throws(IOError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    var memory = unsafe span.mutableBytes
    let read = try self.read(at: offset, into: &memory)
    return Array(bytes[..<read])
  }
}

extension ByteSink {
  func write(_ text: String) throws(IOError) { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws(IOError) { try unsafe write(bytes.span.bytes) }
}
