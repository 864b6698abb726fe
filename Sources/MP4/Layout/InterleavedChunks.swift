/// Chunks of about the same length from all tracks, in the order of their decode times.
struct InterleavedChunks {
  /// So many samples of a track, after those of its chunks before. There can be one for every sample.
  struct Chunk {
    /// When it starts, in the timescale of its track.
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
        // No track has more samples than 32 bits count.
        let sampleCount = UInt32(truncatingIfNeeded: count)
        chunks.append(Chunk(time: time, track: UInt32(truncatingIfNeeded: track), sampleCount: sampleCount))
      }
    }
    // The chunks of each track are in order already; where times are equal, everything stays as it is.
    chunks.sort {
      MediaTime($0.time, timescales[Int($0.track)]) < MediaTime($1.time, timescales[Int($1.track)])
    }
  }

  /// Hands the decode time and the number of samples of every chunk of a track to `body`.
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
