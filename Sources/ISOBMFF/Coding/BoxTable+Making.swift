import Bytes

extension BoxTable where Row: FixedWidthInteger & BitwiseCopyable {
  /// A table of plain integers, created without a coder, because there can be many millions.
  package init(integers: [Row]) {
    var writer = ByteWriter()
    let stride = MemoryLayout<Row>.size
    writer.bytes.reserveCapacity(integers.count * stride)
    for value in integers { writer.integer(value) }
    self.init(bytes: writer.bytes[...], count: integers.count, shape: 0, stride: stride)
  }
}

extension BoxTable {
  /// A table of encoded rows.
  package init(encoded bytes: [UInt8], count: Int, shape: UInt32 = 0) {
    let stride = Row.stride(shape)
    precondition(bytes.count == count * stride, "\(count) rows of \(stride) bytes")
    self.init(bytes: bytes[...], count: count, shape: shape, stride: stride)
  }
}
