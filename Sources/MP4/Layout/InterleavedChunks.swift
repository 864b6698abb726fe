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

  init(_ tracks: [TrackSamples], lasting length: MediaTime) {
    for (track, samples) in tracks.enumerated() {
      append(samples, UInt32(truncatingIfNeeded: track), max(1, length.converted(to: samples.timescale).value))
    }
    // The chunks of each track are in order already. Sorting is stable, so chunks with equal times keep their order.
    chunks.sort {
      MediaTime($0.time, tracks[Int($0.track)].timescale) < MediaTime($1.time, tracks[Int($1.track)].timescale)
    }
  }

  /// Adds the chunks of a track, which have this duration and samples of one description each.
  private mutating func append(_ samples: TrackSamples, _ track: UInt32, _ duration: Int64) {
    var walk = SampleWalk(samples.list)
    let ends = samples.list.descriptions.dropFirst().map(\.firstSample) + [samples.list.count]
    for end in ends {
      while walk.sample < end {
        let start = walk.position
        repeat { walk.advance() } while walk.sample < end && walk.time - start.time < duration
        let count = UInt32(truncatingIfNeeded: walk.sample - start.sample)
        chunks.append(Chunk(time: samples.start &+ start.time, track: track, sampleCount: count))
      }
    }
  }
}
