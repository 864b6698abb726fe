/// What `mp4tool --help` prints.
struct ToolHelp {
  private let commands: [Command]

  init(_ commands: [Command]) {
    self.commands = commands
  }

  static let summary = "look into MP4 files, join their segments and put their layout right"

  static let examples = [
    Command.Example("mp4tool dump movie.mp4", "Shows the boxes of a file."),
    Command.Example(
      "mp4tool defrag recording.mp4 -o movie.mp4",
      "Makes a file that every player opens out of a fragmented recording."),
    Command.Example("mp4tool help join", "Explains one command."),
  ]

  var text: String {
    [
      "\(Version.name) \(Version.number): \(Self.summary)\n",
      "Usage: \(Version.name) COMMAND [OPTION]... OPERAND...\n",
      HelpText.section("Commands", commandLines),
      HelpText.section("General options", GeneralOptions.all.map { HelpText.item($0.declaration) }),
      HelpText.section("Examples", Self.examples.map(HelpText.example)),
      HelpText.exitStatus,
    ].joined(separator: "\n")
  }

  /// What is shown when nothing was asked for.
  var shortUsage: String {
    "Usage: \(Version.name) COMMAND [OPTION]... OPERAND...\n\n" + HelpText.section("Commands", commandLines)
      + "\nTry '\(Version.name) --help' or '\(Version.name) help COMMAND'."
  }

  private var commandLines: [String] {
    let column = 4 + (commands.map(\.name.count).max() ?? 0)
    return commands.map { TextWrapping.item("  \($0.name)", $0.summary, column: column) }
  }
}
