/// A place between two samples of a list.
struct SampleCursor: Sendable {
  /// The number of samples before.
  private(set) var sample = 0
  /// The sum of their durations.
  private(set) var time: Int64 = 0

  /// Before the first sample.
  init() {}

  /// Before the sample at an index.
  init(_ index: Int, in list: SampleList) { (sample, time) = (index, list.columns.time(index)) }

  /// Goes after the next sample, which lasts so long.
  fileprivate mutating func advance(by duration: Int64) { (sample, time) = (sample + 1, time &+ duration) }
}

/// Iterates over the samples of a list. This takes less time than looking up each sample, because each block of a
/// column is unpacked once.
struct SampleWalk: Sendable {
  let list: SampleList
  /// Before the current sample.
  private(set) var position: SampleCursor
  private var (durations, sizes, flagValues) = (PackedColumn.Reader(), PackedColumn.Reader(), PackedColumn.Reader())
  private var (compositionOffsets, gaps) = (PackedColumn.Reader(), PackedColumn.Reader())

  init(_ list: SampleList, from position: SampleCursor = SampleCursor()) {
    (self.list, self.position) = (list, position)
  }

  /// The number of the current sample; after the last one, how many there are.
  var sample: Int { position.sample }
  /// When it is decoded, counted from the first one.
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
  /// How far after the end of the sample before it starts in its source.
  var gap: Int { mutating get { Int(gaps.value(at: sample, in: list.columns.gaps)) } }
  /// When it is composed.
  var compositionTime: Int64 { mutating get { time &+ compositionOffset } }

  /// Goes to the next sample.
  mutating func advance() { position.advance(by: duration) }
}
