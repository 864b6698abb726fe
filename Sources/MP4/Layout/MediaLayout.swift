import ISOBMFF
import MP4Bytes

/// The positions of the samples of all tracks in the media data of the output. They follow the ranks of the runs, with
/// adjacent samples of a track in chunks of half a second, so that the interleaving of the source is kept.
struct MediaLayout {
  private(set) var tables: [SampleTable]
  private(set) var copies = CopyPlan()

  /// Adjacent samples of a run.
  private struct RunExtent {
    var extent: SampleColumns.Extent
    var track: Int
    var run: SampleRun
    /// The extension of its last sample.
    var stretch: Int64
    /// The sort position among those of its rank: the offset of its data, but after the previous ones of its track.
    var position: Int
  }

  /// Half a second in the timescale of each track.
  private let chunkDurations: [UInt64]

  /// Whether samples are not moved. Chunk offsets then refer to the source, not to the output.
  private let keepsPlaces: Bool

  /// Arranges the samples of all tracks. With `keepsPlaces`, they are not moved in their only source. With
  /// `interleave`, they are in chunks of that duration in time order, instead of the order of their ranks.
  init(_ tracks: [TrackSamples], keepsPlaces: Bool = false, interleave: MediaTime? = nil, isCompact: Bool = false) {
    self.keepsPlaces = keepsPlaces
    tables = tracks.map { SampleTable($0.list, $0.details, isCompact: isCompact) }
    chunkDurations = tracks.map { UInt64(max(1, $0.timescale / 2)) }
    if let interleave {
      appendChunks(tracks, lasting: interleave)
    } else {
      appendRuns(tracks)
    }
  }

  // MARK: Interleaving of the source

  /// Adds the runs of every rank.
  private mutating func appendRuns(_ tracks: [TrackSamples]) {
    let order = SourceOrder(tracks)
    copies.reserve(order.runCount)
    for (index, track) in tracks.enumerated() { tables[index].reserve(track.runs.count) }
    // For each track, its next run, and the rank and sort position of its latest one.
    var latest = tracks.map { _ in (next: 0, rank: 0, position: Int.min) }
    var places = tracks.map { _ in SampleColumns.Place() }
    // A copy of a track for each run would retain many references.
    let (columns, runs, counts) = (tracks.map(\.list.columns), tracks.map(\.runs), tracks.map(\.list.count))
    var extents: [RunExtent] = []
    for rank in 0..<order.count {
      extents.removeAll(keepingCapacity: true)
      for track in order[rank].lazy.map(Int.init) {
        let run = runs[track][latest[track].next]
        latest[track].next += 1
        let next = latest[track].next
        let end = next < runs[track].count ? Int(runs[track][next].first) : counts[track]
        var position = latest[track].rank < rank ? Int.min : latest[track].position
        columns.forEachExtent(of: track, in: Int(run.first)..<end, &places[track]) { extent in
          position = max(position, extent.offset)
          let stretch = extent.samples.upperBound == end ? run.stretch : 0
          extents.append(RunExtent(extent: extent, track: track, run: run, stretch: stretch, position: position))
        }
        (latest[track].rank, latest[track].position) = (rank, position)
      }
      append(extents, columns)
    }
  }

  /// Adds the samples of one rank, in the order of their data.
  private mutating func append(_ unsorted: [RunExtent], _ columns: [SampleColumns]) {
    let isSorted = unsorted.indices.dropFirst().allSatisfy { unsorted[$0 - 1].position <= unsorted[$0].position }
    // Sorting is stable for extents with the same position.
    let extents = isSorted ? unsorted : unsorted.sorted { $0.position < $1.position }
    var chunk: OpenChunk?
    for samples in extents {
      let extent = samples.extent
      let start = keepsPlaces ? extent.offset : copies.byteCount
      if let open = chunk,
        open.track != samples.track || open.descriptionIndex != samples.run.descriptionIndex || open.end != start
      {
        close(open)
        chunk = nil
      }
      copies.append(extent.offset..<(extent.offset + extent.byteCount), of: Int(samples.run.source))
      cut(samples, columns, start: start, &chunk)
    }
    if let open = chunk { close(open) }
  }

  /// Adjacent samples of one track that are not in a chunk yet.
  private struct OpenChunk {
    var track: Int
    var descriptionIndex: UInt32
    var start: Int
    /// The end of the last sample.
    var end: Int
    var count = 0
    var duration: UInt64 = 0
  }

  /// Divides samples, whose data starts at `start`, into chunks. A chunk ends after half a second, so that a reader
  /// does not need to read all of a long fragment.
  private mutating func cut(
    _ samples: RunExtent, _ columns: [SampleColumns], start: Int, _ chunk: inout OpenChunk?
  ) {
    let track = samples.track
    var left = samples.extent.samples
    var position = start
    while !left.isEmpty {
      if let open = chunk, open.duration >= chunkDurations[track] {
        close(open)
        chunk = nil
      }
      var open =
        chunk ?? OpenChunk(track: track, descriptionIndex: samples.run.descriptionIndex, start: position, end: position)
      // Wrong durations cannot be used to measure half a second.
      let rest = samples.run.isScaled ? .max : chunkDurations[track] - min(open.duration, chunkDurations[track])
      let step = columns.span[track].stretch(of: left, lasting: rest)
      open.count += step.count
      open.duration &+= samples.run.isScaled ? 0 : step.duration
      let taken = left.prefix(step.count)
      left = taken.upperBound..<left.upperBound
      // A gap after the last sample does not count.
      if left.isEmpty, !samples.run.isScaled { open.duration &-= UInt64(bitPattern: samples.stretch) }
      position = left.isEmpty ? start + samples.extent.byteCount : position + columns.span[track].byteCount(of: taken)
      open.end = position
      chunk = open
    }
  }

  // MARK: Requested interleaving

  /// Adds chunks of about this duration of all tracks, in the order of their decode times.
  private mutating func appendChunks(_ tracks: [TrackSamples], lasting length: MediaTime) {
    // There can be one for every sample. The time is in the timescale of the track.
    var chunks: [(time: Int64, track: UInt32, sampleCount: UInt32)] = []
    for (track, samples) in tracks.enumerated() {
      let duration = max(1, length.converted(to: samples.timescale).value)
      var walk = SampleWalk(samples.list)
      for end in samples.list.descriptions.dropFirst().map(\.firstSample) + [samples.list.count] {
        while walk.sample < end {
          let start = walk.position
          repeat { walk.advance() } while walk.sample < end && walk.time &- start.time < duration
          let count = UInt32(truncatingIfNeeded: walk.sample - start.sample)
          chunks.append((samples.start &+ start.time, UInt32(truncatingIfNeeded: track), count))
        }
      }
    }
    // The chunks of each track are in order already. Sorting is stable, so chunks with equal times keep their order.
    chunks.sort {
      MediaTime($0.time, tracks[Int($0.track)].timescale) < MediaTime($1.time, tracks[Int($1.track)].timescale)
    }
    var next = tracks.map { _ in 0 }
    for chunk in chunks {
      let (track, count, start) = (Int(chunk.track), Int(chunk.sampleCount), copies.byteCount)
      let list = tracks[track].list
      list.forEachRange(of: next[track]..<(next[track] + count)) { copies.append($0, of: $1) }
      close(
        OpenChunk(
          track: track, descriptionIndex: list.descriptionIndex(of: next[track]), start: start, end: copies.byteCount,
          count: count))
      next[track] += count
    }
  }

  private mutating func close(_ chunk: OpenChunk) {
    tables[chunk.track].append(
      SampleTable.Chunk(
        offset: chunk.start, sampleCount: UInt32(truncatingIfNeeded: chunk.count),
        descriptionIndex: chunk.descriptionIndex))
  }
}

extension SampleColumns {
  /// The first samples up to the requested duration, but at least one.
  fileprivate func stretch(of samples: Range<Int>, lasting: UInt64) -> (count: Int, duration: UInt64) {
    var (index, duration) = (samples.lowerBound, UInt64(0))
    repeat {
      let run = durations.run(at: index)
      let (each, end) = (UInt64(run.value), min(run.end, samples.upperBound))
      let left = lasting - min(duration, lasting)
      let wanted = each == 0 ? UInt64.max : left / each &+ (left % each == 0 ? 0 : 1)
      let count = Int(clamping: min(UInt64(end - index), max(1, wanted)))
      duration &+= each &* UInt64(count)
      index += count
    } while index < samples.upperBound && duration < lasting
    return (index - samples.lowerBound, duration)
  }
}

extension MediaLayout {
  /// The number and the duration of the samples of each track.
  var sampleCounts: [(sampleCount: Int, duration: Int64)] { tables.map { ($0.samples.count, $0.samples.duration) } }

  /// The auxiliary information of the samples of all tracks, which follows their data.
  var auxiliaryBytes: [UInt8] { tables.reduce(into: []) { $0 += $1.details.auxiliaryBytes } }

  /// Writes the chunk offsets of every track to `moov`, for media data that starts at `mediaStart` and auxiliary
  /// information that starts at `auxiliaryStart`.
  func setOffsets(in moov: inout Box, mediaStart: Int, auxiliaryStart: Int, large: Bool) {
    var track = 0
    var auxiliaryStart = auxiliaryStart
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      var offsets = [tables[track].chunkOffsets(mediaStart: mediaStart, large: large)]
      if let saio = tables[track].details.auxiliaryOffset(auxiliaryStart, large: large) { offsets.append(saio) }
      auxiliaryStart += tables[track].details.auxiliaryBytes.count
      track += 1
      moov.boxes[index].setOffsets(offsets)
    }
  }
}

extension Box {
  /// Replaces the boxes of a track that have offsets.
  mutating func setOffsets(_ offsets: [Box]) {
    edit("mdia", "minf", "stbl") { stbl in
      stbl.boxes.removeAll { ["stco", "co64", "saio"].contains($0.type) }
      let sizes = stbl.boxes.firstIndex { $0.type == "stsz" || $0.type == "stz2" }
      stbl.boxes.insert(contentsOf: offsets, at: sizes.map { $0 + 1 } ?? stbl.boxes.count)
    }
  }
}
