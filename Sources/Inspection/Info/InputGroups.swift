import ISOBMFF
public import MP4Bytes

/// Groups inputs: init segments with their media segments; any other movie is separate.
public enum InputGroups {
  private enum Kind {
    case initSegment
    case movie
    case segment
  }

  /// The indices of the inputs of each movie, in the order of the inputs. If there are init segments, all segments
  /// belong to these, and `Movie` determines which to which. Otherwise segments belong to the preceding movie, or else
  /// to the first one. Without any movie box, each input is separate.
  public static func groups(of sources: [any ByteSource]) throws(IOError) -> [[Int]] {
    let kinds = try sources.map { (source) throws(IOError) in try kind(of: source) }
    guard kinds.contains(where: { $0 != .segment }) else { return sources.indices.map { [$0] } }
    let stream = kinds.contains(.initSegment) ? sources.indices.filter { kinds[$0] != .movie } : []
    var groups: [[Int]] = []
    var early: [Int] = []
    for index in sources.indices {
      if index == stream.first {
        groups.append(stream)
      } else if kinds[index] == .movie {
        groups.append(early + [index])
        early = []
      } else if stream.isEmpty {
        if groups.isEmpty { early.append(index) } else { groups[groups.count - 1].append(index) }
      }
    }
    return groups
  }

  /// The kind of an input. Anything that is not a segment counts as a movie, whose error tells the reason.
  private static func kind(of source: any ByteSource) throws(IOError) -> Kind {
    var parser = BoxParser(source)
    var (hasMovie, hasMedia, isSegment) = (false, false, false)
    while let node = try parser.next() {
      switch node.type {
      case "moov": hasMovie = true
      case "mdat": hasMedia = true
      case "styp", "sidx": isSegment = true
      case "moof": return hasMovie ? .movie : .segment
      default: break
      }
      if hasMovie, hasMedia { return .movie }
      parser.skipBoxes()
    }
    return hasMovie ? .initSegment : isSegment ? .segment : .movie
  }
}
