import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support

/// The text of a dump, as `mp4tool dump --verbosity` prints it.
func dumpText(_ bytes: [UInt8], verbosity: Int = 0) throws -> [UInt8] {
  let output = MemorySink()
  let sink = TextSink(output, verbosity: verbosity)
  var dump = BoxDump(MemorySource(bytes))
  _ = try dump.run(to: sink)
  sink.finish()
  return output.bytes
}

/// The JSON of a dump, as `mp4tool dump --format json` prints it.
func dumpJSON(_ bytes: [UInt8]) throws -> [UInt8] {
  let output = MemorySink()
  let sink = JSONSink(output)
  var dump = BoxDump(MemorySource(bytes))
  _ = try dump.run(to: sink)
  sink.finish()
  return output.bytes
}

/// The lines of a dump of generated boxes.
func dumpLines(_ bytes: [UInt8], verbosity: Int = 0) throws -> [String] {
  String(decoding: try dumpText(bytes, verbosity: verbosity), as: UTF8.self).split(separator: "\n").map(String.init)
}
