import ISOBMFF
import MP4Bytes

/// One field of every row of a table whose rows consist of 32-bit fields. It reads the bytes of the file directly,
/// because a recording has millions of rows.
struct TableColumn {
  private let rows: ArraySlice<UInt8>
  /// The position of the field in the first row, and the size of a row.
  private let first: Int
  private let stride: Int
  /// The number of rows.
  let count: Int

  /// A column without rows.
  init() { (rows, first, stride, count) = ([], 0, 0, 0) }
  /// The field with index `field` of rows with `fields` fields.
  init<Row: BoxTableRow>(_ table: BoxTable<Row>, field: Int = 0, of fields: Int = 1) {
    (rows, count) = (table.encodedRows, table.count)
    (first, stride) = (4 * field, 4 * fields)
  }

  /// The number in the row at an index.
  @inline(__always)
  subscript(index: Int) -> UInt32 { rows.raw.bigEndian(at: first &+ index &* stride) ?? 0 }
}

extension PackedColumn {
  /// Appends the numbers of a field.
  mutating func append(_ column: TableColumn) { append(count: column.count) { Int64(column[$0]) } }
}

extension TrackRunBox {
  /// The column of the field that `flag` declares; without rows if the samples do not have it.
  func column(_ flag: UInt32) -> TableColumn {
    let fields = flags & 0xf00
    guard fields & flag != 0 else { return TableColumn() }
    return TableColumn(samples, field: (fields & (flag - 1)).nonzeroBitCount, of: fields.nonzeroBitCount)
  }
}
