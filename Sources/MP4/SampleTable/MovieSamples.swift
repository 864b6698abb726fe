import Bytes
import ISOBMFF

/// Reads the samples that a movie box itself describes, as one fragment before all others.
struct MovieSamples {
  private let group: MovieGroup
  private let source: any ByteSource
  let payloads: MoviePayloads
  let traks: [Box]
  /// How many bytes the tracks read so far claim by a size that all their samples have.
  private var claimed = 0
  /// The boxes of each track that have fewer samples than there are, so that it is not known which these are.
  private(set) var short: [Int: Set<FourCC>] = [:]

  /// Reads the samples of the movie of `group`, which is in `source`.
  init(_ group: MovieGroup, _ source: any ByteSource) {
    self.group = group
    self.source = source
    payloads = MoviePayloads(source: source)
    traks = group.movie.box.boxes.filter { $0.type == "trak" }
  }

  /// What was read of one track.
  struct Reading {
    /// Parts of one movie fragment, one for all samples that follow each other with one sample description.
    var fragments: [TrackFragment] = []
    /// The samples at the end that no chunk holds, or that are more than the file has bytes for, and how long they last.
    var unplaced: (samples: Int, duration: UInt64) = (0, 0)
    /// Where the tables contradict each other.
    var contradictions: [String] = []
  }

  /// The tables of one track.
  struct Tables {
    var sizes: SampleSizes
    var durations: TimeToSampleBox
    var offsets: CompositionOffsetBox?
    var sync: SyncSampleBox?
    var chunks: SampleToChunkBox
    var chunkOffsets: [Int]
    /// How many samples are read; fewer than there are sizes where there cannot be bytes for so many.
    var sampleCount = 0
    /// Whether its chunks may hold other samples than it says.
    var isDoubtful = false

    /// How many samples there are by their sizes.
    var declaredCount: Int { sizes.count }
  }

  /// Adds the samples of track `track` of the movie to the store.
  ///
  /// - Throws: `MovieError` when a table is missing or damaged without which no sample can be found.
  mutating func read(_ track: Int, fragment: Int, into store: inout RunStore) throws(MovieError) -> Reading {
    let path = track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]"
    guard let table = table(track) else {
      throw .impossible(file: source.name, reason: "\(path)/mdia/minf/stbl: the box is missing")
    }
    let prefix = path + "/mdia/minf/stbl/"
    var (tables, contradictions) = try tables(of: table, prefix)
    let sizes: SampleValues
    (tables.sampleCount, sizes) = try readSizes(tables.sizes, table, &store)
    var columns = Columns(sizes: sizes)
    appendDurations(tables, &columns, &store)
    appendOffsets(tables, &columns, &store)
    appendFlags(tables, &columns, &store)
    let firstRun = store.runs.count
    let (descriptions, placed) = appendRuns(tables, columns, &store)
    short[track] = try readFlags(table, prefix, of: firstRun..<store.runs.count, count: placed, &store)
    var reading = Reading()
    var duration: UInt64 = 0
    for (run, description) in zip(firstRun..<store.runs.count, descriptions) {
      if reading.fragments.last?.descriptionIndex != description {
        reading.fragments.append(
          TrackFragment(
            source: group.source, fragment: fragment, track: group.tracks.lowerBound + track,
            descriptionIndex: description, runs: run..<run))
      }
      reading.fragments[reading.fragments.count - 1].append(run, of: store)
      duration &+= store.duration(of: store.runs[run], first: store.runs[run].count)
    }
    if !reading.fragments.isEmpty { reading.fragments[0].declaredTime = 0 }
    let count = tables.likelyCount
    if placed < count { reading.unplaced = (count - placed, tables.duration(of: count) &- duration) }
    reading.contradictions = contradictions
    return reading
  }

  /// How many samples the tables of a track declare.
  func declaredCount(_ track: Int) -> Int { payloads.declaredSampleCount(traks[track]) }

  func table(_ track: Int) -> Box? { traks[track].first("mdia", "minf", "stbl") }

  /// The values of the samples of a track, those of the first sample first.
  private struct Columns {
    var sizes: SampleValues
    var durations = SampleValues.same(0)
    var offsets = SampleValues.same(0)
    var flags = SampleValues.same(0)

    /// The values from the sample at `index` on.
    func from(_ index: Int) -> Columns {
      var result = self
      result.sizes.advance(by: index)
      result.durations.advance(by: index)
      result.offsets.advance(by: index)
      result.flags.advance(by: index)
      return result
    }
  }

  private mutating func readSizes(_ boxes: SampleSizes, _ table: Box, _ store: inout RunStore)
    throws(MovieError) -> (count: Int, sizes: SampleValues)
  {
    let sizes = SampleValues(start: store.sizes.count, constant: 0)
    let stsz: SampleSizeBox
    switch boxes {
    case .compact(let stz2):
      for index in 0..<Int(stz2.sampleCount) { store.sizes.append(stz2[index]) }
      return (Int(stz2.sampleCount), sizes)
    case .plain(let box): stsz = box
    }
    guard let size = try payloads.sampleSize(table, stsz) else {
      stsz.sizes.forEachRow { store.sizes.append($0) }
      return (Int(stsz.sampleCount), sizes)
    }
    // The count is believed as far as there can be bytes for it; a second track over the same ones is odd already.
    let most = max(0, ((source.byteCount ?? .max / 2) * 2 - claimed) / Int(size))
    let count = min(Int(stsz.sampleCount), most)
    claimed += count * Int(size)
    return (count, .same(size))
  }

  private func appendDurations(_ tables: Tables, _ columns: inout Columns, _ store: inout RunStore) {
    let entries = tables.durations.entries
    if entries.count == 1 { return columns.durations = .same(entries[0].sampleDelta) }
    columns.durations.start = store.durations.count
    var (left, last) = (tables.sampleCount, UInt32(0))
    entries.forEachRow { entry in
      let count = min(left, Int(entry.sampleCount))
      store.durations.append(contentsOf: repeatElement(entry.sampleDelta, count: count))
      (left, last) = (left - count, entry.sampleDelta)
    }
    // Samples that the table forgets last as long as the one before.
    store.durations.append(contentsOf: repeatElement(last, count: left))
  }

  private func appendOffsets(_ tables: Tables, _ columns: inout Columns, _ store: inout RunStore) {
    guard let offsets = tables.offsets else { return }
    columns.offsets.start = store.compositionOffsets.count
    var left = tables.sampleCount
    offsets.entries.forEachRow { entry in
      let count = min(left, Int(entry.sampleCount))
      let value = UInt32(bitPattern: entry.sampleOffset)
      store.compositionOffsets.append(contentsOf: repeatElement(value, count: count))
      left -= count
    }
    store.compositionOffsets.append(contentsOf: repeatElement(0, count: left))
  }

  private func appendFlags(_ tables: Tables, _ columns: inout Columns, _ store: inout RunStore) {
    guard let sync = tables.sync else { return }
    let start = store.flags.count
    columns.flags.start = start
    store.flags.append(contentsOf: repeatElement(0x1_0000, count: tables.sampleCount))
    sync.sampleNumbers.forEachRow { number in
      guard number > 0, number <= tables.sampleCount else { return }
      store.flags[start + Int(number) - 1] = 0
    }
  }

  /// Adds a run for every chunk, and returns the sample descriptions of these and how many samples they hold.
  private func appendRuns(_ tables: Tables, _ columns: Columns, _ store: inout RunStore)
    -> (descriptions: [UInt32], sampleCount: Int)
  {
    var descriptions: [UInt32] = []
    var sample = 0
    var entry = 0
    let entries = tables.chunks.entries.rows
    // No recording has more chunks than that, and what a file claims is not asked for at once.
    let most = min(tables.chunkOffsets.count, tables.sampleCount, 1 << 22)
    store.runs.reserveCapacity(store.runs.count + most)
    descriptions.reserveCapacity(most)
    for (index, offset) in tables.chunkOffsets.enumerated() where sample < tables.sampleCount {
      while entry + 1 < entries.count, entries[entry + 1].firstChunk <= index + 1 { entry += 1 }
      guard entry < entries.count else { break }
      let count = min(Int(entries[entry].samplesPerChunk), tables.sampleCount - sample)
      if count == 0 { continue }
      let values = columns.from(sample)
      var run = SampleRun(
        offset: offset, byteCount: 0, count: count, durations: values.durations, sizes: values.sizes,
        flags: values.flags, compositionOffsets: values.offsets)
      run.byteCount = store.byteCount(of: run, first: count)
      if tables.isDoubtful, tables.chunkOffsets.indices.contains(index + 1) {
        // A chunk that reaches over the next one has fewer samples, and it is not known how many; so has what follows.
        let next = tables.chunkOffsets[index + 1]
        if next > offset, offset + run.byteCount > next { break }
      }
      store.runs.append(run)
      descriptions.append(entries[entry].sampleDescriptionIndex)
      sample += count
    }
    return (descriptions, sample)
  }
}

extension MovieSamples.Tables {
  /// How long so many samples last.
  fileprivate func duration(of count: Int) -> UInt64 {
    var (left, last, sum) = (count, UInt64(0), UInt64(0))
    durations.entries.forEachRow { entry in
      let count = min(left, Int(entry.sampleCount))
      last = UInt64(entry.sampleDelta)
      sum &+= last &* UInt64(count)
      left -= count
    }
    return sum &+ last &* UInt64(left)
  }

  /// How many samples there are: more than have sizes where times and chunks agree that there are more.
  fileprivate var likelyCount: Int {
    guard chunkedCount == timedCount else { return declaredCount }
    return max(declaredCount, Int(clamping: timedCount))
  }

  private var timedCount: UInt64 {
    var count: UInt64 = 0
    durations.entries.forEachRow { count += UInt64($0.sampleCount) }
    return count
  }

  /// Where the tables contradict each other about which samples there are.
  var contradictions: [String] {
    var result: [String] = []
    func compare(_ table: String, _ verb: String, _ count: UInt64) {
      guard count != declaredCount else { return }
      result.append("\(table) \(verb) \(count) samples, but there are \(declaredCount) sizes")
    }
    compare("stts:", "it has the times of", timedCount)
    if let offsets {
      var count: UInt64 = 0
      offsets.entries.forEachRow { count += UInt64($0.sampleCount) }
      compare("ctts:", "it has the composition offsets of", count)
    }
    if let sync {
      var (last, isRising) = (UInt32(0), true)
      sync.sampleNumbers.forEachRow { number in
        if number <= last { isRising = false }
        last = max(last, number)
      }
      if !isRising { result.append("stss: its sample numbers do not rise") }
      if last > declaredCount { result.append("stss: it names sample \(last), but there are \(declaredCount) sizes") }
    }
    if let count = chunkedCount {
      compare("stsc:", "its chunks hold", count)
    } else {
      result.append("stsc: its chunk numbers do not rise from 1")
    }
    return result
  }

  /// How many samples the chunks hold by `stsc`; `nil` where its numbers of chunks do not rise from 1.
  var chunkedCount: UInt64? {
    let rows = chunks.entries.rows
    if zip(rows, rows.dropFirst()).contains(where: { $0.firstChunk >= $1.firstChunk })
      || rows.first?.firstChunk ?? 1 != 1
    {
      return nil
    }
    var sum: UInt64 = 0
    for (index, row) in rows.enumerated() where Int(row.firstChunk) <= chunkOffsets.count {
      let end =
        index + 1 < rows.count ? min(Int(rows[index + 1].firstChunk) - 1, chunkOffsets.count) : chunkOffsets.count
      let (product, _) = UInt64(end - Int(row.firstChunk) + 1).multipliedReportingOverflow(
        by: UInt64(row.samplesPerChunk))
      sum = min(sum &+ min(product, 1 << 40), 1 << 40)
    }
    return sum
  }
}

extension Table {
  /// All rows. The closure is specialized in this module, which the iterator of another one is not.
  var rows: [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(count)
    forEachRow { rows.append($0) }
    return rows
  }
}
