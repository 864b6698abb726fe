import ISOBMFF

/// One value for each sample of a run: the same for all, or values from a column of the store.
struct SampleValues: Sendable {
  // One number, since there can be a run for every sample: the start, or the complement of the constant.
  private var bits: Int

  init(start: Int, constant: UInt32) { bits = start < 0 ? ~Int(constant) : start }

  static func same(_ value: UInt32) -> SampleValues { SampleValues(start: -1, constant: value) }
  var isConstant: Bool { bits < 0 }
  /// Where the values start in the column, or -1 when all samples have `constant`.
  var start: Int {
    get { isConstant ? -1 : bits }
    set { bits = newValue < 0 ? ~Int(constant) : newValue }
  }
  /// Goes on after so many samples.
  mutating func advance(by count: Int) { if !isConstant { start += count } }
  /// The value of all samples; 0 when they have their own.
  var constant: UInt32 { isConstant ? UInt32(truncatingIfNeeded: ~bits) : 0 }
}

/// Samples that lie next to each other in a source: a track run, or a chunk of a movie box.
struct SampleRun: Sendable {
  /// Where the first byte is in the source.
  var offset: Int
  /// The sum of the sizes.
  var byteCount: Int
  /// The number of samples.
  var count: Int
  var durations: SampleValues
  var sizes: SampleValues
  var flags: SampleValues
  /// Replaces the flags of the first sample.
  var firstFlags: UInt32?
  /// Composition offsets, as the bits of signed numbers.
  var compositionOffsets: SampleValues
}

/// The runs of all fragments, and the columns of their samples that are not constant: at most 16 bytes a sample.
struct RunStore: Sendable {
  var runs: [SampleRun] = []
  var durations: [UInt32] = []
  var sizes: [UInt32] = []
  var flags: [UInt32] = []
  var compositionOffsets: [UInt32] = []

  func duration(_ run: SampleRun, _ index: Int) -> UInt32 {
    run.durations.isConstant ? run.durations.constant : durations[run.durations.start &+ index]
  }
  func size(_ run: SampleRun, _ index: Int) -> UInt32 {
    run.sizes.isConstant ? run.sizes.constant : sizes[run.sizes.start &+ index]
  }
  func flags(_ run: SampleRun, _ index: Int) -> SampleFlags {
    if index == 0, let first = run.firstFlags { return SampleFlags(rawValue: first) }
    return SampleFlags(rawValue: run.flags.isConstant ? run.flags.constant : flags[run.flags.start &+ index])
  }
  func compositionOffset(_ run: SampleRun, _ index: Int) -> Int32 {
    let offsets = run.compositionOffsets
    return Int32(bitPattern: offsets.isConstant ? offsets.constant : compositionOffsets[offsets.start &+ index])
  }

  /// The sum of the durations of the first `count` samples of a run.
  func duration(of run: SampleRun, first count: Int) -> UInt64 {
    if run.durations.isConstant { return UInt64(run.durations.constant) &* UInt64(count) }
    return durations[run.durations.start..<(run.durations.start + count)].reduce(0) { $0 &+ UInt64($1) }
  }
  /// The sum of the sizes of the first `count` samples of a run; `Int.max` where that is too large for an `Int`.
  func byteCount(of run: SampleRun, first count: Int) -> Int {
    if run.sizes.isConstant {
      let (product, overflow) = Int(run.sizes.constant).multipliedReportingOverflow(by: count)
      return overflow ? .max : product
    }
    return sizes[run.sizes.start..<(run.sizes.start + count)].reduce(0) { $0 + Int($1) }
  }

  /// Puts `bits`, by the number of the sample among those of some runs, into these places of their flags.
  mutating func setFlags(_ places: UInt32, of indices: Range<Int>, _ bits: (Int) -> UInt32) {
    var sample = 0
    for index in indices {
      let start = flags.count
      for position in 0..<runs[index].count {
        flags.append(flags(runs[index], position).rawValue & ~places | bits(sample) & places)
        sample += 1
      }
      runs[index].flags = SampleValues(start: start, constant: 0)
      runs[index].firstFlags = nil
    }
  }
}

extension RunStore {
  /// Adds the columns of a run.
  mutating func append(_ run: TrackRunBox) {
    run.appendColumn(0x100, to: &durations)
    run.appendColumn(0x200, to: &sizes)
    run.appendColumn(0x400, to: &flags)
    run.appendColumn(0x800, to: &compositionOffsets)
  }
  /// Drops the columns, when only counts and durations are wanted.
  mutating func forget() {
    durations.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
    flags.removeAll(keepingCapacity: true)
    compositionOffsets.removeAll(keepingCapacity: true)
  }
}
