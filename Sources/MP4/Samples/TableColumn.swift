import Bytes
import ISOBMFF

/// One field of every row of a table that was read, where rows have fields of 32 bits each. It goes past the
/// declaration of the row and reads the bytes of the file, since a recording has millions of rows.
struct TableColumn {
  private let rows: ArraySlice<UInt8>
  /// Where the field of the first row is, and how far it is to that of the next one.
  private let first: Int
  private let stride: Int
  /// The number of rows.
  let count: Int

  /// No rows.
  init() { (rows, first, stride, count) = ([], 0, 0, 0) }
  /// The field with this number, counted from 0, of `fields` in a row.
  init<Row: BoxTableRow>(_ table: BoxTable<Row>, field: Int = 0, of fields: Int = 1) {
    (rows, count) = (table.encodedRows, table.count)
    (first, stride) = (4 * field, 4 * fields)
  }

  /// The bits of the number in the row at an index.
  @inline(__always)
  subscript(index: Int) -> UInt32 { rows.raw.bigEndian(at: first &+ index &* stride) ?? 0 }
}

extension PackedColumn {
  /// Adds the numbers of a field.
  mutating func append(_ column: TableColumn) { append(count: column.count) { Int64(column[$0]) } }
}

extension TrackRunBox {
  /// The field of `flag`; no rows if the samples do not have it.
  func column(_ flag: UInt32) -> TableColumn {
    let fields = flags & 0xf00
    guard fields & flag != 0 else { return TableColumn() }
    return TableColumn(samples, field: (fields & (flag - 1)).nonzeroBitCount, of: fields.nonzeroBitCount)
  }
}
