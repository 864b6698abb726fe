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

  @inline(__always)
  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ field: StaticString, as _: T.Type = T.self)
    throws(BoxError) -> T
  {
    let size = MemoryLayout<T>.size
    guard remaining >= size else {
      throw BoxError(.truncated(needed: size, left: remaining), field: field, offset: offset)
    }
    defer { position &+= size }
    return unsafe T(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: T.self))
  }

  /// Copies `count` bytes. The count is checked against the bytes that are left before anything is allocated.
  mutating func bytes(_ field: StaticString, count: Int) throws(BoxError) -> [UInt8] {
    let start = position
    try skip(count, field)
    return unsafe bytes.extracting(start..<position).withUnsafeBytes { unsafe [UInt8]($0) }
  }

  mutating func skip(_ count: Int, _ field: StaticString) throws(BoxError) {
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
