import FileIO
import ISOBMFF

@main
struct MP4Tool {
  static func main() throws {
    let args = CommandLine.arguments
    guard let path = Path(args[1]) else { return }
    let source = try FileSource(path)
    let out = try OutputFile("/dev/stdout")
    if args[2] == "json" {
      let sink = JSONSink(out)
      var d = BoxDump(source)
      _ = try d.run(to: sink)
      sink.finish()
    } else {
      let sink = TextSink(out, verbosity: Int(args[2])!)
      var d = BoxDump(source)
      _ = try d.run(to: sink)
      sink.finish()
    }
    try out.commit()
  }
}
