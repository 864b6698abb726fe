/// The order of all timeline entries by movie fragment, so that the interleaving of the source is kept. It takes four
/// bytes for each entry, regardless of the number of fragments.
struct SourceOrder {
  /// The track of each entry. The entries of one track are in time order.
  private var slots: [UInt32] = []
  /// The first slot of each movie fragment, in timeline order.
  private var starts: [UInt32]

  /// The number of entries of all timelines.
  var entryCount: Int { slots.count }
  /// The number of movie fragments.
  var count: Int { starts.count - 1 }
  /// The tracks of the entries of one movie fragment, the first track first.
  subscript(rank: Int) -> ArraySlice<UInt32> { slots[Int(starts[rank])..<Int(starts[rank + 1])] }

  init(_ timeline: FragmentTimeline, _ fragments: [TrackFragment]) {
    var ranks = [UInt32](repeating: 0, count: timeline.order.count)
    for (rank, fragment) in timeline.order.enumerated() { ranks[Int(fragment)] = UInt32(truncatingIfNeeded: rank) }
    // This is a counting sort.
    starts = Array(repeating: 0, count: ranks.count + 1)
    Self.forEachSlot(timeline, fragments, ranks) { _, rank in starts[rank + 1] += 1 }
    for rank in 0..<ranks.count { starts[rank + 1] += starts[rank] }
    slots = Array(repeating: 0, count: Int(starts[ranks.count]))
    // The start of each fragment is incremented to its end, which is the start of the next one.
    Self.forEachSlot(timeline, fragments, ranks) { track, rank in
      slots[Int(starts[rank])] = track
      starts[rank] += 1
    }
    starts.removeLast()
    starts.insert(0, at: 0)
  }

  /// Calls `body` with each slot. A track does not go back to an earlier fragment, even if another track's order would
  /// require it.
  private static func forEachSlot(
    _ timeline: FragmentTimeline, _ fragments: [TrackFragment], _ ranks: [UInt32], _ body: (UInt32, Int) -> Void
  ) {
    for (track, times) in timeline.tracks.enumerated() {
      var rank: UInt32 = 0
      for entry in times.entries {
        rank = max(rank, ranks[fragments[entry.index].fragment])
        body(UInt32(truncatingIfNeeded: track), Int(rank))
      }
    }
  }
}
