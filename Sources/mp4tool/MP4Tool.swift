import MP4Platform

@main
struct MP4Tool {
  static func main() {
    StandardStream.occupyAll()
    Allocator.returnFreedTables()
    Signals.ignoreBrokenPipes()
    Signals.removeTemporaryFilesWhenStopped()
    OpenFileLimit.raise()
    let tool = Tool(commands: Command.all, console: Console(), errors: ErrorStream())
    exitProcess(tool.run(Argument.fromCommandLine()).rawValue)
  }
}
