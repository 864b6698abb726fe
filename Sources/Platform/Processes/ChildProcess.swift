internal import MP4Bytes
package import MP4Platform

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that runs concurrently with this one, started without a shell. It reads the given input, and its output
/// can be read here.
///
/// It inherits no open files of this process, receives no signals from the terminal, and is killed when its last
/// reference is released. Threads that share one must use it one at a time.
package final class ChildProcess {
  package enum End: Hashable, Sendable {
    /// The exit status.
    case exited(Int32)
    /// The number of the signal that ended it.
    case stopped(Int32)
  }
  /// The result of a read that does not wait.
  package enum Output: Hashable, Sendable {
    /// The next bytes of standard output.
    case bytes([UInt8])
    /// Nothing yet.
    case nothing
    /// Standard output ended.
    case ended
  }

  /// The largest input in bytes. It fits in a pipe that nothing reads yet.
  package static let inputLimit = 16 << 10
  /// The number of bytes of standard error that are kept.
  package static let errorLimit = 4 << 10
  private static let readCount = 256 << 10

  /// The name or path with which it was started.
  package let program: String
  private let started: StartedProgram
  private let output: Descriptor
  private let errors: Descriptor
  private let buffer = ByteBuffer(count: ChildProcess.readCount)
  private var isOutputOpen = true
  private var areErrorsOpen = true
  private var end: End?
  /// The first bytes of what it wrote to standard error.
  package private(set) var errorOutput: [UInt8] = []

  /// Starts `program`, a path or a name that is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - program: What to start.
  ///   - arguments: Its arguments, without its name.
  ///   - input: What it reads from standard input, at most `inputLimit` bytes.
  /// - Throws: `noSuchFileOrDirectory` if the program does not exist, or another error that prevents the start.
  package init(_ program: String, _ arguments: [String], input: [UInt8] = []) throws(Errno) {
    precondition(input.count <= ChildProcess.inputLimit, "the input of a program fits in a pipe")
    let (inputEnd, outputEnd, errorEnd) = (try Pipe(), try Pipe(), try Pipe())
    try unsafe input.span.bytes.withUnsafeBytes { bytes throws(Errno) in try unsafe inputEnd.write.writeAll(bytes) }
    started = try StartedProgram(program, arguments, [inputEnd.read, outputEnd.write, errorEnd.write])
    self.program = program
    (output, errors) = (outputEnd.read, errorEnd.read)
    for descriptor in [output, errors] { _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK) }
  }

  deinit { stop() }

  /// Takes the available output, without waiting.
  package func read() throws(Errno) -> Output {
    takeErrors()
    guard isOutputOpen else { return .ended }
    guard let count = try unsafe output.readAvailable(into: buffer.bytes) else { return .nothing }
    if count > 0 { return .bytes(unsafe Array(buffer[0..<count])) }
    isOutputOpen = false
    return .ended
  }

  /// Waits for the program to exit, and returns how it ended. Its remaining output is discarded.
  package func waitForEnd() -> End {
    while end == nil, isOutputOpen || areErrorsOpen {
      ChildProcess.wait(for: [self], milliseconds: -1)
      takeErrors()
      do throws(Errno) {
        if isOutputOpen, try unsafe output.readAvailable(into: buffer.bytes) == 0 { isOutputOpen = false }
      } catch { isOutputOpen = false }
    }
    return reap()
  }

  /// Kills it.
  package func stop() {
    guard end == nil else { return }
    started.stop()
    _ = reap()
  }

  /// Collects the exit status, at most once.
  private func reap() -> End {
    let end = self.end ?? started.waitForEnd()
    self.end = end
    return end
  }

  private func takeErrors() {
    while areErrorsOpen {
      let count: Int
      do throws(Errno) {
        guard let available = try unsafe errors.readAvailable(into: buffer.bytes) else { return }
        count = available
      } catch { count = 0 }
      if count == 0 { areErrorsOpen = false }
      let free = ChildProcess.errorLimit - errorOutput.count
      unsafe errorOutput.append(contentsOf: buffer[0..<min(count, free)])
    }
  }
}

extension ChildProcess {
  /// Waits at most `milliseconds` until one of `processes` has output or has ended; a negative number waits
  /// indefinitely. A signal also ends the wait.
  package static func wait(for processes: [ChildProcess], milliseconds: Int) {
    var requests: [pollfd] = []
    for process in processes {
      if process.isOutputOpen { requests.append(pollfd(fd: process.output.number, events: Int16(POLLIN), revents: 0)) }
      if process.areErrorsOpen { requests.append(pollfd(fd: process.errors.number, events: Int16(POLLIN), revents: 0)) }
    }
    if requests.isEmpty, milliseconds < 0 { return }
    _ = unsafe poll(&requests, nfds_t(requests.count), Int32(clamping: milliseconds))
  }
}
