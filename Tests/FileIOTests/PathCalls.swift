import MP4Bytes
import MP4FileIO
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Pathname {
  /// The path as a C string.
  var c: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  func open(_ flags: Int32, _ mode: mode_t = 0o644) -> Int32 {
    let file = systemOpen(c, flags | O_CLOEXEC, mode)
    #expect(file >= 0)
    return file
  }

  /// Creates or replaces the file with `content`.
  func store(_ content: [UInt8], mode: mode_t = 0o644) {
    let file = open(O_CREAT | O_WRONLY | O_TRUNC, mode)
    #expect(put(content, in: file))
    #expect(fchmod(file, mode) == 0)
    close(file)
    waitForWriters(of: description)
  }

  /// The modification time.
  var modified: [Int] {
    var status = stat()
    _ = unsafe stat(c, &status)
    return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  func store(_ content: String) { store(Array(content.utf8)) }

  func cut(to size: Int) {
    let result = unsafe truncate(c, size)
    #expect(result == 0)
  }

  func link(to target: Pathname) {
    let result = unsafe symlink(target.c, c)
    #expect(result == 0)
  }

  func link(toFile target: Pathname) {
    let result = systemLink(target.c, c)
    #expect(result == 0)
  }

  func makeFolder() {
    let result = unsafe mkdir(c, 0o755)
    #expect(result == 0)
  }

  func makeFIFO() {
    let result = unsafe mkfifo(c, 0o600)
    #expect(result == 0)
  }

  var isWritable: Bool { unsafe access(c, W_OK) == 0 }

  /// All bytes of the file, or `nil` if it cannot be opened.
  var content: [UInt8]? {
    let file = systemOpen(c, O_RDONLY | O_CLOEXEC, 0)
    if file < 0 { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = unsafe read(file, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  var text: String? { content.map { String(decoding: $0, as: UTF8.self) } }

  /// The mode of the path itself; links are not followed.
  var mode: mode_t {
    var status = stat()
    return unsafe lstat(c, &status) == 0 ? status.st_mode : 0
  }
}

/// Writes all of `bytes` to a descriptor, at its position or at `offset`.
func put(_ bytes: [UInt8], in file: Int32, at offset: Int? = nil) -> Bool {
  let count =
    if let offset { unsafe pwrite(file, bytes, bytes.count, offset) } else { unsafe write(file, bytes, bytes.count) }
  return count == bytes.count
}

// Functions of C that the members of the same names hide.
private func systemOpen(_ path: [CChar], _ flags: Int32, _ mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
private func systemLink(_ target: [CChar], _ path: [CChar]) -> Int32 { unsafe link(target, path) }
