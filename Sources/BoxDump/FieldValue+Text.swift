package import ISOBMFF
import MP4Bytes

extension FieldValue {
  /// The value as dumps show it at the highest verbosity, with its meaning.
  package var dumpText: String {
    let sink = MemorySink()
    var printer = TextPrinter(sink, TextOptions(verbosity: 3))
    printer.print(self, .plain)
    printer.printMeaning(self)
    printer.out.drain()
    return String(decoding: sink.bytes, as: UTF8.self)
  }
}
