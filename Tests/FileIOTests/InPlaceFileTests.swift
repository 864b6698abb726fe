import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import Support
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct InPlaceFileTests {
  let folder = TemporaryFolder()
  private let old = pattern(5000)
  private var path: Pathname { folder("file") }

  private func open() throws -> InPlaceFile {
    path.store(old)
    return try InPlaceFile(path)
  }
  /// All steps except the commit; replaces three bytes at the end.
  private func change(_ file: InPlaceFile) throws {
    try file.replace([1, 2, 3, 4], at: 100)
    try file.synchronize()
    try file.append(at: old.count - 3)
    try file.write(pattern(8, seed: 2))
    try file.synchronize()
    try file.append(at: old.count + 5)
    try file.write(pattern(3_000_000, seed: 3))
    try file.copy(0..<200, of: file.source)
    try file.synchronize()
  }
  private var changed: [UInt8] {
    var bytes = Array(old.dropLast(3)) + pattern(8, seed: 2) + pattern(3_000_000, seed: 3)
    bytes.replaceSubrange(100..<104, with: [1, 2, 3, 4])
    return bytes + Array(bytes[..<200])
  }

  @Test("Every synchronized step is in the file, and after the commit all of them stay")
  func commits() throws {
    do {
      let file = try open()
      #expect(file.source.size == old.count)
      try change(file)
      #expect(path.content == changed)
      #expect(file.position == changed.count)
      try file.commit([9, 9], at: 20)
      try file.synchronize()
      try file.revert()
    }
    var expected = changed
    expected.replaceSubrange(20..<22, with: [9, 9])
    #expect(path.content == expected)
    #expect(folder.names == ["file"])
  }

  @Test("Uncommitted changes are reverted byte for byte", arguments: [false, true])
  func takesBack(explicitly: Bool) throws {
    do {
      let file = try open()
      try change(file)
      if explicitly { try file.revert() }
    }
    #expect(path.content == old)
  }

  @Test("An unchanged file is not written")
  func untouched() throws {
    path.store(old)
    var before = stat()
    var after = stat()
    _ = unsafe stat(path.c, &before)
    do { _ = try InPlaceFile(path).source.bytes(at: 10, 20) }
    _ = unsafe stat(path.c, &after)
    #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
  }

  @Test("A request to stop fails the next step, and the file is restored")
  func stops() throws {
    do {
      let file = try open()
      try change(file)
      file.onProgress = { _ in false }
      let error = try #require(throws: IOError.self) { try file.commit([1], at: 0) }
      #expect(error.code == ECANCELED && error.operation == .write)
    }
    #expect(path.content == old)
  }

  @Test("A file that another process extended is left alone, a changed one is restored")
  func changedByOthers() throws {
    do {
      let file = try open()
      try change(file)
      let other = path.open(O_WRONLY | O_APPEND)
      #expect(put([7, 7, 7], in: other))
      close(other)
      let error = try #require(throws: IOError.self) { try file.commit([1], at: 0) }
      #expect(error.reason.hasPrefix("another program has changed it"))
    }
    #expect(path.content == changed + [7, 7, 7])
    do {
      let file = try open()
      try change(file)
      let other = path.open(O_WRONLY)
      // The resolution of file times is a few milliseconds.
      let time = path.modified
      while path.modified == time { #expect(put([7], in: other, at: 50)) }
      close(other)
      #expect(throws: IOError.self) { try file.commit([1], at: 0) }
    }
    var expected = old
    expected[50] = 7
    #expect(path.content == expected)
  }

  @Test("A file that grew after it was opened is not written")
  func grew() throws {
    let file = try open()
    let other = path.open(O_WRONLY | O_APPEND)
    #expect(put([7], in: other))
    close(other)
    #expect(throws: IOError.self) { try change(file) }
    #expect(path.content == old + [7])
  }

  @Test("A file that was replaced by another one is restored")
  func renamed() throws {
    do {
      let file = try open()
      try change(file)
      let result = unsafe rename(path.c, folder("moved").c)
      #expect(result == 0)
      path.store("another")
      let error = try #require(throws: IOError.self) { try file.commit([1], at: 0) }
      #expect(error.reason == "its name now refers to another file")
    }
    #expect(path.text == "another")
    #expect(folder("moved").content == old)
  }

  @Test("A file that another process writes or has locked is refused")
  func busy() throws {
    path.store(old)
    let writer = path.open(O_WRONLY)
    let error = try #require(throws: IOError.self) { try InPlaceFile(path) }
    #expect(error.operation == .change && error.code == EBUSY)
    close(writer)
    waitForWriters(of: path.description)
    let first = try InPlaceFile(path)
    let second = try #require(throws: IOError.self) { try InPlaceFile(path) }
    #expect(second.operation == .change)
    try first.revert()
  }

  @Test("Everything but a regular file is refused, and so is a missing file")
  func kinds() throws {
    folder("pipe").makeFIFO()
    for path in [folder("pipe"), "/dev/null", "/dev/stdin", "/dev/fd/0"] as [Pathname] {
      let error = try #require(throws: IOError.self) { try InPlaceFile(path) }
      #expect(error.code == InPlaceFile.notAFile && error.operation == .open, "\(path)")
    }
    for (path, code) in [(folder("none"), ENOENT), (folder.path, EISDIR)] {
      let error = try #require(throws: IOError.self) { try InPlaceFile(path) }
      #expect(error.code == code && error.operation == .open)
    }
  }

  @Test("A read-only file is refused with that reason", .enabled(if: geteuid() != 0, "root may write everything"))
  func readOnly() throws {
    path.store(old, mode: 0o444)
    let error = try #require(throws: IOError.self) { try InPlaceFile(path) }
    #expect(error.operation == .change && error.code == EACCES)
    #expect(error.description == "\(path): cannot change: permission denied")
  }

  @Test("A change that does not fit on the disk is refused before it starts")
  func noSpace() throws {
    let file = try open()
    let error = try #require(throws: IOError.self) { try file.expect(byteCount: 1 << 60) }
    #expect(error.code == ENOSPC && error.operation == .change)
    try file.expect(byteCount: 1000)
  }

  @Test("Termination signals wait until the change is complete, and are reported")
  func heldSignals() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      // The threads of the test runner block signals.
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
      Signals.holdingStops { isWaiting in
        guard !isWaiting() else { exit(1) }
        pthread_kill(pthread_self(), SIGTERM)
        guard isWaiting() else { exit(2) }
      }
      exit(3)
    }
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGHUP, SIG_IGN)
      Signals.holdingStops { isWaiting in
        pthread_kill(pthread_self(), SIGHUP)
        if isWaiting() { exit(2) }
      }
      exit(3)
    }
  }
}
