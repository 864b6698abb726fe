import ISOBMFF

/// Reads the samples that a movie box itself describes, as one fragment before all others.
struct MovieSamples {
  private let group: MovieGroup
  private let source: any ByteSource
  let payloads: MoviePayloads
  private let traks: [Box]
  /// How many bytes the tracks read so far claim by a size that all their samples have.
  private var claimed = 0
  /// The boxes of each track that have fewer samples than there are, so that nobody knows which these are.
  private(set) var short: [Int: Set<FourCC>] = [:]

  /// Reads the samples of the movie of `group`, which is in `source`.
  init(_ group: MovieGroup, _ source: any ByteSource) {
    self.group = group
    self.source = source
    payloads = MoviePayloads(source: source)
    traks = group.movie.box.boxes.filter { $0.type == "trak" }
  }

  /// The tables of one track.
  private struct Tables {
    var durations: TimeToSampleBox
    var offsets: CompositionOffsetBox?
    var sync: SyncSampleBox?
    var chunks: SampleToChunkBox
    var chunkOffsets: [Int]
    var sampleCount: Int
  }

  /// Adds the samples of track `track` of the movie to the store, and returns them as parts of the movie fragment
  /// `fragment`, one for all that follow each other with one sample description.
  mutating func read(_ track: Int, fragment: Int, into store: inout RunStore) throws(MovieError) -> [TrackFragment] {
    let path = track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]"
    guard let table = table(track) else {
      throw .impossible(file: source.name, reason: "\(path)/mdia/minf/stbl: the box is missing")
    }
    let prefix = path + "/mdia/minf/stbl/"
    let (count, sizes) = try readSizes(table, prefix, &store)
    let tables = try read(table, prefix, sampleCount: count)
    var columns = Columns(sizes: sizes)
    appendDurations(tables, &columns, &store)
    appendOffsets(tables, &columns, &store)
    appendFlags(tables, &columns, &store)
    let firstRun = store.runs.count
    let descriptions = try appendRuns(tables, columns, prefix, &store)
    short[track] = try readFlags(table, prefix, of: firstRun..<store.runs.count, count: count, &store)
    var fragments: [TrackFragment] = []
    for (run, description) in zip(firstRun..<store.runs.count, descriptions) {
      if fragments.last?.descriptionIndex != description {
        fragments.append(
          TrackFragment(
            source: group.source, fragment: fragment, track: group.tracks.lowerBound + track,
            descriptionIndex: description, runs: run..<run))
      }
      fragments[fragments.count - 1].append(run, of: store)
    }
    if !fragments.isEmpty { fragments[0].declaredTime = 0 }
    return fragments
  }

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

  private mutating func readSizes(_ table: Box, _ prefix: String, _ store: inout RunStore)
    throws(MovieError) -> (count: Int, sizes: SampleValues)
  {
    let sizes = SampleValues(start: store.sizes.count, constant: 0)
    let stsz: SampleSizeBox
    switch try payloads.sampleSizes(table, prefix: prefix) {
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
    let most = ((source.byteCount ?? .max / 2) * 2 - claimed) / Int(size)
    guard Int(stsz.sampleCount) <= most else {
      let reason = "\(prefix)stsz: sample_count is \(stsz.sampleCount), but the file has bytes for \(most) samples"
      throw .impossible(file: source.name, reason: reason)
    }
    claimed += Int(stsz.sampleCount) * Int(size)
    return (Int(stsz.sampleCount), .same(size))
  }

  private func read(_ table: Box, _ prefix: String, sampleCount: Int) throws(MovieError) -> Tables {
    let stts = try payloads.payload(of: table.first("stts"), in: prefix + "stts", TimeToSampleBox.self)
    let stsc = try payloads.payload(of: table.first("stsc"), in: prefix + "stsc", SampleToChunkBox.self)
    var tables = Tables(durations: stts, chunks: stsc, chunkOffsets: [], sampleCount: sampleCount)
    if let box = table.first("ctts") {
      tables.offsets = try payloads.payload(of: box, in: prefix + "ctts", CompositionOffsetBox.self)
    }
    if let box = table.first("stss") {
      tables.sync = try payloads.payload(of: box, in: prefix + "stss", SyncSampleBox.self)
    }
    if let box = table.first("co64") {
      let co64 = try payloads.payload(of: box, in: prefix + "co64", ChunkLargeOffsetBox.self)
      // No file is so large; sizes can be added to what is cut here.
      tables.chunkOffsets = co64.offsets.map { Int(min($0, 1 << 61)) }
    } else {
      let stco = try payloads.payload(of: table.first("stco"), in: prefix + "stco", ChunkOffsetBox.self)
      tables.chunkOffsets = stco.offsets.map { Int($0) }
    }
    return tables
  }

  private func appendDurations(_ tables: Tables, _ columns: inout Columns, _ store: inout RunStore) {
    let entries = tables.durations.entries
    if entries.count == 1, Int(entries[0].sampleCount) >= tables.sampleCount {
      return columns.durations = .same(entries[0].sampleDelta)
    }
    columns.durations.start = store.durations.count
    var left = tables.sampleCount
    entries.forEachRow { entry in
      let count = min(left, Int(entry.sampleCount))
      store.durations.append(contentsOf: repeatElement(entry.sampleDelta, count: count))
      left -= count
    }
    store.durations.append(contentsOf: repeatElement(0, count: left))
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

  /// Adds a run for every chunk, and returns the sample descriptions of these.
  private func appendRuns(_ tables: Tables, _ columns: Columns, _ prefix: String, _ store: inout RunStore)
    throws(MovieError) -> [UInt32]
  {
    var descriptions: [UInt32] = []
    var sample = 0
    var entry = 0
    let entries = Array(tables.chunks.entries)
    for (index, offset) in tables.chunkOffsets.enumerated() where sample < tables.sampleCount {
      while entry + 1 < entries.count, entries[entry + 1].firstChunk <= index + 1 { entry += 1 }
      guard entry < entries.count else { break }
      let count = min(Int(entries[entry].samplesPerChunk), tables.sampleCount - sample)
      let values = columns.from(sample)
      var run = SampleRun(
        offset: offset, byteCount: 0, count: count, durations: values.durations, sizes: values.sizes,
        flags: values.flags, compositionOffsets: values.offsets)
      run.byteCount = store.byteCount(of: run, first: count)
      store.runs.append(run)
      descriptions.append(entries[entry].sampleDescriptionIndex)
      sample += count
    }
    guard sample == tables.sampleCount else {
      let reason = "\(prefix)stsc: the chunks hold \(sample) samples, but there are \(tables.sampleCount) sizes"
      throw .impossible(file: source.name, reason: reason)
    }
    return descriptions
  }
}
