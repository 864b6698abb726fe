import MP4
import MP4Bytes

/// The bytes that the samples of a movie use, according to its tables and fragments.
struct MediaUse: Sendable {
  /// Adjacent samples of a track.
  struct Run: Sendable {
    let bytes: Range<Int>
    /// The index of the track in the movie.
    let track: Int
  }
  /// The runs in each file, by their first bytes.
  private(set) var runs: [[Run]]

  /// The use of these files. Data in other files is ignored.
  init(_ movie: Movie, _ files: [CheckedFile]) {
    var indices: [ObjectIdentifier: Int] = [:]
    for (index, file) in files.enumerated() { indices[ObjectIdentifier(file.source)] = index }
    var runs = [[Run]](repeating: [], count: files.count)
    for (track, own) in movie.tracks.enumerated() {
      for range in own.samples.byteRanges(of: 0..<own.samples.count) where !range.bytes.isEmpty {
        guard let file = indices[ObjectIdentifier(range.source)] else { continue }
        runs[file].append(Run(bytes: range.bytes, track: track))
      }
    }
    self.runs = runs.map { $0.sorted { ($0.bytes.lowerBound, $0.track) < ($1.bytes.lowerBound, $1.track) } }
  }
}

extension MediaUse {
  /// Bytes of samples outside of some ranges, which are in order: the first run that has any, and the first such byte.
  func firstOutside(_ media: [Range<Int>], ofFile file: Int) -> [(run: Run, byte: Int)] {
    var (next, found) = (0, [(run: Run, byte: Int)]())
    for run in runs[file] {
      while next < media.count, media[next].upperBound <= run.bytes.lowerBound { next += 1 }
      if next < media.count, media[next].contains(run.bytes.lowerBound) {
        if run.bytes.upperBound > media[next].upperBound { found.append((run, media[next].upperBound)) }
      } else {
        found.append((run, run.bytes.lowerBound))
      }
    }
    return found
  }

  /// The parts of a range that no sample uses; `nil` if no sample uses any of it.
  func holes(in range: Range<Int>, ofFile file: Int) -> [Range<Int>]? {
    let runs = runs[file]
    // Runs are in order of their starts, but a run can end after the next one.
    let first = runs.indices.partition { runs[$0].bytes.lowerBound >= range.lowerBound }
    var (end, holes, isUsed) = (range.lowerBound, [Range<Int>](), false)
    for run in runs[first...] {
      guard run.bytes.lowerBound < range.upperBound else { break }
      isUsed = true
      if run.bytes.lowerBound > end { holes.append(end..<run.bytes.lowerBound) }
      end = max(end, run.bytes.upperBound)
    }
    if end < range.upperBound { holes.append(end..<range.upperBound) }
    return isUsed ? holes : nil
  }

  /// Runs of different tracks that have bytes in common, with these bytes.
  var shared: [(file: Int, bytes: Range<Int>, tracks: (Int, Int))] {
    var result: [(file: Int, bytes: Range<Int>, tracks: (Int, Int))] = []
    for (file, runs) in runs.enumerated() {
      var last: Run?
      for run in runs {
        if let last, last.track != run.track, run.bytes.lowerBound < last.bytes.upperBound {
          let end = min(run.bytes.upperBound, last.bytes.upperBound)
          result.append((file, run.bytes.lowerBound..<end, (last.track, run.track)))
        }
        if run.bytes.upperBound > last?.bytes.upperBound ?? 0 { last = run }
      }
    }
    return result
  }
}

extension Track {
  /// The first sample with a byte in this range of a file.
  func firstSample(in range: Range<Int>, of file: CheckedFile) -> Sample? {
    samples.lazy.first {
      $0.size > 0 && $0.offset < range.upperBound && $0.offset + $0.size > range.lowerBound && $0.source === file.source
    }
  }
}
