import Support
import Testing

/// A folder in which shell commands run the built tool, as users do.
///
/// In the commands, `mp4tool` is the tool and `$V` the folder of the vectors; `in.mp4` is a fragmented file. After
/// `until_waiting PID`, that program has read all available input and waits for more. After `until_refused URL`,
/// nothing listens at that URL any more.
struct EndToEnd {
  /// The working directory of the commands.
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("in.mp4", readFile(vectorPath("files/fragmented.mp4")))
  }

  /// Runs bash commands. After this many seconds they are ended with 124; the limit only catches hangs.
  func callAsFunction(_ lines: String, seconds: Int = 900) throws -> RunResult {
    let tool = product()
    let settings = [
      "export LC_ALL=C TMPDIR=\(Self.quoted(folder.path)) "
        + "PATH=\(Self.quoted(String(tool.dropLast("/mp4tool".count)))):$PATH",
      "V=\(Self.quoted(vectorPath("files")))", Self.functions,
    ]
    return try run(
      "bash", ["-c", (settings + [lines]).joined(separator: "\n")], folder: folder.path, seconds: seconds)
  }

  /// A program runs as soon as data is written to its pipe, so it sleeps again only after it has read everything.
  private static let functions = """
    until_waiting() {
      local state
      while :; do
        if test -d /proc/self; then read -r _ _ state _ 2> /dev/null < /proc/$1/stat || return 0
        else state=$(ps -o state= -p $1); fi
        case $state in [RDU]*) sleep 0.01;; *) return 0;; esac
      done
    }
    until_refused() { while curl -s -o /dev/null --max-time 60 $1; test $? != 7; do sleep 0.01; done; }
    """

  /// The bytes of a file in the folder.
  func bytes(_ name: String) throws -> [UInt8] { try readFile(folder(name)) }

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension RunResult {
  /// The lines of standard output.
  var lines: [Substring] { text.split(separator: "\n") }
  /// The lines of standard error.
  var errorLines: [Substring] { errorText.split(separator: "\n") }
  /// Messages of ffmpeg. Version 5.1 does not read the channel layout of uncompressed audio (`chnl`), and says so.
  var ffmpegMessages: [Substring] { errorLines.filter { !$0.hasPrefix("Guessed Channel Layout") } }
}
