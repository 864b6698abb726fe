#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum Shell {
  /// Whether `name` is a program in one of the folders of `PATH`.
  static func exists(_ name: String) -> Bool {
    (Files.environment("PATH") ?? "").split(separator: ":").contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Runs a program without input; returns its standard output and error together, and its exit code.
  static func run(_ words: [String]) -> (output: String, status: Int32)? {
    let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    guard let stream = unsafe popen(line + " 2>&1 </dev/null", "r") else { return nil }
    let output = unsafe Files.read(fileno(stream))
    let status = unsafe pclose(stream)
    return (output, (status >> 8) & 0xff)
  }
}
