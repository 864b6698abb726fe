import ISOBMFF

/// Which inputs belong together, if that is known from a playlist and need not be derived from their movie boxes.
public struct SourcePart: Sendable, Hashable {
  /// Which series of segments it is in. A further movie box in a series continues with its tracks: those of the same
  /// kind in the same order are the same tracks, and other sample descriptions are added to theirs.
  public var series: Int
  /// Which period it is in, counted from 0. Times start again in each, and are moved after those of the period before.
  public var period: Int

  /// A part of a series in a period; the inputs of one period are adjacent, and so are those of one series in it.
  public init(series: Int, period: Int) {
    self.series = series
    self.period = period
  }
}

/// A track of a further movie box in a series: the track that it continues with, and how what its fragments say is
/// understood.
struct ContinuedTrack {
  /// Its ID in the fragments that follow.
  var id: UInt32
  /// Which of all tracks it is.
  var index: Int
  var defaults: TrackExtendsBox
  /// The numbers that its sample descriptions have in the track, counted from 1; `nil` where they are the same.
  var descriptions: [UInt32]?

  /// The track `index` itself, by its own movie box.
  init(_ track: TrackDescription, index: Int) {
    (id, self.index, defaults) = (track.id, index, track.defaults)
  }

  /// The number in the track of a sample description that a fragment names.
  func description(_ number: UInt32) -> UInt32 {
    guard let descriptions, number > 0 else { return number }
    return Int(number) <= descriptions.count ? descriptions[Int(number) - 1] : .max
  }
}

/// How the times of a track are to be read from a source on.
struct TrackTimes {
  /// The first source for which this holds.
  var source: Int
  /// The units of its fragments, which may not be those of the track.
  var timescale: UInt32
  /// How much of the start the edit list hides, minus its initial empty edits, in these units.
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
  /// The times for a source; they are in the order of their sources.
  func holding(for source: Int) -> TrackTimes? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].source <= source { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? self[low - 1] : nil
  }
}
