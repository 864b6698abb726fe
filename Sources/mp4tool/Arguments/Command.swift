import MP4Fetching
import MP4FileIO

/// A command of the tool, with all data for parsing, help, man pages, completions and suggestions.
///
/// Texts are plain sentences; `backticks` mark literal text, which man pages show in bold.
struct Command: Sendable {
  let name: String
  /// Other names of the command, such as that in other tools.
  let aliases: [String]
  /// One line that says what it does, starting with a lower-case verb, without a full stop.
  let summary: String
  /// What it reads, and the texts about it. They are built when they are needed, since every start lists all commands.
  var operands: [Operand] { makeOperands() }
  /// Paragraphs.
  var description: [String] { makeDescription() }
  /// Its own options; those of ``GeneralOptions`` belong to every command.
  var options: [any DeclaredOption] { makeOptions() }
  var examples: [Example] { makeExamples() }
  /// The meaning of exit codes for this command.
  var exitNotes: [ExitNote] { makeExitNotes() }
  /// Sections that only the man page has.
  var manSections: [ManSection] { makeManSections() }
  let run: @Sendable (ParsedArguments, CommandContext) throws -> ExitCode

  private let makeOperands: @Sendable () -> [Operand]
  private let makeDescription: @Sendable () -> [String]
  private let makeOptions: @Sendable () -> [any DeclaredOption]
  private let makeExamples: @Sendable () -> [Example]
  private let makeExitNotes: @Sendable () -> [ExitNote]
  private let makeManSections: @Sendable () -> [ManSection]

  init(
    name: String, aliases: [String] = [], summary: String,
    operands: @autoclosure @escaping @Sendable () -> [Operand],
    description: @autoclosure @escaping @Sendable () -> [String],
    options: @autoclosure @escaping @Sendable () -> [any DeclaredOption],
    examples: @autoclosure @escaping @Sendable () -> [Example],
    exitNotes: @autoclosure @escaping @Sendable () -> [ExitNote] = [],
    manSections: @autoclosure @escaping @Sendable () -> [ManSection] = [],
    run: @escaping @Sendable (ParsedArguments, CommandContext) throws -> ExitCode
  ) {
    (self.name, self.aliases, self.summary, self.run) = (name, aliases, summary, run)
    (makeOperands, makeDescription, makeOptions) = (operands, description, options)
    (makeExamples, makeExitNotes, makeManSections) = (examples, exitNotes, manSections)
  }

  /// A command line to copy, and what it does.
  struct Example: Sendable {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  struct ExitNote: Sendable {
    let code: ExitCode
    let meaning: String

    init(_ code: ExitCode, _ meaning: String) {
      self.code = code
      self.meaning = meaning
    }
  }

  struct ManSection: Sendable {
    /// In capital letters.
    let title: String
    var paragraphs: [String] = []
    /// Terms with their meanings.
    var items: [Choice] = []
  }

  /// All its names, the main one first.
  var names: [String] { [name] + aliases }

  /// Its specific options and the general ones.
  var allOptions: [OptionDeclaration] { options.map(\.declaration) + GeneralOptions.all.map(\.declaration) }

  /// The text after the command's name: `[OPTION]... -o OUT INIT SEGMENT...`.
  var synopsis: String {
    func oneOf(_ ways: [String]) -> String { ways.count == 1 ? ways[0] : "{" + ways.joined(separator: " | ") + "}" }
    let required = options.map(\.declaration).filter(\.isRequired).map { option in
      oneOf(option.alternatives(in: allOptions).map(\.synopsis))
    }
    let inputs = operands.map { oneOf([$0.synopsis] + $0.alternatives(in: allOptions).map(\.synopsis)) }
    return (["[OPTION]..."] + required + inputs).joined(separator: " ")
  }
}

/// The environment of a running command.
struct CommandContext {
  /// The output of its result.
  let console: Console
  /// The output of messages.
  let diagnostics: Diagnostics
  let progress: Progress
  /// All commands, for commands such as `help`.
  let commands: [Command]
  /// The input files, which no output may replace.
  let inputs = InputRegistry()
  /// The options for fetching remote files.
  var fetching = FetchOptions()
}
