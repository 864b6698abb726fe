import Fetching
import FileIO

/// A command of the tool, with all data for parsing, help, man pages, completions and suggestions.
///
/// Texts are plain sentences; `backticks` mark literal text, which man pages show in bold.
struct Command: Sendable {
  let name: String
  /// Other names of the command, such as its name in other tools.
  var aliases: [String] = []
  /// A one-line description that starts with a lower-case verb, without a full stop.
  let summary: String
  let operands: [Operand]
  /// Paragraphs.
  let description: [String]
  /// Its specific options; ``GeneralOptions`` apply to every command.
  let options: [any DeclaredOption]
  let examples: [Example]
  /// The meaning of exit codes for this command.
  var exitNotes: [ExitNote] = []
  /// Sections of the man page only.
  var manSections: [ManSection] = []
  let run: @Sendable (ParsedArguments, CommandContext) throws -> ExitCode

  /// A sample command line, and its effect.
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
    let required = options.map(\.declaration).filter(\.isRequired).map { option in
      (option.short.map { "-\($0)" } ?? "--\(option.name)") + " \(option.placeholder)"
    }
    return (["[OPTION]..."] + required + operands.map(\.synopsis)).joined(separator: " ")
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
