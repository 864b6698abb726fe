import Bytes

/// Fields on their way to the sink.
extension FieldCoder {
  /// Whether there is a sink.
  package var isShowing: Bool { sink != nil }

  /// Shows a field when there is a sink: at once, or with the others of its row.
  @inline(never)
  mutating func show(_ name: StaticText, _ value: consuming FieldValue) {
    if keepsRowFields {
      // What is there of the row before is replaced, which takes less than to remove and to append.
      if rowFieldCount < rowFields.count {
        rowFields[rowFieldCount] = (name, value)
      } else {
        rowFields.append((name, value))
      }
      rowFieldCount += 1
    } else if let sink {
      sink.field(name, value)
    }
  }

  /// Reads a row of a table and shows it as a whole, since a call for each field of a million rows tells. Rows that all
  /// take the same number of bytes have only fields in them.
  mutating func showRow(_ index: Int, to sink: any FieldSink, _ row: RowFields) throws(BoxError) {
    (keepsRowFields, rowFieldCount) = (true, 0)
    defer { keepsRowFields = false }
    do throws(BoxError) { try row(&self) } catch {
      // The fields before the damage are shown, and the row stays open.
      sink.beginRow(index)
      for field in rowFields[..<rowFieldCount] { sink.field(field.name, field.value) }
      throw error
    }
    rowFields.removeLast(rowFields.count - rowFieldCount)
    sink.row(index, rowFields)
  }
}
