/// Iterates over the used samples of one track, by timeline entry. All code that reads used samples goes through this
/// type.
struct SamplePieces {
  /// Samples of one track fragment, with their times on the timeline.
  struct Piece {
    /// Their range among the samples of the track.
    var samples: Range<Int>
    /// The index of their timeline entry.
    var entry: Int
    var source: Int
    var descriptionIndex: UInt32
    /// The extension of the last sample's duration.
    var stretch: Int64
    var scale: TimeScaling?
  }
  private let times: TrackTimeline
  private let fragments: FragmentTable
  private var entry = 0
  /// The next sample, and the number of samples left in the entry.
  private var sample = 0
  private var left = 0
  private var scale: TimeScaling?

  /// The samples of a timeline.
  init(_ times: TrackTimeline, _ fragments: FragmentTable) { (self.times, self.fragments) = (times, fragments) }

  /// The next samples of one entry, at most `count`; `nil` after the last ones.
  mutating func next(_ count: Int = .max) -> Piece? {
    while entry < times.entries.count {
      let place = times.entries[entry]
      let fragment = fragments.trackFragments[place.index]
      if left == 0 {
        guard place.used > 0 else {
          entry += 1
          continue
        }
        (sample, left) = (place.first, place.used)
        scale = times.scale(of: place, fragment, fragments.samples[fragment.track])
      }
      let taken = min(count, left)
      left -= taken
      let piece = Piece(
        samples: sample..<(sample + taken), entry: entry, source: fragment.source,
        descriptionIndex: fragment.descriptionIndex, stretch: left == 0 ? times.stretch(entry) : 0, scale: scale)
      if left > 0 { scale?.advance(by: fragments.samples[fragment.track].duration(of: piece.samples)) }
      sample += taken
      if left == 0 { entry += 1 }
      return piece
    }
    return nil
  }
}
