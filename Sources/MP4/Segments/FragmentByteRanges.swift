import ISOBMFF
import MP4Bytes

/// The byte ranges of the movie fragments of a source, each from the events and producer times before it to the end of
/// its media data.
struct FragmentByteRanges {
  private let places: [(moof: Int, range: Range<Int>)]
  /// The index of the next fragment to look for; fragments are requested in order.
  private var next = 0

  /// Reads the headers of all file-level boxes.
  init(_ source: any ByteSource) throws(MovieError) {
    var places: [(moof: Int, range: Range<Int>)] = []
    var parser = BoxParser(source)
    var node = BoxNode()
    var front: Int?
    do throws(IOError) {
      while try parser.next(into: &node) {
        parser.skipBoxes()
        let header = node.header
        switch node.type {
        // ISO/IEC 14496-12:2022, 8.16.5; ISO/IEC 23009-1:2022, 5.10.3.3.
        case "emsg", "prft": front = front ?? header.offset
        case "moof":
          places.append((header.offset, (front ?? header.offset)..<header.end))
          front = nil
        case "mdat":
          if let last = places.indices.last, node.problem == nil {
            places[last].range = places[last].range.lowerBound..<header.end
          }
          front = nil
        default: front = nil
        }
      }
    } catch { throw .io(error) }
    self.places = places
  }

  /// The byte range of a movie fragment, which must be followed by its data.
  mutating func place(of fragment: SourceFragments.Fragment, _ name: String) throws(MovieError) -> Range<Int> {
    func impossible(_ code: Obstacle.Code, _ problem: String) -> MovieError {
      .impossible(file: name, Obstacle(code, "the movie fragment at byte \(fragment.offset) \(problem)"))
    }
    while next < places.count, places[next].moof < fragment.offset { next += 1 }
    guard next < places.count, places[next].moof == fragment.offset else {
      throw impossible("damaged_fragment", "is damaged")
    }
    let (moof, range) = places[next]
    guard fragment.isWhole else { throw impossible("damaged_fragment", "is damaged") }
    guard fragment.countsFromStart else {
      throw impossible("other_base", "does not use data offsets relative to its start")
    }
    guard let data = fragment.data else { return range }
    guard data.lowerBound > moof, data.upperBound <= range.upperBound else {
      throw impossible("data_elsewhere", "is not followed by its data")
    }
    return range
  }
}
