import Support

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files and pipes for these tests.
enum Files {
  static let repository = String(#filePath.dropLast("/Tests/mp4toolTests/Files.swift".count))

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  static func read(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return read(descriptor)
  }

  static func write(_ text: String, to path: String) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Problem(text: "cannot make \(path)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe Self.put(descriptor, $0) }
    guard count == bytes.count else { throw Problem(text: "cannot write \(path)") }
  }

  /// All bytes that can be read from `descriptor`, as text.
  static func read(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe take(descriptor, $0) }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += part.prefix(count)
    }
  }

  /// The text that `body` writes into a pipe.
  static func capture(_ body: (Int32) throws -> Void) throws -> String {
    let name = "/tmp/mp4tool-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Problem(text: "cannot make \(name)") }
    unsafe unlink(name)
    defer { close(descriptor) }
    try body(descriptor)
    lseek(descriptor, 0, SEEK_SET)
    return read(descriptor)
  }

  /// A descriptor on which writing fails with `EPIPE`.
  static func closedPipe() -> Int32 {
    guard let writing = try? makeClosedPipe() else { fatalError("there is no pipe") }
    signal(SIGPIPE, SIG_IGN)
    return writing
  }

  static func openForWriting(_ path: String) -> Int32 { unsafe open(path, O_WRONLY | O_CLOEXEC) }

  struct Problem: Error { let text: String }

  private static func put(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    guard let start = buffer.baseAddress else { return 0 }
    return unsafe systemWrite(descriptor, start, buffer.count)
  }

  private static func take(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let start = buffer.baseAddress else { return 0 }
    return unsafe systemRead(descriptor, start, buffer.count)
  }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(descriptor, start, count)
}
private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, start, count)
}
