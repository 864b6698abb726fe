package import MP4Bytes

/// A machine-readable output format.
public enum RecordFormat: Sendable {
  /// One JSON array or object.
  case json
  /// One JSON object in each line.
  case jsonLines
  /// A line with the column names, then a line for each record: RFC 4180, but with LF line endings.
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

/// Writes records to a sink one by one.
package struct RecordOutput<Element: Record>: ~Copyable {
  private let format: RecordFormat
  private var json: JSONWriter
  // Each is a chain of the closures of the members. A closure in an array is retained and released for each call, which
  // takes as long as the output itself; a closure captured by another is not.
  private let writeMembers: @Sendable (Element, inout JSONWriter) -> Void
  private let writeCells: @Sendable (Element, inout TextBuffer) -> Void

  /// Begins the output, or continues an earlier one, which has the first line of CSV.
  package init(_ format: RecordFormat, to sink: any ByteSink, continues: Bool = false) {
    self.format = format
    json = JSONWriter(sink)
    let members = Element.members
    writeMembers = Self.chain(members.map(\.write)) { _ in }
    writeCells = Self.chain(members.compactMap(\.writeCell)) { $0.byte(0x2c) }
    switch format {
    case .json: json.beginArray()
    case .jsonLines: break
    case .csv where continues: break
    case .csv:
      for (number, member) in members.filter({ $0.writeCell != nil }).enumerated() {
        if number > 0 { json.out.byte(0x2c) }
        json.out.literal(member.name)
      }
      json.out.endLine()
    }
  }

  /// One closure that calls all of them, and `between` between each two.
  private static func chain<Output: ~Copyable>(
    _ writers: [@Sendable (Element, inout Output) -> Void], _ separate: @escaping @Sendable (inout Output) -> Void
  ) -> @Sendable (Element, inout Output) -> Void {
    guard var chain = writers.first else { return { _, _ in } }
    for write in writers.dropFirst() {
      let before = chain
      chain = { element, output in
        before(element, &output)
        separate(&output)
        write(element, &output)
      }
    }
    return chain
  }

  /// Writes the next record.
  package mutating func write(_ element: Element) throws(IOError) {
    switch format {
    case .json, .jsonLines:
      if format == .json { json.element(onNewLine: true) }
      json.beginObject()
      writeMembers(element, &json)
      json.endObject()
      if format == .jsonLines { json.out.endLine() }
    case .csv:
      writeCells(element, &json.out)
      json.out.endLine()
    }
    if let failure = json.failure { throw failure }
  }

  /// Writes what is buffered, for a reader that waits for it; an array of JSON is written as a whole.
  package mutating func flush() throws(IOError) {
    if format != .json { json.out.drain() }
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
