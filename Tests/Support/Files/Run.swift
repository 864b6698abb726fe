#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a program ended and what it wrote.
public struct RunResult: Sendable, CustomStringConvertible {
  /// The exit code, or 128 and the number of the signal that ended the program.
  public let exitCode: Int32
  /// What it wrote to standard output.
  public let output: [UInt8]
  /// What it wrote to standard error.
  public let errorOutput: [UInt8]

  /// Standard output as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// Standard error as text.
  public var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
  /// Everything, for messages of failed tests.
  public var description: String { "exit code \(exitCode)\n\(text)\n\(errorText)" }
}

/// Runs a program to its end.
///
/// - Parameters:
///   - program: a path, or a name that is looked up in `PATH`.
///   - input: what it reads from standard input.
///   - folder: where it runs.
///   - kilobytes: its address space at most, as `ulimit -v` counts.
///   - seconds: after which it is ended with exit code 124, where there is a `timeout` program.
public func run(
  _ program: String, _ arguments: [String] = [], input: [UInt8] = [], folder: String? = nil,
  kilobytes: Int? = nil, seconds: Int? = nil
) throws -> RunResult {
  var script = ""
  if let folder { script += "cd \(shellQuoted(folder)) && " }
  if let kilobytes { script += "ulimit -v \(kilobytes) && " }
  script += "exec " + (seconds.map { "timeout \($0) " } ?? "") + "\"$@\""

  // Files rather than pipes: none of them can fill up while nobody reads.
  let streams = try (0..<3).map { _ in try unlinkedFile() }
  defer { for stream in streams { close(stream) } }
  try writeAll(streams[0], input, "input")
  lseek(streams[0], 0, SEEK_SET)

  let status = try spawn(["/bin/sh", "-c", script, "sh", program] + arguments, streams)
  for stream in streams { lseek(stream, 0, SEEK_SET) }
  let signal = status & 0x7f
  return RunResult(
    exitCode: signal == 0 ? status >> 8 & 0xff : 128 + signal,
    output: try readAll(streams[1], "output"), errorOutput: try readAll(streams[2], "errors"))
}

/// Starts a program with these streams and returns its status as `waitpid` gives it.
private func spawn(_ words: [String], _ streams: [Int32]) throws -> Int32 {
  #if canImport(Glibc)
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #endif
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  for (number, stream) in streams.enumerated() {
    unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
  }
  // Threads of the test runner block signals; a program that inherits that cannot be stopped.
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { unsafe arguments.forEach { unsafe free($0) } }
  var process: pid_t = 0
  let failure = unsafe posix_spawn(&process, words[0], &actions, &attributes, &arguments, environ)
  guard failure == 0 else {
    errno = failure
    throw DiskError("run " + words[0])
  }
  var status: Int32 = 0
  while unsafe waitpid(process, &status, 0) < 0 {
    guard errno == EINTR else { throw DiskError("wait for " + words[0]) }
  }
  return status
}

private func unlinkedFile() throws -> Int32 {
  var template = Array(((environment("TMPDIR") ?? "/tmp") + "/mp4tool-test-XXXXXX").utf8CString)
  let file = unsafe mkstemp(&template)
  guard file >= 0 else { throw DiskError("mkstemp") }
  _ = unsafe unlink(template)
  _ = fcntl(file, F_SETFD, FD_CLOEXEC)
  return file
}

private func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// The path of an installed program, or `nil`.
public func which(_ tool: String) -> String? {
  let folders = (environment("PATH") ?? "").split(separator: ":")
  return folders.map { $0 + "/" + tool }.first { unsafe access($0, X_OK) == 0 }
}
