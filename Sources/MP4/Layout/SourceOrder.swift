/// The entries of all timelines in the order of the movie fragments that they are in, so that the interleave of the
/// source is kept: eight bytes for each, however many fragments there are.
struct SourceOrder {
  /// One entry of the timeline of a track.
  struct Slot {
    var track: UInt32
    var entry: UInt32
  }
  private var slots: [Slot] = []
  /// Where the slots of each movie fragment, in the order of the timeline, start.
  private var starts: [UInt32]

  /// The number of movie fragments.
  var count: Int { starts.count - 1 }
  /// The entries of one movie fragment: those of the first track first, each track in its order of time.
  subscript(rank: Int) -> ArraySlice<Slot> { slots[Int(starts[rank])..<Int(starts[rank + 1])] }

  init(_ timeline: FragmentTimeline, _ fragments: [TrackFragment]) {
    var ranks = [UInt32](repeating: 0, count: timeline.order.count)
    for (rank, fragment) in timeline.order.enumerated() { ranks[fragment] = UInt32(truncatingIfNeeded: rank) }
    // Sorted by counting.
    starts = Array(repeating: 0, count: ranks.count + 1)
    Self.forEachSlot(timeline, fragments, ranks) { _, rank in starts[rank + 1] += 1 }
    for rank in 0..<ranks.count { starts[rank + 1] += starts[rank] }
    slots = Array(repeating: Slot(track: 0, entry: 0), count: Int(starts[ranks.count]))
    var next = starts
    Self.forEachSlot(timeline, fragments, ranks) { slot, rank in
      slots[Int(next[rank])] = slot
      next[rank] += 1
    }
  }

  /// A track goes on where it was, even when the order of another track would take it back.
  private static func forEachSlot(
    _ timeline: FragmentTimeline, _ fragments: [TrackFragment], _ ranks: [UInt32], _ body: (Slot, Int) -> Void
  ) {
    for (track, times) in timeline.tracks.enumerated() {
      var rank: UInt32 = 0
      for (number, entry) in times.entries.enumerated() {
        rank = max(rank, ranks[fragments[entry.index].fragment])
        let slot = Slot(track: UInt32(truncatingIfNeeded: track), entry: UInt32(truncatingIfNeeded: number))
        body(slot, Int(rank))
      }
    }
  }
}
