import ISOBMFF
package import MP4Bytes
package import MP4Records

/// The members that all reports have.
extension RecordMember {
  package static func inputs(_ inputs: @escaping @Sendable (Owner) -> [DefragmentReport.Input]) -> RecordMember {
    RecordMember("inputs", "the inputs, in order", onNewLine: true, inputs)
  }
  package static func output(_ output: @escaping @Sendable (Owner) -> DefragmentReport.Output) -> RecordMember {
    RecordMember("output", "the output", onNewLine: true, output)
  }
  package static func severity(_ diagnostics: @escaping @Sendable (Owner) -> [Diagnostic]) -> RecordMember {
    RecordMember(
      "severity", "the highest severity of all diagnostics: `note`, `warning`, `error`, or null if there are none",
      onNewLine: true
    ) { OrNull(diagnostics($0).map(\.severity).max()?.name) }
  }
  /// The diagnostics, and the inputs that their spans name.
  package static func diagnostics(
    _ diagnostics: @escaping @Sendable (Owner) -> ([Diagnostic], [DefragmentReport.Input])
  ) -> RecordMember {
    RecordMember("diagnostics", "the messages; further members depend on the `kind`", onNewLine: true) {
      let (diagnostics, inputs) = diagnostics($0)
      return diagnostics.map { DiagnosticRecord($0, inputs) }
    }
  }
}

extension DefragmentReport.Input: Record {
  package static let summary = "An input."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "its name") { $0.name },
    RecordMember("size", "its size in bytes, if known") { $0.byteCount },
    RecordMember("fragments", "the number of its movie fragments") { $0.fragmentCount },
  ]
}

extension DefragmentReport.Output: Record {
  package static let summary = "The output."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "its name, or null if there is none") { OrNull($0.name) },
    RecordMember(
      "size",
      "the size in bytes that it has or would have; if a file is changed in place, the number of appended bytes"
    ) { $0.byteCount },
    RecordMember("is_written", "whether it was written, and not only planned or rejected") { $0.isWritten },
  ]
}

/// A time with its timescale.
package struct TimeRecord: Record {
  package static let summary = "A time."
  private let time: MediaTime
  package init(_ time: MediaTime) { self.time = time }
  package static let members: [RecordMember<TimeRecord>] = [
    RecordMember("value", "the number of units") { $0.time.value },
    RecordMember("timescale", "the number of units per second") { Int($0.time.timescale) },
  ]
}

/// An edit of a track.
struct EditRecord: Record {
  static let summary = "An edit."
  private let edit: EditListBox.Entry
  init(_ edit: EditListBox.Entry) { self.edit = edit }
  static let members: [RecordMember<EditRecord>] = [
    RecordMember("segment_duration", "its duration, in units of the movie timescale") { $0.edit.segmentDuration },
    RecordMember("media_time", "the media time of its start; -1 for an empty edit") { $0.edit.mediaTime },
    RecordMember("media_rate_integer", "the integer part of its rate") { Int($0.edit.mediaRateInteger) },
    RecordMember("media_rate_fraction", "the fractional part of its rate") { Int($0.edit.mediaRateFraction) },
  ]
}

extension Diagnostic.Severity {
  /// The name of the case.
  package var name: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }
}

/// Seconds with six decimals, rounded.
extension MediaTime: RecordValue {
  package static var schema: RecordSchema { .type("number") }
  package func write(to json: inout JSONWriter) { writeCell(to: &json.out) }
  package func writeCell(to text: inout TextBuffer) {
    if value < 0 { text.byte(0x2d) }
    text.seconds(value.magnitude, timescale: timescale)
  }
}
