/// The order of the movie fragments in which the entries of all timelines are, so that the interleave of the source is
/// kept: four bytes for each entry, however many fragments there are.
struct SourceOrder {
  /// The track of each entry. The entries of one track are in time order.
  private var slots: [UInt32] = []
  /// Where the slots of each movie fragment, in the order of the timeline, start.
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
    // Sorted by counting.
    starts = Array(repeating: 0, count: ranks.count + 1)
    Self.forEachSlot(timeline, fragments, ranks) { _, rank in starts[rank + 1] += 1 }
    for rank in 0..<ranks.count { starts[rank + 1] += starts[rank] }
    slots = Array(repeating: 0, count: Int(starts[ranks.count]))
    // The start of each fragment becomes its end, which is the start of the next one.
    Self.forEachSlot(timeline, fragments, ranks) { track, rank in
      slots[Int(starts[rank])] = track
      starts[rank] += 1
    }
    starts.removeLast()
    starts.insert(0, at: 0)
  }

  /// A track continues where it was, even when the order of another track would take it back.
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
