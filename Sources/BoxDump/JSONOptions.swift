import ISOBMFF
import MP4Bytes

/// How boxes are shown as JSON.
public struct JSONOptions: Sendable {
  /// The name of the file, if there are several files.
  public var file: String?
  /// Whether each box is an object on a line of its own, without the boxes inside it, instead of an element of an
  /// array.
  public var isLines = false
  /// Whether bytes are shown in full, however many there are.
  public var isFull = false

  /// Longer byte values are shown as their first bytes and a length.
  static let longestBytes = 1024
  static let shownOfLongBytes = 64

  /// An array of boxes, inside an object with the name of the file if one is given.
  public init(file: String? = nil) { self.file = file }
}
