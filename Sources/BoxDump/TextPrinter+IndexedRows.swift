import Bytes
import ISOBMFF

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
