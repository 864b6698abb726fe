import Support
import Testing

@Suite("Wrong usage, end to end")
struct CLIUsageTests {
  private static let notSeconds =
    "option '--interleave' takes a positive number of seconds, at most 2000000000, such as 0.5, not"

  /// The arguments after `mp4tool`, and the message after the name of the command.
  private static let lines: [(arguments: String, message: String)] = [
    ("dmup in.mp4", "mp4tool: unknown command 'dmup'; did you mean 'dump'?"),
    ("''", "mp4tool: unknown command ''"),
    ("in.mp4", "mp4tool: unknown command 'in.mp4'; did you mean 'mp4tool dump in.mp4'?"),
    ("--hlep", "mp4tool: unknown option '--hlep'; did you mean '--help'?"),
    ("dump", "mp4tool dump: FILE is missing: 'mp4tool dump [OPTION]... FILE...'"),
    ("dump ''", "mp4tool dump: FILE is empty; it must be a file name"),
    ("dump --verbos in.mp4", "mp4tool dump: unknown option '--verbos'; did you mean '--verbose' or '--verbosity'?"),
    ("dump -x in.mp4", "mp4tool dump: unknown option '-x'"),
    ("dump --verbosity 4 in.mp4", "mp4tool dump: option '--verbosity' takes a number from 0 to 3, not '4'"),
    ("dump --verbosity=-1 in.mp4", "mp4tool dump: option '--verbosity' takes a number from 0 to 3, not '-1'"),
    (
      "dump --verbosity 99999999999999999999 in.mp4",
      "mp4tool dump: option '--verbosity' takes a number from 0 to 3, not '99999999999999999999'"
    ),
    ("dump --verbosity", "mp4tool dump: option '--verbosity' needs a value: '--verbosity LEVEL'"),
    ("dump --format xml in.mp4", "mp4tool dump: option '--format' can be 'text', 'json' or 'jsonl', not 'xml'"),
    ("dump -qv in.mp4", "mp4tool dump: options '--quiet' and '--verbose' contradict each other"),
    ("dump --quiet=1 in.mp4", "mp4tool dump: option '--quiet' takes no value"),
    ("defrag in.mp4", "mp4tool defrag: option '--output' is missing: add '-o OUT' or '--in-place'"),
    (
      "defrag -o out.mp4",
      "mp4tool defrag: INPUT is missing: 'mp4tool defrag [OPTION]... {-o OUT | --in-place} INPUT...'"
    ),
    ("defrag in.mp4 -o", "mp4tool defrag: option '-o' needs a value: '-o OUT'"),
    ("defrag in.mp4 -o ''", "mp4tool defrag: option '-o' needs a value"),
    ("defrag --interleave in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) 'in.mp4'"),
    ("defrag --interleave 0 in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '0'"),
    ("defrag --interleave 0.00 in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '0.00'"),
    ("defrag --interleave=-1 in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '-1'"),
    ("defrag --interleave 1. in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '1.'"),
    ("defrag --interleave 1e3 in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '1e3'"),
    ("defrag --interleave 2000000000.1 in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) '2000000000.1'"),
    ("defrag --interleave= in.mp4 -o out.mp4", "mp4tool defrag: \(notSeconds) ''"),
    (
      "defrag in.mp4 -o --strict",
      "mp4tool defrag: option '-o' needs a value, and '--strict' looks like an option; use '--output=--strict' if that "
        + "is intended"
    ),
    (
      "defrag in.mp4 -o a -o b",
      "mp4tool defrag: option '--output' is given twice with different values; the second is 'b'"
    ),
    ("defrag -output x in.mp4", "mp4tool defrag: option '-output' has only one dash; did you mean '--output'?"),
    (
      "join --order tim in.mp4 in.mp4 -o out.mp4",
      "mp4tool join: option '--order' can be 'time' or 'given', not 'tim'; did you mean 'time'?"
    ),
    ("--order time join a b -o c", "mp4tool: option '--order' must follow the name of a command"),
    ("completions tcsh", "mp4tool completions: SHELL can be 'bash', 'zsh' or 'fish', not 'tcsh'"),
    (
      "help boxes",
      "mp4tool help: unknown command 'boxes'; 'man mp4tool-boxes' describes the definitions for '--boxes'"
    ),
    ("help dump join", "mp4tool help: unexpected operand 'join'"),
  ]

  @Test("Wrong usage is reported in one line with a hint, exits with 64, and reads and writes nothing")
  func wrongUsage() throws {
    let shell = try EndToEnd()
    for (arguments, message) in Self.lines {
      let result = try shell("mp4tool \(arguments)")
      #expect(result.exitCode == 64, "\(arguments)")
      #expect(result.text == "")
      let program = message.prefix { $0 != ":" }
      #expect(result.errorText == "\(message)\nTry '\(program) --help'.\n")
      #expect(shell.folder.names == ["in.mp4"])
    }
  }

  @Test("Without arguments, a short usage is printed on standard error, with 64")
  func nothing() throws {
    let result = try EndToEnd()("mp4tool")
    #expect(result.exitCode == 64)
    #expect(result.text == "")
    #expect(result.errorText.hasPrefix("Usage: mp4tool COMMAND [OPTION]... [OPERAND]...\n"))
  }

  @Test("Options can be anywhere, `--` ends them, and names may begin with a dash")
  func places() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o want.mp4; cp in.mp4 -- -o; cp in.mp4 ./--help
      same() { cmp "$1" want.mp4 && rm -- "$1" && echo same; }
      mp4tool defrag -o a in.mp4; same a
      mp4tool defrag in.mp4 -oa; same a
      mp4tool -q defrag --output=a in.mp4; same a
      mp4tool defrag -qoa in.mp4 --fsync --strict --no-clobber --no-progress; same a
      mp4tool defrag --output=-a -- -o; same ./-a
      mp4tool defrag -o a -- --help; same a
      mp4tool defrag -o a ./-o; same a
      mp4tool -- dump in.mp4 2>/dev/null >a; echo $?
      """)
    #expect(result.lines == Array(repeating: "same", count: 7) + ["0"])
    #expect(result.errorText == "")
  }
}
