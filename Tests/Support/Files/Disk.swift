#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A system call that failed in a test.
public struct DiskError: Error, CustomStringConvertible {
  /// What was attempted, and why it failed.
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

/// Creates or replaces the file at `path`.
public func writeFile(_ path: String, _ bytes: [UInt8]) throws {
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard file >= 0 else { throw DiskError("open " + path) }
  defer {
    close(file)
    waitForWriters(of: path)
  }
  var done = 0
  while done < bytes.count {
    let count = unsafe bytes[done...].withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { throw DiskError("write " + path) }
    done += count
  }
}

/// Waits until no process has the file open for writing, as far as the system reports it.
///
/// If another thread starts a program, that program has copies of all descriptors until it runs. As long as one of them
/// can write, the file cannot be run, and it is considered to be still being recorded.
public func waitForWriters(of path: String) {
  #if os(Linux)
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    let (setSignal, setLease) = (Int32(10), Int32(1024))
    _ = fcntl(file, setSignal, SIGURG)
    // The test itself may have the file open.
    for _ in 0..<10_000 {
      if fcntl(file, setLease, Int32(F_RDLCK)) == 0 || errno != EAGAIN { break }
      usleep(1000)
    }
    _ = fcntl(file, setLease, Int32(F_UNLCK))
  #endif
}

/// The ends of a pipe, which programs started meanwhile do not keep open.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  #if os(Linux)
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw DiskError("pipe") }
  #else
    guard unsafe pipe(&ends) == 0 else { throw DiskError("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  #endif
  return (ends[0], ends[1])
}

/// Closes descriptors.
public func closeDescriptors(_ numbers: Int32...) { for number in numbers { close(number) } }

/// The writing end of a pipe without a reader.
public func makeClosedPipe() throws -> Int32 {
  let (reading, writing) = try makePipe()
  close(reading)
  // A program that another thread starts has the end of the reader until it runs.
  var state = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
  while state.revents & Int16(POLLERR) == 0 { _ = unsafe poll(&state, 1, 10) }
  return writing
}

#if os(Linux)
  // The C library module does not export this function.
  @_silgen_name("pipe2")
  private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32
#endif

/// Whether a file or folder with this name exists.
public func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// The names in a folder, sorted; empty if the folder does not exist.
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

/// The paths of all files below a folder, sorted; empty if the folder does not exist.
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

/// The value of an environment variable.
public func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)
}
