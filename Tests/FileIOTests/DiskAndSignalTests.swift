import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A small file system in memory. Mounting it requires root.
final class SmallDisk {
  let folder = TemporaryFolder()
  init?() { if unsafe mount("tmpfs", folder.path.c, "tmpfs", 0, "size=1m") != 0 { return nil } }
  deinit { _ = unsafe umount2(folder.path.c, 2) }
  static let canBeMade = SmallDisk() != nil
}

@Suite struct DiskTests {
  @Test("A full disk is reported, and no file is left", .enabled(if: SmallDisk.canBeMade))
  func fillsUp() throws {
    let disk = try #require(SmallDisk())
    let folder = TemporaryFolder()
    folder("in").store(pattern(3_000_000))
    let output = try OutputFile(disk.folder("out"))
    let error = try #require(throws: IOError.self) {
      try output.copy(0..<3_000_000, of: try FileSource(folder("in")))
      try output.commit()
    }
    #expect(error.operation == .write)
    #expect(error.code == ENOSPC)
    #expect(error.reason == "the disk is full")
    #expect(disk.folder.names == [])
  }

  @Test("An output that does not fit on the disk is refused immediately", .enabled(if: SmallDisk.canBeMade))
  func refusesAtOnce() throws {
    let disk = try #require(SmallDisk())
    var options = OutputFile.Options()
    options.expectedSize = 3_000_000
    let error = try #require(throws: IOError.self) { try OutputFile(disk.folder("out"), options: options) }
    #expect(error.operation == .create)
    #expect(error.reason == "3000000 bytes are needed, but 1048576 are free on the disk")
    options.expectedSize = 1_000_000
    try OutputFile(disk.folder("out"), options: options).commit()
    #expect(disk.folder.names == ["out"])
  }

  @Test("An impossible size is refused, and a stream accepts any size")
  func expects() throws {
    let folder = TemporaryFolder()
    let output = try OutputFile(folder("out"))
    #expect(throws: IOError.self) { try output.expect(byteCount: .max) }
    try OutputFile("/dev/null").expect(byteCount: .max)
  }
}

/// Raises a signal that is blocked on the task threads on which tests run.
func raiseUnblocked(_ number: Int32) {
  var none = sigset_t()
  _ = unsafe sigemptyset(&none)
  _ = unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
  raise(number)
}

@Suite struct SignalTests {
  private static func unfinishedOutput(in folder: Pathname, ended signal: Int32) throws -> Never {
    Signals.removeTemporaryFilesWhenStopped()
    var options = OutputFile.Options()
    options.namesTemporaryFile = true
    let output = try OutputFile(folder.appending("out"), options: options)
    try output.write("x")
    try output.flush()
    raiseUnblocked(signal)
    _ = output
    exit(1)
  }

  @Test("A signal removes a named temporary file and still ends the program")
  func stops() async {
    let folder = TemporaryFolder()
    let bytes = folder.path.bytes
    await #expect(processExitsWith: .signal(SIGTERM)) { [bytes = bytes as [UInt8]] in
      try SignalTests.unfinishedOutput(in: Pathname(bytes)!, ended: SIGTERM)
    }
    await #expect(processExitsWith: .signal(SIGINT)) { [bytes = bytes as [UInt8]] in
      try SignalTests.unfinishedOutput(in: Pathname(bytes)!, ended: SIGINT)
    }
    #expect(folder.names == [])
  }

  @Test("With unnamed temporary files, even SIGKILL leaves nothing")
  func killed() async {
    let folder = TemporaryFolder()
    let bytes = folder.path.bytes
    await #expect(processExitsWith: .signal(SIGKILL)) { [bytes = bytes as [UInt8]] in
      let output = try OutputFile(Pathname(bytes)!.appending("out"))
      try output.write("x")
      try output.flush()
      raiseUnblocked(SIGKILL)
      _ = output
    }
    #expect(folder.names == [])
  }

  @Test("A signal that is ignored stays ignored")
  func staysIgnored() async {
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGHUP, SIG_IGN)
      Signals.removeTemporaryFilesWhenStopped()
      raiseUnblocked(SIGHUP)
      exit(3)
    }
  }
}
