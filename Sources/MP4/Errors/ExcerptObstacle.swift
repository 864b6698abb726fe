/// Why a part of a file cannot be written to a separate file.
public enum ExcerptObstacle: Error, Hashable, Sendable {
  /// No box matches; a wider pattern that matches boxes, if there is one.
  case noBox(String, wider: String?)
  /// This number of boxes match, but only one payload can be written.
  case severalBoxes(String, count: Int)
  /// The file is cut off within a box; the number of bytes of the box that are present.
  case cutOff(box: String, count: Int)
  /// A movie without fragments has no init segment.
  case notFragmented
  /// The movie box contains samples, which an init segment cannot have.
  case samplesInMovie
  /// There is no cover image.
  case noCover
  /// There are no chapters.
  case noChapters
  /// There are no ID3 tags in events.
  case noID3
}

extension ExcerptObstacle: CustomStringConvertible {
  /// A sentence without the name of the file.
  public var description: String {
    switch self {
    case .noBox(let path, let wider):
      "no box matches '\(path)'" + (wider.map { "; '\($0)' matches boxes inside others" } ?? "")
    case .severalBoxes(let path, let count):
      "\(count) boxes match '\(path)', but only one payload can be written; select it by its number, such as "
        + "'trak[2]'"
    case .cutOff(let box, let count): "\(box): the file is cut off; only \(count) bytes of the box are present"
    case .notFragmented: "it is not fragmented, so it has no init segment"
    case .samplesInMovie: "its moov contains samples, so it is not an init segment"
    case .noCover: "it has no cover"
    case .noChapters: "it has no chapters"
    case .noID3: "it has no timed ID3 tags"
    }
  }
}
