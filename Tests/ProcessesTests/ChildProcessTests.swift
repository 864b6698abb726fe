import MP4Platform
import MP4Processes
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Child processes")
struct ChildProcessTests {
  private func output(of process: ChildProcess) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      switch try process.read() {
      case .bytes(let more): bytes += more
      case .nothing: ChildProcess.wait(for: [process], milliseconds: -1)
      case .ended: return bytes
      }
    }
  }

  @Test("A program reads the given input, and its output is returned with its status")
  func streams() throws {
    let input = (0..<ChildProcess.inputLimit).map { UInt8(truncatingIfNeeded: $0) }
    let process = try ChildProcess("sh", ["-c", "cat; echo bad >&2; exit 7"], input: input)
    #expect(try output(of: process) == input)
    #expect(process.waitForEnd() == .exited(7))
    #expect(process.errorOutput == Array("bad\n".utf8))
  }

  @Test("Arguments are not interpreted by a shell")
  func arguments() throws {
    let process = try ChildProcess("printf", ["%s|", "$(id)", "a b", "*", ";"])
    #expect(try output(of: process) == Array("$(id)|a b|*|;|".utf8))
  }

  @Test("The start of standard error is kept, regardless of its length")
  func manyErrors() throws {
    let process = try ChildProcess("sh", ["-c", "yes | head -c 1000000 >&2; echo done"])
    #expect(try output(of: process) == Array("done\n".utf8))
    #expect(process.waitForEnd() == .exited(0))
    #expect(process.errorOutput.count == ChildProcess.errorLimit)
  }

  @Test("A program is terminated when it is stopped or released")
  func stopping() throws {
    let process = try ChildProcess("sleep", ["1000"])
    process.stop()
    #expect(process.waitForEnd() == .stopped(9))
    var other: ChildProcess? = try ChildProcess("sh", ["-c", "echo $$; exec sleep 1000"])
    var number: [UInt8] = []
    while number.last != UInt8(ascii: "\n") {
      if case .bytes(let more)? = try other?.read() { number += more }
    }
    other = nil
    let pid = try #require(pid_t(String(decoding: number.dropLast(), as: UTF8.self)))
    #expect(kill(pid, 0) != 0 && errno == ESRCH)
  }

  @Test("A program inherits no open files")
  func descriptors() async {
    // Other tests open files in this process.
    await #expect(processExitsWith: .success) {
      let tests = ChildProcessTests()
      let before = try tests.output(of: ChildProcess("ls", ["/dev/fd"]))
      let held = try ChildProcess("cat", [])
      #expect(try tests.output(of: ChildProcess("ls", ["/dev/fd"])) == before)
      held.stop()
    }
  }

  @Test("A missing program is an error that names it")
  func missing() {
    let error = #expect(throws: Errno.self) { try ChildProcess("no-such-program", []) }
    #expect(error == .noSuchFileOrDirectory)
  }
}
