@testable import MP4

/// Fragments whose samples are as long and as large as is said; `time` is what they declare.
struct TimelineFragments {
  var fragments: [TrackFragment] = []
  var store = RunStore()

  mutating func add(at time: UInt64?, durations: [UInt32], size: UInt32? = nil, narrow: Bool = false) {
    let number = fragments.count
    let size = size ?? UInt32(100 + number)
    var run = SampleRun(
      offset: 0, byteCount: Int(size) * durations.count, count: durations.count, durations: .same(0),
      sizes: .same(size), flags: .same(0), compositionOffsets: .same(0))
    run.durations.start = store.durations.count
    store.durations += durations
    store.runs.append(run)
    fragments.append(
      TrackFragment(
        source: 0, fragment: number, track: 0, declaredTime: time, isNarrowTime: narrow, descriptionIndex: 1,
        runs: number..<number + 1, sampleCount: durations.count, duration: durations.reduce(0) { $0 + UInt64($1) }))
  }
  func timeline() throws -> TrackTimeline { try TrackTimeline(fragments, of: Array(fragments.indices), store) }
}
