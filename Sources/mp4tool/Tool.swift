import ISOBMFF
import MP4Bytes
import MP4Fetching
import MP4FileIO

/// Parses a command line, runs the command, and turns errors into exit codes.
struct Tool {
  let commands: [Command]
  let console: Console
  let errors: ErrorStream

  init(commands: [Command], console: Console, errors: ErrorStream) {
    self.commands = commands
    self.console = console
    self.errors = errors
    errors.beforeMessage = { [console] in
      // The console remembers its failure, and the flush at the end reports it.
      try? console.flush()
    }
  }

  /// Runs the command given by `arguments`.
  func run(_ arguments: [Argument]) -> ExitCode {
    let code = dispatch(arguments)
    do throws(IOError) {
      try console.flush()
      return code
    } catch {
      // Errors after output has started were already reported.
      if code == .pipeClosed || code == .readOrWriteFailed { return code }
      return Failure.report(error, to: Diagnostics(stream: errors))
    }
  }

  private func dispatch(_ arguments: [Argument]) -> ExitCode {
    // Options before the command's name are general options, which can equally follow it.
    let leading = arguments.prefix { $0.bytes.first == UInt8(ascii: "-") && $0.bytes.count > 1 }
    let rest = arguments.dropFirst(leading.count)
    do {
      guard let name = rest.first else { return try runWithoutCommand(Array(leading)) }
      let names = commands.flatMap(\.names)
      try checkLeading(Array(leading))
      guard let command = commands.first(where: { $0.names.contains(name.text) }) else {
        var error = UsageError.unknownCommand(name.text, known: names)
        // A file name without a command most likely means `dump`.
        if error.suggestions.isEmpty, error.remark == nil, FileIdentity(of: name.path) != nil {
          error.suggestions = ["\(Version.name) dump \(name.text)"]
        }
        throw error
      }
      return run(command, as: name.text, Array(leading) + Array(rest.dropFirst()))
    } catch {
      return Failure.report(error, to: Diagnostics(stream: errors))
    }
  }

  private func run(_ command: Command, as name: String, _ arguments: [Argument]) -> ExitCode {
    var diagnostics = Diagnostics(stream: errors)
    do {
      var parser = ArgumentParser(command, as: name, commandNames: commands.flatMap(\.names))
      switch try parser.parse(arguments) {
      case .help:
        try console.write(HelpText(command).text)
        return .done
      case .version:
        try console.write("\(Version.name) \(Version.number)\n")
        return .done
      case .run(let parsed):
        let context = context(for: parsed)
        diagnostics = context.diagnostics
        defer { context.progress.end() }
        return try command.run(parsed, context)
      }
    } catch {
      return Failure.report(error, in: name, to: diagnostics)
    }
  }

  private func context(for arguments: ParsedArguments) -> CommandContext {
    let isQuiet = arguments[GeneralOptions.quiet]
    let level: Diagnostics.Level = isQuiet ? .quiet : arguments[GeneralOptions.verbose] ? .verbose : .normal
    let asked = arguments.ifDeclared(OutputOptions.progress) ?? nil
    let mode: Progress.Mode = isQuiet || asked == false ? .never : asked == true ? .always : .automatic
    var context = CommandContext(
      console: console,
      diagnostics: Diagnostics(
        stream: errors, level: level, isStrict: arguments.ifDeclared(OutputOptions.strict) ?? false),
      progress: Progress(stream: errors, mode: mode),
      commands: commands)
    context.fetching.allowsPrivate = arguments.ifDeclared(PlaylistOptions.allowOutside) ?? false
    return context
  }

  // MARK: - Before the command's name

  /// `mp4tool --help`, `mp4tool --version`, or no command.
  private func runWithoutCommand(_ leading: [Argument]) throws -> ExitCode {
    try checkLeading(leading)
    // An empty command with only the general options parses `-h`, `-qh` and `--version` like any other.
    let options = Command(
      name: "", summary: "", operands: [], description: [], options: [], examples: [], run: { _, _ in .wrongUsage })
    var parser = ArgumentParser(options, commandNames: [])
    switch try parser.parse(leading) {
    case .help:
      try console.write(ToolHelp(commands).text)
      return .done
    case .version:
      try console.write("\(Version.name) \(Version.number)\n")
      return .done
    case .run:
      errors.writeLine(ToolHelp(commands).shortUsage)
      return .wrongUsage
    }
  }

  /// Checks options before the command's name, which need a specific error message.
  private func checkLeading(_ leading: [Argument]) throws(UsageError) {
    let general = GeneralOptions.all.flatMap { $0.declaration.longNames }
    for word in leading where word.bytes.starts(with: "--".utf8) {
      let bytes = word.bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }
      let name = Argument(bytes: Array(bytes)).text
      if general.contains(name) || name.isEmpty { continue }
      if commands.contains(where: { $0.options.contains { $0.declaration.longNames.contains(name) } }) {
        throw UsageError("option '--\(name)' must follow the name of a command")
      }
      let like = Spelling.names(like: name, from: general)
      throw UsageError(
        unknown: "unknown option '--\(name)'", OtherTools.option(name, in: "", GeneralOptions.all.map(\.declaration)),
        like: like.map { "--" + $0 })
    }
  }
}
