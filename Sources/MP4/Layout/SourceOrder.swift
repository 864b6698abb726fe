/// The order of the runs of all tracks by rank, so that the interleaving of the source is kept. It takes four bytes for
/// each run, regardless of the number of ranks.
struct SourceOrder {
  /// The track of each run. The runs of one track keep their order.
  private var slots: [UInt32] = []
  /// The first slot of each rank.
  private var starts: [UInt32]

  /// The number of runs of all tracks.
  var runCount: Int { slots.count }
  /// The number of ranks.
  var count: Int { starts.count - 1 }
  /// The tracks of the runs with one rank, the first track first.
  subscript(rank: Int) -> ArraySlice<UInt32> { slots[Int(starts[rank])..<Int(starts[rank + 1])] }

  init(_ tracks: [TrackSamples]) {
    var count = 0
    Self.forEachSlot(tracks) { count = max(count, $1 + 1) }
    // This is a counting sort.
    starts = Array(repeating: 0, count: count + 1)
    Self.forEachSlot(tracks) { starts[$1 + 1] += 1 }
    for rank in 0..<count { starts[rank + 1] += starts[rank] }
    slots = Array(repeating: 0, count: Int(starts[count]))
    // The start of each rank is incremented to its end, which is the start of the next one.
    Self.forEachSlot(tracks) { track, rank in
      slots[Int(starts[rank])] = track
      starts[rank] += 1
    }
    starts.removeLast()
    starts.insert(0, at: 0)
  }

  /// Calls `body` with each slot. A track does not go back to an earlier rank, even if another track's order would
  /// require it.
  private static func forEachSlot(_ tracks: [TrackSamples], _ body: (UInt32, Int) -> Void) {
    for (track, samples) in tracks.enumerated() {
      var rank = 0
      for run in samples.runs {
        rank = max(rank, run.rank)
        body(UInt32(truncatingIfNeeded: track), rank)
      }
    }
  }
}
