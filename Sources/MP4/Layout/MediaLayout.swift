/// Where the samples of all tracks go in the media data of the output: in the order of the fragments, one chunk for
/// the samples of a track that lie together, so that the interleave of the source is kept.
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
    var count: Int
    var stretch: Int64
    var scale: TimeScaling?
    var descriptionIndex: UInt32
    /// Where among the pieces of its fragment it goes: where its data is, but behind what the track has before.
    var position: Int
  }

  /// Lays out the samples of a timeline.
  init(_ timeline: FragmentTimeline, _ reader: FragmentReader) {
    builders = Array(repeating: SampleTableBuilder(), count: reader.movie.tracks.count)
    information = zip(reader.information, timeline.tracks).map { InformationBuilder($0, $1, reader.trackFragments) }
    for pieces in Self.pieces(timeline, reader) { append(pieces, reader.store) }
    for track in builders.indices { builders[track].finish() }
  }

  /// The pieces of every movie fragment, in the order of the timeline.
  private static func pieces(_ timeline: FragmentTimeline, _ reader: FragmentReader) -> [[Piece]] {
    var result = [[Piece]](repeating: [], count: reader.headers.count)
    var ranks = Array(repeating: 0, count: reader.headers.count)
    for (rank, fragment) in timeline.order.enumerated() { ranks[fragment] = rank }
    for (track, times) in timeline.tracks.enumerated() {
      // A track goes on where it was, even when the order of another track would take it back.
      var rank = 0
      var position = Int.min
      for entry in times.entries {
        let fragment = reader.trackFragments[entry.index]
        if ranks[fragment.fragment] > rank { (rank, position) = (ranks[fragment.fragment], .min) }
        var left = entry.used
        var scale = entry.scaledDuration.map { TimeScaling(from: fragment.duration, to: UInt64(max(0, $0))) }
        for run in fragment.runs where left > 0 && reader.store.runs[run].count > 0 {
          let count = min(left, reader.store.runs[run].count)
          left -= count
          position = max(position, reader.store.runs[run].offset)
          let piece = Piece(
            run: run, track: track, source: fragment.source, count: count, stretch: left == 0 ? entry.stretch : 0,
            scale: scale, descriptionIndex: fragment.descriptionIndex, position: position)
          scale?.advance(by: reader.store.duration(of: reader.store.runs[run], first: count))
          result[rank].append(piece)
        }
      }
    }
    return result
  }

  /// Adds the pieces of one movie fragment, in the order of their data.
  private mutating func append(_ unsorted: [Piece], _ store: RunStore) {
    let order = unsorted.indices.sorted { (unsorted[$0].position, $0) < (unsorted[$1].position, $1) }
    var chunk: (piece: Piece, start: Int, count: Int)?
    for index in order {
      let piece = unsorted[index]
      if let open = chunk, open.piece.track != piece.track || open.piece.descriptionIndex != piece.descriptionIndex {
        close(open)
        chunk = nil
      }
      if chunk == nil { chunk = (piece, copies.byteCount, 0) }
      chunk?.count += piece.count
      let run = store.runs[piece.run]
      builders[piece.track].append(run, store, count: piece.count, stretch: piece.stretch, scale: piece.scale)
      let byteCount = piece.count == run.count ? run.byteCount : store.byteCount(of: run, first: piece.count)
      copies.append(run.offset..<(run.offset + byteCount), of: piece.source)
    }
    if let open = chunk { close(open) }
  }

  private mutating func close(_ chunk: (piece: Piece, start: Int, count: Int)) {
    builders[chunk.piece.track].append(
      SampleTableBuilder.Chunk(
        offset: chunk.start, sampleCount: UInt32(truncatingIfNeeded: chunk.count),
        descriptionIndex: chunk.piece.descriptionIndex))
  }
}
