import Bytes

/// Tables and lists of rows.
extension FieldCoder {
  /// A table whose rows all take the same number of bytes. It is a view of the payload: nothing is copied or decoded.
  public mutating func table<Row: BoxTableRow>(
    _ name: StaticString, _ table: inout BoxTable<Row>, count: some BinaryInteger, shape: UInt32 = 0
  ) throws(BoxError) {
    switch mode {
    case .read: table = try readTable(name, count: Int(clamping: count), shape: shape)
    case .write:
      try checkCount(name, table.count, count)
      if let bytes = table.bytes(shape) {
        writer.bytes += bytes
      } else {
        for var row in table { try codeRow(&row, shape: shape) }
      }
    case .measure: measured += table.byteCount(shape)
    case .describe: try describeRow(name, Row.self, shape: shape)
    }
  }

  /// A table after a field of 32 bits with the number of its rows.
  public mutating func table<Row: BoxTableRow>(
    _ name: StaticString, _ table: inout BoxTable<Row>, counted countName: StaticString, shape: UInt32 = 0
  ) throws(BoxError) {
    var count = UInt32(clamping: table.count)
    try uint32(countName, &count)
    try self.table(name, &table, count: count, shape: shape)
  }

  /// Rows after a field of 32 bits with their number.
  public mutating func rows<Row: BoxTableRow>(
    _ name: StaticString, _ rows: inout [Row], counted countName: StaticString, shape: UInt32 = 0
  ) throws(BoxError) {
    var count = UInt32(clamping: rows.count)
    try uint32(countName, &count)
    try self.rows(name, &rows, count: count, shape: shape)
  }

  /// A table that takes the rest of the box.
  public mutating func tableToEnd<Row: BoxTableRow>(
    _ name: StaticString, _ table: inout BoxTable<Row>, shape: UInt32 = 0
  ) throws(BoxError) {
    let stride = Row.stride(shape)
    let count = mode == .read ? (stride > 0 ? reader.remaining / stride : 0) : table.count
    try self.table(name, &table, count: count, shape: shape)
  }

  /// Fails when the rows to be written are not as many as are counted.
  private func checkCount(_ name: StaticString, _ rows: Int, _ count: some BinaryInteger) throws(BoxError) {
    guard mode == .write, rows != count else { return }
    throw BoxError(.wrongCount(rows, expected: Int(clamping: count)), field: name, offset: writer.bytes.count)
  }

  private mutating func readTable<Row: BoxTableRow>(_ name: StaticString, count: Int, shape: UInt32)
    throws(BoxError) -> BoxTable<Row>
  {
    let stride = Row.stride(shape)
    guard stride == 0 || reader.remaining / stride >= count else {
      let problem = BoxError.Problem.countTooLarge(count, entrySize: stride, left: reader.remaining)
      throw BoxError(problem, field: name, offset: reader.offset)
    }
    let start = payload.startIndex + reader.position
    let end = start + count * stride
    if let sink {
      // Rows of no bytes say nothing; they are not walked by their count.
      if sink.beginTable(name, count: stride == 0 ? 0 : count, plain: Row.isPlain), stride > 0 {
        var row = Row()
        for index in 0..<count {
          try showRow(&row, index, shape: shape, to: sink)
        }
      }
      sink.endTable()
    }
    try reader.skip(end - payload.startIndex - reader.position, name)
    return BoxTable(bytes: payload[start..<end], count: count, shape: shape, stride: stride)
  }

  /// Rows that each take their own number of bytes; they are decoded at once.
  public mutating func rows<Row: BoxTableRow>(
    _ name: StaticString, _ rows: inout [Row], count: some BinaryInteger, shape: UInt32 = 0
  ) throws(BoxError) {
    switch mode {
    case .read: rows = try readRows(name, count: Int(clamping: count), shape: shape)
    case .write, .measure:
      try checkCount(name, rows.count, count)
      for var row in rows { try codeRow(&row, shape: shape) }
    case .describe: try describeRow(name, Row.self, shape: shape)
    }
  }

  private mutating func readRows<Row: BoxTableRow>(_ name: StaticString, count: Int, shape: UInt32)
    throws(BoxError) -> [Row]
  {
    // Every row takes a byte or more, which bounds what a count from the file can allocate.
    guard count <= reader.remaining || Row.stride(shape) == 0 else {
      let problem = BoxError.Problem.countTooLarge(count, entrySize: 1, left: reader.remaining)
      throw BoxError(problem, field: name, offset: reader.offset)
    }
    var rows: [Row] = []
    // What is shown is not kept, so that showing takes no memory by the number of rows.
    let keeps = sink == nil
    if keeps { rows.reserveCapacity(min(count, reader.remaining / max(1, Row.stride(shape)))) }
    let shown = sink?.beginTable(name, count: count, plain: Row.isPlain) ?? false
    var index = 0
    while index < count {
      let start = reader.remaining
      if shown { sink?.beginRow(index) }
      var row = Row()
      try codeRow(&row, shape: shape)
      if shown { sink?.endRow() }
      if reader.remaining == start { break }
      if keeps { rows.append(row) }
      index += 1
    }
    sink?.endTable()
    return rows
  }

  /// A row counts its own reserved fields, so that it stays right when rows before it come or go.
  private mutating func codeRow<Row: BoxTableRow>(_ row: inout Row, shape: UInt32) throws(BoxError) {
    let outer = reservedCount
    reservedCount = 0
    try row.fields(&self, shape: shape)
    reservedCount = outer
  }

  private mutating func describeRow<Row: BoxTableRow>(_ name: StaticString, _: Row.Type, shape: UInt32) throws(BoxError)
  {
    let outer = described.count
    var blank = Row()
    try blank.fields(&self, shape: shape)
    for i in outer..<described.count {
      described[i].name = described[i].name.isEmpty ? "\(name)[]" : "\(name)[].\(described[i].name)"
    }
  }
}
