/// A sample in composition order.
package struct ShownSample: Sendable {
  /// Its index in the track.
  package let index: Int
  /// Its composition time, relative to the first decode time.
  fileprivate let time: Int64
  /// The time from its composition time to that of the next sample, in units of the media timescale; for the last
  /// sample, its own duration. The decoding duration can differ: with reordering and a variable rate, it is that of
  /// another picture.
  package let duration: Int64
}

extension Track {
  /// Calls `body` for each sample in composition order.
  package func forEachShownSample(_ body: (ShownSample) -> Void) {
    var walk = SampleWalk(list)
    if isInOrder {
      while walk.sample < list.count {
        body(ShownSample(index: walk.sample, time: walk.compositionTime, duration: walk.duration))
        walk.advance()
      }
      return
    }
    var times: [(time: Int64, index: Int)] = []
    times.reserveCapacity(list.count)
    while walk.sample < list.count {
      times.append((walk.compositionTime, walk.sample))
      walk.advance()
    }
    times.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    for place in times.indices {
      let (time, index) = times[place]
      let next = place + 1 < times.count ? times[place + 1].time : time &+ list.duration(index)
      body(ShownSample(index: index, time: time, duration: next &- time))
    }
  }

  /// The times at which a sample is seen, up to the next one: one for each edit that shows at least a part of it.
  package func presentations(of shown: ShownSample) -> [Range<MediaTime>] {
    samples.storage.presentation.presentations(of: shown.time, lasting: shown.duration)
  }
}
