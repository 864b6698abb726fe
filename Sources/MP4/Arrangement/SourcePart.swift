import ISOBMFF
import MP4Bytes

/// Which inputs belong together, if a playlist says so and it need not be derived from their movie boxes.
public struct SourcePart: Sendable, Hashable {
  /// The series of segments that the input is in. Another movie box in a series continues its tracks: those of the same
  /// kind in the same order are the same tracks, and new sample descriptions are added to theirs.
  public var series: Int
  /// The period that the input is in, counted from 0. Times restart in each period, and are moved after those of the
  /// previous one.
  public var period: Int
  /// The tracks of the input to use, besides those that the options of reading select.
  var tracks = TrackSelection()

  /// A part of a series in a period. The inputs of one period must be adjacent, and those of one series within it too.
  public init(series: Int, period: Int) {
    self.series = series
    self.period = period
  }
}

/// A track of another movie box in a series: the track that it continues, and how its fragments are interpreted.
struct ContinuedTrack {
  /// Its ID in the fragments that follow.
  var id: UInt32
  /// The index of the track among all tracks.
  var index: Int
  var defaults: TrackExtendsBox
  /// The numbers of its sample descriptions in the continued track, from 1; `nil` if they are unchanged.
  var descriptions: [UInt32]?

  /// The track `index`, declared by its own movie box.
  init(_ track: TrackDescription, index: Int) {
    (id, self.index, defaults) = (track.id, index, track.defaults)
  }

  /// The number in the continued track of a sample description of a fragment.
  func description(_ number: UInt32) -> UInt32 {
    guard let descriptions, number > 0 else { return number }
    return Int(number) <= descriptions.count ? descriptions[Int(number) - 1] : .max
  }
}

/// How the times of a track are interpreted, beginning with a source.
struct TrackTimes {
  /// The first source to which this applies.
  var source: Int
  /// The timescale of its fragments, which can differ from that of the track.
  var timescale: UInt32
  /// The amount of media that the edit list hides at the start, minus its initial empty edits, in this timescale.
  var hidden: Int64

  init(_ track: TrackDescription, movieTimescale: UInt32, source: Int) {
    self.source = source
    timescale = track.timescale
    var empty: Int64 = 0
    for edit in track.edits {
      if edit.mediaTime >= 0 {
        hidden = edit.mediaTime.subtractingReportingOverflow(empty).partialValue
        return
      }
      let duration = MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale).converted(to: timescale).value
      empty = min(empty, .max / 4) + min(max(duration, 0), .max / 4)
    }
    hidden = 0
  }
}

extension [TrackTimes] {
  /// The times that apply to a source. The elements are sorted by source.
  func holding(for source: Int) -> TrackTimes? {
    let next = partition { $0.source > source }
    return next > 0 ? self[next - 1] : nil
  }
}
