import ISOBMFF
import MP4Bytes

/// Reads the samples that a movie box describes, as a fragment before all movie fragments.
struct MovieSamples {
  private let group: MovieGroup
  private let source: any ByteSource
  let payloads: MoviePayloads
  let traks: [Box]
  /// The ranges that can contain samples.
  var places: MediaPlaces
  /// The number of bytes that the tracks read so far declare by a common sample size.
  private var claimed = 0
  /// For each track, the boxes that list too few samples, so that their rows cannot be assigned.
  private(set) var short: [Int: Set<FourCC>] = [:]

  /// Reads the samples of the movie of `group`.
  init(_ group: MovieGroup, of input: MovieInput) {
    self.group = group
    source = input.sources[group.source]
    places = input.mediaPlaces(of: group)
    payloads = MoviePayloads(source: source)
    traks = group.movie.box.boxes.filter { $0.type == "trak" }
  }

  /// The samples of one track.
  struct Reading {
    var samples = SampleColumns()
    /// The number of samples in each chunk, to which auxiliary information can refer.
    var chunks: [Int] = []
    /// Parts of one movie fragment, one for each run of samples with the same sample description.
    var fragments: [TrackFragment] = []
    /// The number and duration of samples at the end that are in no chunk, or that do not fit in the file.
    var unplaced: (samples: Int, duration: UInt64) = (0, 0)
    /// Contradictions between the tables.
    var contradictions: [TableProblem] = []
  }

  /// The tables of one track.
  struct Tables {
    var sizes: SampleSizes
    var durations: TimeToSampleBox
    var offsets: CompositionOffsetBox?
    var sync: SyncSampleBox?
    var chunks: SampleToChunkBox
    var chunkOffsets: [Int]
    /// The number of samples that are read. It is less than the number of sizes if the file is too small for all
    /// samples.
    var sampleCount = 0
    /// Whether its chunks may contain other samples than declared.
    var isDoubtful = false

    /// The number of samples according to their sizes.
    var declaredCount: Int { sizes.count }
  }

  /// Reads the samples of track `track` of the movie.
  ///
  /// - Throws: `MovieError` if a table that is necessary to find samples is missing or damaged.
  mutating func read(_ track: Int, fragment: Int) throws(MovieError) -> Reading {
    let path = track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]"
    guard let table = table(track) else {
      throw .impossible(file: source.name, .missingBox("\(path)/mdia/minf/stbl"))
    }
    let prefix = path + "/mdia/minf/stbl/"
    var (tables, contradictions) = try tables(of: table, prefix)
    var sizes = try readSizes(tables.sizes, table)
    tables.sampleCount = sizes.count
    var reading = Reading()
    var gaps = PackedColumn()
    let areChunksKept = table.boxes.contains { $0.type == "saio" }
    var end = 0
    forEachChunk(tables, sizes) { samples, offset, byteCount, description in
      gaps.append(Int64(offset &- end))
      gaps.append(0, count: samples.count - 1)
      end = offset &+ byteCount
      if areChunksKept { reading.chunks.append(samples.count) }
      if reading.fragments.last?.descriptionIndex != description {
        reading.fragments.append(
          TrackFragment(
            source: group.source, fragment: fragment, track: group.tracks.lowerBound + track,
            descriptionIndex: description, firstSample: samples.lowerBound))
      }
      reading.fragments[reading.fragments.count - 1].sampleCount += samples.count
    }
    let placed = gaps.count
    sizes.shorten(to: placed)
    reading.samples = SampleColumns(
      durations: durations(tables, placed), sizes: sizes, flags: flags(tables, placed),
      compositionOffsets: offsets(tables, placed), gaps: gaps)
    short[track] = try readFlags(table, prefix, of: &reading.samples)
    for index in reading.fragments.indices {
      reading.fragments[index].duration = reading.samples.duration(of: reading.fragments[index].samples)
    }
    if !reading.fragments.isEmpty { reading.fragments[0].declaredTime = 0 }
    let count = tables.likelyCount
    if placed < count {
      let duration = reading.samples.duration(of: 0..<placed)
      reading.unplaced = (count - placed, tables.duration(of: count) &- duration)
    }
    reading.contradictions = contradictions
    return reading
  }

  /// The number of samples that the tables of a track declare.
  func declaredCount(_ track: Int) -> Int { payloads.declaredSampleCount(traks[track]) }

  func table(_ track: Int) -> Box? { traks[track].first("mdia", "minf", "stbl") }

  private mutating func readSizes(_ boxes: SampleSizes, _ table: Box) throws(MovieError) -> PackedColumn {
    var sizes = PackedColumn()
    let stsz: SampleSizeBox
    switch boxes {
    case .compact(let stz2):
      for index in 0..<Int(stz2.sampleCount) { sizes.append(Int64(stz2[index])) }
      return sizes
    case .plain(let box): stsz = box
    }
    guard let size = try payloads.sampleSize(table, stsz) else {
      sizes.append(TableColumn(stsz.sizes))
      return sizes
    }
    // The declared count is limited to twice the size of the file, because two tracks could refer to the same bytes.
    let most = max(0, ((source.byteCount ?? .max / 2) * 2 - claimed) / Int(size))
    let count = min(Int(stsz.sampleCount), most)
    claimed += count * Int(size)
    sizes.append(Int64(size), count: count)
    return sizes
  }

  private func durations(_ tables: Tables, _ sampleCount: Int) -> PackedColumn {
    var result = PackedColumn()
    var last: UInt32 = 0
    tables.durations.entries.forEachRun { count, duration in
      result.append(Int64(duration), count: min(sampleCount - result.count, count))
      last = duration
    }
    // Samples without a duration get that of the sample before them.
    result.append(Int64(last), count: sampleCount - result.count)
    return result
  }

  private func offsets(_ tables: Tables, _ sampleCount: Int) -> PackedColumn {
    var result = PackedColumn()
    tables.offsets?.entries.forEachRun { count, offset in
      result.append(Int64(Int32(bitPattern: offset)), count: min(sampleCount - result.count, count))
    }
    result.append(0, count: sampleCount - result.count)
    return result
  }

  private func flags(_ tables: Tables, _ sampleCount: Int) -> PackedColumn {
    var result = PackedColumn()
    guard let sync = tables.sync else {
      result.append(0, count: sampleCount)
      return result
    }
    var numbers: [Int] = []
    sync.sampleNumbers.forEachRow { if $0 > 0, $0 <= sampleCount { numbers.append(Int($0)) } }
    if zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 }) { numbers = Set(numbers).sorted() }
    for number in numbers {
      result.append(0x1_0000, count: number - 1 - result.count)
      result.append(0)
    }
    result.append(0x1_0000, count: sampleCount - result.count)
    return result
  }

  /// Calls `body` with the samples of each chunk, their offset, their total size and their sample description.
  private func forEachChunk(
    _ tables: Tables, _ sizes: PackedColumn, _ body: (Range<Int>, Int, Int, UInt32) -> Void
  ) {
    var sample = 0
    var entry = 0
    let entries = tables.chunks.entries.rows
    for (index, offset) in tables.chunkOffsets.enumerated() where sample < tables.sampleCount {
      while entry + 1 < entries.count, entries[entry + 1].firstChunk <= index + 1 { entry += 1 }
      guard entry < entries.count else { break }
      let count = min(Int(entries[entry].samplesPerChunk), tables.sampleCount - sample)
      if count == 0 { continue }
      let byteCount = Int(sizes.sum(in: sample..<(sample + count)))
      if tables.isDoubtful, tables.chunkOffsets.indices.contains(index + 1) {
        // A chunk that extends into the next one has an unknown, smaller number of samples. The chunks after it are
        // unknown too.
        let next = tables.chunkOffsets[index + 1]
        if next > offset, offset + byteCount > next { break }
      }
      body(sample..<(sample + count), offset, byteCount, entries[entry].sampleDescriptionIndex)
      sample += count
    }
  }
}

extension FragmentTable {
  /// Adds the samples of a movie box to a track, and returns the fragments that contain them.
  mutating func add(_ reading: MovieSamples.Reading, to track: Int) -> [TrackFragment] {
    var own = reading.fragments
    let first = samples[track].count
    if first == 0 {
      samples[track] = reading.samples
    } else {
      _ = samples[track].append(reading.samples, in: 0..<reading.samples.count)
      for index in own.indices { own[index].firstSample += first }
    }
    return own
  }
}

extension MovieSamples.Tables {
  /// The duration of this number of samples.
  fileprivate func duration(of count: Int) -> UInt64 {
    var (left, last, sum) = (count, UInt64(0), UInt64(0))
    durations.entries.forEachRun { samples, duration in
      let count = min(left, samples)
      last = UInt64(duration)
      sum &+= last &* UInt64(count)
      left -= count
    }
    return sum &+ last &* UInt64(left)
  }

  /// The number of samples. It is larger than the number of sizes if times and chunks agree on a larger number.
  fileprivate var likelyCount: Int {
    guard chunkedCount == timedCount else { return declaredCount }
    return max(declaredCount, Int(clamping: timedCount))
  }

  private var timedCount: UInt64 {
    var count: UInt64 = 0
    durations.entries.forEachRun { samples, _ in count += UInt64(samples) }
    return count
  }

  /// Contradictions between the tables about the number of samples.
  func contradictions(_ prefix: String) -> [TableProblem] {
    var result: [TableProblem] = []
    func note(_ table: FourCC, _ contradiction: TableProblem.Contradiction) {
      result.append(.contradiction(path: "\(prefix)\(table)", contradiction))
    }
    if timedCount != declaredCount { note("stts", .times(of: timedCount, sizes: declaredCount)) }
    if let offsets {
      var count: UInt64 = 0
      offsets.entries.forEachRun { samples, _ in count += UInt64(samples) }
      if count != declaredCount { note("ctts", .compositionOffsets(of: count, sizes: declaredCount)) }
    }
    if let sync {
      var (last, isRising) = (UInt32(0), true)
      sync.sampleNumbers.forEachRow { number in
        if number <= last { isRising = false }
        last = max(last, number)
      }
      if !isRising { note("stss", .sampleNumbers) }
      if last > declaredCount { note("stss", .sample(last, sizes: declaredCount)) }
    }
    if let count = chunkedCount {
      if count != declaredCount { note("stsc", .chunks(of: count, sizes: declaredCount)) }
    } else {
      note("stsc", .chunkNumbers)
    }
    return result
  }

  /// The number of samples in the chunks according to `stsc`; `nil` if its chunk numbers do not increase from 1.
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

extension BoxTable {
  /// All rows. The closure is specialized in this module, but an iterator of another module would not be.
  var rows: [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(count)
    forEachRow { rows.append($0) }
    return rows
  }
}

/// Sample information in a movie box other than times, sizes and sync flags. Damage in it does not lose samples.
extension MovieSamples {
  /// The other sample information of track `track` in the movie box, as boxes of a track fragment; the types of damaged
  /// boxes; and the types of boxes that fragments cannot contain.
  func information(_ track: Int) throws(MovieError) -> (
    boxes: InformationBoxes, damaged: Set<FourCC>, others: Set<FourCC>
  ) {
    let path = (track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]") + "/mdia/minf/stbl/"
    var result = InformationBoxes()
    var damaged = short[track] ?? []
    var others: Set<FourCC> = []
    func add(_ box: Box) throws(MovieError) {
      do throws(MovieError) {
        if try !read(box, path + box.type.description, into: &result) { others.insert(box.type) }
      } catch {
        // The samples are kept without it.
        guard case .damaged = error else { throw error }
        damaged.insert(box.type)
      }
    }
    let boxes = table(track)?.boxes ?? []
    for box in boxes where box.type != "senc" { try add(box) }
    // `saiz` and `saio` describe the same data as `senc`, which takes more memory.
    let hasPair = result.auxiliarySizes != nil && result.auxiliaryOffsets != nil
    if !hasPair, let senc = boxes.first(where: { $0.type == "senc" }) { try add(senc) }
    return (result, damaged, others)
  }

  /// Reads a box of the sample table with information other than times, sizes and flags. Returns whether that was
  /// possible.
  private func read(_ box: Box, _ name: String, into result: inout InformationBoxes) throws(MovieError) -> Bool {
    switch box.type {
    case "sbgp": result.groups.append(try payloads.payload(of: box, in: name, SampleToGroupBox.self))
    case "csgp": result.compactGroups.append(try payloads.payload(of: box, in: name, CompactSampleToGroupBox.self))
    case "subs": result.subsamples.append(try payloads.payload(of: box, in: name, SubSampleInformationBox.self))
    case "saiz" where result.auxiliarySizes == nil:
      result.auxiliarySizes = try payloads.payload(of: box, in: name, SampleAuxiliaryInformationSizesBox.self)
    case "saio" where result.auxiliaryOffsets == nil:
      result.auxiliaryOffsets = try payloads.payload(of: box, in: name, SampleAuxiliaryInformationOffsetsBox.self)
    case "senc": result.encryption = try payloads.payload(of: box, in: name, SampleEncryptionBox.self)
    // In a movie with fragments, these sample numbers have another meaning. `saiz` and `saio` are a second box of their
    // type.
    case "stsh", "saiz", "saio": return false
    default: break
    }
    return true
  }

  /// Writes the information of `sdtp`, `stdp` and `padb` to the sample flags, as in fragments. Returns the boxes that
  /// are damaged or list too few samples.
  private func readFlags(
    _ table: Box, _ prefix: String, of samples: inout SampleColumns
  ) throws(MovieError) -> Set<FourCC> {
    var notRead: Set<FourCC> = []
    for box in table.boxes where ["sdtp", "stdp", "padb"].contains(box.type) {
      do throws(MovieError) {
        guard let (places, bits) = try flags(box, prefix + box.type.description, count: samples.count) else {
          notRead.insert(box.type)
          continue
        }
        samples.setFlags(places, from: 0, bits)
      } catch {
        guard case .damaged = error else { throw error }
        notRead.insert(box.type)
      }
    }
    return notRead
  }

  /// The position of the box's bits in the flags, and the bits by sample number; `nil` if the box lists too few
  /// samples.
  private func flags(_ box: Box, _ name: String, count: Int) throws(MovieError) -> (UInt32, (Int) -> UInt32)? {
    switch box.type {
    case "sdtp":
      let entries = Array(try payloads.payload(of: box, in: name, SampleDependencyTypeBox.self).entries.encodedRows)
      return entries.count < count ? nil : (0xff0_0000, { UInt32(entries[$0]) << 20 })
    case "stdp":
      let priorities = try payloads.payload(of: box, in: name, DegradationPriorityBox.self).priorities
      return priorities.count < count ? nil : (0xffff, { UInt32(priorities[$0]) })
    default:
      let padb = try payloads.payload(of: box, in: name, PaddingBitsBox.self)
      let pairs = padb.pairs
      guard Int(padb.sampleCount) >= count, pairs.count * 2 >= count else { return nil }
      return (0xe_0000, { UInt32($0 % 2 == 0 ? pairs[$0 / 2].pad1 : pairs[$0 / 2].pad2) << 17 })
    }
  }
}
