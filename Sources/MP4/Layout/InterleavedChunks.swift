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

  init(_ timeline: FragmentTimeline, _ reader: FragmentReader, lasting length: MediaTime) {
    let timescales = reader.tracks.map(\.timescale)
    for (track, times) in timeline.tracks.enumerated() {
      let duration = max(1, length.converted(to: timescales[track]).value)
      Self.cut(times, reader, lasting: duration) { time, count in
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
    _ times: TrackTimeline, _ reader: FragmentReader, lasting duration: Int64, _ body: (Int64, Int) -> Void
  ) {
    var chunk: (start: Int64, count: Int, description: UInt32)?
    for entry in times.entries {
      let fragment = reader.trackFragments[entry.index]
      var time = entry.start
      var left = entry.used
      let first = times.first(of: entry, reader.trackFragments)
      var scale = times.scale(of: entry, reader.trackFragments)
      for number in first.run..<fragment.runs.upperBound where left > 0 {
        let run = reader.store.runs[number]
        let start = number == first.run ? first.index : 0
        let count = min(left, run.count - start)
        for index in start..<(start + count) {
          if let open = chunk, time - open.start >= duration || open.description != fragment.descriptionIndex {
            body(open.start, open.count)
            chunk = nil
          }
          chunk = (chunk?.start ?? time, (chunk?.count ?? 0) + 1, fragment.descriptionIndex)
          let own = UInt64(reader.store.duration(run, index))
          time = time &+ Int64(clamping: scale?.advance(by: own) ?? own)
        }
        left -= count
      }
    }
    if let open = chunk { body(open.start, open.count) }
  }
}

/// Goes through the samples of one track that are used, in pieces of runs.
struct SampleCursor {
  private let times: TrackTimeline
  private var entry = 0
  private var run = 0
  private var sample = 0
  /// How many bytes of the run have been used.
  private var byteCount = 0
  /// How many samples of the entry are left.
  private var left = 0
  private var scale: TimeScaling?

  init(_ times: TrackTimeline) { self.times = times }

  /// Samples of one run, with what the timeline says of them.
  struct Piece {
    var run: SampleRun
    var source: Int
    var stretch: Int64
    var scale: TimeScaling?
    var descriptionIndex: UInt32
  }

  /// The next samples, at most `count`; `nil` after the last.
  mutating func next(_ count: Int, _ reader: FragmentReader) -> Piece? {
    while entry < times.entries.count {
      let place = times.entries[entry]
      let fragment = reader.trackFragments[place.index]
      if left == 0 {
        let first = times.first(of: place, reader.trackFragments)
        (left, run, sample, byteCount) = (place.used, first.run, first.index, first.byteCount)
        scale = times.scale(of: place, reader.trackFragments)
      }
      guard run < fragment.runs.upperBound else {
        (entry, left) = (entry + 1, 0)
        continue
      }
      let whole = reader.store.runs[run]
      let taken = min(count, left, whole.count - sample)
      if taken == 0 {
        (run, sample, byteCount) = (run + 1, 0, 0)
        continue
      }
      let part = reader.store.part(of: whole, from: sample, count: taken, behind: byteCount)
      left -= taken
      sample += taken
      byteCount += part.byteCount
      let piece = Piece(
        run: part, source: fragment.source, stretch: left == 0 ? place.stretch : 0, scale: scale,
        descriptionIndex: fragment.descriptionIndex)
      scale?.advance(by: reader.store.duration(of: part, first: taken))
      if left == 0 { entry += 1 }
      return piece
    }
    return nil
  }
}

extension RunStore {
  /// Samples of a run, after so many bytes of it, as a run of their own.
  func part(of run: SampleRun, from first: Int, count: Int, behind bytes: Int) -> SampleRun {
    var part = run
    part.count = count
    if first > 0 {
      part.offset += bytes
      part.firstFlags = nil
      part.durations.advance(by: first)
      part.sizes.advance(by: first)
      part.flags.advance(by: first)
      part.compositionOffsets.advance(by: first)
    }
    part.byteCount = byteCount(of: part, first: count)
    return part
  }
}
