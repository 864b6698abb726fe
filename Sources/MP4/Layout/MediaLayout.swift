/// Where the samples of all tracks go in the media data of the output: in the order of the fragments, the
/// samples of a track that lie together in chunks of half a second, so that the interleave of the source is kept.
struct MediaLayout {
  private(set) var builders: [SampleTableBuilder]
  private(set) var copies = CopyPlan()
  /// What else is said of the samples of each track.
  private(set) var information: [InformationBuilder]

  /// The samples of one run that are used.
  private struct Piece {
    var run: Int
    var track: Int
    var source: Int
    /// How many samples of the run are before them, and the bytes of these.
    var first: Int
    var byteCount: Int
    var count: Int
    var stretch: Int64
    var scale: TimeScaling?
    var descriptionIndex: UInt32
    /// Where among the pieces of its fragment it goes: where its data is, but after what the track has before.
    var position: Int
  }

  /// Half a second in the timescale of each track.
  private let chunkDurations: [UInt64]

  /// Whether the samples stay where they are; then chunks start at offsets of the source and not of the output.
  private let keepsPlaces: Bool

  /// Lays out the samples of a timeline: with `keepsPlaces`, where they lie in their one source; with `interleave`, in
  /// chunks of that length in the order of time instead of that of the fragments.
  init(
    _ timeline: FragmentTimeline, _ reader: FragmentReader, keepsPlaces: Bool = false, interleave: MediaTime? = nil,
    isCompact: Bool = false
  ) {
    self.keepsPlaces = keepsPlaces
    builders = timeline.tracks.map { track in
      SampleTableBuilder(expectedCount: track.entries.reduce(0) { $0 + $1.used }, isCompact: isCompact)
    }
    chunkDurations = reader.tracks.map { UInt64(max(1, $0.timescale / 2)) }
    information = zip(reader.information, timeline.tracks).map { InformationBuilder($0, $1, reader.trackFragments) }
    if let interleave {
      appendChunks(timeline, reader, lasting: interleave)
    } else {
      appendFragments(timeline, reader)
    }
    for track in builders.indices { builders[track].finish() }
  }

  // MARK: The interleave of the source

  /// Adds the pieces of every movie fragment, in the order of the timeline.
  private mutating func appendFragments(_ timeline: FragmentTimeline, _ reader: FragmentReader) {
    let order = SourceOrder(timeline, reader.trackFragments)
    // Where the latest piece of each track goes in its movie fragment.
    var places = Array(repeating: (rank: 0, position: Int.min), count: timeline.tracks.count)
    var pieces: [Piece] = []
    for rank in 0..<order.count {
      pieces.removeAll(keepingCapacity: true)
      for slot in order[rank] {
        let track = Int(slot.track)
        if places[track].rank < rank { places[track] = (rank, .min) }
        let times = timeline.tracks[track]
        Self.append(times.entries[Int(slot.entry)], of: track, times, reader, &places[track].position, to: &pieces)
      }
      append(pieces, reader.store)
    }
  }

  /// Adds the pieces of one entry of a timeline.
  private static func append(
    _ entry: TrackTimeline.Entry, of track: Int, _ times: TrackTimeline, _ reader: FragmentReader,
    _ position: inout Int, to pieces: inout [Piece]
  ) {
    let fragment = reader.trackFragments[entry.index]
    var left = entry.used
    var scale = times.scale(of: entry, reader.trackFragments)
    let start = times.first(of: entry, reader.trackFragments)
    for run in start.run..<fragment.runs.upperBound where left > 0 {
      let (first, byteCount) = run == start.run ? (start.index, start.byteCount) : (0, 0)
      let count = min(left, reader.store.runs[run].count - first)
      guard count > 0 else { continue }
      left -= count
      position = max(position, reader.store.runs[run].offset + byteCount)
      pieces.append(
        Piece(
          run: run, track: track, source: fragment.source, first: first, byteCount: byteCount, count: count,
          stretch: left == 0 ? entry.stretch : 0, scale: scale, descriptionIndex: fragment.descriptionIndex,
          position: position))
      if scale != nil {
        let part = reader.store.part(of: reader.store.runs[run], from: first, count: count, behind: byteCount)
        scale?.advance(by: reader.store.duration(of: part, first: count))
      }
    }
  }

  /// Adds the pieces of one movie fragment, in the order of their data.
  private mutating func append(_ unsorted: [Piece], _ store: RunStore) {
    let isSorted = unsorted.indices.dropFirst().allSatisfy { unsorted[$0 - 1].position <= unsorted[$0].position }
    // Sorting keeps the order of pieces with the same position.
    let pieces = isSorted ? unsorted : unsorted.sorted { $0.position < $1.position }
    var chunk: OpenChunk?
    for piece in pieces {
      let whole = store.runs[piece.run]
      let run =
        piece.count == whole.count
        ? whole : store.part(of: whole, from: piece.first, count: piece.count, behind: piece.byteCount)
      let start = keepsPlaces ? run.offset : copies.byteCount
      if let open = chunk,
        open.track != piece.track || open.descriptionIndex != piece.descriptionIndex || open.end != start
      {
        close(open)
        chunk = nil
      }
      builders[piece.track].append(run, store, count: piece.count, stretch: piece.stretch, scale: piece.scale)
      copies.append(run.offset..<(run.offset + run.byteCount), of: piece.source)
      cut(piece, run, store, start: start, &chunk)
    }
    if let open = chunk { close(open) }
  }

  /// Samples of one track that lie next to each other and are not put into a chunk yet.
  private struct OpenChunk {
    var track: Int
    var descriptionIndex: UInt32
    var start: Int
    /// Where the last of them ends.
    var end: Int
    var count = 0
    var duration: UInt64 = 0
  }

  /// Puts the samples of a piece, whose data starts at `start`, into chunks: a new one after every half second, so that a
  /// reader of a long fragment need not go through all of it.
  private mutating func cut(_ piece: Piece, _ run: SampleRun, _ store: RunStore, start: Int, _ chunk: inout OpenChunk?)
  {
    var first = 0
    var position = start
    while first < piece.count {
      if let open = chunk, open.duration >= chunkDurations[piece.track] {
        close(open)
        chunk = nil
      }
      var open =
        chunk ?? OpenChunk(track: piece.track, descriptionIndex: piece.descriptionIndex, start: position, end: position)
      // Durations that are wrong say nothing about half a second.
      let left =
        piece.scale == nil ? chunkDurations[piece.track] - min(open.duration, chunkDurations[piece.track]) : .max
      let step = store.stretch(of: run, from: first, to: piece.count, lasting: left)
      open.count += step.count
      open.duration &+= piece.scale == nil ? step.duration : 0
      first += step.count
      position += step.byteCount
      open.end = position
      chunk = open
    }
  }

  // MARK: Another interleave

  /// Adds chunks that last as long as asked, of all tracks in the order of their decode times.
  private mutating func appendChunks(_ timeline: FragmentTimeline, _ reader: FragmentReader, lasting length: MediaTime)
  {
    var cursors = timeline.tracks.map(SampleCursor.init)
    for chunk in InterleavedChunks(timeline, reader, lasting: length).chunks {
      let track = Int(chunk.track)
      let start = copies.byteCount
      var (count, descriptionIndex) = (0, UInt32(1))
      while count < Int(chunk.sampleCount), let piece = cursors[track].next(Int(chunk.sampleCount) - count, reader) {
        builders[track].append(
          piece.run, reader.store, count: piece.run.count, stretch: piece.stretch, scale: piece.scale)
        copies.append(piece.run.offset..<(piece.run.offset + piece.run.byteCount), of: piece.source)
        count += piece.run.count
        descriptionIndex = piece.descriptionIndex
      }
      close(
        OpenChunk(
          track: track, descriptionIndex: descriptionIndex, start: start, end: copies.byteCount, count: count))
    }
  }

  private mutating func close(_ chunk: OpenChunk) {
    builders[chunk.track].append(
      SampleTableBuilder.Chunk(
        offset: chunk.start, sampleCount: UInt32(truncatingIfNeeded: chunk.count),
        descriptionIndex: chunk.descriptionIndex))
  }
}

extension RunStore {
  /// Samples of a run from the one at `first` on, at least one, until they last as long as asked or `end` is reached.
  fileprivate func stretch(of run: SampleRun, from first: Int, to end: Int, lasting: UInt64)
    -> (count: Int, duration: UInt64, byteCount: Int)
  {
    if run.durations.isConstant, run.sizes.isConstant {
      let each = UInt64(run.durations.constant)
      let wanted = each == 0 ? UInt64.max : lasting / each &+ (lasting % each == 0 ? 0 : 1)
      let count = Int(clamping: min(UInt64(end - first), max(1, wanted)))
      return (count, each &* UInt64(count), Int(run.sizes.constant) * count)
    }
    var result = (count: 0, duration: UInt64(0), byteCount: 0)
    repeat {
      result.duration &+= UInt64(duration(run, first + result.count))
      result.byteCount += Int(size(run, first + result.count))
      result.count += 1
    } while first + result.count < end && result.duration < lasting
    return result
  }
}
