/// Chunks of about the same duration from all tracks, in the order of their decode times.
struct InterleavedChunks {
  /// A number of samples of a track that follow its previous chunks. There can be one chunk for every sample.
  struct Chunk {
    /// The start of the chunk, in the timescale of its track.
    var time: Int64
    var track: UInt32
    var sampleCount: UInt32
  }
  private(set) var chunks: [Chunk] = []

  init(_ timeline: FragmentTimeline, _ table: FragmentTable, lasting length: MediaTime) {
    let timescales = table.tracks.map(\.timescale)
    for (track, times) in timeline.tracks.enumerated() {
      let duration = max(1, length.converted(to: timescales[track]).value)
      Self.cut(times, table, table.samples[track], lasting: duration) { time, count in
        // A track has at most 2^32 - 1 samples.
        let sampleCount = UInt32(truncatingIfNeeded: count)
        chunks.append(Chunk(time: time, track: UInt32(truncatingIfNeeded: track), sampleCount: sampleCount))
      }
    }
    // The chunks of each track are in order already. Sorting is stable, so chunks with equal times keep their order.
    chunks.sort {
      MediaTime($0.time, timescales[Int($0.track)]) < MediaTime($1.time, timescales[Int($1.track)])
    }
  }

  /// Calls `body` with the decode time and the number of samples of every chunk of a track.
  private static func cut(
    _ times: TrackTimeline, _ table: FragmentTable, _ samples: SampleColumns, lasting duration: Int64,
    _ body: (Int64, Int) -> Void
  ) {
    var chunk: (start: Int64, count: Int, description: UInt32)?
    var pieces = SamplePieces(times, table)
    while let piece = pieces.next() {
      var time = times.entries[piece.entry].start
      var scale = piece.scale
      for sample in piece.samples {
        if let open = chunk, time - open.start >= duration || open.description != piece.descriptionIndex {
          body(open.start, open.count)
          chunk = nil
        }
        chunk = (chunk?.start ?? time, (chunk?.count ?? 0) + 1, piece.descriptionIndex)
        let own = UInt64(samples.duration(sample))
        time = time &+ Int64(clamping: scale?.advance(by: own) ?? own)
      }
    }
    if let open = chunk { body(open.start, open.count) }
  }
}
