/// A position between two samples of a list.
struct SampleCursor: Sendable {
  /// The number of samples before it.
  private(set) var sample = 0
  /// The sum of the durations of these samples.
  private(set) var time: Int64 = 0

  /// The position before the first sample.
  init() {}

  /// The position before the sample at an index.
  init(_ index: Int, in list: SampleList) { (sample, time) = (index, list.columns.time(index)) }

  /// Moves past the next sample, which has this duration.
  fileprivate mutating func advance(by duration: Int64) { (sample, time) = (sample + 1, time &+ duration) }
}

/// Iterates over the samples of a list. This is faster than looking up each sample, because each block of a column is
/// unpacked once.
struct SampleWalk: Sendable {
  let list: SampleList
  /// The position before the current sample.
  private(set) var position: SampleCursor
  private var (durations, sizes, flagValues) = (PackedColumn.Reader(), PackedColumn.Reader(), PackedColumn.Reader())
  private var (compositionOffsets, gaps) = (PackedColumn.Reader(), PackedColumn.Reader())

  init(_ list: SampleList, from position: SampleCursor = SampleCursor()) {
    (self.list, self.position) = (list, position)
  }

  /// The index of the current sample; after the last one, the number of samples.
  var sample: Int { position.sample }
  /// Its decode time, relative to the first sample.
  var time: Int64 { position.time }
  var duration: Int64 { mutating get { durations.value(at: sample, in: list.columns.durations) } }
  var size: Int { mutating get { Int(sizes.value(at: sample, in: list.columns.sizes)) } }
  var flags: SampleFlags {
    mutating get {
      SampleFlags(rawValue: UInt32(truncatingIfNeeded: flagValues.value(at: sample, in: list.columns.flags)))
    }
  }
  var isSync: Bool { mutating get { list.isAllSync || flags.isSync } }
  var compositionOffset: Int64 {
    mutating get { compositionOffsets.value(at: sample, in: list.columns.compositionOffsets) }
  }
  /// The distance from the end of the previous sample to its start in the source.
  var gap: Int { mutating get { Int(gaps.value(at: sample, in: list.columns.gaps)) } }
  /// Its composition time.
  var compositionTime: Int64 { mutating get { time &+ compositionOffset } }

  /// Moves to the next sample.
  mutating func advance() { position.advance(by: duration) }
}
