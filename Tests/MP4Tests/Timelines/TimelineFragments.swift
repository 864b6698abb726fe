import ISOBMFF

@testable import MP4

/// Fragments with given sample durations and sizes; `time` is the decode time that they declare.
struct TimelineFragments {
  var fragments: [TrackFragment] = []
  var samples = SampleColumns()

  mutating func add(at time: UInt64?, durations: [UInt32], size: UInt32? = nil, narrow: Bool = false) {
    let number = fragments.count
    let first = samples.count
    let run = SampleColumns.Run(
      count: durations.count, durations: .init(common: 0, own: TableColumn(BoxTable(integers: durations))),
      sizes: .init(common: size ?? UInt32(100 + number)), flags: .init(common: 0),
      compositionOffsets: .init(common: 0))
    samples.append(run, at: 0..<run.sizes.sum(run.count))
    fragments.append(
      TrackFragment(
        source: 0, fragment: number, track: 0, declaredTime: time, isNarrowTime: narrow, descriptionIndex: 1,
        firstSample: first, sampleCount: durations.count, duration: durations.reduce(0) { $0 + UInt64($1) }))
  }
  func timeline() throws -> TrackTimeline { try TrackTimeline(fragments, of: Array(fragments.indices), samples) }
}

extension TrackTimeline {
  /// The change of the duration of the last sample of each entry.
  var stretches: [Int64] { entries.indices.map(stretch) }
}
