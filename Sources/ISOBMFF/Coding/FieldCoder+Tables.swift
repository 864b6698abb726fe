public import MP4Bytes

/// Codes the fields of one row. A closure hides the row type, so that the code of tables is compiled only once.
package typealias RowFields = (inout FieldCoder) throws(BoxError) -> Void

/// Tables and lists of rows.
extension FieldCoder {
  /// A table with rows of equal size. It is a view of the payload: nothing is copied or decoded.
  public mutating func table<Row: BoxTableRow>(
    _ name: StaticText, _ table: inout BoxTable<Row>, count: some BinaryInteger, shape: UInt32 = 0
  ) throws(BoxError) {
    try self.table(name, &table, count: Int(clamping: count), shape: shape)
  }

  private mutating func table<Row: BoxTableRow>(
    _ name: StaticText, _ table: inout BoxTable<Row>, count: Int, shape: UInt32
  ) throws(BoxError) {
    let blank = Row.blank(shape)
    if mode == .read {
      let (bytes, stride) = try readTable(name, count: count, isPlain: Row.isPlain, blank)
      table = BoxTable(bytes: bytes, count: count, shape: shape, stride: stride)
    } else if mode == .measure {
      measured += table.byteCount(shape)
    } else if mode == .write, let bytes = table.bytes(shape) {
      try checkCount(name, table.count, count)
      writer.bytes += bytes
    } else {
      try codeRows(name, table.count, of: count, blank) { (c, index) throws(BoxError) in
        var row = table[index]
        try row.fields(&c, shape: shape)
        if c.access?.given != nil { table[index] = row }
      }
    }
  }

  /// A table preceded by a 32-bit count of rows.
  public mutating func table<Row: BoxTableRow>(
    _ name: StaticText, _ table: inout BoxTable<Row>, counted countName: StaticText, shape: UInt32 = 0
  ) throws(BoxError) {
    let count = try code(countName, UInt64(UInt32(clamping: table.count)), NumberForm(bits: 32), .decimal)
    try self.table(name, &table, count: Int(count), shape: shape)
  }

  /// A table of all remaining bytes of the box.
  public mutating func tableToEnd<Row: BoxTableRow>(
    _ name: StaticText, _ table: inout BoxTable<Row>, shape: UInt32 = 0
  ) throws(BoxError) {
    let stride = mode == .read ? Self.size(of: Row.blank(shape)) : 0
    let count = mode == .read ? (stride > 0 ? reader.remaining / stride : 0) : table.count
    try self.table(name, &table, count: count, shape: shape)
  }

  /// Rows preceded by a 32-bit count.
  public mutating func rows<Row: BoxTableRow>(
    _ name: StaticText, _ rows: inout [Row], counted countName: StaticText, shape: UInt32 = 0
  ) throws(BoxError) {
    let count = try code(countName, UInt64(UInt32(clamping: rows.count)), NumberForm(bits: 32), .decimal)
    try self.rows(name, &rows, count: Int(count), shape: shape)
  }

  /// Rows of variable size; they are decoded immediately.
  public mutating func rows<Row: BoxTableRow>(
    _ name: StaticText, _ rows: inout [Row], count: some BinaryInteger, shape: UInt32 = 0
  ) throws(BoxError) {
    try self.rows(name, &rows, count: Int(clamping: count), shape: shape)
  }

  private mutating func rows<Row: BoxTableRow>(
    _ name: StaticText, _ rows: inout [Row], count: Int, shape: UInt32
  ) throws(BoxError) {
    let blank = Row.blank(shape)
    guard mode == .read else {
      return try codeRows(name, rows.count, of: count, blank) { (c, index) throws(BoxError) in
        var row = rows[index]
        try row.fields(&c, shape: shape)
        if c.access?.given != nil { rows[index] = row }
      }
    }
    var read: [Row] = []
    // Rows that are shown are not kept, so that memory use does not depend on their number.
    let keeps = sink == nil
    try readRows(name, count: count, isPlain: Row.isPlain, blank) { (c, capacity) throws(BoxError) in
      if keeps, read.isEmpty { read.reserveCapacity(capacity) }
      let start = c.remaining
      var row = Row()
      try row.fields(&c, shape: shape)
      // Rows without bytes contain no information, regardless of the declared count.
      if keeps, c.remaining < start { read.append(row) }
    }
    rows = read
  }

  /// The number of bytes of a row, if all rows have the same size.
  package static func size(of blank: RowFields) -> Int { bitSize(of: blank) / 8 }

  /// The number of bits of a row, if all rows have the same size.
  @inline(never)
  private static func bitSize(of blank: RowFields) -> Int {
    var coder = FieldCoder(.measure)
    do throws(BoxError) { try blank(&coder) } catch { return 0 }
    return coder.measured * 8 + coder.pendingCount
  }

  /// The number of rows in the remaining bytes, including a damaged one; an incomplete row does not count.
  package func rowCount(_ blank: RowFields) -> Int {
    let rest = payload[(payload.startIndex + reader.position)...]
    var probe = FieldCoder(reading: rest, base: 0, context: context, sink: nil)
    var count = 0
    let least = max(1, Self.bitSize(of: blank))
    while probe.remainingBits >= least {
      let before = probe.remainingBits
      do throws(BoxError) { try blank(&probe) } catch { return count + 1 }
      if probe.remainingBits == before { break }
      count += 1
    }
    return count
  }

  /// Throws if the number of rows differs from the count to write.
  private func checkCount(_ name: StaticText, _ rows: Int, _ count: Int) throws(BoxError) {
    guard mode == .write, rows != count else { return }
    throw BoxError(.wrongCount(rows, expected: count), field: name, offset: writer.bytes.count)
  }

  @inline(never)
  package mutating func readTable(_ name: StaticText, count: Int, isPlain: Bool, _ blank: RowFields)
    throws(BoxError) -> (ArraySlice<UInt8>, stride: Int)
  {
    let stride = Self.size(of: blank)
    guard stride == 0 || reader.remaining / stride >= count else {
      let problem = BoxError.Problem.countTooLarge(count, entrySize: stride, left: reader.remaining)
      throw BoxError(problem, field: name, offset: reader.offset)
    }
    let start = payload.startIndex + reader.position
    let end = start + count * stride
    if let sink {
      // Rows without bytes contain no information and are not iterated over.
      if sink.beginTable(name, count: stride == 0 ? 0 : count, plain: isPlain), stride > 0 {
        for index in 0..<count { try showRow(index, to: sink, blank) }
      }
      sink.endTable()
    }
    try reader.skip(end - payload.startIndex - reader.position, name)
    return (payload[start..<end], stride)
  }

  @inline(never)
  package mutating func readRows(
    _ name: StaticText, count: Int, isPlain: Bool, _ blank: RowFields,
    _ row: (inout FieldCoder, _ capacity: Int) throws(BoxError) -> Void
  ) throws(BoxError) {
    let bits = Self.bitSize(of: blank)
    // Every row takes at least a byte or its few bits, which limits the memory that a count from the file can allocate.
    guard count <= ((1..<8).contains(bits) ? remainingBits / bits : reader.remaining) || bits == 0 else {
      let problem = BoxError.Problem.countTooLarge(count, entrySize: 1, left: reader.remaining)
      throw BoxError(problem, field: name, offset: reader.offset)
    }
    let capacity = min(count, remainingBits / max(8, bits))
    let shown = sink?.beginTable(name, count: count, plain: isPlain) ?? false
    var index = 0
    while index < count {
      let start = remainingBits
      if shown { sink?.beginRow(index) }
      try codeRow { (c) throws(BoxError) in try row(&c, capacity) }
      if shown { sink?.endRow() }
      if remainingBits == start { break }
      index += 1
    }
    sink?.endTable()
  }

  /// Writes, measures or describes rows, or enters one of them.
  @inline(never)
  package mutating func codeRows(
    _ name: StaticText, _ rows: Int, of count: Int, _ blank: RowFields,
    _ row: (inout FieldCoder, Int) throws(BoxError) -> Void
  ) throws(BoxError) {
    if mode == .describe { return try describeRow(name, blank) }
    if mode == .access {
      guard let access else { return }
      let place = access.place
      defer { access.place = place }
      if let index = access.enterRow(of: name, count: rows) { try row(&self, index) }
      return
    }
    try checkCount(name, rows, count)
    for index in 0..<rows { try codeRow { (c) throws(BoxError) in try row(&c, index) } }
  }

  /// Codes a row with its own count of reserved fields, so that it stays valid if rows before it are added or removed.
  private mutating func codeRow(_ row: RowFields) throws(BoxError) {
    let outer = reservedCount
    reservedCount = 0
    try row(&self)
    reservedCount = outer
  }

  private mutating func describeRow(_ name: StaticText, _ blank: RowFields) throws(BoxError) {
    let outer = described.count
    try blank(&self)
    for i in outer..<described.count {
      described[i].name = described[i].name.isEmpty ? "\(name)[]" : "\(name)[].\(described[i].name)"
    }
  }
}

extension BoxTableRow {
  /// Codes the fields of a temporary row, to show, measure or describe it.
  static func blank(_ shape: UInt32) -> RowFields {
    { (c) throws(BoxError) in
      var row = Self()
      try row.fields(&c, shape: shape)
    }
  }
  /// The number of bytes of a row, if all rows have the same size.
  static func stride(_ shape: UInt32) -> Int { FieldCoder.size(of: blank(shape)) }
}
