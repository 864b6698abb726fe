import Fetching
import FileIO

/// One command of the tool: everything that parsing, help, man pages, completions and "did you mean" need.
///
/// Texts are plain sentences; `backticks` mark what the user types, which man pages show in bold.
struct Command: Sendable {
  let name: String
  /// Other names that run it, such as the one that other tools have for it.
  var aliases: [String] = []
  /// What it does in one line, beginning with a verb in lower case, without a full stop.
  let summary: String
  let operands: [Operand]
  /// Paragraphs.
  let description: [String]
  /// The options of its own; those of ``GeneralOptions`` belong to every command.
  let options: [any DeclaredOption]
  let examples: [Example]
  /// What an exit code means here in particular.
  var exitNotes: [ExitNote] = []
  /// Chapters that only the man page has.
  var manSections: [ManSection] = []
  let run: @Sendable (ParsedArguments, CommandContext) throws -> ExitCode

  /// Something to copy, and what it does.
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
    /// In capitals.
    let title: String
    var paragraphs: [String] = []
    /// Terms with what they mean.
    var items: [Choice] = []
  }

  /// Every name that runs it, its own first.
  var names: [String] { [name] + aliases }

  /// The options that are its own and those of every command.
  var allOptions: [OptionDeclaration] { options.map(\.declaration) + GeneralOptions.all.map(\.declaration) }

  /// What follows the command's name: `[OPTION]... -o OUT INIT SEGMENT...`.
  var synopsis: String {
    let required = options.map(\.declaration).filter(\.isRequired).map { option in
      (option.short.map { "-\($0)" } ?? "--\(option.name)") + " \(option.placeholder)"
    }
    return (["[OPTION]..."] + required + operands.map(\.synopsis)).joined(separator: " ")
  }
}

/// What a command talks through while it runs.
struct CommandContext {
  /// Where its result is printed.
  let console: Console
  /// Where messages go.
  let diagnostics: Diagnostics
  let progress: Progress
  /// Every command there is, for those that are about commands.
  let commands: [Command]
  /// The files that it reads, which no output may replace.
  let inputs = InputRegistry()
  /// How it fetches from servers.
  var fetching = FetchOptions()
}
