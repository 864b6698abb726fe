import ISOBMFF
import MP4Bytes
import Testing

@testable import mp4tool

@Suite("The tool as a whole")
struct ToolTests {
  /// The standard output, standard error and exit code of one command line.
  private func run(
    _ line: String, commands: [Command] = Command.all, standardOutput: Int32? = nil
  ) throws -> (output: String, errors: String, code: ExitCode) {
    var (errors, code) = ("", ExitCode.done)
    let output = try Files.capture { one in
      errors = try Files.capture { two in
        let tool = Tool(
          commands: commands, console: Console(descriptor: standardOutput ?? one), errors: ErrorStream(descriptor: two))
        code = tool.run(line.split(separator: " ").map { Argument(String($0)) })
      }
    }
    return (output, errors, code)
  }

  /// A command that prints something and then fails with `error`.
  private func failing(_ error: any Error) -> Command {
    Command(
      name: "fail", summary: "fail", operands: [], description: [], options: [], examples: [],
      run: { _, context in
        try context.console.write("begun\n")
        throw error
      })
  }

  @Test("Without arguments, there is a short usage and 64")
  func nothingAsked() throws {
    let result = try run("")
    #expect(result.code == .wrongUsage)
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("Usage: mp4tool COMMAND"))
    #expect(result.errors.contains("  defrag, remux  write one ordinary MP4"))
    #expect(try run("-q").code == .wrongUsage)
  }

  @Test(
    "Help and version can be requested anywhere",
    arguments: [
      ("--version", "mp4tool 0.1.0\n"), ("dump --version", "mp4tool 0.1.0\n"), ("--version join", "mp4tool 0.1.0\n"),
      ("-h", "mp4tool 0.1.0: inspect"), ("--help", "mp4tool 0.1.0: inspect"), ("-qh", "mp4tool 0.1.0: inspect"),
      ("help", "mp4tool 0.1.0: inspect"), ("help dump", "mp4tool dump: show"), ("dump -h", "mp4tool dump: show"),
      ("--help dump", "mp4tool dump: show"), ("dump x --help", "mp4tool dump: show"),
      ("remux -h", "mp4tool defrag (also: remux): "), ("help remux", "mp4tool defrag (also: remux): "),
      ("completions bash", "# bash completion"), ("completions zsh", "#compdef mp4tool"),
      ("completions fish", "# fish completion"),
    ])
  func helps(line: String, beginning: String) throws {
    let result = try run(line)
    #expect(result.output.hasPrefix(beginning))
    #expect(result.errors == "")
    #expect(result.code == .done)
  }

  @Test(
    "Wrong usage gives one line, a hint and 64",
    arguments: [
      ("dump --verbos x", "dump", "unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?"),
      ("dmup x", "", "unknown command 'dmup'; did you mean 'dump'?"),
      ("--hlep", "", "unknown option '--hlep'; did you mean '--help'?"),
      ("--order time join", "", "option '--order' must follow the name of a command"),
      ("completions tcsh", "completions", "SHELL can be 'bash', 'zsh' or 'fish', not 'tcsh'"),
      ("help jion", "help", "unknown command 'jion'; did you mean 'join'?"),
    ])
  func wrongUsage(line: String, command: String, message: String) throws {
    let program = command.isEmpty ? "mp4tool" : "mp4tool \(command)"
    let result = try run(line)
    #expect(result.errors == "\(program): \(message)\nTry '\(program) --help'.\n")
    #expect(result.output == "")
    #expect(result.code == .wrongUsage)
  }

  @Test(
    "Commands of other tools get a suggestion of this one's",
    arguments: [
      ("faststart in.mp4", "", "unknown command 'faststart'; did you mean 'defrag'?"),
      ("Convert in.mp4", "", "unknown command 'Convert'; did you mean 'defrag' or 'fragment'?"),
      ("split in.mp4", "", "unknown command 'split'; did you mean 'fragment --segments' or 'hls'?"),
      ("merge a b", "", "unknown command 'merge'; did you mean 'mux', 'concat' or 'defrag'?"),
      ("demux a", "", "unknown command 'demux'; did you mean 'extract --tracks' or 'defrag --tracks'?"),
      ("help version", "help", "unknown command 'version'; did you mean '--version'?"),
      ("-V", "", "unknown option '-V'; did you mean '--version'?"),
      ("dump --json a", "dump", "unknown option '--json'; did you mean '--format json'?"),
      ("defrag --json a -o x", "defrag", "unknown option '--json'; did you mean '--report -'?"),
      ("hls --duration 6 a", "hls", "unknown option '--duration'; did you mean '--segment-duration'?"),
      ("join --duration 6 a", "join", "unknown option '--duration'; did you mean '--limit'?"),
      ("extract --track 2 a", "extract", "unknown option '--track'; did you mean '--tracks'?"),
      ("hls --hls_time=6 a", "hls", "unknown option '--hls_time'; did you mean '--segment-duration'?"),
      (
        "join --segment-duration 6 a", "join",
        "unknown option '--segment-duration'; did you mean 'mp4tool hls --segment-duration' or "
          + "'mp4tool fragment --segment-duration'?"
      ),
      ("defrag -i a x.mp4", "defrag", "unknown option '-i'; inputs are given without an option"),
      ("defrag -y a", "defrag", "unknown option '-y'; an existing output is replaced unless '--no-clobber' is given"),
      ("defrag -movflags faststart a", "defrag", "unknown option '-movflags'; did you mean '--moov first'?"),
    ])
  func otherTools(line: String, command: String, message: String) throws {
    try wrongUsage(line: line, command: command, message: message)
  }

  @Test(
    "A system error gives the exit code of the operation",
    arguments: [
      (IOError.Operation.open, ExitCode.inputMissing), (.read, .readOrWriteFailed), (.create, .outputNotMade),
      (.change, .outputNotMade),
      (.write, .readOrWriteFailed),
    ])
  func systemErrors(operation: IOError.Operation, code: ExitCode) throws {
    let error = IOError(operation, file: "a.mp4", offset: 7, reason: "it is Monday")
    let result = try run("fail", commands: [failing(error)])
    #expect(result.code == code)
    #expect(result.errors == "mp4tool: \(error)\n")
    #expect(result.output == "begun\n")
  }

  @Test("Other errors mean an unusable input")
  func otherErrors() throws {
    struct Odd: Error, CustomStringConvertible { let description = "a.mp4: odd" }
    let result = try run("fail", commands: [failing(Odd())])
    #expect(result.code == .inputNotUsable)
    #expect(result.errors == "mp4tool: a.mp4: odd\n")
  }

  @Test("A reader that closes the pipe ends the program quietly, with 141")
  func closedPipe() throws {
    let result = try run("--help", standardOutput: Files.closedPipe())
    #expect(result.errors == "")
    #expect(result.code == .pipeClosed)
    #expect(result.code.rawValue == 141)
  }

  @Test(
    "A full disk is reported once, with 74",
    .enabled(if: Files.read("/dev/null") != nil && Files.openForWriting("/dev/full") >= 0))
  func fullDisk() throws {
    let result = try run("--help", standardOutput: Files.openForWriting("/dev/full"))
    #expect(result.errors == "mp4tool: standard output: cannot write: the disk is full\n")
    #expect(result.code == .readOrWriteFailed)
  }

  @Test("Exit codes are the documented numbers")
  func exitCodes() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 73, 74, 141])
  }
}
