public import Bytes
import MP4

extension EventListing {
  /// Writes a line for each event, and a line for each of its values.
  public func writeText(to sink: any ByteSink) throws(IOError) {
    var table = TextTable(to: sink)
    let clocks = events.map { $0.time?.clock ?? "unknown" }
    let (time, kind) = (Self.widest(clocks), Self.widest(events.map(\.kind.rawValue)))
    for (event, clock) in zip(events, clocks) {
      let places = [
        event.track.map { "track \($0)" }, event.id.map { "id \($0)" }, event.duration.map { "lasts \($0)" },
        event.place.flatMap { place in place.line.map { "\(place.playlist) line \($0)" } },
      ].compactMap(\.self).joined(separator: ", ")
      let start =
        Self.padding(clock, time) + clock + "  " + event.kind.rawValue + Self.padding(event.kind.rawValue, kind)
      table.line(Self.printable("\(start)  \(event.summary)" + (places.isEmpty ? "" : " [\(places)]")))
      for detail in event.details {
        let label = detail.label.map { " (\($0))" } ?? ""
        let meaning = detail.meaning.map { " (\($0))" } ?? ""
        table.line(Self.printable("    \(detail.name)\(label): \(detail.value)\(meaning)"))
      }
      if !event.payload.isEmpty { table.line("    payload: \(hexText(event.payload))") }
    }
    if events.isEmpty { table.line("no events") }
    try table.finish()
  }

  private static func widest(_ texts: [String]) -> Int { texts.map(\.utf8.count).max() ?? 0 }
  private static func padding(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count))
  }

  /// Control characters could end the line, or affect the terminal.
  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.value < 0x20 || 0x7f..<0xa0 ~= $0.value ? "\u{fffd}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
