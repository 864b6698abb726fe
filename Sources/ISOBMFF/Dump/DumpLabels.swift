/// How mp4dump prints one box: its labels in its order, apart from the declarations, which know the standard's names.
struct DumpLabels {
  /// How a value is printed.
  enum Format {
    /// As its kind is.
    case plain
    /// Hexadecimal digits without anything before them.
    case hex
    /// The number behind a fixed-point value.
    case raw
    /// The part of a fixed-point value before the point.
    case whole
    /// A fixed-point value with six digits.
    case sixDigits
    /// A number with something added.
    case plus(Int64)
    /// A number as a name, where it has one.
    case named(@Sendable (Int64) -> StaticString?)
    /// Bytes with a space after each.
    case spacedBytes
  }
  /// One column of a table.
  struct Column {
    var name: StaticString
    var label: StaticString
    /// The label at verbosity 1.
    var short: StaticString?
    var format: Format = .plain
    var isHidden = false
  }
  /// How the rows of a table are printed.
  enum Rows {
    /// A line for each, with its number.
    case numbered([Column])
    /// A line with the number of each row, and its fields on lines of their own.
    case expanded([Column])
    /// A line for each field of each row, as if the field were there several times.
    case repeated([Column])
    /// As `repeated` for plain values, with their number in the label, where the line of the table is.
    case numberedLabel(StaticString)
    /// All values on the line of the label, in four hexadecimal digits.
    case joined
    /// As `numbered`, with what mp4dump computes from neighbouring rows of `stsc`.
    case sampleToChunk
    /// The number of rows as a field, and then as `repeated`.
    case counted(StaticString, Column)
  }
  /// One line, or the lines of one table.
  enum Line {
    case field(StaticString, StaticString, Format, verbosity: Int)
    case derived(StaticString, @Sendable (borrowing Fields) -> Derived?)
    case table(StaticString, StaticString, Rows, verbosity: Int, always: Bool)
  }
  enum Derived {
    case number(Int64)
    case text(StaticString)
  }
  /// The fields of a box by their names.
  struct Fields: ~Copyable {
    fileprivate(set) var values: [(name: StaticText, value: FieldValue)] = []
    mutating func append(_ name: StaticString, _ value: FieldValue) { values.append((StaticText(name), value)) }
    mutating func removeAll() { values.removeAll(keepingCapacity: true) }
    subscript(name: StaticText) -> FieldValue? { values.first { $0.name == name }?.value }
    func number(_ name: StaticText) -> Int64 { self[name]?.number ?? 0 }
  }

  /// Whether a line shows the field, so that it needs no other.
  func names(_ field: StaticText) -> Bool {
    lines.contains {
      if case .field(let name, _, _, _) = $0 { StaticText(name) == field } else { false }
    }
  }
  func index(ofTable table: StaticText) -> Int? {
    lines.firstIndex {
      if case .table(let name, _, _, _, _) = $0 { StaticText(name) == table } else { false }
    }
  }
  func table(_ table: StaticText) -> (label: StaticString, rows: Rows, verbosity: Int)? {
    guard let index = index(ofTable: table), case .table(_, let label, let rows, let least, _) = lines[index] else {
      return nil
    }
    return (label, rows, least)
  }

  /// How a field of a row is printed: under the standard's name where the table has no labels.
  static func column(_ name: StaticString, of rows: Rows?) -> Column {
    let columns: [Column]
    switch rows {
    case .numbered(let all), .expanded(let all), .repeated(let all): columns = all
    case .counted(_, let one): columns = [one]
    case .numberedLabel, .joined, .sampleToChunk, nil: return Column(name)
    }
    if let column = columns.first(where: { StaticText($0.name) == StaticText(name) }) { return column }
    var other = Column(name)
    other.isHidden = !columns.isEmpty
    return other
  }

  /// Whether mp4dump counts version and flags as part of the header.
  var isFull: Bool
  var lines: [Line]
}

extension DumpLabels.Line {
  static func field(
    _ name: StaticString, _ label: StaticString? = nil, _ format: DumpLabels.Format = .plain, from verbosity: Int = 0
  ) -> Self { .field(name, label ?? name, format, verbosity: verbosity) }
  static func field(_ name: StaticString, _ format: DumpLabels.Format, from verbosity: Int = 0) -> Self {
    .field(name, name, format, verbosity: verbosity)
  }
  /// A table under mp4dump's usual label.
  static func entries(_ name: StaticString, _ rows: DumpLabels.Rows, from verbosity: Int, always: Bool = false) -> Self
  {
    .table(name, "entries", rows, verbosity: verbosity, always: always)
  }
  static func table(_ name: StaticString, _ label: StaticString, _ rows: DumpLabels.Rows, from verbosity: Int) -> Self {
    .table(name, label, rows, verbosity: verbosity, always: false)
  }
}
extension DumpLabels.Column {
  init(
    _ name: StaticString, _ label: StaticString? = nil, short: StaticString? = nil, _ format: DumpLabels.Format = .plain
  ) {
    self.init(name: name, label: label ?? name, short: short, format: format)
  }
}
