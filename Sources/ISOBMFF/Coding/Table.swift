public import Bytes

/// A row of a table: its fields, declared like those of a box.
public protocol TableRow: EmptyInitializable, Equatable, Sendable {
  /// The fields of a row; `shape` is what decides which there are, usually the version or the flags of the box.
  mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError)
  /// Whether a row is one nameless value.
  static var isPlain: Bool { get }
}
extension TableRow {
  /// Rows have named fields.
  public static var isPlain: Bool { false }

  /// The number of bytes that a row takes; only for rows that all take the same.
  static func stride(_ shape: UInt32) -> Int {
    var coder = FieldCoder(.measure)
    var row = Self()
    do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { return 0 }
    return coder.measured
  }
}

/// Rows of equal size, kept as the bytes of the file and decoded one by one while they are walked.
public struct Table<Row: TableRow>: Sendable {
  /// The rows as they are in the file.
  public private(set) var bytes: ArraySlice<UInt8>
  /// The number of rows.
  public private(set) var count: Int
  /// What decides which fields a row has.
  let shape: UInt32
  let stride: Int

  /// A table without rows.
  public init() { self.init(bytes: [], count: 0, shape: 0, stride: 0) }

  init(bytes: ArraySlice<UInt8>, count: Int, shape: UInt32, stride: Int) {
    self.bytes = bytes
    self.count = count
    self.shape = shape
    self.stride = stride
  }

  /// A table of `rows`; `shape` is the one that the box hands to its rows.
  public init(_ rows: some Sequence<Row>, shape: UInt32 = 0) {
    var coder = FieldCoder(.write)
    var count = 0
    for var row in rows {
      // Rows throw only when they read.
      do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { continue }
      count += 1
    }
    self.init(bytes: coder.writer.bytes[...], count: count, shape: shape, stride: Row.stride(shape))
  }

  /// The row at `index`, which must be below `count`.
  public subscript(index: Int) -> Row {
    precondition(index >= 0 && index < count, "row \(index) of a table of \(count)")
    let start = bytes.startIndex &+ index &* stride
    let slice = bytes[start..<(start &+ stride)]
    var coder = FieldCoder(reading: slice, base: 0, context: BoxContext(), sink: nil)
    var row = Row()
    // The bytes of every row are there, so that reading one cannot fail.
    do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { return Row() }
    return row
  }

  /// Whether there are no rows.
  public var isEmpty: Bool { count == 0 }
  /// The last row.
  public var last: Row? { isEmpty ? nil : self[count - 1] }
}

extension Table: Equatable {
  /// Whether both hold the same bytes in the same shape.
  public static func == (a: Table, b: Table) -> Bool {
    a.count == b.count && a.shape == b.shape && a.bytes == b.bytes
  }
}

extension Table: Sequence {
  /// Walks the rows in order with one decoder.
  public struct Iterator: IteratorProtocol {
    let table: Table
    var index = 0
    /// The next row.
    public mutating func next() -> Row? {
      guard index < table.count else { return nil }
      defer { index += 1 }
      return table[index]
    }
  }
  /// The rows in order.
  public func makeIterator() -> Iterator { Iterator(table: self) }
  /// The number of rows, known without a walk.
  public var underestimatedCount: Int { count }
}

/// Unsigned integers that can be a plain row.
extension UInt8: TableRow, EmptyInitializable {
  /// One nameless value.
  public static var isPlain: Bool { true }
  /// One nameless value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint8("", &self) }
}
extension UInt16: TableRow, EmptyInitializable {
  /// One nameless value.
  public static var isPlain: Bool { true }
  /// One nameless value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint16("", &self) }
}
extension UInt32: TableRow, EmptyInitializable {
  /// One nameless value.
  public static var isPlain: Bool { true }
  /// One nameless value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.uint32("", &self) }
}
extension UInt64: TableRow, EmptyInitializable {
  /// One nameless value.
  public static var isPlain: Bool { true }
  /// One nameless value of 64 bits, or of 32 where the shape is 32.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
    try c.uint("", &self, wide: shape != 32)
  }
}
extension FourCC: TableRow, EmptyInitializable {
  /// One nameless value.
  public static var isPlain: Bool { true }
  /// Four zero bytes.
  public init() { self.init(rawValue: 0) }
  /// One nameless value.
  public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) { try c.fourCC("", &self) }
}

extension Table {
  /// Hands each row to `body` in order, decoding with one coder.
  public func forEachRow(_ body: (Row) -> Void) {
    var coder = FieldCoder(reading: bytes, base: 0, context: BoxContext(), sink: nil)
    var row = Row()
    for _ in 0..<(stride == 0 ? 0 : count) {
      // The bytes of every row are there, so that reading one cannot fail.
      do throws(BoxError) { try row.fields(&coder, shape: shape) } catch { return }
      body(row)
    }
  }
}
