import ISOBMFF

/// All samples of one track in decoding order, with the durations that the timeline gives them.
struct SampleList: Sendable {
  /// One number for every sample, kept once while all are the same.
  struct Column: Sendable, Equatable {
    private(set) var count = 0
    private var common: UInt32 = 0
    /// Empty while all numbers are `common`.
    private var values: [UInt32] = []

    subscript(index: Int) -> UInt32 { values.isEmpty ? common : values[index] }

    /// The number that all samples have; `nil` when they differ, and without samples.
    var constant: UInt32? { values.isEmpty && count > 0 ? common : nil }

    /// The number that these samples share; `nil` when they differ.
    func constant(in range: Range<Int>) -> UInt32? {
      guard let first = range.first else { return nil }
      if values.isEmpty { return common }
      let value = values[first]
      return values[range].allSatisfy { $0 == value } ? value : nil
    }

    mutating func append(_ value: UInt32, count more: Int = 1) {
      guard more > 0 else { return }
      if count == 0 { common = value }
      if values.isEmpty, value != common { values = Array(repeating: common, count: count) }
      count += more
      if value != common || !values.isEmpty { values.append(contentsOf: repeatElement(value, count: more)) }
    }
  }
  private(set) var durations = Column()
  private(set) var sizes = Column()
  /// See `SampleFlags`.
  private(set) var flags = Column()
  /// The bits of signed numbers.
  private(set) var compositionOffsets = Column()

  /// Samples that lie next to each other in a source, from one on until the next extent.
  struct Extent: Sendable {
    var firstSample: Int
    var source: Int
    var offset: Int
  }
  private(set) var extents: [Extent] = []
  /// From which sample on which description holds.
  private(set) var descriptions: [(firstSample: Int, index: UInt32)] = []

  /// The sum of the durations.
  private(set) var duration: Int64 = 0
  /// The smallest composition time, and the largest end of a sample in composition time.
  private(set) var compositionStart: Int64 = .max
  private(set) var compositionEnd: Int64 = 0
  /// Durations that did not fit into 32 bits and were cut.
  private(set) var cutDurations = 0
  private(set) var byteCount = 0

  /// The number of samples.
  var count: Int { sizes.count }
  /// Whether decoding can start at every sample.
  private(set) var isAllSync = true

  func isSync(_ index: Int) -> Bool { SampleFlags(rawValue: flags[index]).isSync }
  func compositionOffset(_ index: Int) -> Int64 { Int64(Int32(bitPattern: compositionOffsets[index])) }

  /// Whether the composition offset of a sample is larger.
  func hasOffset(above limit: Int64) -> Bool {
    guard compositionOffsets.constant == nil else { return count > 0 && compositionOffset(0) > limit }
    return (0..<count).contains { compositionOffset($0) > limit }
  }

  /// Takes the samples of a timeline that are used.
  init(_ timeline: TrackTimeline, _ reader: FragmentReader) {
    var cursor = SampleCursor(timeline)
    var end: (source: Int, offset: Int)?
    while let piece = cursor.next(.max, reader) {
      if end?.source != piece.source || end?.offset != piece.run.offset {
        extents.append(Extent(firstSample: count, source: piece.source, offset: piece.run.offset))
      }
      end = (piece.source, piece.run.offset + piece.run.byteCount)
      if descriptions.last?.index != piece.descriptionIndex { descriptions.append((count, piece.descriptionIndex)) }
      append(piece, reader.store)
      byteCount += piece.run.byteCount
    }
    if count == 0 { compositionStart = 0 }
  }

  /// The sync samples of another list, each presented when it was and until the next one is; and their numbers there.
  static func keyFrames(of list: SampleList) -> (list: SampleList, samples: [Int]) {
    var result = SampleList()
    var samples: [Int] = []
    var times: [Int64] = []
    var position = ListPosition()
    while position.sample < list.count {
      let sample = position.sample
      if list.isSync(sample) {
        let place = position.place(in: list)
        result.extents.append(Extent(firstSample: samples.count, source: place.source, offset: place.offset))
        samples.append(sample)
        times.append(position.time &+ list.compositionOffset(sample))
        result.byteCount += Int(list.sizes[sample])
      }
      position.advance(in: list)
    }
    times.append(list.compositionEnd)
    let first = Int32(clamping: times[0])
    var description = 0
    for (number, sample) in samples.enumerated() {
      while description + 1 < list.descriptions.count, list.descriptions[description + 1].firstSample <= sample {
        description += 1
      }
      let index = list.descriptions[description].index
      if result.descriptions.last?.index != index { result.descriptions.append((number, index)) }
      result.append(
        UInt32(clamping: times[number + 1] &- times[number]), list.sizes[sample],
        SampleFlags(rawValue: list.flags[sample]), first)
    }
    if samples.isEmpty { result.compositionStart = 0 }
    return (result, samples)
  }

  private init() {}

  /// Appends a sample that is at the start of a source and is like the last one but for its size and duration.
  mutating func append(duration: UInt32, size: UInt32, source: Int) {
    guard count > 0 else { return }
    let (last, offset) = (SampleFlags(rawValue: flags[count - 1]), Int32(bitPattern: compositionOffsets[count - 1]))
    extents.append(Extent(firstSample: count, source: source, offset: 0))
    append(duration, size, last, offset)
    byteCount += Int(size)
  }

  private mutating func append(_ piece: SampleCursor.Piece, _ store: RunStore) {
    var scale = piece.scale
    for index in 0..<piece.run.count {
      let declared = store.duration(piece.run, index)
      var duration = Int64(scale?.advance(by: UInt64(declared)) ?? UInt64(declared))
      if scale == nil, index == piece.run.count - 1 { duration += piece.stretch }
      if UInt32(exactly: duration) == nil { cutDurations += 1 }
      append(
        UInt32(clamping: duration), store.size(piece.run, index), store.flags(piece.run, index),
        store.compositionOffset(piece.run, index))
    }
  }

  private mutating func append(_ duration: UInt32, _ size: UInt32, _ sampleFlags: SampleFlags, _ offset: Int32) {
    durations.append(duration)
    sizes.append(size)
    flags.append(sampleFlags.withDependency.rawValue)
    compositionOffsets.append(UInt32(bitPattern: offset))
    if !sampleFlags.isSync { isAllSync = false }
    compositionStart = min(compositionStart, self.duration &+ Int64(offset))
    self.duration = self.duration &+ Int64(duration)
    compositionEnd = max(compositionEnd, self.duration &+ Int64(offset))
  }
}

extension SampleFlags {
  /// Sync samples depend on no others, which is said where nothing else is known.
  fileprivate var withDependency: SampleFlags {
    isSync && rawValue & 0x300_0000 == 0 ? SampleFlags(rawValue: rawValue | 0x200_0000) : self
  }
}

/// A place between two samples of a list, from which one can go on without looking at those before.
struct ListPosition: Sendable {
  /// The number of samples before.
  var sample = 0
  /// The sum of their durations.
  var time: Int64 = 0
  /// In which extent the next sample lies, and how many bytes of it are before.
  private var extent = 0
  private var offset = 0

  /// Goes after the next sample.
  mutating func advance(in list: SampleList) {
    time = time &+ Int64(list.durations[sample])
    offset += Int(list.sizes[sample])
    sample += 1
    if extent + 1 < list.extents.count, list.extents[extent + 1].firstSample == sample {
      (extent, offset) = (extent + 1, 0)
    }
  }

  /// Where the next sample lies.
  func place(in list: SampleList) -> (source: Int, offset: Int) {
    (list.extents[extent].source, list.extents[extent].offset + offset)
  }

  /// The bytes of the samples from here to `end`, as ranges of the sources.
  func copies(to end: ListPosition, in list: SampleList) -> CopyPlan {
    var plan = CopyPlan()
    var (extent, offset, sample) = (extent, offset, sample)
    while sample < end.sample {
      let place = list.extents[extent]
      let next = extent + 1 < list.extents.count ? list.extents[extent + 1].firstSample : Int.max
      let byteCount: Int
      if extent == end.extent {
        byteCount = end.offset - offset
      } else {
        byteCount = (sample..<min(next, end.sample)).reduce(0) { $0 + Int(list.sizes[$1]) }
      }
      plan.append((place.offset + offset)..<(place.offset + offset + byteCount), of: place.source)
      (extent, offset, sample) = (extent + 1, 0, min(next, end.sample))
    }
    return plan
  }
}
