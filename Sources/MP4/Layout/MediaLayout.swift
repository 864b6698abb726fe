import Bytes
import ISOBMFF

/// The positions of the samples of all tracks in the media data of the output. They follow the order of the fragments,
/// with adjacent samples of a track in chunks of half a second, so that the interleaving of the source is kept.
struct MediaLayout {
  private(set) var tables: [SampleTable]
  private(set) var copies = CopyPlan()

  /// Adjacent samples that are used.
  private struct UsedSamples {
    var extent: SampleColumns.Extent
    var track: Int
    var source: Int
    var scale: TimeScaling?
    var descriptionIndex: UInt32
    /// The sort position in its fragment: the offset of its data, but after the previous pieces of its track.
    var position: Int
  }

  /// Half a second in the timescale of each track.
  private let chunkDurations: [UInt64]

  /// Whether samples are not moved. Chunk offsets then refer to the source, not to the output.
  private let keepsPlaces: Bool

  /// Arranges the samples of a timeline. With `keepsPlaces`, they are not moved in their only source. With
  /// `interleave`, they are in chunks of that duration in time order, instead of fragment order.
  init(
    _ timeline: FragmentTimeline, _ table: FragmentTable, keepsPlaces: Bool = false, interleave: MediaTime? = nil,
    isCompact: Bool = false
  ) {
    self.keepsPlaces = keepsPlaces
    tables = timeline.tracks.enumerated().map { index, track in
      SampleTable(
        SampleList(track, table, track: index),
        SampleAuxiliaryInfo(table.information[index], track, table.trackFragments), isCompact: isCompact)
    }
    chunkDurations = table.tracks.map { UInt64(max(1, $0.timescale / 2)) }
    if let interleave {
      appendChunks(timeline, table, lasting: interleave)
    } else {
      appendFragments(timeline, table)
    }
  }

  // MARK: Interleaving of the source

  /// Adds the pieces of every movie fragment, in the order of the timeline.
  private mutating func appendFragments(_ timeline: FragmentTimeline, _ table: FragmentTable) {
    let order = SourceOrder(timeline, table.trackFragments)
    copies.reserve(order.entryCount)
    for (index, track) in timeline.tracks.enumerated() { tables[index].reserve(track.entries.count) }
    var parts = timeline.tracks.map { SamplePieces($0, table) }
    // For each track, the movie fragment, sort position and end of its latest piece.
    var positions = Array(repeating: (rank: 0, position: Int.min), count: timeline.tracks.count)
    var places = timeline.tracks.map { _ in SampleColumns.Place() }
    var pieces: [UsedSamples] = []
    for rank in 0..<order.count {
      pieces.removeAll(keepingCapacity: true)
      for track in order[rank].lazy.map(Int.init) {
        guard let part = parts[track].next() else { continue }
        if positions[track].rank < rank { positions[track] = (rank, .min) }
        Self.append(part, of: track, table, &places[track], &positions[track].position, to: &pieces)
      }
      append(pieces, table)
    }
  }

  /// Adds the pieces of one entry of a timeline.
  private static func append(
    _ part: SamplePieces.Piece, of track: Int, _ table: FragmentTable, _ place: inout SampleColumns.Place,
    _ position: inout Int, to pieces: inout [UsedSamples]
  ) {
    var (scale, latest) = (part.scale, position)
    table.forEachExtent(of: track, in: part.samples, &place) { extent in
      latest = max(latest, extent.offset)
      pieces.append(
        UsedSamples(
          extent: extent, track: track, source: part.source, scale: scale, descriptionIndex: part.descriptionIndex,
          position: latest))
      if scale != nil { scale?.advance(by: table.samples.span[track].duration(of: extent.samples)) }
    }
    position = latest
  }

  /// Adds the pieces of one movie fragment, in the order of their data.
  private mutating func append(_ unsorted: [UsedSamples], _ table: FragmentTable) {
    let isSorted = unsorted.indices.dropFirst().allSatisfy { unsorted[$0 - 1].position <= unsorted[$0].position }
    // Sorting is stable for pieces with the same position.
    let pieces = isSorted ? unsorted : unsorted.sorted { $0.position < $1.position }
    var chunk: OpenChunk?
    for piece in pieces {
      let extent = piece.extent
      let start = keepsPlaces ? extent.offset : copies.byteCount
      if let open = chunk,
        open.track != piece.track || open.descriptionIndex != piece.descriptionIndex || open.end != start
      {
        close(open)
        chunk = nil
      }
      copies.append(extent.offset..<(extent.offset + extent.byteCount), of: piece.source)
      cut(piece, table, start: start, &chunk)
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

  /// Divides the samples of a piece, whose data starts at `start`, into chunks. A chunk ends after half a second, so
  /// that a reader does not need to read all of a long fragment.
  private mutating func cut(_ piece: UsedSamples, _ table: FragmentTable, start: Int, _ chunk: inout OpenChunk?) {
    var left = piece.extent.samples
    var position = start
    while !left.isEmpty {
      if let open = chunk, open.duration >= chunkDurations[piece.track] {
        close(open)
        chunk = nil
      }
      var open =
        chunk ?? OpenChunk(track: piece.track, descriptionIndex: piece.descriptionIndex, start: position, end: position)
      // Wrong durations cannot be used to measure half a second.
      let rest =
        piece.scale == nil ? chunkDurations[piece.track] - min(open.duration, chunkDurations[piece.track]) : .max
      let step = table.samples.span[piece.track].stretch(of: left, lasting: rest)
      open.count += step.count
      open.duration &+= piece.scale == nil ? step.duration : 0
      let taken = left.prefix(step.count)
      left = taken.upperBound..<left.upperBound
      position =
        left.isEmpty
        ? start + piece.extent.byteCount : position + table.samples.span[piece.track].byteCount(of: taken)
      open.end = position
      chunk = open
    }
  }

  // MARK: Requested interleaving

  /// Adds chunks of the requested duration of all tracks, sorted by decode time.
  private mutating func appendChunks(_ timeline: FragmentTimeline, _ table: FragmentTable, lasting length: MediaTime) {
    var pieces = timeline.tracks.map { SamplePieces($0, table) }
    for chunk in InterleavedChunks(timeline, table, lasting: length).chunks {
      let track = Int(chunk.track)
      let (start, samples) = (copies.byteCount, table.samples[track])
      var (count, descriptionIndex) = (0, UInt32(1))
      while count < Int(chunk.sampleCount), let piece = pieces[track].next(Int(chunk.sampleCount) - count) {
        samples.forEachExtent(in: piece.samples) { extent in
          copies.append(extent.offset..<(extent.offset + extent.byteCount), of: piece.source)
        }
        count += piece.samples.count
        descriptionIndex = piece.descriptionIndex
      }
      close(
        OpenChunk(
          track: track, descriptionIndex: descriptionIndex, start: start, end: copies.byteCount, count: count))
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
