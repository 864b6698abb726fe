package import MP4Bytes
import MP4HLS
import MP4Presentations

/// A media playlist and the part of it that has been read.
package final class StreamState {
  let name: String
  let place: PlaylistLocation
  var series: SegmentSeries
  package var pieces: [Piece] = []
  /// The rendition; `nil` for a variant.
  var rendition: Rendition? { didSet { series.takesText = text != nil } }
  /// The rendition, if it is text.
  var text: Rendition? { rendition?.kind == .subtitles ? rendition : nil }
  /// Its dates.
  var dates = PlaylistDates()
  /// The total duration of its segments.
  var duration = Duration.zero
  /// Whether reading is complete.
  var isDone = false
  /// When it is loaded next.
  var nextLoad = ContinuousClock.now
  var isLoading = false
  /// The keys of samples that were requested.
  var sampleKeys: Set<SegmentKey> = []
  /// Where it is loaded next, if a manifest says so.
  var nextPlace: PlaylistLocation?
  /// The media time, in seconds, that a manifest declares as the start of the presentation.
  var origin: Double?
  /// When it last had new segments.
  var lastChange: ContinuousClock.Instant?
  /// The segments that it marks as missing: the first one, their number and their duration.
  var gaps: (first: SegmentSeries.Entry, count: Int, duration: Duration)?

  init(_ place: PlaylistLocation, importing variables: Variables) {
    name = place.name
    self.place = place
    series = SegmentSeries(place, importing: variables)
    series.takesStreams = true
  }

  /// Adds a media or init segment, merged with the previous one if their bytes are adjacent.
  func add(
    _ item: SegmentSeries.Item, discontinuity: Int, isMap: Bool, sampleKey: SegmentKey?, longest: Int
  ) -> Piece? {
    if let last = pieces.last, !isMap, !last.isMap, last.canGrow, last.item.place == item.place,
      last.discontinuity == discontinuity, last.item.encryption == nil, item.encryption == nil,
      last.sampleKey == sampleKey, let range = last.item.byteRange, let own = item.byteRange,
      range.upperBound == own.lowerBound, own.upperBound - range.lowerBound <= longest
    {
      last.item.byteRange = range.lowerBound..<own.upperBound
      return nil
    }
    let piece = Piece(item, discontinuity: discontinuity, isMap: isMap)
    piece.sampleKey = sampleKey
    pieces.append(piece)
    return piece
  }
}

/// A segment, several adjacent segments of one file, or an init segment.
package final class Piece {
  var item: SegmentSeries.Item
  let discontinuity: Int
  let isMap: Bool
  /// Whether adjacent bytes can still be added: it has not been requested yet.
  var canGrow = true
  /// Its bytes, once they have arrived.
  package var source: (any ByteSource)?
  /// The key of its samples.
  var sampleKey: SegmentKey?
  /// Whether its bytes are unavailable.
  var isLost = false

  init(_ item: SegmentSeries.Item, discontinuity: Int, isMap: Bool) {
    self.item = item
    // There can be a million pieces, and the location has the same information.
    self.item.uri = ""
    self.discontinuity = discontinuity
    self.isMap = isMap
  }

  /// Its name in messages.
  var name: String {
    guard let range = item.byteRange, range.lowerBound > 0 else { return item.place.name }
    return "\(item.place.name) from byte \(range.lowerBound)"
  }
}
