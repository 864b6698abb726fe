package import Bytes
import HLS
import Presentations

/// A media playlist and what was taken of it so far.
package final class StreamState {
  let name: String
  let place: PlaylistLocation
  var series: SegmentSeries
  package var pieces: [Piece] = []
  /// Whether it is a text rendition.
  var isText = false
  /// How long its segments last together.
  var duration = Duration.zero
  /// Whether nothing more is taken of it.
  var isDone = false
  /// When it is loaded again.
  var nextLoad = ContinuousClock.now
  var isLoading = false
  /// When it had new segments last.
  var lastChange: ContinuousClock.Instant?
  /// The missing segments by its own account: the first one, and how many and how long they are.
  var gaps: (first: SegmentSeries.Entry, count: Int, duration: Duration)?

  init(_ place: PlaylistLocation, importing variables: Variables) {
    name = place.name
    self.place = place
    series = SegmentSeries(place, importing: variables)
  }

  /// Adds a segment, or an init segment: to the one before, where it goes on with the bytes of that.
  func add(_ item: SegmentSeries.Item, discontinuity: Int, isMap: Bool, longest: Int) -> Piece? {
    if let last = pieces.last, !isMap, !last.isMap, last.canGrow, last.item.place == item.place,
      last.discontinuity == discontinuity, let range = last.item.byteRange, let own = item.byteRange,
      range.upperBound == own.lowerBound, own.upperBound - range.lowerBound <= longest
    {
      last.item.byteRange = range.lowerBound..<own.upperBound
      return nil
    }
    let piece = Piece(item, discontinuity: discontinuity, isMap: isMap)
    pieces.append(piece)
    return piece
  }
}

/// A segment, several in a row of one file, or an init segment.
package final class Piece {
  var item: SegmentSeries.Item
  let discontinuity: Int
  let isMap: Bool
  /// Whether it was not asked for yet.
  var canGrow = true
  /// Its bytes, once they are there.
  package var source: (any ByteSource)?
  /// Whether its bytes cannot be had.
  var isLost = false

  init(_ item: SegmentSeries.Item, discontinuity: Int, isMap: Bool) {
    self.item = item
    // There can be a million of these, and the place says the same.
    self.item.uri = ""
    self.discontinuity = discontinuity
    self.isMap = isMap
  }

  /// What messages call it.
  var name: String {
    guard let range = item.byteRange, range.lowerBound > 0 else { return item.place.name }
    return "\(item.place.name) from byte \(range.lowerBound)"
  }
}
