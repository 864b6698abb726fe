/// A table whose rows are being printed.
struct OpenTable {
  let style: DumpLabels.Rows.Style
  /// How mp4dump prints the rows; `nil` for a table that it does not know.
  let rows: DumpLabels.Rows?
  /// The depth of the line that opens it.
  let depth: Int
  let isHidden: Bool
  /// How each field of a row is printed, found out when it comes first.
  var columns: [DumpLabels.Column] = []
  /// Which field of which row comes next.
  var field = 0
  var index = 0
  /// Whether the line of the row is not ended yet, and whether a field stands on it.
  var lineIsOpen = false
  var lineHasField = false
  var sampleToChunk = SampleToChunkRows()
}

/// Tables of a box and their rows.
extension TextPrinter {
  /// Prints what comes before the rows, when the verbosity of the table is reached.
  mutating func beginTable(_ name: StaticString, count: Int) -> Bool {
    var (label, rows, least) = (name, DumpLabels.Rows?.none, labels == nil ? 2 : 3)
    let line = labels?.index(ofTable: name)
    if let line, let labels, case .table(_, let itsLabel, let itsRows, let itsLeast, _) = labels.lines[line] {
      (label, rows, least) = (itsLabel, itsRows, itsLeast)
    } else if table != nil {
      // What mp4dump does not know of a table that it prints is part of everything.
      least = labels == nil ? 0 : 3
    }
    let depth = table.map { $0.depth + 2 } ?? depth + 1
    let next = OpenTable(
      style: rows?.style ?? .numbered, rows: rows, depth: depth,
      isHidden: verbosity < least || table?.isHidden == true)
    if let outer = table {
      if !next.isHidden { endRowLine() }
      outerTables.append(table ?? outer)
    } else if next.style != .numberedLabel {
      flush(before: line)
      if let line { finishLine(line) }
    }
    if !next.isHidden { printOpening(of: next, label, count: count) }
    table = next
    return !next.isHidden
  }

  private mutating func printOpening(of table: OpenTable, _ label: StaticString, count: Int) {
    switch table.style {
    case .numberedLabel: break
    case .repeated: if let counter = table.rows?.counter { line(counter, .signed(Int64(count)), .plain) }
    case .joined: startLine(label)
    case .numbered, .expanded, .sampleToChunk: openingLine(label, depth: table.depth)
    }
  }
  mutating func openingLine(_ label: StaticString, depth: Int) {
    out.indent(depth)
    out.literal(label)
    out.literal(":")
    out.endLine()
  }

  mutating func endTable() {
    endRowLine()
    guard let ended = table else { return }
    table = outerTables.popLast()
    guard !ended.isHidden else { return }
    if ended.style == .joined { out.endLine() }
    if ended.style == .sampleToChunk, let last = ended.sampleToChunk.last { print(last, depth: ended.depth) }
  }

  // MARK: Rows

  mutating func beginRow(_ index: Int) {
    guard let style = table?.style, let depth = table?.depth else { return }
    table?.field = 0
    table?.index = index
    table?.lineHasField = false
    guard style == .numbered || style == .expanded else { return }
    rowNumber(index, depth: depth)
    table?.lineIsOpen = true
    if style == .expanded { endRowLine() }
  }

  private mutating func rowNumber(_ index: Int, depth: Int) {
    out.indent(depth + 1)
    out.literal("(")
    let number = UInt64(index)
    for _ in 0..<max(0, 8 - TextBuffer.digitCount(number)) { out.byte(0x20) }
    out.unsigned(number)
    out.literal(") ")
  }

  private mutating func endRowLine() {
    guard table?.lineIsOpen == true else { return }
    table?.lineIsOpen = false
    out.endLine()
  }

  mutating func rowField(_ name: StaticString, _ value: FieldValue) {
    guard let column = nextColumn(name), let style = table?.style else { return }
    if column.isExtra, verbosity < 3 { return }
    let label = verbosity == 1 ? column.short ?? column.label : column.label
    switch style {
    case .numbered, .expanded: numberedField(label, value)
    case .sampleToChunk: table?.sampleToChunk.add(value.number ?? 0)
    case .numberedLabel: laterRows.append(value)
    case .repeated: line(label, value, .plain)
    case .joined:
      if let index = table?.index, index > 0 { out.literal(",") }
      out.hex(UInt64(truncatingIfNeeded: value.number ?? 0), width: 4)
    }
  }

  private mutating func numberedField(_ label: StaticString, _ value: FieldValue) {
    let (isOpen, hasField, depth) = (table?.lineIsOpen == true, table?.lineHasField == true, table?.depth ?? 0)
    if !isOpen {
      out.indent(depth + 2)
    } else if hasField {
      out.literal(", ")
    }
    table?.lineHasField = true
    if label.utf8CodeUnitCount > 0 {
      out.literal(label)
      out.literal(" = ")
    }
    print(value, .plain)
    if !isOpen { out.endLine() }
  }

  /// The column of the field that comes, looked up only where the row before was different.
  private mutating func nextColumn(_ name: StaticString) -> DumpLabels.Column? {
    guard let at = table?.field, let known = table?.columns.count else { return nil }
    table?.field = at + 1
    if at < known, let column = table?.columns[at], StaticText(column.name) == StaticText(name) { return column }
    let column = table?.rows?.column(name) ?? DumpLabels.Column(name)
    if at < known { table?.columns[at] = column } else { table?.columns.append(column) }
    return column
  }

  mutating func endRow() {
    endRowLine()
    guard table?.style == .sampleToChunk, let depth = table?.depth else { return }
    if let complete = table?.sampleToChunk.endRow() { print(complete, depth: depth) }
  }

  private mutating func print(_ line: SampleToChunkRows.Line, depth: Int) {
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

  /// Prints plain rows that waited, each with its number in the label.
  mutating func printLaterRows(_ label: StaticString) {
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
