public import Bytes
import ISOBMFF

/// Which inputs belong together: each movie with the media segments that have no movie box of their own.
public enum InputGroups {
  /// The indices of the inputs of each movie, in the order of the inputs. Segments belong to the movie before them;
  /// those before the first movie to that one. Without any movie box, each input is by itself.
  public static func groups(of sources: [any ByteSource]) throws(IOError) -> [[Int]] {
    let hasMovie = try sources.map { (source) throws(IOError) in try Self.hasMovie(source) }
    guard hasMovie.contains(true) else { return sources.indices.map { [$0] } }
    var groups: [[Int]] = []
    var early: [Int] = []
    for index in sources.indices {
      if hasMovie[index] {
        groups.append(early + [index])
        early = []
      } else if groups.isEmpty {
        early.append(index)
      } else {
        groups[groups.count - 1].append(index)
      }
    }
    return groups
  }

  /// Whether an input has a movie box, or is nothing that could be a segment.
  private static func hasMovie(_ source: any ByteSource) throws(IOError) -> Bool {
    var parser = BoxParser(source)
    var isSegment = false
    while let node = try parser.next() {
      if node.type == "moov" { return true }
      // Segments start with these; what follows the first fragment is more of it.
      if node.type == "moof" { return false }
      if node.type == "styp" || node.type == "sidx" { isSegment = true }
      parser.skipBoxes()
    }
    return !isSegment
  }
}
