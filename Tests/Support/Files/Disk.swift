#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A system call that failed in a test.
public struct DiskError: Error, CustomStringConvertible {
  /// What was tried, and why it failed.
  public let description: String

  init(_ action: String) {
    description = unsafe action + ": " + String(cString: strerror(errno))
  }
}

/// The whole file at `path`.
public func readFile(_ path: String) throws -> [UInt8] {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw DiskError("open " + path) }
  defer { close(file) }
  return try readAll(file, path)
}

/// All bytes from the position of `file` to its end.
func readAll(_ file: Int32, _ path: String) throws -> [UInt8] {
  var bytes: [UInt8] = []
  while true {
    var count = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
      count = unsafe read(file, buffer.baseAddress, buffer.count)
      initialized = max(0, count)
    }
    guard count >= 0 else { throw DiskError("read " + path) }
    if count == 0 { return bytes }
    bytes += piece
  }
}

/// Makes or replaces the file at `path`.
public func writeFile(_ path: String, _ bytes: [UInt8]) throws {
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard file >= 0 else { throw DiskError("open " + path) }
  defer { close(file) }
  try writeAll(file, bytes, path)
}

/// Writes all of `bytes`.
func writeAll(_ file: Int32, _ bytes: [UInt8], _ path: String) throws {
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes[done...].withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { throw DiskError("write " + path) }
    done += count
  }
}

/// Whether something bears this name.
public func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// The names in a folder, sorted; empty when there is no such folder.
public func namesInFolder(_ path: String) -> [String] {
  guard let folder = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(folder) }
  var names: [String] = []
  while let entry = unsafe readdir(folder) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// The paths of all files below a folder, sorted; empty when there is no such folder.
public func filesBelow(_ folder: String) -> [String] {
  var files: [String] = []
  var waiting = [folder]
  while let path = waiting.popLast() {
    for name in namesInFolder(path) {
      let child = path + "/" + name
      if isFolder(child) { waiting.append(child) } else { files.append(child) }
    }
  }
  return files.sorted()
}

func isFolder(_ path: String) -> Bool {
  guard let folder = unsafe opendir(path) else { return false }
  unsafe closedir(folder)
  return true
}

/// A variable of the environment.
public func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)
}
