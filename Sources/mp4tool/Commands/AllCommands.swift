extension Command {
  /// All commands, in the order of the help. To add a command, add one file to this folder and one entry here.
  static let all: [Command] = [
    InfoCommand.command, SamplesCommand.command, EventsCommand.command, CheckCommand.command, DiffCommand.command,
    HashCommand.command, ReportCommand.command, DumpCommand.command, ExplainCommand.command, EditCommand.command,
    CutCommand.command,
    ConcatCommand.command, MuxCommand.command, ExtractCommand.command, DecryptCommand.command, EncryptCommand.command,
    JoinCommand.command, DefragCommand.command, RecoverCommand.command, FragmentCommand.command, HLSCommand.command,
    SubtitlesCommand.command, LiveCommand.command, ServeCommand.command, CompletionsCommand.command,
    HelpCommand.command,
  ]
}
