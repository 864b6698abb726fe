import ISOBMFF
import MP4Bytes

/// Prints boxes as text: their header lines, and their fields in mp4dump's order.
///
/// Fields arrive in file order and are kept until the lines before theirs are printed. Table rows are printed as they
/// arrive.
struct TextPrinter: ~Copyable {
  var out: TextBuffer
  let options: TextOptions
  var verbosity: Int { options.verbosity }
  /// The labels that replace mp4dump's when the standard's names are requested; created when they are needed.
  private var standardLabels: [ObjectIdentifier: DumpLabels] = [:]
  /// The header of the most recent box; `nil` for bytes that are not a box.
  private var header: BoxHeader?
  var depth = 0
  var labels: DumpLabels?
  var fields = DumpLabels.Fields()
  /// The meanings of the flags of the box.
  var flagNames: ValueNames = ""
  var meanings = Meanings()
  private var headerIsPrinted = false
  /// How many of the lines of `labels`, and how many of the fields, are printed.
  private var linesDone = 0
  private var fieldsDone = 0
  /// The parent of the open descriptor, a box or descriptor: its labels, how many of them are printed, and its depth.
  private var around: [(labels: DumpLabels?, linesDone: Int, depth: Int)] = []
  /// The innermost open table, the tables around it, and the number of open tables.
  var table = OpenTable()
  var outerTables: [OpenTable] = []
  var tableCount = 0
  /// The rows of a table that mp4dump prints after a later field.
  var laterRows: [FieldValue] = []
  /// The same for rows with several fields.
  var indexedRows: [[(name: StaticText, value: FieldValue)]] = []

  init(_ output: any ByteSink, _ options: TextOptions) {
    out = TextBuffer(output)
    self.options = options
  }

  // MARK: Boxes

  mutating func beginBox(_ node: BoxNode) {
    if case .remainder = node.content { header = nil } else { header = node.header }
    depth = node.depth
    labels = named(DumpLabels.of(node))
    headerIsPrinted = header == nil
    // Emptying an empty array takes time too, and this runs for every box.
    if !laterRows.isEmpty { laterRows.removeAll() }
    if !indexedRows.isEmpty { indexedRows.removeAll() }
    forgetFields()
  }

  mutating func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    if problem?.isNote == true {
      // Without fields, there is nothing to derive mp4dump's values from.
      printHeader()
      (labels, fields.header) = (nil, nil)
    }
    finishFields()
    if verbosity >= 3, !rest.isEmpty { line("rest", .bytes(rest), .plain) }
    guard let problem else { return }
    out.indent(header == nil ? depth : depth + 1)
    colour(problem.isNote ? .none : .damage)
    out.literal(problem.isNote ? "?? " : "!! ")
    out.text(problem.description)
    colour(.none)
    out.endLine()
  }

  /// Prints the remaining fields.
  mutating func finishFields() {
    // Damage leaves the enclosing tables open.
    while tableCount > 0 { endTable() }
    while !around.isEmpty { endDescriptor() }
    flush()
  }

  private mutating func named(_ labels: DumpLabels?) -> DumpLabels? {
    guard options.names == .standard, let labels else { return labels }
    let key = ObjectIdentifier(labels)
    if let known = standardLabels[key] { return known }
    let standard = labels.withStandardNames
    standardLabels[key] = standard
    return standard
  }

  private mutating func forgetFields() {
    fields.removeAll()
    (linesDone, fieldsDone) = (0, 0)
  }

  private mutating func printHeader() {
    guard !headerIsPrinted, let header else { return }
    headerIsPrinted = true
    // QuickTime's `meta` has no version and flags, and a damaged box may lack them too.
    let full = labels?.isFull == true ? fields.header : nil
    let headerSize = header.headerSize + (full == nil ? 0 : 4)
    out.indent(depth)
    out.literal("[")
    colour(.box)
    if let userType = header.userType { print(userType) } else { printType(header.type) }
    colour(.none)
    sizes(headerSize, header.size - headerSize)
    if let full, full.version != 0 {
      out.literal(", version=")
      out.unsigned(UInt64(full.version))
    }
    if let full, full.flags != 0 {
      out.literal(", flags=")
      out.hex(UInt64(full.flags))
      printMeaning(.flags(UInt64(full.flags), flagNames))
    }
    if options.showsOffsets || verbosity >= 3 {
      out.literal(", offset=")
      out.unsigned(UInt64(header.offset))
    }
    out.endLine()
  }
  private mutating func sizes(_ header: Int, _ payload: Int) {
    out.literal("] size=")
    out.unsigned(UInt64(header))
    out.literal("+")
    out.unsigned(UInt64(max(0, payload)))
  }

  // MARK: Fields

  mutating func field(_ name: StaticText, _ value: FieldValue) {
    if tableCount == 0 { fields.append(name, value) } else if !table.isHidden { rowField(name, value) }
  }

  /// Prints the lines up to that of a table, or all lines and then the fields without a label.
  mutating func flush(before end: Int? = nil) {
    printHeader()
    if let labels {
      // Uses a span because reading a line from an array copies it.
      let lines = labels.lines
      let span = lines.span
      while linesDone < end ?? span.count {
        // The usual kind of line is read in place.
        if case .field(let name, let label, let format, let least) = span[linesDone] {
          printField(name, label, format, least)
        } else {
          print(span[linesDone])
        }
        linesDone += 1
      }
      if verbosity < 3, !options.showsTimes { return }
    } else {
      printFullHeader()
    }
    while fieldsDone < fields.values.count {
      let (name, value, isDerived) = fields.values[fieldsDone]
      fieldsDone += 1
      if showsUnlabelled(value, isDerived), labels?.names(name) != true {
        line(name, value, .plain, isDerived: isDerived)
      }
    }
  }

  /// Whether a value without an mp4dump label is shown.
  private func showsUnlabelled(_ value: FieldValue, _ isDerived: Bool) -> Bool {
    if verbosity >= 3 { return true }
    if case .seconds = value { return options.showsTimes }
    return labels == nil && !isDerived
  }

  /// Marks the line of a table as printed.
  mutating func finishLine(_ index: Int) { linesDone = index + 1 }

  /// Prints the version and flags of a box whose header line does not have them.
  private mutating func printFullHeader() {
    guard let full = fields.header else { return }
    if full.version != 0 || verbosity >= 3 { line("version", .unsigned(UInt64(full.version)), .plain) }
    if full.flags != 0 || verbosity >= 3 { line("flags", .flags(UInt64(full.flags), flagNames), .plain) }
    fields.header = nil
  }

  private mutating func print(_ line: DumpLabels.Line) {
    switch line {
    case .field(let name, let label, let format, let least): printField(name, label, format, least)
    case .derived(let label, let make):
      switch make(fields) {
      case .number(let number)?: self.line(label, .signed(number), .plain)
      case .text(let text)?:
        startLine(label)
        out.literal(text)
        out.endLine()
      case .bytes(let bytes)?: self.line(label, .bytes(bytes), .plain)
      case .value(let value)?: self.line(label, value, .plain)
      case nil: break
      }
    case .table(_, let label, let rows, let least, let always):
      // A table in the file was printed when it arrived, unless its rows had to be kept.
      if rows.style == .numberedLabel { printLaterRows(label) }
      if rows.isIndexed { printIndexedRows(rows) }
      if always, verbosity >= least { openingLine(label, depth: depth + 1) }
    }
  }

  private mutating func printField(
    _ name: StaticText, _ label: StaticText, _ format: DumpLabels.Format, _ least: Int
  ) {
    if verbosity >= least, let value = fields[name] { line(label, value, format) }
  }

  mutating func line(
    _ label: StaticText, _ value: FieldValue, _ format: DumpLabels.Format, isDerived: Bool = false
  ) {
    startLine(label, isDerived: isDerived)
    print(value, format)
    printMeaning(value, format)
    out.endLine()
  }
  mutating func startLine(_ label: StaticText, isDerived: Bool = false) {
    out.indent(depth + 1)
    if isDerived { out.literal("=> ") }
    colour(.field)
    out.literal(label)
    colour(.none)
    out.literal(" = ")
  }

  // MARK: Descriptors

  mutating func beginDescriptor(_ tag: UInt8, _ standardName: StaticText, headerSize: Int, size: Int) {
    flush()
    around.append((labels, linesDone, depth))
    var (name, inner) = DumpLabels.ofDescriptor(tag)
    if options.names == .standard { name = standardName }
    labels = named(inner)
    forgetFields()
    // The fields of some descriptors are printed among those of their parent.
    if let name, name.isEmpty { return }
    depth += 1
    out.indent(depth)
    out.literal("[")
    if let name {
      out.literal(name)
    } else {
      out.literal("Descriptor:")
      out.hexByte(tag)
    }
    sizes(headerSize, size)
    out.endLine()
  }
  mutating func endDescriptor() {
    flush()
    guard let outer = around.popLast() else { return }
    forgetFields()
    (labels, linesDone, depth) = outer
  }
}

/// The bytes of boxes: 16 per line, with their offset and as text.
extension TextPrinter {
  mutating func beginBytes() { finishFields() }

  mutating func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    var at = bytes.startIndex
    while at < bytes.endIndex {
      let end = min(at + 16, bytes.endIndex)
      print(row: bytes[at..<end], at: offset + at - bytes.startIndex)
      at = end
    }
  }

  private mutating func print(row: ArraySlice<UInt8>, at offset: Int) {
    out.indent(depth + 1)
    out.hex(UInt64(offset), width: 8)
    out.byte(0x20)
    for index in 0..<16 {
      if index % 8 == 0 { out.byte(0x20) }
      if index < row.count { out.hexByte(row[row.startIndex + index]) } else { out.spaces(2) }
      out.byte(0x20)
    }
    out.literal(" |")
    for byte in row { out.byte((0x20..<0x7f).contains(byte) ? byte : 0x2e) }
    out.literal("|")
    out.endLine()
  }

  mutating func endBytes(omitted: Int) {
    guard omitted > 0 else { return }
    out.indent(depth + 1)
    out.literal("... ")
    out.unsigned(UInt64(omitted))
    out.literal(" more bytes")
    out.endLine()
  }
}

/// Rows whose fields mp4dump prints as fields of the box, each with its row number.
extension TextPrinter {
  /// Prints the rows that were kept: the fields that mp4dump prints and, at verbosity 3, the others.
  mutating func printIndexedRows(_ rows: DumpLabels.Rows) {
    for (index, row) in indexedRows.enumerated() {
      let columns = rows.choose?(row.first?.value.number ?? 0) ?? rows.columns
      if rows.style == .indexedLines {
        printLine(of: row, index, columns)
      } else {
        for column in columns { field(column.label, row.value(of: column), index) }
      }
      guard verbosity >= 3 else { continue }
      for (name, value) in row where !columns.contains(where: { $0.name == name }) {
        field(name, value, index)
      }
    }
  }

  private mutating func field(_ name: StaticText, _ value: FieldValue, _ index: Int) {
    startIndexedLine(index)
    out.literal(".")
    out.literal(name)
    out.literal(" = ")
    print(value, value.isHexadecimal ? .hex : .plain)
    out.endLine()
  }

  private mutating func printLine(
    of row: [(name: StaticText, value: FieldValue)], _ index: Int, _ columns: [DumpLabels.Column]
  ) {
    startIndexedLine(index)
    out.literal(" = ")
    for (position, column) in columns.enumerated() {
      if position > 0 { out.literal(", ") }
      out.literal(column.label)
      out.literal("=")
      print(row.value(of: column), .plain)
    }
    out.endLine()
  }

  private mutating func startIndexedLine(_ index: Int) {
    out.indent(depth + 1)
    out.literal("[")
    if index < 10 { out.literal("0") }
    out.unsigned(UInt64(index))
    out.literal("]")
  }
}

extension [(name: StaticText, value: FieldValue)] {
  /// The field of a column; mp4dump prints 0 for a field that the file does not have.
  fileprivate func value(of column: DumpLabels.Column) -> FieldValue {
    first { $0.name == column.name }?.value ?? .unsigned(0)
  }
}

extension FieldValue {
  fileprivate var isHexadecimal: Bool { if case .hexadecimal = self { true } else { false } }
}
