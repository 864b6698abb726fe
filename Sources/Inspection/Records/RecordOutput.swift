package import Bytes

/// The form of results for programs.
public enum RecordFormat: Sendable {
  /// One JSON array or object.
  case json
  /// One JSON object in each line.
  case jsonLines
  /// A line with the names of the columns, then a line for each record: RFC 4180, with lines that end as those of text.
  case csv
}

extension Record {
  /// Writes records as one output.
  package static func write(_ records: [Self], _ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    var output = RecordOutput<Self>(format, to: sink)
    for record in records { try output.write(record) }
    try output.finish()
  }
}

/// Records on their way to a sink.
package struct RecordOutput<Element: Record>: ~Copyable {
  private let format: RecordFormat
  private var json: JSONWriter
  // Only what is called for each record, since a whole member takes as long to copy as to write.
  private let writers: [@Sendable (Element, inout JSONWriter) -> Void]
  private let cells: [@Sendable (Element, inout TextBuffer) -> Void]

  /// Begins the output.
  package init(_ format: RecordFormat, to sink: any ByteSink) {
    self.format = format
    json = JSONWriter(sink)
    let members = Element.members
    (writers, cells) = (members.map(\.write), members.compactMap(\.writeCell))
    switch format {
    case .json: json.beginArray()
    case .jsonLines: break
    case .csv:
      for (number, member) in members.filter({ $0.writeCell != nil }).enumerated() {
        if number > 0 { json.out.byte(0x2c) }
        json.out.literal(member.name)
      }
      json.out.endLine()
    }
  }

  /// Writes the next record.
  package mutating func write(_ element: Element) throws(IOError) {
    switch format {
    case .json, .jsonLines:
      if format == .json { json.element(onNewLine: true) }
      json.beginObject()
      for write in writers { write(element, &json) }
      json.endObject()
      if format == .jsonLines { json.out.endLine() }
    case .csv:
      for (number, write) in cells.enumerated() {
        if number > 0 { json.out.byte(0x2c) }
        write(element, &json.out)
      }
      json.out.endLine()
    }
    if let failure = json.failure { throw failure }
  }

  /// Ends the output.
  package consuming func finish() throws(IOError) {
    if format == .json {
      json.endArray()
      json.finish()
    } else {
      json.out.drain()
    }
    if let failure = json.failure { throw failure }
  }
}
