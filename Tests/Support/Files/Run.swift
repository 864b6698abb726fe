import MP4Bytes
import MP4Platform
import MP4Processes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a program ended and what it wrote.
public struct RunResult: Sendable, CustomStringConvertible {
  /// The exit code, or 128 plus the number of the signal that ended the program.
  public let exitCode: Int32
  /// What it wrote to standard output.
  public let output: [UInt8]
  /// What it wrote to standard error.
  public let errorOutput: [UInt8]

  /// Standard output as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// Standard error as text.
  public var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
  /// All results, for failure messages.
  public var description: String { "exit code \(exitCode)\n\(text)\n\(errorText)" }
}

/// Runs a program and waits until it ends.
///
/// - Parameters:
///   - program: A path, or a name that is looked up in `PATH`.
///   - input: What it reads from standard input.
///   - folder: Its working directory.
///   - kilobytes: The limit of its address space, as for `ulimit -v`.
///   - seconds: The time after which it is ended with exit code 124, if there is a `timeout` program.
public func run(
  _ program: String, _ arguments: [String] = [], input: [UInt8] = [], folder: String? = nil,
  kilobytes: Int? = nil, seconds: Int? = nil
) throws -> RunResult {
  var script = ""
  if let folder { script += "cd \(shellQuoted(folder)) && " }
  if let kilobytes { script += "ulimit -v \(kilobytes) && " }
  script += "exec " + (seconds.map { "timeout \($0) " } ?? "") + "\"$@\""

  // Files instead of pipes: a pipe that is not being read can fill up.
  guard let temporary = Pathname(environment("TMPDIR") ?? "/tmp") else { throw Errno.invalidArgument }
  let streams = try (0..<3).map { _ in try Descriptor(temporaryIn: temporary) }
  try streams[0].write(input, at: 0)
  let end = try StartedProgram("/bin/sh", ["-c", script, "sh", program] + arguments, streams).waitForEnd()
  let exitCode =
    switch end {
    case .exited(let code): code
    case .stopped(let signal): 128 + signal
    }
  return RunResult(exitCode: exitCode, output: try content(of: streams[1]), errorOutput: try content(of: streams[2]))
}

private func content(of file: Descriptor) throws -> [UInt8] {
  var bytes = try [UInt8](repeating: 0, count: FileStatus(of: file).size)
  _ = try file.read(at: 0, into: &bytes)
  return bytes
}

private func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// The path of an installed program, or `nil`.
public func which(_ tool: String) -> String? {
  let folders = (environment("PATH") ?? "").split(separator: ":")
  return folders.map { $0 + "/" + tool }.first { unsafe access($0, X_OK) == 0 }
}
