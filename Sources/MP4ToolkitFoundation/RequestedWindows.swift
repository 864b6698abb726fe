import MP4Toolkit

/// The part of a source that a player requests, in windows of bounded size.
struct RequestedWindows: Sequence, IteratorProtocol {
  static let size = 256 << 10
  private var rest: Range<Int>

  /// `count` bytes from `offset` on, or all up to the end, as many as exist.
  init(from offset: Int64, count: Int, toEnd: Bool, of byteCount: Int) {
    let start = Int(clamping: Swift.min(Swift.max(0, offset), Int64(byteCount)))
    rest = start..<(toEnd ? byteCount : start + Swift.min(Swift.max(0, count), byteCount - start))
  }

  mutating func next() -> Range<Int>? {
    if rest.isEmpty { return nil }
    let window = rest.prefix(Self.size)
    rest = window.upperBound..<rest.upperBound
    return window
  }
}

extension ByteSource {
  /// The bytes of a range that it has, read in a thread of the library.
  func wholeBytes(in range: Range<Int>) async throws -> [UInt8] {
    let bytes = try await MediaThread.run { try self.bytes(in: range) }
    guard bytes.count == range.count else {
      throw IOError(
        .read, file: name, offset: range.lowerBound + bytes.count, reason: "it is shorter than when it was opened")
    }
    return bytes
  }
}
