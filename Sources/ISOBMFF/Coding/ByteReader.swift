import Bytes

/// Reads big-endian values from the front of a region of bytes it does not own.
struct ByteReader: ~Escapable {
  private let bytes: RawSpan
  /// Where `bytes` starts in the file; added to every offset in an error.
  private let base: Int
  /// The number of bytes read so far.
  private(set) var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, base: Int) {
    self.bytes = bytes
    self.base = base
  }

  /// Where in the file the next byte lies.
  var offset: Int { base &+ position }
  var remaining: Int { bytes.byteCount &- position }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ field: StaticText, as _: T.Type = T.self)
    throws(BoxError) -> T
  { T(truncatingIfNeeded: try unsigned(field, byteCount: MemoryLayout<T>.size)) }

  /// The next integer, or `nil` when there are too few bytes for it.
  @inline(__always)
  mutating func next<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) -> T? {
    let size = MemoryLayout<T>.size
    guard remaining >= size else { return nil }
    defer { position &+= size }
    return unsafe T(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: T.self))
  }

  /// The next number of 1, 2, 4 or 8 bytes.
  mutating func unsigned(_ field: StaticText, byteCount: Int) throws(BoxError) -> UInt64 {
    let value =
      switch byteCount {
      case 1: next(UInt8.self).map(UInt64.init)
      case 2: next(UInt16.self).map(UInt64.init)
      case 4: next(UInt32.self).map(UInt64.init)
      default: next(UInt64.self)
      }
    guard let value else {
      throw BoxError(.truncated(needed: byteCount, left: remaining), field: field, offset: offset)
    }
    return value
  }

  /// Copies `count` bytes. The count is checked against the bytes that are left before anything is allocated.
  mutating func bytes(_ field: StaticText, count: Int) throws(BoxError) -> [UInt8] {
    let start = position
    try skip(count, field)
    return unsafe bytes.extracting(start..<position).withUnsafeBytes { unsafe [UInt8]($0) }
  }

  mutating func skip(_ count: Int, _ field: StaticText) throws(BoxError) {
    guard count >= 0, remaining >= count else {
      throw BoxError(.truncated(needed: count, left: remaining), field: field, offset: offset)
    }
    position &+= count
  }

  /// Looks at a byte that is not read yet, or `nil` when there are not so many.
  func peek(_ distance: Int = 0) -> UInt8? {
    guard distance >= 0, distance < remaining else { return nil }
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position &+ distance, as: UInt8.self)
  }

  /// The number of bytes before the next zero byte, or `nil` when there is none.
  func distanceToZero() -> Int? {
    for at in position..<bytes.byteCount
    where unsafe bytes.unsafeLoad(fromUncheckedByteOffset: at, as: UInt8.self) == 0 {
      return at &- position
    }
    return nil
  }
}
