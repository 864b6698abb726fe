/// A byte range as written in playlists: `LENGTH@OFFSET`, or `LENGTH` for the bytes after the previous range.
public struct ByteRange: Hashable, Sendable {
  /// The number of bytes.
  public var length: Int
  /// The first byte, or `nil` if the range follows that of the previous segment.
  public var offset: Int?

  /// `length` bytes from `offset` on, or after the previous range.
  public init(length: Int, offset: Int? = nil) {
    self.length = length
    self.offset = offset
  }
  /// The bytes in `range`.
  public init(_ range: Range<Int>) {
    length = range.count
    offset = range.lowerBound
  }
  /// Parses `LENGTH` or `LENGTH@OFFSET`; the end of the range must not overflow.
  init?(_ text: Substring.UTF8View) {
    let (first, second) = text.halves(at: "@")
    guard let length = Int(decimal: first) else { return nil }
    self.length = length
    guard let second else { return }
    guard let offset = Int(decimal: second), !length.addingReportingOverflow(offset).overflow else { return nil }
    self.offset = offset
  }

  /// The absolute range, if a range without an offset starts at `start`.
  public func bytes(from start: Int) -> Range<Int> {
    let first = max(0, offset ?? start)
    return first..<saturatingSum(first, max(0, length))
  }
}

extension ByteRange: CustomStringConvertible {
  /// `LENGTH@OFFSET` or `LENGTH`.
  public var description: String { offset.map { "\(length)@\($0)" } ?? "\(length)" }
}

/// A width and a height in pixels.
public struct Resolution: Hashable, Sendable {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// `width` times `height` pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
  /// Parses `WIDTHxHEIGHT`.
  init?(_ text: Substring.UTF8View) {
    let (first, second) = text.halves(at: "x")
    guard let second, let width = Int(decimal: first), let height = Int(decimal: second) else { return nil }
    self.init(width: width, height: height)
  }
}

extension Resolution: CustomStringConvertible {
  /// `WIDTHxHEIGHT`.
  public var description: String { "\(width)x\(height)" }
}
