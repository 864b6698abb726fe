import Bytes
import ISOBMFF

/// How boxes are shown as JSON.
public struct JSONOptions: Sendable {
  /// The name of the file, where there are several.
  public var file: String?
  /// Whether each box is an object on a line of its own, without those in it, and not an element of an array.
  public var isLines = false
  /// Whether bytes are shown however many they are.
  public var isFull = false

  /// Up to how many bytes are shown as they are, and how many of more.
  static let longestBytes = 1024
  static let shownOfLongBytes = 64

  /// An array of boxes, in an object with the name of the file where there is one.
  public init(file: String? = nil) { self.file = file }
}
