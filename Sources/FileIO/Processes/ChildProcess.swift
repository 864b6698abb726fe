public import Bytes

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that runs beside this one, started without a shell: it reads what it is given, and what it writes comes
/// back.
///
/// It sees none of the open files of this one, gets no signals of the terminal, and is ended when nothing holds this
/// value any more. Threads that share one have to use it one at a time.
public final class ChildProcess {
  /// How a program ended.
  public enum End: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By a signal with this number.
    case stopped(Int32)
  }
  /// What there is to read at a moment.
  public enum Output: Hashable, Sendable {
    /// The next bytes of standard output.
    case bytes([UInt8])
    /// Nothing yet.
    case nothing
    /// Standard output ended.
    case ended
  }

  /// The most that can be given to a program to read: it fits in a pipe that is not read yet.
  public static let inputLimit = 16 << 10
  /// How much of standard error is kept.
  public static let errorLimit = 4 << 10
  private static let readCount = 256 << 10

  /// The name that it was started by.
  public let program: String
  private let number: pid_t
  private let output: Descriptor
  private let errors: Descriptor
  private let buffer = ByteBuffer(count: ChildProcess.readCount)
  private var isOutputOpen = true
  private var areErrorsOpen = true
  private var end: End?
  /// The first bytes of what it wrote to standard error.
  public private(set) var errorOutput: [UInt8] = []

  /// Starts `program`, a path or a name that is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - program: What to start.
  ///   - arguments: Its arguments, without its name.
  ///   - input: What it reads from standard input, at most `inputLimit` bytes.
  /// - Throws: `IOError` with `.open` and `ENOENT` when there is no such program, or with what else keeps it from starting.
  public init(_ program: String, _ arguments: [String], input: [UInt8] = []) throws(IOError) {
    precondition(input.count <= ChildProcess.inputLimit, "the input of a program fits in a pipe")
    let (inputEnd, outputEnd, errorEnd) = (try Pipe(program), try Pipe(program), try Pipe(program))
    let written = unsafe input.withUnsafeBytes { unsafe inputEnd.write.writeAll($0) }
    if !written { throw IOError(.open, file: program) }
    let streams = [inputEnd.read, outputEnd.write, errorEnd.write]
    number = try ProgramStart(program, arguments, streams).run()
    self.program = program
    (output, errors) = (outputEnd.read, errorEnd.read)
    for descriptor in [output, errors] { _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK) }
  }

  deinit { stop() }

  /// Takes what there is to read, without waiting for it.
  public func read() throws(IOError) -> Output {
    takeErrors()
    guard isOutputOpen else { return .ended }
    guard let count = take(from: output) else { throw IOError(.read, file: program) }
    if count > 0 { return .bytes(unsafe Array(buffer[0..<count])) }
    if count < 0 { return .nothing }
    isOutputOpen = false
    return .ended
  }

  /// Waits until it has ended by itself, and returns how. What it still writes to standard output is lost.
  public func waitForEnd() -> End {
    while end == nil, isOutputOpen || areErrorsOpen {
      ChildProcess.wait(for: [self], milliseconds: -1)
      takeErrors()
      if isOutputOpen, let count = take(from: output) { isOutputOpen = count != 0 } else { isOutputOpen = false }
    }
    return reap()
  }

  /// Ends it at once.
  public func stop() {
    guard end == nil else { return }
    _ = kill(number, SIGKILL)
    _ = reap()
  }

  /// Takes its status, so that nothing of it stays in the tables of the system.
  private func reap() -> End {
    if let end { return end }
    var status: Int32 = 0
    let result = uninterrupted { unsafe waitpid(number, &status, 0) }
    let signal = status & 0x7f
    let end: End = result < 0 ? .exited(0) : signal == 0 ? .exited(status >> 8 & 0xff) : .stopped(signal)
    self.end = end
    return end
  }

  private func takeErrors() {
    while areErrorsOpen {
      guard let count = take(from: errors), count != 0 else {
        areErrorsOpen = false
        return
      }
      if count < 0 { return }
      let free = ChildProcess.errorLimit - errorOutput.count
      unsafe errorOutput.append(contentsOf: buffer[0..<min(count, free)])
    }
  }

  /// Fills the buffer with what there is: how many bytes, 0 at the end, -1 when there is nothing yet, `nil` when that fails.
  private func take(from descriptor: Descriptor) -> Int? {
    #if canImport(Darwin)
      let count = uninterrupted { unsafe Darwin.read(descriptor.number, buffer.bytes.baseAddress, buffer.count) }
    #elseif canImport(Glibc)
      let count = uninterrupted { unsafe Glibc.read(descriptor.number, buffer.bytes.baseAddress, buffer.count) }
    #elseif canImport(Musl)
      let count = uninterrupted { unsafe Musl.read(descriptor.number, buffer.bytes.baseAddress, buffer.count) }
    #endif
    return count >= 0 || errno == EAGAIN ? count : nil
  }
}

extension ChildProcess {
  /// Waits until one of `processes` has something to read or has ended, for so many milliseconds at most; a negative
  /// number waits for ever. A signal ends the waiting too.
  public static func wait(for processes: [ChildProcess], milliseconds: Int) {
    var requests: [pollfd] = []
    for process in processes {
      if process.isOutputOpen { requests.append(pollfd(fd: process.output.number, events: Int16(POLLIN), revents: 0)) }
      if process.areErrorsOpen { requests.append(pollfd(fd: process.errors.number, events: Int16(POLLIN), revents: 0)) }
    }
    if requests.isEmpty, milliseconds < 0 { return }
    _ = unsafe poll(&requests, nfds_t(requests.count), Int32(clamping: milliseconds))
  }
}
