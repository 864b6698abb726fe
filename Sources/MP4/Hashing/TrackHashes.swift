import Ciphers
public import MP4Bytes

/// The hash of the samples of a track.
public struct TrackHash: Sendable, Hashable {
  /// The ID of the track.
  public let track: UInt32
  /// Its handler type.
  public let handler: FourCC
  /// The number of its samples.
  public let sampleCount: Int
  /// The total size of its samples.
  public let byteCount: Int
  /// The hash; `nil` if samples are lost.
  public let digest: [UInt8]?
}

/// Hashes of the samples of each track, which do not depend on the layout of the file.
///
/// The bytes of all samples are hashed in decoding order, without anything between them; edit lists are ignored. If
/// times are included, a line of text for each sample follows the bytes of the last one:
///
///     1/25,6/25 1/25 1447 1
///
/// It has the presentation time at which each edit first shows a part of the sample (`hidden` if none does), the
/// duration and the size of the sample, and 1 if it is a sync sample, otherwise 0. Times are reduced fractions of a
/// second; the presentation starts at 0. The duration of the last sample is `last`, because fragments and tables of the
/// same media can declare different ones.
public struct TrackHashes: Sendable {
  /// The algorithm.
  public let algorithm: HashAlgorithm
  /// Whether times and sync flags are included.
  public let includesTimes: Bool
  /// The tracks, in file order.
  public private(set) var tracks: [TrackHash] = []
  /// Warnings, and errors about lost samples.
  public private(set) var diagnostics: [Diagnostic]

  /// The number of bytes that are read at once.
  private static let pieceSize = 1 << 17

  /// Hashes the samples of a movie. The sources are read once, in file order. `onProgress` is called with the number of
  /// bytes read, and returns whether to continue.
  ///
  /// - Throws: `MovieError` if there are no samples, or if a source cannot be read; or `stopped`.
  public init(
    _ movie: Movie, _ algorithm: HashAlgorithm = .sha256, includesTimes: Bool = false,
    onProgress: (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    try movie.requireSamples()
    (self.algorithm, self.includesTimes) = (algorithm, includesTimes)
    diagnostics = movie.diagnostics.filter { $0.severity != .note }.map { diagnostic in
      guard diagnostic.severity == .error, let track = diagnostic.track else { return diagnostic }
      let text = movie.tracks[track.index].missing(diagnostic) ?? diagnostic.sentence
      return Diagnostic(.other(.error, text + "; not hashed"), diagnostic.file, track)
    }
    let lost = Set(diagnostics.compactMap { $0.severity == .error ? $0.track?.index : nil })
    let plans = movie.tracks.map { $0.list.copies(of: 0..<$0.samples.count) }
    var functions: [(any HashFunction)?] = movie.tracks.indices.map { lost.contains($0) ? nil : algorithm.function }
    var pieces = [Int](repeating: 0, count: plans.count)
    var window = ByteWindow(movie.sources[0])
    var done = 0
    func place(of track: Int) -> (Int, Int) {
      let next = plans[track].pieces[pieces[track]]
      return (next.source, next.range.lowerBound)
    }
    // The tracks whose hash is unfinished, those whose next bytes come first at the end.
    var waiting = plans.indices.filter { functions[$0] != nil && !plans[$0].pieces.isEmpty }
    waiting.sort { place(of: $0) > place(of: $1) }
    while let track = waiting.popLast(), var function = functions[track] {
      // The only reference to the function, so that it is not copied.
      functions[track] = nil
      let next = plans[track].pieces[pieces[track]]
      let (range, source) = (next.range, movie.tracks[track].samples.storage.sources[next.source])
      if window.source !== source { window = ByteWindow(source) }
      var at = range.lowerBound
      do throws(IOError) {
        while at < range.upperBound {
          let count = min(Self.pieceSize, range.upperBound - at)
          let piece = try window.look(at: at, count: count)
          let isWhole = piece.byteCount == count
          function.update(piece)
          (at, done) = (at + piece.byteCount, done + piece.byteCount)
          if !isWhole { break }
        }
      } catch { throw .io(error) }
      guard onProgress(done) else { throw .stopped(file: movie.name) }
      guard at == range.upperBound else {
        let before = plans[track].pieces[..<pieces[track]].reduce(0) { $0 + $1.range.count }
        let sizes = movie.tracks[track].list.columns.sizes
        let sample = sizes.index(whereSumExceeds: Int64(before + at - range.lowerBound)).index
        let text = "the data of sample \(sample + 1) ends at byte \(at); not hashed"
        diagnostics.append(
          Diagnostic(.other(.error, text), source.name, movie.tracks.reference(track)))
        continue
      }
      functions[track] = function
      pieces[track] += 1
      guard pieces[track] < plans[track].pieces.count else { continue }
      let own = place(of: track)
      waiting.insert(track, at: waiting.partition { place(of: $0) < own })
    }
    for (index, track) in movie.tracks.enumerated() {
      if includesTimes, functions[index] != nil { try track.hashTimes(&functions[index]) }
      tracks.append(
        TrackHash(
          track: track.id, handler: track.handler, sampleCount: track.samples.count, byteCount: track.samples.byteCount,
          digest: functions[index]?.digest()))
    }
  }
}

extension Track {
  /// The sentence of a diagnostic about missing data, with the number of the first sample and the end of the data
  /// before it; `nil` for other diagnostics.
  fileprivate func missing(_ diagnostic: Diagnostic) -> String? {
    guard case .missingData(let spans) = diagnostic.kind, let first = spans.first else { return nil }
    // The sample before a gap lasts until its end.
    let before = MediaTime(first.time &- 1, timescale)
    let count =
      samples.index(atDecodeTime: before).map { $0 + 1 } ?? (first.time > samples.storage.start ? samples.count : 0)
    let end = count > 0 ? samples[count - 1].offset + samples[count - 1].size : 0
    let size = samples.storage.sources.first { $0.name == diagnostic.file }?.byteCount
    let place =
      count > 0 ? "; the data before it ends at byte \(end)" : size.map { ", although the file has \($0) bytes" } ?? ""
    return "\(diagnostic.missing(spans)), from sample \(count + 1) on\(place)"
  }

  /// Each sample is looked up in each edit, which takes seconds for this many.
  private static let mostPresentations: UInt = 1 << 30

  /// Adds the line of each sample.
  fileprivate func hashTimes(_ function: inout (any HashFunction)?) throws(MovieError) {
    guard edits.count <= 1 || edits.count.multipliedFullWidth(by: samples.count) < (0, Self.mostPresentations) else {
      let text = "it has \(edits.count) edits and \(samples.count) samples, too many to hash their times"
      throw .impossible(file: inputName, Obstacle("too_many_edits", text).inTrack(id))
    }
    let timeline = samples.storage.presentation
    var lines: [UInt8] = []
    func hash() {
      let all = lines[...]
      function?.update(all.raw)
      lines.removeAll(keepingCapacity: true)
    }
    var walk = SampleWalk(list)
    while walk.sample < list.count {
      let (duration, isLast) = (walk.duration, walk.sample + 1 == list.count)
      let shown = timeline.presentations(of: walk.compositionTime, lasting: duration)
      let times = shown.isEmpty ? "hidden" : shown.map(\.lowerBound.fraction).joined(separator: ",")
      let length = isLast ? "last" : MediaTime(duration, timescale).fraction
      lines += "\(times) \(length) \(walk.size) \(walk.isSync ? 1 : 0)\n".utf8
      if lines.count > 1 << 16 { hash() }
      walk.advance()
    }
    hash()
  }
}

extension MediaTime {
  /// The time in seconds as a reduced fraction, such as `1/25` or `-2/1`.
  fileprivate var fraction: String {
    let divisor = max(greatestCommonDivisor(value.magnitude, UInt64(timescale)), 1)
    return "\(value < 0 ? "-" : "")\(value.magnitude / divisor)/\(UInt64(timescale) / divisor)"
  }
}
