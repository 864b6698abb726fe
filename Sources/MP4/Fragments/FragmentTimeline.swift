import ISOBMFF
import MP4Bytes

/// The timelines of all tracks, and the order of the fragments in one file.
struct FragmentTimeline: Sendable {
  /// One for each track of the movie.
  private(set) var tracks: [TrackTimeline]
  /// The movie fragments in time order.
  private(set) var order: [UInt32]
  /// Whether `order` differs from the order in the files.
  private(set) var isReordered: Bool

  /// The timelines of the fragments. `given` is the order of the track fragments if it is not the order of reading.
  /// With `sources`, samples that are declared twice are compared byte by byte.
  init(_ table: FragmentTable, order given: [Int]? = nil, _ sources: [any ByteSource] = [], keepsFirst: Bool = false)
    throws(IOError)
  {
    let fragments = table.trackFragments
    var indices = Array(repeating: [Int](), count: table.tracks.count)
    func add(_ index: Int) { indices[fragments[index].track].append(index) }
    if let given { given.forEach(add) } else { fragments.indices.forEach(add) }
    tracks = []
    for (samples, indices) in zip(table.samples, indices) {
      tracks.append(try TrackTimeline(fragments, of: indices, samples, sources, keepsFirst: keepsFirst))
    }
    order = table.headers.indices.map { UInt32(truncatingIfNeeded: $0) }
    isReordered = tracks.contains(where: \.isReordered)
    if isReordered { sortFragments(table) }
  }

  /// The samples of all tracks.
  func samples(_ table: FragmentTable) -> [TrackSamples] {
    var ranks = [UInt32](repeating: 0, count: order.count)
    for (rank, fragment) in order.enumerated() { ranks[Int(fragment)] = UInt32(truncatingIfNeeded: rank) }
    return tracks.indices.map { TrackSamples(tracks[$0], table, track: $0, ranks: ranks) }
  }

  /// Sorts the movie fragments by their earliest time. Those without samples stay after the previous one.
  private mutating func sortFragments(_ table: FragmentTable) {
    var starts = [MediaTime?](repeating: nil, count: table.headers.count)
    for (track, timeline) in tracks.enumerated() {
      for entry in timeline.entries {
        let time = MediaTime(entry.start, table.tracks[track].timescale)
        let fragment = table.trackFragments[entry.index].fragment
        starts[fragment] = starts[fragment].map { min($0, time) } ?? time
      }
    }
    var last = MediaTime(0, 1)
    let keys = starts.map { start in
      last = start ?? last
      return last
    }
    order.sort {
      let (first, second) = (keys[Int($0)], keys[Int($1)])
      return first < second || first == second && $0 < $1
    }
    isReordered = order.enumerated().contains { $0 != $1 }
  }
}
