public import MP4Bytes

/// A box as found by the parser, or bytes that are not a box.
public struct BoxNode: Sendable {
  /// The contents after the header.
  public enum Content: Sendable {
    /// Boxes, after the fields of `payload` if there are any; the parser enters them next.
    case boxes(payload: BoxDeclaration?)
    /// Fields.
    case payload(BoxDeclaration)
    /// Bytes that are unknown or not read, such as media data.
    case opaque
    /// Not a box: bytes after the last box of a container, whose range is in `header`.
    case remainder
  }
  /// The position of the box.
  public var header: BoxHeader
  /// Its contents.
  public var content: Content
  /// The number of enclosing boxes.
  public var depth: Int
  /// Its index among the boxes of its type in its container, starting at 1.
  public var index: Int
  /// Information from other boxes about it.
  public var context: BoxContext
  /// A problem with its header or placement.
  public var problem: BoxError?
  /// The offset of its first child box.
  package var boxesStart: Int

  /// No box yet.
  package init() {
    header = BoxHeader(type: FourCC(rawValue: 0), at: 0)
    (content, depth, index, boxesStart) = (.opaque, 0, 0, 0)
    context = BoxContext()
  }
  /// Bytes that are not a box.
  init(remainder range: Range<Int>, depth: Int, _ context: BoxContext, _ problem: BoxError?) {
    header = BoxHeader(type: FourCC(rawValue: 0), at: range.lowerBound, size: range.count)
    (content, index, boxesStart) = (.remainder, 1, range.lowerBound)
    (self.depth, self.context, self.problem) = (depth, context, problem)
  }

  /// Whether it consists of bytes that are not a box.
  package var isRemainder: Bool {
    if case .remainder = content { true } else { false }
  }
  /// Whether its definition was added to those of this package.
  package var isAdded: Bool {
    switch content {
    case .payload(let payload), .boxes(let payload?): payload.isAdded
    case .boxes(nil), .opaque, .remainder: false
    }
  }
  /// The four-character code.
  @inlinable public var type: FourCC { header.type }
}
