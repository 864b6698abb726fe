/// Prints boxes as Bento4's mp4dump does: a tree of header lines, with the fields that it knows under its labels.
///
/// Boxes that mp4dump does not decode show their fields by the standard's names. The verbosity is mp4dump's: 0 for
/// fields without long tables, 1 and 2 for more tables, 3 for everything.
public final class TextSink: BoxSink {
  var out: TextBuffer
  let verbosity: Int
  private var node: BoxNode?
  var depth = 0
  var labels: DumpLabels?
  private var fields = DumpLabels.Fields()
  private var headerIsPrinted = false
  /// How many of the lines of `labels` are done, and of the fields how many were met by them.
  var linesDone = 0
  private var fieldsPrinted = 0
  /// The rows of a table that mp4dump prints behind a later field.
  var laterRows: [FieldValue] = []
  /// The tables that are open, the innermost last.
  var tables: [OpenTable] = []
  /// The labels and fields around the descriptor that is open.
  var outer: [(labels: DumpLabels?, linesDone: Int)] = []

  struct OpenTable {
    var rows: DumpLabels.Rows?
    var depth: Int
    var isHidden = false
    /// How each field of a row is printed, found out in the first row.
    var columns: [DumpLabels.Column] = []
    var field = 0
    var index = 0
    /// Whether the line of the current row is still open, and whether a field stands on it.
    var lineIsOpen = false
    var lineHasField = false
    /// The values of a row, or of all, where they are printed later.
    var values: [FieldValue] = []
    var sampleToChunk = SampleToChunkRows()
  }

  /// A sink that writes to `output`.
  public init(_ output: any ByteSink, verbosity: Int = 0) {
    out = TextBuffer(output)
    self.verbosity = verbosity
  }
  /// The error of the output.
  public var failure: IOError? { out.failure }
  /// Writes out what is left.
  public func finish() { out.drain() }

  // MARK: Boxes

  /// Remembers the box; its header line waits for version and flags.
  public func beginBox(_ node: BoxNode) {
    self.node = node
    depth = node.depth
    labels = DumpLabels.of(node)
    fields.removeAll()
    laterRows = []
    headerIsPrinted = false
    (linesDone, fieldsPrinted) = (0, 0)
  }

  /// Prints what is left of the fields, and what is wrong.
  public func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    while !tables.isEmpty { endTable() }
    while !outer.isEmpty { endDescriptor() }
    flush(before: nil)
    if verbosity >= 3, !rest.isEmpty { line("rest", .bytes(rest), .plain) }
    guard let problem else { return }
    out.indent(depth + (isRemainder ? 0 : 1))
    out.literal("!! ")
    out.text(problem.description)
    out.endLine()
  }
  /// A tree needs no line for the end of a box.
  public func endBox(_ node: BoxNode) {}

  private var isRemainder: Bool {
    if case .remainder = node?.content { true } else { false }
  }

  private func printHeader() {
    guard !headerIsPrinted, let node, !isRemainder else { return }
    headerIsPrinted = true
    // QuickTime's `meta` has no version and flags, and then they were not met.
    let hasVersion = labels?.isFull == true && (node.type != "meta" || fields["version"] != nil)
    let headerSize = node.header.headerSize + (hasVersion ? 4 : 0)
    out.indent(depth)
    out.literal("[")
    if let userType = node.header.userType { name(of: userType) } else { name(of: node.type) }
    out.literal("] size=")
    out.unsigned(UInt64(headerSize))
    out.literal("+")
    out.unsigned(UInt64(max(0, node.header.size - headerSize)))
    if hasVersion {
      let (version, flags) = (fields.number("version"), fields.number("flags"))
      if version != 0 {
        out.literal(", version=")
        out.signed(version)
      }
      if flags != 0 {
        out.literal(", flags=")
        out.hex(UInt64(flags))
      }
    }
    out.endLine()
  }
  func name(of type: FourCC) {
    for shift: UInt32 in [24, 16, 8, 0] {
      let byte = UInt8(truncatingIfNeeded: type.rawValue >> shift)
      out.byte((0x20..<0x7f).contains(byte) ? byte : 0x2e)
    }
  }
  /// In mp4dump's own grouping.
  private func name(of userType: UserType) {
    for (i, byte) in userType.bytes.enumerated() {
      if [6, 8, 10, 12].contains(i) { out.literal("-") }
      out.hexByte(byte, capital: true)
    }
  }

  // MARK: Fields

  /// Keeps a field of the box until its line comes, or prints one of a row.
  public func field(_ name: StaticString, _ value: FieldValue) {
    if tables.isEmpty { return fields.append(name, value) }
    rowField(name, value)
  }

  /// Prints the lines of `labels` up to the one at `end`, or all, and then the fields that have no label.
  func flush(before end: Int?) {
    printHeader()
    if let labels {
      while linesDone < end ?? labels.lines.count {
        printLine(labels.lines[linesDone])
        linesDone += 1
      }
    }
    // Without labels every field is printed; with them the others follow at verbosity 3.
    guard labels == nil || verbosity >= 3 else { return }
    while fieldsPrinted < fields.values.count {
      let (name, value) = fields.values[fieldsPrinted]
      fieldsPrinted += 1
      let isZeroHeader = (name == "version" || name == "flags") && value.number == 0
      if labels?.names(name) == true || isZeroHeader && verbosity < 3 { continue }
      line(name.literal, value, .plain)
    }
  }

  private func printLine(_ line: DumpLabels.Line) {
    switch line {
    case .field(let name, let label, let format, let least):
      guard verbosity >= least, let value = fields[StaticText(name)] else { return }
      self.line(label, value, format)
    case .derived(let label, let make):
      switch make(fields) {
      case .number(let number)?: self.line(label, .signed(number), .plain)
      case .text(let text)?: self.line(label, .text(BoxString(Array(text.description.utf8))), .plain)
      case nil: break
      }
    case .table(_, _, .numberedLabel(let label), _, _):
      for (index, value) in laterRows.enumerated() { numberedLine(label, index, value) }
    case .table(_, let label, _, let least, let always):
      // A table that is there was printed when it came.
      guard always, verbosity >= least else { return }
      out.indent(depth + 1)
      out.literal(label)
      out.literal(":")
      out.endLine()
    }
  }

  func line(_ label: StaticString, _ value: FieldValue, _ format: DumpLabels.Format) {
    out.indent(depth + 1)
    out.literal(label)
    out.literal(" = ")
    print(value, format)
    out.endLine()
  }

  private func numberedLine(_ label: StaticString, _ index: Int, _ value: FieldValue) {
    out.indent(depth + 1)
    out.literal(label)
    out.literal(" ")
    out.unsigned(UInt64(index))
    out.literal(" = ")
    print(value, .plain)
    out.endLine()
  }

  // MARK: Descriptors

  /// A header line like that of a box.
  public func beginDescriptor(_ tag: UInt8, _ name: StaticString, headerSize: Int, size: Int) {
    flush(before: nil)
    outer.append((labels, linesDone))
    depth += 1
    out.indent(depth)
    out.literal("[")
    out.literal(name)
    out.literal("] size=")
    out.unsigned(UInt64(headerSize))
    out.literal("+")
    out.unsigned(UInt64(size))
    out.endLine()
    labels = DumpLabels.ofDescriptors[tag]
    fields.removeAll()
    (linesDone, fieldsPrinted) = (0, 0)
  }
  /// Prints what is left of the fields of the descriptor.
  public func endDescriptor() {
    flush(before: nil)
    guard let around = outer.popLast() else { return }
    depth -= 1
    fields.removeAll()
    (labels, linesDone) = around
    fieldsPrinted = 0
  }
}
