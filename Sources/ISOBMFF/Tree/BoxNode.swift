public import Bytes

/// One box as the parser meets it, or bytes that are not a box.
public struct BoxNode: Sendable {
  /// What there is after the header.
  public enum Content: Sendable {
    /// Boxes, after the fields of `payload` where there are some; the parser goes into them next.
    case boxes(payload: BoxDeclaration?)
    /// Fields.
    case payload(BoxDeclaration)
    /// Bytes that nothing is known about, or that are not for us to read, such as media data.
    case opaque
    /// Not a box: bytes after the last one of a container, of which `header` gives the place.
    case remainder
  }
  /// Where the box is.
  public var header: BoxHeader
  /// What it holds.
  public var content: Content
  /// How many boxes enclose it.
  public var depth: Int
  /// Which of the boxes of its type it is in its container, counted from 1.
  public var index: Int
  /// What other boxes say about it.
  public var context: BoxContext
  /// What is wrong with its header or place.
  public var problem: BoxError?
  /// Where the boxes inside it start.
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

  /// Whether this is bytes that are not a box.
  package var isRemainder: Bool {
    if case .remainder = content { true } else { false }
  }
  /// Whether its fields were added to those that the package knows.
  package var isAdded: Bool {
    switch content {
    case .payload(let payload), .boxes(let payload?): payload.isAdded
    case .boxes(nil), .opaque, .remainder: false
    }
  }
  /// The four-character code.
  @inlinable public var type: FourCC { header.type }
}
