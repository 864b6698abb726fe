import ISOBMFF
import MP4Bytes

/// The tables of a track, and the repair of damaged ones.
extension MovieSamples {
  /// The tables of a track, and the reasons why they cannot be used unchanged.
  ///
  /// A wrong row count would lose the most samples and is the easiest damage to repair: the size of the box gives the
  /// count. If tables contradict each other or cannot be read, the rows that fill their boxes are used.
  func tables(of table: Box, _ prefix: String) throws(MovieError) -> (tables: Tables, contradictions: [TableProblem]) {
    var tables: Tables?
    var contradictions: [TableProblem] = []
    var failure: MovieError?
    do throws(MovieError) {
      let declared = try read(table, prefix, fillsBoxes: false)
      contradictions = declared.contradictions(prefix)
      if contradictions.isEmpty { return (declared, []) }
      tables = declared
    } catch {
      if case .io = error { throw error }
      contradictions = [.unreadable(error)]
      failure = error
    }
    do throws(MovieError) {
      let full = try read(table, prefix, fillsBoxes: true)
      let others = full.contradictions(prefix)
      if others.isEmpty { return (full, contradictions) }
      if tables == nil {
        tables = full
        contradictions += others
      }
    } catch {
      if case .io = error { throw error }
    }
    guard var tables else { throw failure ?? .impossible(file: payloads.source.name, .noSamples) }
    if tables.chunkedCount != UInt64(tables.declaredCount) {
      tables.isDoubtful = true
      if let chunks = try chunksWithoutGaps(tables, table) {
        tables.chunks.entries = chunks
        tables.isDoubtful = false
      }
    }
    return (tables, contradictions)
  }

  private func read(_ table: Box, _ prefix: String, fillsBoxes: Bool) throws(MovieError) -> Tables {
    func payload<Payload: BoxPayload>(_ type: FourCC, _: Payload.Type, row: Int, countAt: Int = 4)
      throws(MovieError) -> Payload
    {
      let rows = fillsBoxes ? (size: row, countAt: countAt) : nil
      return try payloads.payload(of: table.first(type), in: "\(prefix)\(type)", Payload.self, filledWith: rows)
    }
    let sizes: SampleSizes
    if fillsBoxes, table.first("stsz") != nil {
      // A common sample size needs no rows.
      let stsz = try payload("stsz", SampleSizeBox.self, row: 4, countAt: 8)
      sizes = stsz.sampleSize == 0 ? .plain(stsz) : try payloads.sampleSizes(table, prefix: prefix)
    } else {
      sizes = try payloads.sampleSizes(table, prefix: prefix)
    }
    var tables = Tables(
      sizes: sizes, durations: try payload("stts", TimeToSampleBox.self, row: 8),
      chunks: try payload("stsc", SampleToChunkBox.self, row: 12),
      chunkOffsets: try chunkOffsets(table, prefix, fillsBoxes: fillsBoxes))
    if table.first("ctts") != nil { tables.offsets = try payload("ctts", CompositionOffsetBox.self, row: 8) }
    if table.first("stss") != nil { tables.sync = try payload("stss", SyncSampleBox.self, row: 4) }
    return tables
  }

  private func chunkOffsets(_ table: Box, _ prefix: String, fillsBoxes: Bool) throws(MovieError) -> [Int] {
    if let box = table.first("co64") {
      let co64 = try payloads.payload(
        of: box, in: prefix + "co64", ChunkLargeOffsetBox.self, filledWith: fillsBoxes ? (size: 8, countAt: 4) : nil)
      // No file is this large. Sizes can be added to the clamped offsets without overflow.
      return co64.offsets.rows.map { Int(min($0, 1 << 61)) }
    }
    let stco = try payloads.payload(
      of: table.first("stco"), in: prefix + "stco", ChunkOffsetBox.self,
      filledWith: fillsBoxes ? (size: 4, countAt: 4) : nil)
    return stco.offsets.rows.map { Int($0) }
  }

  /// The number of samples in each chunk if the media data has no gaps: each chunk ends where the next one of any track
  /// starts in the same box. The last chunk of a box has the samples that fit in it, and the last one of the track all
  /// remaining ones. `nil` if the sample sizes do not add up to that.
  private func chunksWithoutGaps(_ tables: Tables, _ table: Box) throws(MovieError) -> BoxTable<SampleToChunkBox.Entry>?
  {
    let offsets = tables.chunkOffsets
    guard zip(offsets, offsets.dropFirst()).allSatisfy(<), let size = try sizes(tables, table) else { return nil }
    var starts: [Int] = []
    for table in traks.compactMap({ $0.first("mdia", "minf", "stbl") }) {
      starts += (try? chunkOffsets(table, "", fillsBoxes: false)) ?? []
    }
    starts.sort()
    let descriptions = Set(tables.chunks.entries.rows.map(\.sampleDescriptionIndex))
    let description = descriptions.count == 1 ? descriptions.first ?? 1 : 1
    var rows: [SampleToChunkBox.Entry] = []
    var places = places
    var (sample, place) = (0, 0)
    for (index, offset) in offsets.enumerated() {
      while place < starts.count, starts[place] <= offset { place += 1 }
      let border = offset + places.room(at: offset)
      var next = place < starts.count ? starts[place] : nil
      if let start = next, start > border, places.room(at: start) > 0 { next = nil }
      let isLast = index == offsets.count - 1
      var (count, at) = (0, offset)
      while sample + count < tables.declaredCount, at < next ?? .max {
        let end = at + size(sample + count)
        if next == nil, !isLast, end > border { break }
        at = end
        count += 1
      }
      if let next, at != next { return nil }
      sample += count
      guard rows.last.map({ Int($0.samplesPerChunk) }) != count else { continue }
      rows.append(
        SampleToChunkBox.Entry(
          firstChunk: UInt32(index + 1), samplesPerChunk: UInt32(count), sampleDescriptionIndex: description))
    }
    return sample == tables.declaredCount ? BoxTable(rows) : nil
  }

  /// The size of each sample; `nil` if all have a common size.
  private func sizes(_ tables: Tables, _ table: Box) throws(MovieError) -> ((Int) -> Int)? {
    switch tables.sizes {
    case .compact(let stz2): return { Int(stz2[$0]) }
    case .plain(let stsz):
      // A common size needs no rows, so the size of the box does not limit the number of samples.
      guard try payloads.sampleSize(table, stsz) == nil else { return nil }
      let rows = stsz.sizes.rows
      return rows.count == Int(stsz.sampleCount) ? { Int(rows[$0]) } : nil
    }
  }
}

extension MoviePayloads {
  /// Like `payload`, with as many rows of `size` bytes as fit in the box. The 32-bit row count is at `countAt`.
  fileprivate func payload<Payload: BoxPayload>(
    of box: Box?, in path: String, _: Payload.Type, filledWith rows: (size: Int, countAt: Int)?
  ) throws(MovieError) -> Payload {
    guard let rows, let box, case .unchanged(let range) = box.fields, range.count >= rows.countAt + 4 else {
      return try payload(of: box, in: path, Payload.self)
    }
    var window = ByteWindow(source, readAhead: 0)
    var bytes: [UInt8]
    do throws(IOError) {
      bytes = Array(try window.slice(at: range.lowerBound, count: range.count))
    } catch { throw .io(error) }
    var count = UInt32(clamping: (bytes.count - rows.countAt - 4) / rows.size)
    for index in (rows.countAt..<rows.countAt + 4).reversed() where index < bytes.count {
      bytes[index] = UInt8(truncatingIfNeeded: count)
      count >>= 8
    }
    do throws(BoxError) {
      return try Payload(decoding: bytes[...])
    } catch { throw .damaged(file: source.name, path: path, error) }
  }
}
