import FileIO

/// The program.
@main
struct MP4Tool {
  static func main() {
    SystemCalls.occupyStandardStreams()
    Allocator.returnFreedTables()
    Signals.ignoreBrokenPipes()
    Signals.removeTemporaryFilesWhenStopped()
    Signals.raiseOpenFileLimit()
    let tool = Tool(commands: Command.all, console: Console(), errors: ErrorStream())
    SystemCalls.exit(tool.run(Argument.fromCommandLine()))
  }
}
