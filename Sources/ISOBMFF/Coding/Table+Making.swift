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
  /// A table of rows that are encoded already, in the shape 0.
  package init(encoded bytes: [UInt8], count: Int) {
    let stride = Row.stride(0)
    precondition(bytes.count == count * stride, "\(count) rows of \(stride) bytes")
    self.init(bytes: bytes[...], count: count, shape: 0, stride: stride)
  }
}
