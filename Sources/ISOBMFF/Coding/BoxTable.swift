public import MP4Bytes

/// A row of a table: its fields, declared like those of a box.
public protocol BoxTableRow: EmptyInitializable, Equatable, Sendable {
  /// The fields of a row. `shape` determines which fields there are; it is usually the version or the flags of the box.
  mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError)
  /// Whether a row is a single unnamed value.
  static var isPlain: Bool { get }
}
extension BoxTableRow {
  /// By default, rows have named fields.
  public static var isPlain: Bool { false }
}

/// Rows of equal size. Until it is changed, the table is a view of the bytes of the file, decoded row by row.
///
/// A table that was read takes only the memory of its bytes, which it shares with the payload. The first change decodes
/// all rows.
public struct BoxTable<Row: BoxTableRow>: Sendable {
  /// The rows as they are in the file; empty if there are `changed` rows.
  private var encoded: ArraySlice<UInt8>
  /// The value that determines the fields of a row in `encoded`.
  private var shape: UInt32
  private var stride: Int
  /// The rows of a table that was created or changed.
  private var changed: [Row]?
  /// The number of rows.
  public private(set) var count: Int

  /// Rows as they are in a file.
  init(bytes: ArraySlice<UInt8>, count: Int, shape: UInt32, stride: Int) {
    (encoded, self.count, self.shape, self.stride) = (bytes, count, shape, stride)
  }

  /// A table of `rows`.
  public init(_ rows: some Sequence<Row>) {
    let rows = Array(rows)
    (encoded, shape, stride, changed, count) = ([], 0, 0, rows, rows.count)
  }

  /// The bytes of the rows with this `shape`; `nil` if they must be encoded.
  func bytes(_ shape: UInt32) -> ArraySlice<UInt8>? {
    if count == 0 { return [] }
    return changed == nil && self.shape == shape ? encoded : nil
  }

  /// The number of bytes of the rows with this `shape`.
  func byteCount(_ shape: UInt32) -> Int { bytes(shape)?.count ?? count * Row.stride(shape) }

  /// The bytes of the rows as they were read or given; empty if the rows were changed.
  package var encodedRows: ArraySlice<UInt8> { encoded }

  /// The row at `index`, which must be below `count`.
  public subscript(index: Int) -> Row {
    get {
      precondition(index >= 0 && index < count, "row \(index) of a table of \(count)")
      if let changed { return changed[index] }
      let start = encoded.startIndex &+ index &* stride
      let slice = encoded[start..<(start &+ stride)]
      var coder = FieldCoder(reading: slice, base: 0, context: BoxContext(), sink: nil)
      var row = Row()
      // The bytes of all rows exist, so reading a row cannot fail.
      do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { return Row() }
      return row
    }
    set { change { $0[index] = newValue } }
  }

  /// Calls `body` with each row in order, decoding with one coder.
  public func forEachRow(_ body: (Row) -> Void) {
    if let changed { return changed.forEach(body) }
    var coder = FieldCoder(reading: encoded, base: 0, context: BoxContext(), sink: nil)
    var row = Row()
    for _ in 0..<(stride == 0 ? 0 : count) {
      // The bytes of all rows exist, so reading a row cannot fail.
      do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { return }
      body(row)
    }
  }

  private mutating func change(_ body: (inout [Row]) -> Void) {
    var rows = changed ?? Array(self)
    // The array has a single reference, so that the change does not copy the rows.
    (changed, encoded) = (nil, [])
    body(&rows)
    (changed, count) = (rows, rows.count)
  }
}

extension BoxTable: Equatable {
  /// Whether both have equal rows.
  public static func == (a: BoxTable, b: BoxTable) -> Bool {
    guard a.count == b.count else { return false }
    if a.changed == nil, b.changed == nil, a.shape == b.shape { return a.encoded.hasSameBytes(as: b.encoded) }
    return zip(a, b).allSatisfy { $0 == $1 }
  }
}

extension BoxTable: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// Iterates over the rows.
  public struct Iterator: IteratorProtocol {
    let table: BoxTable
    var index = 0
    /// The next row.
    public mutating func next() -> Row? {
      guard index < table.count else { return nil }
      defer { index += 1 }
      return table[index]
    }
  }
  /// A table without rows.
  public init() { self.init(bytes: [], count: 0, shape: 0, stride: 0) }
  /// A table of `count` equal rows. Rows without fields take no memory.
  public init(repeating row: Row, count: Int) {
    if Row.stride(0) == 0, row == Row() {
      self.init(bytes: [], count: count, shape: 0, stride: 0)
    } else {
      self.init(repeatElement(row, count: count))
    }
  }
  /// The rows in order.
  public func makeIterator() -> Iterator { Iterator(table: self) }
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { count }
  /// Replaces the rows in `range`.
  public mutating func replaceSubrange(_ range: Range<Int>, with rows: some Collection<Row>) {
    change { $0.replaceSubrange(range, with: rows) }
  }
}

extension BoxTable: ExpressibleByArrayLiteral {
  /// A table of `rows`.
  public init(arrayLiteral rows: Row...) { self.init(rows) }
}

/// Unsigned integers that can be a plain row.
extension UInt8: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// A single unnamed value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint8("", &self) }
}
extension UInt16: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// A single unnamed value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint16("", &self) }
}
extension UInt32: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// A single unnamed value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint32("", &self) }
}
extension UInt64: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// A single unnamed value of 64 bits, or of 32 bits if the shape is 32.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint("", &self, wide: shape != 32)
  }
}
extension FourCC: BoxTableRow, EmptyInitializable {
  /// A single unnamed value.
  public static var isPlain: Bool { true }
  /// Four zero bytes.
  public init() { self.init(rawValue: 0) }
  /// A single unnamed value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.fourCC("", &self) }
}

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
