import ISOBMFF
import MP4Bytes

/// A table whose rows are being printed.
struct OpenTable {
  var style = DumpLabels.Rows.Style.numbered
  /// How mp4dump prints the rows; `nil` if it does not know the table.
  var rows: DumpLabels.Rows?
  /// The depth of the line that opens the table.
  var depth = 0
  var isHidden = false
  /// How each field of a row is printed, determined when the field first occurs.
  var columns: [Column] = []
  /// The next field of the current row.
  var field = 0
  var index = 0
  /// Whether the line of the row is still open, and whether it has a field.
  var lineIsOpen = false
  var lineHasField = false
  var sampleToChunk = SampleToChunkRows()
  var isIndexed: Bool { style == .indexed || style == .indexedLines }

  struct Column {
    let name: StaticText
    let label: StaticText
    let isHidden: Bool
  }
}

/// The tables of a box and their rows.
extension TextPrinter {
  /// Prints what precedes the rows, if the verbosity is high enough for the table.
  mutating func beginTable(_ name: StaticText, count: Int) -> Bool {
    var (label, rows, least) = (name, DumpLabels.Rows?.none, labels == nil ? 2 : 3)
    let line = labels?.index(ofTable: name)
    if let line, let labels, case .table(_, let itsLabel, let itsRows, let itsLeast, _) = labels.lines[line] {
      (label, rows, least) = (itsLabel, itsRows, itsLeast)
    } else if tableCount > 0 {
      // Tables that mp4dump does not print appear only at the verbosity that shows everything.
      least = labels == nil ? 0 : 3
    }
    var next = OpenTable(style: rows?.style ?? .numbered, rows: rows, depth: depth + 1, isHidden: verbosity < least)
    if tableCount > 0 {
      next.depth = table.depth + 2
      next.isHidden = next.isHidden || table.isHidden
      if !next.isHidden { endRowLine() }
      outerTables.append(table)
    } else if rows?.isLater != true {
      flush(before: line)
      if let line { finishLine(line) }
    }
    if !next.isHidden { printOpening(of: next, label, count: count) }
    table = next
    tableCount += 1
    return !next.isHidden
  }

  private mutating func printOpening(of table: OpenTable, _ label: StaticText, count: Int) {
    switch table.style {
    case .numberedLabel, .indexed, .indexedLines: break
    case .repeated: if let counter = table.rows?.counter { line(counter, .signed(Int64(count)), .plain) }
    case .joined: startLine(label)
    case .numbered, .expanded, .sampleToChunk: openingLine(label, depth: table.depth)
    }
  }
  mutating func openingLine(_ label: StaticText, depth: Int) {
    out.indent(depth)
    out.literal(label)
    out.literal(":")
    out.endLine()
  }

  mutating func endTable() {
    endRowLine()
    if !table.isHidden {
      if table.style == .joined { out.endLine() }
      if table.style == .sampleToChunk, let last = table.sampleToChunk.last { print(last) }
    }
    tableCount -= 1
    table = outerTables.popLast() ?? OpenTable()
  }

  // MARK: Rows

  mutating func beginRow(_ index: Int) {
    table.field = 0
    table.index = index
    table.lineHasField = false
    if table.isIndexed { indexedRows.append([]) }
    guard table.style == .numbered || table.style == .expanded else { return }
    rowNumber(index)
    table.lineIsOpen = true
    if table.style == .expanded { endRowLine() }
  }

  private mutating func rowNumber(_ index: Int) {
    out.indent(table.depth + 1)
    out.literal("(")
    let number = UInt64(index)
    out.spaces(8 - TextBuffer.digitCount(number))
    out.unsigned(number)
    out.literal(") ")
  }

  private mutating func endRowLine() {
    guard table.lineIsOpen else { return }
    table.lineIsOpen = false
    out.endLine()
  }

  mutating func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) {
    beginRow(index)
    // Uses a span because reading an element from an array copies it.
    let span = fields.span
    for index in span.indices { rowField(span[index].name, span[index].value) }
    endRow()
  }

  mutating func rowField(_ name: StaticText, _ value: FieldValue) {
    let index = table.field
    table.field = index + 1
    if table.isIndexed { return indexedRows[indexedRows.count - 1].append((name, value)) }
    // The fields of a row are nearly always those of the previous row.
    if index >= table.columns.count || table.columns[index].name != name { findColumn(name, at: index) }
    if table.columns[index].isHidden { return }
    let label = table.columns[index].label
    switch table.style {
    case .numbered, .expanded: numberedField(label, value)
    case .sampleToChunk: table.sampleToChunk.add(value.number ?? 0)
    case .numberedLabel: laterRows.append(value)
    case .indexed, .indexedLines: break
    case .repeated: line(label, value, .plain)
    case .joined:
      if table.index > 0 { out.literal(",") }
      out.hex(UInt64(truncatingIfNeeded: value.number ?? 0), width: 4)
    }
  }

  private mutating func numberedField(_ label: StaticText, _ value: FieldValue) {
    if !table.lineIsOpen {
      out.indent(table.depth + 2)
    } else if table.lineHasField {
      out.literal(", ")
    }
    table.lineHasField = true
    if !label.isEmpty {
      out.literal(label)
      out.literal(" = ")
    }
    printPlain(value)
    printMeaning(value)
    if !table.lineIsOpen { out.endLine() }
  }

  private mutating func findColumn(_ name: StaticText, at index: Int) {
    let column = table.rows?.column(name) ?? DumpLabels.Column(name)
    let label = verbosity == 1 ? column.short ?? column.label : column.label
    let found = OpenTable.Column(name: name, label: label, isHidden: column.isExtra && verbosity < 3)
    if index < table.columns.count { table.columns[index] = found } else { table.columns.append(found) }
  }

  mutating func endRow() {
    endRowLine()
    if table.style == .sampleToChunk, let complete = table.sampleToChunk.endRow() { print(complete) }
  }

  private mutating func print(_ line: SampleToChunkRows.Line) {
    rowNumber(line.index)
    let columns: [(StaticText, Int64)] = [
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

  /// Prints plain rows that were kept, each with its number in the label.
  mutating func printLaterRows(_ label: StaticText) {
    for (index, value) in laterRows.enumerated() {
      out.indent(depth + 1)
      out.literal(label)
      out.literal(" ")
      out.unsigned(UInt64(index))
      out.literal(" = ")
      print(value, .plain)
      out.endLine()
    }
  }
}
