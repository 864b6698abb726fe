import MP4Bytes

/// Reads big-endian values from bytes that it does not own.
struct ByteReader: ~Escapable {
  private let bytes: RawSpan
  /// The offset of `bytes` in the file; it is added to the offsets in errors.
  private let base: Int
  /// The number of bytes read so far.
  private(set) var position = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, base: Int) {
    self.bytes = bytes
    self.base = base
  }

  /// The file offset of the next byte.
  var offset: Int { base &+ position }
  var remaining: Int { bytes.byteCount &- position }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ field: StaticText, as _: T.Type = T.self)
    throws(BoxError) -> T
  { T(truncatingIfNeeded: try unsigned(field, byteCount: MemoryLayout<T>.size)) }

  /// The next integer; `nil` if there are too few bytes.
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

  /// Copies `count` bytes. The count is compared with the remaining bytes before memory is allocated.
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

  /// A byte that has not been read yet; `nil` after the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    guard distance >= 0, distance < remaining else { return nil }
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position &+ distance, as: UInt8.self)
  }

  /// The number of bytes before the next zero byte; `nil` if there is none.
  func distanceToZero() -> Int? {
    for at in position..<bytes.byteCount
    where unsafe bytes.unsafeLoad(fromUncheckedByteOffset: at, as: UInt8.self) == 0 {
      return at &- position
    }
    return nil
  }
}
