import MP4Bytes

/// The samples of one track in the order of reading, with the values of their tables or fragments and their offsets.
/// They take about ten bytes each in a typical recording.
struct SampleColumns: Sendable {
  private(set) var durations = PackedColumn()
  private(set) var sizes = PackedColumn()
  /// See `SampleFlags`.
  private(set) var flags = PackedColumn()
  private(set) var compositionOffsets = PackedColumn()
  /// The distance from the end of the previous sample to the start of each one; for the first one, its offset in the
  /// source.
  private(set) var gaps = PackedColumn()
  /// The end of the last sample.
  private var end = 0

  /// The number of samples.
  var count: Int { sizes.count }

  func duration(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: durations[index]) }
  func size(_ index: Int) -> Int { Int(sizes[index]) }
  func flags(_ index: Int) -> SampleFlags { SampleFlags(rawValue: UInt32(truncatingIfNeeded: flags[index])) }
  func compositionOffset(_ index: Int) -> Int64 { compositionOffsets[index] }
  /// The offset of a sample in its source.
  func offset(_ index: Int) -> Int { Int(sizes.sum(before: index) &+ gaps.sum(before: index + 1)) }
  /// The decode time of a sample, relative to the first one.
  func time(_ index: Int) -> Int64 { durations.sum(before: index) }

  func duration(of range: Range<Int>) -> UInt64 { UInt64(bitPattern: durations.sum(in: range)) }
  /// The sum of the sizes of samples; `Int.max` if it does not fit in an `Int`.
  func byteCount(of range: Range<Int>) -> Int {
    let sum = sizes.sum(in: range)
    return sum < 0 ? .max : Int(sum)
  }

  /// A sample, and the end of the previous one.
  struct Place: Sendable {
    fileprivate var sample = 0
    fileprivate var end = 0
  }

  /// The adjacent samples at the start of a range, and their offset; `nil` if the range is empty. The offset of the
  /// first one is computed unless `place` is at it; `place` is then moved after the samples.
  func firstExtent(of range: Range<Int>, _ place: inout Place) -> Extent? {
    guard !range.isEmpty else { return nil }
    let first = range.lowerBound
    let offset = place.sample == first ? place.end &+ Int(gaps[first]) : self.offset(first)
    let samples = first..<(gaps.firstNonZero(in: (first + 1)..<range.upperBound) ?? range.upperBound)
    let extent = Extent(samples: samples, offset: offset, byteCount: byteCount(of: samples))
    place = Place(sample: samples.upperBound, end: offset &+ extent.byteCount)
    return extent
  }

  /// Calls `body` with each group of adjacent samples of a range and its offset.
  func forEachExtent(in range: Range<Int>, _ body: (Extent) -> Void) {
    var (place, left) = (Place(), range)
    while let extent = firstExtent(of: left, &place) {
      body(extent)
      left = extent.samples.upperBound..<range.upperBound
    }
  }
  func extents(in range: Range<Int>) -> [Extent] {
    var result: [Extent] = []
    forEachExtent(in: range) { result.append($0) }
    return result
  }

  /// Adjacent samples in a source.
  struct Extent: Sendable {
    var samples: Range<Int>
    var offset: Int
    var byteCount: Int
  }

  // MARK: Adding samples

  /// Adjacent samples with a common value or a value for each.
  struct Run {
    /// A value for all samples or, if there are rows, a value for each.
    struct Values {
      var common: UInt32
      var own = TableColumn()

      subscript(index: Int) -> UInt32 { own.count == 0 ? common : own[index] }
      /// Appends the values of the samples from `first` on.
      func append(from first: Int = 0, to column: inout PackedColumn, count: Int) {
        if own.count == 0 { return column.append(Int64(common), count: count) }
        column.append(count: count) { Int64(own[first &+ $0]) }
      }
      /// Appends the values as signed numbers.
      func appendSigned(to column: inout PackedColumn, count: Int) {
        if own.count == 0 { return column.append(Int64(Int32(bitPattern: common)), count: count) }
        column.append(count: count) { Int64(Int32(bitPattern: own[$0])) }
      }
      /// The sum over this number of samples; `Int.max` if it is too large for an `Int`.
      func sum(_ count: Int) -> Int {
        if own.count == 0 {
          let (product, overflow) = Int(common).multipliedReportingOverflow(by: count)
          return overflow ? .max : product
        }
        var sum = 0
        for index in 0..<count { sum &+= Int(own[index]) }
        return sum
      }
    }
    var count: Int
    var durations: Values
    var sizes: Values
    var flags: Values
    /// Replaces the flags of the first sample.
    var firstFlags: UInt32?
    /// Signed numbers.
    var compositionOffsets: Values
  }

  /// Adds adjacent samples in `range`.
  mutating func append(_ run: Run, at range: Range<Int>) {
    guard run.count > 0 else { return }
    place(count: run.count, at: range.lowerBound)
    end = range.upperBound
    run.sizes.append(to: &sizes, count: run.count)
    run.durations.append(to: &durations, count: run.count)
    run.compositionOffsets.appendSigned(to: &compositionOffsets, count: run.count)
    if let first = run.firstFlags { flags.append(Int64(first)) }
    let first = run.firstFlags == nil ? 0 : 1
    run.flags.append(from: first, to: &flags, count: run.count - first)
  }

  /// The samples from `first` on, of adjacent ones, at the start of another source.
  func suffix(from first: Int) -> SampleColumns {
    var rest = SampleColumns()
    guard first < count else { return rest }
    let range = first..<count
    rest.gaps.append(0, count: range.count)
    rest.sizes.append(sizes, in: range)
    rest.durations.append(durations, in: range)
    rest.flags.append(flags, in: range)
    rest.compositionOffsets.append(compositionOffsets, in: range)
    rest.end = byteCount(of: range)
    return rest
  }

  private mutating func place(count: Int, at offset: Int) {
    gaps.append(Int64(offset &- end))
    gaps.append(0, count: count - 1)
  }

  /// Appends samples of other columns, with their positions. The duration of the last one is extended by `stretch`,
  /// unless all durations are scaled. Returns the number of durations that did not fit into 32 bits and were reduced.
  mutating func append(
    _ other: SampleColumns, in range: Range<Int>, stretch: Int64 = 0, scale: TimeScaling? = nil
  ) -> Int {
    guard !range.isEmpty else { return 0 }
    if count == 0, range == 0..<other.count, stretch == 0, scale == nil {
      self = other
      return 0
    }
    gaps.append(Int64(other.offset(range.lowerBound) &- end))
    gaps.append(other.gaps, in: (range.lowerBound + 1)..<range.upperBound)
    sizes.append(other.sizes, in: range)
    end = other.offset(range.upperBound - 1) &+ other.size(range.upperBound - 1)
    flags.append(other.flags, in: range)
    compositionOffsets.append(other.compositionOffsets, in: range)
    var cut = 0
    func fitting(_ duration: Int64) -> Int64 {
      if UInt32(exactly: duration) == nil { cut += 1 }
      return Int64(UInt32(clamping: duration))
    }
    if var scale {
      for index in range {
        durations.append(fitting(Int64(clamping: scale.advance(by: UInt64(other.duration(index))))))
      }
    } else {
      durations.append(other.durations, in: range.lowerBound..<(range.upperBound - 1))
      durations.append(fitting(Int64(other.duration(range.upperBound - 1)) &+ stretch))
    }
    return cut
  }

  /// Adds one sample.
  mutating func append(duration: UInt32, size: UInt32, flags: UInt32, compositionOffset: Int32, at offset: Int) {
    place(count: 1, at: offset)
    end = offset &+ Int(size)
    sizes.append(Int64(size))
    durations.append(Int64(duration))
    self.flags.append(Int64(flags))
    compositionOffsets.append(Int64(compositionOffset))
  }

  /// Replaces the duration of one sample.
  mutating func setDuration(_ duration: UInt32, at index: Int) {
    let old = durations
    durations.shorten(to: index)
    durations.append(Int64(duration))
    durations.append(old, in: (index + 1)..<old.count)
  }

  /// Sets these bits of the flags of all samples from `first` on. `bits` is called with the index of each sample
  /// relative to `first`.
  mutating func setFlags(_ places: UInt32, from first: Int, _ bits: (Int) -> UInt32) {
    var changed = PackedColumn()
    for index in first..<count {
      changed.append(Int64(flags(index).rawValue & ~places | bits(index - first) & places))
    }
    flags.shorten(to: first)
    flags.append(changed, in: 0..<changed.count)
  }
}

extension SampleColumns {
  /// The same samples with times in another timescale; `nil` if that is not exact or if a time does not fit in 32 bits.
  func converted(from old: UInt32, to new: UInt32) -> SampleColumns? {
    func converted(_ column: PackedColumn, to range: ClosedRange<Int64>) -> PackedColumn? {
      var result = PackedColumn()
      var isExact = true
      column.forEachRun(in: 0..<column.count) { value, count in
        let time = MediaTime(value, old).converted(to: new)
        isExact = isExact && time.isExact && range.contains(time.value)
        result.append(time.value, count: count)
      }
      return isExact ? result : nil
    }
    guard let durations = converted(durations, to: 0...Int64(UInt32.max)),
      let offsets = converted(compositionOffsets, to: Int64(Int32.min)...Int64(Int32.max))
    else { return nil }
    var result = self
    (result.durations, result.compositionOffsets) = (durations, offsets)
    return result
  }

  /// Columns of tables, all with this number of samples.
  init(
    durations: PackedColumn, sizes: PackedColumn, flags: PackedColumn, compositionOffsets: PackedColumn,
    gaps: PackedColumn
  ) {
    (self.durations, self.sizes, self.flags) = (durations, sizes, flags)
    (self.compositionOffsets, self.gaps) = (compositionOffsets, gaps)
    end = Int(sizes.sum(before: sizes.count) &+ gaps.sum(before: gaps.count))
  }

  /// Removes samples from the end until this number is left.
  mutating func shorten(to count: Int) {
    guard count < self.count else { return }
    sizes.shorten(to: count)
    durations.shorten(to: count)
    flags.shorten(to: count)
    compositionOffsets.shorten(to: count)
    gaps.shorten(to: count)
    end = Int(sizes.sum(before: count) &+ gaps.sum(before: count))
  }
}

/// Comparison of samples that are declared twice.
extension SampleColumns {
  /// The first of these samples that starts at least `time` after the first one, or their end.
  func index(at time: Int64, in samples: Range<Int>) -> Int {
    guard time > 0, !samples.isEmpty else { return samples.lowerBound }
    let target = durations.sum(before: samples.lowerBound) &+ time
    let (index, sum) = durations.index(whereSumExceeds: target &- 1)
    // The sample found has not ended by then, so if it starts earlier, the next one is the first that starts later.
    return min(max(sum >= target ? index : index + 1, samples.lowerBound), samples.upperBound)
  }

  /// Whether all samples of `copy` equal the first samples of `whole` and have the same times.
  func isStart(_ copy: TrackFragment, of whole: TrackFragment, _ sources: [any ByteSource]) throws(IOError) -> Bool {
    let (own, other) = (copy.samples, whole.samples)
    let last = copy.sampleCount - 1
    guard last < other.count,
      duration(of: own.prefix(last)) == duration(of: other.prefix(last))
    else { return false }
    return try isSame(own, other, sources.isEmpty ? nil : (sources[copy.source], sources[whole.source]))
  }

  /// Whether other samples start with these samples, compared by their bytes in both sources or, without sources, by
  /// their sizes.
  func isSame(
    _ samples: Range<Int>, _ others: Range<Int>, _ sources: ((any ByteSource), (any ByteSource))? = nil
  ) throws(IOError) -> Bool {
    guard samples.count <= others.count else { return false }
    let others = others.prefix(samples.count)
    for (own, other) in zip(samples, others) where size(own) != size(other) { return false }
    guard let sources else { return true }
    return try Self.isSame(ranges(of: samples), in: sources.0, ranges(of: others), in: sources.1)
  }

  private func ranges(of samples: Range<Int>) -> [Range<Int>] {
    extents(in: samples).filter { $0.byteCount > 0 }.map { $0.offset..<($0.offset + $0.byteCount) }
  }

  /// Whether ranges of two sources with equal total sizes have the same bytes.
  private static func isSame(
    _ a: [Range<Int>], in first: any ByteSource, _ b: [Range<Int>], in second: any ByteSource
  ) throws(IOError) -> Bool {
    var (left, right) = (a[...], b[...])
    var windows = (ByteWindow(first), ByteWindow(second))
    while let x = left.first, let y = right.first {
      let count = min(x.count, y.count, 1 << 16)
      let bytes = try windows.0.slice(at: x.lowerBound, count: count)
      guard bytes == (try windows.1.slice(at: y.lowerBound, count: count)) else { return false }
      left[left.startIndex] = (x.lowerBound + count)..<x.upperBound
      right[right.startIndex] = (y.lowerBound + count)..<y.upperBound
      if count == x.count { left.removeFirst() }
      if count == y.count { right.removeFirst() }
    }
    return left.isEmpty && right.isEmpty
  }
}

extension [SampleColumns] {
  /// Calls `body` with the extents of samples of a track. `place` is the end of the previous samples of the track.
  func forEachExtent(
    of track: Int, in range: Range<Int>, _ place: inout SampleColumns.Place, _ body: (SampleColumns.Extent) -> Void
  ) {
    var left = range
    // The span borrows the columns until `body` is called. A copy would retain many references.
    while let extent = span[track].firstExtent(of: left, &place) {
      body(extent)
      left = extent.samples.upperBound..<range.upperBound
    }
  }
}
