extension Table where Row: FixedWidthInteger & BitwiseCopyable {
  /// A table of plain integers, made without a coder: there can be many millions.
  package init(integers: [Row]) {
    var writer = ByteWriter()
    let stride = MemoryLayout<Row>.size
    writer.bytes.reserveCapacity(integers.count * stride)
    for value in integers { writer.integer(value) }
    self.init(bytes: writer.bytes[...], count: integers.count, shape: 0, stride: stride)
  }
}

extension Table {
  /// A table whose rows are two numbers of 32 bits, made without a coder.
  package init(pairs: [(UInt32, UInt32)]) {
    precondition(Row.stride(0) == 8, "rows of two numbers of 32 bits")
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(pairs.count * 8)
    for pair in pairs { writer.integer(UInt64(pair.0) << 32 | UInt64(pair.1)) }
    self.init(bytes: writer.bytes[...], count: pairs.count, shape: 0, stride: 8)
  }
}
