/// Tables of a box and their rows.
extension TextSink {
  /// Prints the line that opens a table, when its verbosity is reached.
  public func beginTable(_ name: StaticString, count: Int, plain: Bool) -> Bool {
    let found = labels?.table(StaticText(name))
    var table = OpenTable(rows: found?.rows, depth: tables.last.map { $0.depth + 2 } ?? depth + 1)
    // Without labels tables begin at verbosity 2; a table that mp4dump leaves out is part of everything.
    let least = found?.verbosity ?? (!tables.isEmpty ? 0 : labels == nil ? 2 : 3)
    table.isHidden = verbosity < least
    if case .numberedLabel = table.rows {
    } else if tables.isEmpty {
      flush(before: labels?.index(ofTable: StaticText(name)))
      if found != nil { linesDone += 1 }
    } else {
      endRowLine()
    }
    if !table.isHidden { printOpening(of: table, label: found?.label ?? name, count: count) }
    tables.append(table)
    return !table.isHidden
  }

  private func printOpening(of table: OpenTable, label: StaticString, count: Int) {
    switch table.rows {
    case .repeated, .numberedLabel: return
    case .counted(let counter, _): line(counter, .signed(Int64(count)), .plain)
    case .joined:
      out.indent(table.depth)
      out.literal(label)
      out.literal(" = ")
    case .numbered, .expanded, .sampleToChunk, nil:
      out.indent(table.depth)
      out.literal(label)
      out.literal(":")
      out.endLine()
    }
  }

  /// Prints the number of the row.
  public func beginRow(_ index: Int) {
    let last = tables.count - 1
    tables[last].field = 0
    tables[last].index = index
    tables[last].lineHasField = false
    switch tables[last].rows {
    case .numbered, .expanded, nil:
      rowNumber(index, depth: tables[last].depth)
      tables[last].lineIsOpen = true
      if case .expanded = tables[last].rows { endRowLine() }
    case .repeated, .numberedLabel, .joined, .sampleToChunk, .counted: break
    }
  }

  private func rowNumber(_ index: Int, depth: Int) {
    out.indent(depth + 1)
    out.literal("(")
    var width = 1
    var rest = index
    while rest >= 10 {
      rest /= 10
      width += 1
    }
    while width < 8 {
      out.literal(" ")
      width += 1
    }
    out.unsigned(UInt64(index))
    out.literal(") ")
  }

  private func endRowLine() {
    guard let last = tables.indices.last, tables[last].lineIsOpen else { return }
    tables[last].lineIsOpen = false
    out.endLine()
  }

  func rowField(_ name: StaticString, _ value: FieldValue) {
    let last = tables.count - 1
    if tables[last].columns.count <= tables[last].field {
      tables[last].columns.append(DumpLabels.column(name, of: tables[last].rows))
    }
    let column = tables[last].columns[tables[last].field]
    tables[last].field += 1
    if column.isHidden { return }
    let label = verbosity == 1 ? column.short ?? column.label : column.label
    switch tables[last].rows {
    case .sampleToChunk: tables[last].values.append(value)
    case .numberedLabel: laterRows.append(value)
    case .joined:
      if tables[last].index > 0 { out.literal(",") }
      out.hex(UInt64(truncatingIfNeeded: value.number ?? 0), width: 4)
    case .repeated, .counted: line(label, value, column.format)
    case .numbered, .expanded, nil:
      if !tables[last].lineIsOpen {
        out.indent(tables[last].depth + 2)
      } else if tables[last].lineHasField {
        out.literal(", ")
      }
      tables[last].lineHasField = true
      if label.utf8CodeUnitCount > 0 {
        out.literal(label)
        out.literal(" = ")
      }
      print(value, column.format)
      if !tables[last].lineIsOpen { out.endLine() }
    }
  }

  /// Ends the line of the row.
  public func endRow() {
    endRowLine()
    let last = tables.count - 1
    guard case .sampleToChunk = tables[last].rows else { return }
    if let line = tables[last].sampleToChunk.row(tables[last].values) { print(line, depth: tables[last].depth) }
    tables[last].values = []
  }

  private func print(_ line: SampleToChunkRows.Line, depth: Int) {
    rowNumber(line.index, depth: depth)
    let columns: [(StaticString, Int64)] = [
      ("first_chunk = ", line.firstChunk), (", first_sample = ", line.firstSample),
      (", chunk_count = ", line.chunkCount), (", samples_per_chunk = ", line.samplesPerChunk),
      (", sample_desc_index = ", line.descriptionIndex),
    ]
    for (label, value) in columns {
      out.literal(label)
      out.signed(value)
    }
    out.endLine()
  }

  /// Ends the table.
  public func endTable() {
    endRowLine()
    guard let table = tables.popLast(), !table.isHidden else { return }
    if case .joined = table.rows { out.endLine() }
    if case .sampleToChunk = table.rows, let line = table.sampleToChunk.last() { print(line, depth: table.depth) }
  }
}

/// The rows of `stsc` with what follows from their neighbours: the first sample, and the number of chunks.
struct SampleToChunkRows {
  struct Line {
    var index = 0
    var firstChunk: Int64 = 0
    var firstSample: Int64 = 1
    var chunkCount: Int64 = 0
    var samplesPerChunk: Int64 = 0
    var descriptionIndex: Int64 = 0
  }
  private var waiting: Line?

  /// Takes a row, and gives back the one before it, which is complete now.
  mutating func row(_ values: [FieldValue]) -> Line? {
    guard values.count == 3 else { return nil }
    var line = Line()
    line.firstChunk = values[0].number ?? 0
    line.samplesPerChunk = values[1].number ?? 0
    line.descriptionIndex = values[2].number ?? 0
    var done = waiting
    if var before = waiting {
      before.chunkCount = line.firstChunk - before.firstChunk
      line.index = before.index + 1
      line.firstSample = before.firstSample &+ before.chunkCount &* before.samplesPerChunk
      done = before
    }
    waiting = line
    return done
  }
  /// The last row, whose number of chunks is not known.
  func last() -> Line? { waiting }
}
