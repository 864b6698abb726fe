import ISOBMFF
import MP4Bytes

/// A track that is being written: the properties of its samples, and the bytes that have not been written yet.
struct WrittenTrack {
  /// The values of a sample, or of equal samples of which the last can last longer, which fit in their fields.
  struct Fields {
    var count: Int
    var size: UInt32
    var duration: UInt32
    var compositionOffset: Int32
    var flags: UInt32
    var sampleEntry: UInt32
  }
  /// Samples that are removed to be written.
  struct Samples {
    var columns = SampleColumns()
    var descriptions: [(firstSample: Int, index: UInt32)] = []
    var bytes: [UInt8] = []
    /// The decode time of the first one.
    var start: Int64 = 0
  }
  /// A sample with times in the timescale of the track, relative to the start of the movie.
  struct Timed {
    var bytes: [UInt8]
    var presentation: Int64
    var decode: Int64
    var flags: SampleFlags
    var sampleEntry: Int
    /// The part of it that is hidden if it is the first one.
    var trim: Int64
  }
  /// A sample whose duration is known.
  struct Held {
    var sample: Timed
    var duration: Int64
  }
  private(set) var track: MovieWriter.Track
  private(set) var number: Int
  var id: UInt32 { UInt32(number + 1) }
  /// All samples of a progressive file; in a fragmented file, those that have not been written yet.
  private(set) var samples = SampleColumns()
  private(set) var descriptions: [(firstSample: Int, index: UInt32)] = []
  private(set) var chunks: [SampleTable.Chunk] = []
  /// The number of samples that are in no chunk yet, and their bytes.
  private(set) var chunkCount = 0
  private(set) var bytes: [UInt8] = []
  /// The number of these bytes that were written with fragments.
  private var takenByteCount = 0
  private var chunkDuration: Int64 = 0
  /// The decode time of the first of `samples`, and the end of the last one.
  private var start: Int64 = 0
  private var endTime: Int64 = 0

  /// Chunks end after half a second, as everywhere in this library, or at this size.
  private static let chunkByteCount = 1 << 20

  init(_ track: MovieWriter.Track, number: Int) throws(MovieWriterError) {
    (self.track, self.number) = (track, number)
    if track.entries.isEmpty { throw .noSampleEntry(1, track: number) }
    _ = try units(track.trim, in: 0...Int64.max)
    for time in [track.delay, track.presentedDuration ?? track.delay] where time.value < 0 {
      throw .time(time, track: number)
    }
  }

  /// The end of the last sample.
  var end: MediaTime { MediaTime(endTime, track.timescale) }
  /// The duration of the samples that were not written yet.
  var pending: MediaTime { MediaTime(endTime - start, track.timescale) }

  private func units(_ time: MediaTime, in range: ClosedRange<Int64>) throws(MovieWriterError) -> Int64 {
    let (value, isExact) = time.converted(to: track.timescale)
    guard isExact, range.contains(value) else { throw .time(time, track: number) }
    return value
  }

  /// The number of frames that are appended at once, or 1 unless the track has PCM.
  private func sampleCount(_ byteCount: Int) -> Int { track.frameByteCount.map { byteCount / $0 } ?? 1 }

  /// Checks the values of a sample, or of PCM frames.
  func sample(
    byteCount: Int, _ duration: MediaTime, _ offset: MediaTime, _ flags: SampleFlags, _ entry: Int
  ) throws(MovieWriterError) -> Fields {
    guard let size = UInt32(exactly: track.frameByteCount ?? byteCount) else {
      throw .sampleTooLarge(byteCount: byteCount, track: number)
    }
    if let frame = track.frameByteCount, byteCount == 0 || !byteCount.isMultiple(of: frame) {
      throw .partialFrame(byteCount: byteCount, track: number)
    }
    let count = sampleCount(byteCount)
    guard (1...track.entries.count).contains(entry) else { throw .noSampleEntry(entry, track: number) }
    let units = try units(duration, in: 0...Int64(UInt32.max))
    let offset = try self.units(offset, in: Int64(Int32.min)...Int64(Int32.max))
    if endTime.addingReportingOverflow(units).overflow || track.frameByteCount != nil && units < count {
      throw .time(duration, track: number)
    }
    return Fields(
      count: count, size: size, duration: UInt32(units), compositionOffset: Int32(offset), flags: flags.rawValue,
      sampleEntry: UInt32(entry))
  }

  // MARK: Samples with times

  /// The latest sample, whose duration depends on the next one, and the duration of the one before it.
  private var held: Timed?
  private var lastDuration: Int64 = 0
  /// How long after its decoding the first sample is presented, because others are reordered.
  private var reordering: Int64 = 0
  /// The first sample, if the edit list depends on it.
  private var first: (presentation: Int64, trim: Int64)?
  /// The start of the movie, which is known when the movie box is written.
  private var movieStart: Int64 = 0
  /// Whether its samples have times.
  private(set) var isTimed = false

  /// A time in units of the track, rounded to the nearest one.
  func position(_ time: MediaTime) throws(MovieWriterError) -> Int64 {
    let value = time.converted(to: track.timescale).value
    // Sums of two such values fit.
    guard value.magnitude < 1 << 61 else { throw .time(time, track: number) }
    return value
  }

  /// Whether a sample follows the latest one.
  func isInOrder(_ sample: Timed) throws(MovieWriterError) -> Bool {
    if !isTimed, samples.count > 0 || start > 0 { throw .otherTimes(track: number) }
    // PCM that overlaps follows immediately.
    return track.frameByteCount != nil || held.map { $0.decode <= sample.decode } ?? true
  }

  /// The sample, after the latest one: PCM frames do not overlap. Checks its values before the latest one is appended.
  func following(_ sample: Timed) throws(MovieWriterError) -> Timed {
    var sample = sample
    if let held, track.frameByteCount != nil {
      let shift = max(0, held.decode + shortest(held) - sample.decode)
      (sample.presentation, sample.decode) = (sample.presentation + shift, sample.decode + shift)
    }
    let duration = held.map { sample.decode - $0.decode } ?? 0
    _ = try self.sample(
      byteCount: sample.bytes.count, MediaTime(max(duration, shortest(sample)), track.timescale),
      MediaTime(sample.presentation - sample.decode, track.timescale), sample.flags, sample.sampleEntry)
    return sample
  }

  /// The duration of a sample unless the next one starts later: that of its frames.
  private func shortest(_ sample: Timed) -> Int64 {
    track.frameByteCount == nil ? 0 : Int64(sampleCount(sample.bytes.count))
  }

  /// Keeps a sample until the next one is known; returns the previous one. The first sample determines the edit list,
  /// or without one the start of the media.
  mutating func hold(_ sample: Timed, hasEdits: Bool) -> Held? {
    defer { held = sample }
    if let held {
      lastDuration = sample.decode - held.decode
      return Held(sample: held, duration: lastDuration)
    }
    isTimed = true
    reordering = sample.presentation - sample.decode
    if hasEdits {
      first = (sample.presentation, max(0, sample.trim))
    } else {
      start = max(0, sample.decode - movieStart)
      endTime = start
    }
    return nil
  }

  /// When the first sample is presented, without what is trimmed, if the edit list depends on it.
  var firstPresentation: MediaTime? {
    first.map { MediaTime($0.presentation + $0.trim, track.timescale) }
  }

  /// Sets the delay and the trim of the track for a movie that starts at a time.
  mutating func settle(start: MediaTime) throws(MovieWriterError) {
    movieStart = try position(start)
    guard let (presentation, trim) = first else { return }
    first = nil
    let shown = presentation + trim - movieStart
    let hidden = reordering + trim + max(0, -shown)
    track.delay = MediaTime(max(0, shown), track.timescale)
    track.trim = track.trim.adding(MediaTime(max(0, hidden), track.timescale)).time
  }

  /// Sets its number, the delay of its presentation, and its language.
  mutating func place(number: Int, delay: MediaTime, language: LanguageCode?) {
    self.number = number
    track.delay = delay
    if let language { track.language = language }
  }

  /// Presents the track to the end of its samples.
  mutating func presentAll() { track.presentedDuration = nil }

  /// The sample that follows the last one, once.
  mutating func takeClosingSample() -> (bytes: [UInt8], duration: MediaTime)? {
    guard endTime > 0 else { return nil }
    defer { track.closingSample = nil }
    return track.closingSample
  }

  /// The duration of PCM frames; `nil` for other formats.
  func duration(ofFrames byteCount: Int) -> MediaTime? {
    track.frameByteCount.map { MediaTime(Int64(byteCount / $0), track.timescale) }
  }

  /// The latest sample: the presentation ends at a time, or the sample is as long as the one before it.
  mutating func release(end: Int64?) -> Held? {
    guard let last = held else { return nil }
    held = nil
    let other = track.frameByteCount == nil ? lastDuration : 0
    let duration = end.map { $0 - reordering - last.decode } ?? other
    return Held(sample: last, duration: min(max(duration, shortest(last)), Int64(UInt32.max)))
  }

  mutating func append(_ sample: Fields, _ data: [UInt8]) {
    if descriptions.last?.index != sample.sampleEntry { descriptions.append((samples.count, sample.sampleEntry)) }
    if sample.count > 1 { appendFrames(sample, count: sample.count - 1) }
    samples.append(
      duration: sample.duration - UInt32(sample.count - 1), size: sample.size, flags: sample.flags,
      compositionOffset: sample.compositionOffset, at: samples.byteCount)
    bytes += data
    chunkCount += sample.count
    chunkDuration += Int64(sample.duration)
    endTime += Int64(sample.duration)
  }

  /// Appends PCM frames, which last one unit.
  private mutating func appendFrames(_ sample: Fields, count: Int) {
    let run = SampleColumns.Run(
      count: count, durations: .init(common: 1), sizes: .init(common: sample.size), flags: .init(common: sample.flags),
      compositionOffsets: .init(common: UInt32(bitPattern: sample.compositionOffset)))
    let start = samples.byteCount
    samples.append(run, at: start..<start + count * Int(sample.size))
  }

  // MARK: Chunks of a progressive file

  /// Whether the next sample must start a new chunk.
  func isChunkComplete(before sample: Fields) -> Bool {
    guard chunkCount > 0 else { return false }
    return descriptions.last?.index != sample.sampleEntry || bytes.count >= Self.chunkByteCount
      || chunkDuration * 2 >= Int64(track.timescale)
  }

  /// Records that the bytes were written at `offset`.
  mutating func endChunk(at offset: Int) {
    let index = descriptions.last?.index ?? 1
    chunks.append(SampleTable.Chunk(offset: offset, sampleCount: UInt32(chunkCount), descriptionIndex: index))
    (chunkCount, chunkDuration) = (0, 0)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Records that a chunk is at another offset.
  mutating func moveChunk(_ number: Int, to offset: Int) { chunks[number].offset = offset }

  // MARK: Fragments

  /// Removes and returns the samples that are decoded before `time`, or all samples.
  mutating func take(before time: MediaTime?) -> Samples {
    let units = time.map { $0.raisedValue(in: track.timescale) &- start }
    let count = units.map { samples.index(at: $0, in: 0..<samples.count) } ?? samples.count
    let (end, rest) = (takenByteCount + samples.byteCount(of: 0..<count), count..<samples.count)
    var taken = Samples(
      columns: samples, descriptions: descriptions, bytes: Array(bytes[takenByteCount..<end]), start: start)
    taken.columns.shorten(to: count)
    start += taken.columns.time(count)
    // Many frames of PCM can remain, so they are seldom moved.
    takenByteCount = end
    if takenByteCount * 2 >= bytes.count {
      bytes.removeFirst(takenByteCount)
      takenByteCount = 0
    }
    samples = samples.suffix(from: count)
    // The description of the first remaining sample is still needed.
    let next = descriptions.partition { $0.firstSample > count }
    taken.descriptions.removeAll { $0.firstSample >= count }
    let own = descriptions[max(next - 1, 0)...].map { (max($0.firstSample - count, 0), $0.index) }
    descriptions = rest.isEmpty ? [] : own
    return taken
  }
}

extension MediaTime {
  /// The time in another timescale, rounded up.
  fileprivate func raisedValue(in other: UInt32) -> Int64 {
    let value = flooredValue(in: other)
    return MediaTime(value, other) < self ? value + 1 : value
  }
}

extension SampleColumns {
  fileprivate var byteCount: Int { byteCount(of: 0..<count) }
}
