import MP4Bytes

/// Passing fields to the sink.
extension FieldCoder {
  /// Whether there is a sink.
  package var isShowing: Bool { sink != nil }

  /// Shows a field if there is a sink, immediately or with the other fields of its row.
  @inline(never)
  mutating func show(_ name: StaticText, _ value: consuming FieldValue) {
    if keepsRowFields {
      // The fields of the previous row are overwritten, which is faster than removing and appending them.
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

  /// Reads a row of a table and shows it in one call, because a call for each field of a million rows takes too long.
  /// Rows of constant size contain only fields.
  mutating func showRow(_ index: Int, to sink: any FieldSink, _ row: RowFields) throws(BoxError) {
    (keepsRowFields, rowFieldCount) = (true, 0)
    defer { keepsRowFields = false }
    do throws(BoxError) { try row(&self) } catch {
      // The fields before the damage are shown, and the row is not ended.
      sink.beginRow(index)
      for field in rowFields[..<rowFieldCount] { sink.field(field.name, field.value) }
      throw error
    }
    rowFields.removeLast(rowFields.count - rowFieldCount)
    sink.row(index, rowFields)
  }
}
