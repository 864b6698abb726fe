import ISOBMFF
package import MP4Bytes

/// Reads the samples of a movie and verifies them. Parts of it can be verified at the same time.
///
/// The tracks are divided where verification can start without the samples before, so that a part is a few megabytes of
/// one track. Parts are in file order.
package struct MediaVerification: Sendable {
  /// Samples of a track that follow each other in decoding order.
  package struct Part: Sendable {
    fileprivate let track: Int
    fileprivate let samples: Range<Int>
    /// The index of their sample description.
    fileprivate let description: Int
    /// The number of their bytes.
    package let byteCount: Int
    fileprivate let place: (source: Int, offset: Int)
  }
  /// What was found in a part.
  package struct PartResult: Sendable {
    fileprivate let part: Part
    /// The number of bytes of the part.
    package var byteCount: Int { part.byteCount }
    fileprivate var problems = MediaProblems()
    fileprivate var verifiedCount = 0
    fileprivate var hasLargeSamples = false
    fileprivate var blocks: [RepeatedBlocks.Block] = []
    fileprivate var failure: IOError?
  }
  /// What was found in a track.
  package struct TrackResult: Sendable {
    /// The problems, in the order of their first samples.
    package fileprivate(set) var problems = MediaProblems()
    /// The number of samples that were verified.
    package fileprivate(set) var verifiedCount = 0
    /// What was not looked for.
    package fileprivate(set) var limits: Set<MediaLimit> = []
  }

  private let tracks: [Track]
  private let choices: [[VerifierChoice?]]
  /// The parts, in file order.
  package private(set) var parts: [Part] = []
  /// The results of the parts that were added.
  package private(set) var results: [TrackResult]
  private var repeats = RepeatedBlocks()

  private static let partSize = 16 << 20
  /// The number of bytes of a sample that decide whether verification can start there.
  private static let headSize = 4096

  /// Plans to verify the samples of all tracks of a movie; `decodes` also parses the data of slices.
  package init(_ movie: Movie, decodes: Bool) throws(MovieError) {
    tracks = movie.tracks
    choices = tracks.map { track in track.decoderConfigurations.map { VerifierChoice($0, track, decodes: decodes) } }
    results = tracks.map { _ in TrackResult() }
    for index in tracks.indices {
      try addParts(index)
      for description in Set(tracks[index].list.descriptions.map { Int($0.index) - 1 }) { note(index, description) }
    }
    parts.sort { $0.place < $1.place }
  }

  /// Notes what is not verified.
  private mutating func note(_ track: Int, _ description: Int) {
    let configurations = tracks[track].decoderConfigurations
    guard configurations.indices.contains(description) else { return }
    let configuration = configurations[description]
    if configuration.format != configuration.codedFormat {
      results[track].limits.insert(.encrypted)
    } else if let choice = choices[track][description] {
      results[track].limits.formUnion(choice.limits)
    } else {
      results[track].limits.insert(.format(configuration.format))
    }
  }

  private mutating func addParts(_ index: Int) throws(MovieError) {
    let list = tracks[index].list
    for (number, span) in list.descriptions.enumerated() where span.firstSample < list.count {
      let end = number + 1 < list.descriptions.count ? list.descriptions[number + 1].firstSample : list.count
      let description = Int(span.index) - 1
      let choice = choices[index].indices.contains(description) ? choices[index][description] : nil
      if let size = choice?.frameSize {
        addFrames(index, span.firstSample..<end, description, size)
        continue
      }
      var walk = SampleWalk(list, from: SampleCursor(span.firstSample, in: list))
      var (first, byteCount) = (span.firstSample, 0)
      func add(upTo end: Int) {
        guard end > first else { return }
        let place = (list.source(of: first), list.columns.offset(first))
        parts.append(
          Part(track: index, samples: first..<end, description: description, byteCount: byteCount, place: place))
        (first, byteCount) = (end, 0)
      }
      while walk.sample < end {
        if byteCount >= Self.partSize, try canStart(walk, choice, tracks[index]) { add(upTo: walk.sample) }
        byteCount += walk.size
        walk.advance()
      }
      add(upTo: end)
    }
  }

  /// Adds parts with samples of a size.
  private mutating func addFrames(_ track: Int, _ samples: Range<Int>, _ description: Int, _ size: Int) {
    let list = tracks[track].list
    for first in stride(from: samples.lowerBound, to: samples.upperBound, by: max(1, Self.partSize / size)) {
      let own = first..<min(samples.upperBound, first + max(1, Self.partSize / size))
      parts.append(
        Part(
          track: track, samples: own, description: description, byteCount: own.count * size,
          place: (list.source(of: first), list.columns.offset(first))))
    }
  }

  /// Whether verification can start with the current sample.
  private func canStart(_ walk: SampleWalk, _ choice: VerifierChoice?, _ track: Track) throws(MovieError) -> Bool {
    guard case .sync(let isStart)? = choice?.start else { return true }
    var walk = walk
    guard walk.isSync else { return false }
    return isStart(try track.samples[walk.sample].bytes(Self.headSize)[...])
  }

  /// Verifies a part. Several threads can do this at the same time.
  package func verify(_ part: Part) -> PartResult {
    var result = PartResult(part: part)
    do throws(IOError) { try verify(part, &result) } catch { result.failure = error }
    return result
  }

  private func verify(_ part: Part, _ result: inout PartResult) throws(IOError) {
    let (track, list) = (tracks[part.track], tracks[part.track].list)
    let own = choices[part.track]
    let choice = own.indices.contains(part.description) ? own[part.description] : nil
    var verifier = choice?.make()
    let runs = track.samples.byteRanges(of: part.samples)
    if let size = choice?.frameSize { return try verifyFrames(part, runs, size, &verifier, &result) }
    var (run, next) = (0, runs.first?.bytes.lowerBound ?? 0)
    var reader = SampleRunReader(byteCount: part.byteCount)
    var walk = SampleWalk(list, from: SampleCursor(part.samples.lowerBound, in: list))
    var offset = list.columns.offset(part.samples.lowerBound)
    while walk.sample < part.samples.upperBound {
      let sample = VerifiedSample(
        index: walk.sample, offset: offset, isSync: walk.isSync, duration: walk.duration,
        isLast: walk.sample + 1 == list.count)
      let size = walk.size
      walk.advance()
      if walk.sample < part.samples.upperBound { offset = offset &+ size &+ walk.gap }
      guard size > 0 else { continue }
      // Runs are in the order of the samples.
      if run < runs.count, next >= runs[run].bytes.upperBound {
        run += 1
        if run < runs.count { next = runs[run].bytes.lowerBound }
      }
      guard run < runs.count else { break }
      next += size
      guard size <= SampleRunReader.largest else {
        result.hasLargeSamples = true
        continue
      }
      let range = sample.offset..<sample.offset + size
      let bytes = try reader.bytes(range, of: runs[run].source, runEnd: runs[run].bytes.upperBound)
      // Other rules find samples that are not in the file.
      guard bytes.count == size else { continue }
      if verifier != nil {
        verifier?.verify(bytes, sample, &result.problems)
        result.verifiedCount += 1
      }
      if choice?.isCompressed ?? false {
        if choice?.hasUniqueBlocks ?? false { RepeatedBlocks.note(bytes, sample, &result.blocks) }
        if let zeros = ZeroBlocks.first(in: bytes, at: sample.offset) {
          result.problems.add(
            .zeros, "zeros", sample, at: zeros.lowerBound, "\(zeros.count) bytes are zeros instead of media")
        }
      }
    }
  }

  /// Verifies samples of a size, many at once.
  private func verifyFrames(
    _ part: Part, _ runs: [SourceRange], _ size: Int, _ verifier: inout (any SampleVerifier)?,
    _ result: inout PartResult
  ) throws(IOError) {
    var reader = SampleRunReader(byteCount: part.byteCount)
    var index = part.samples.lowerBound
    let step = max(size, (1 << 16) / size * size)
    for run in runs {
      for start in stride(from: run.bytes.lowerBound, to: run.bytes.upperBound, by: step) {
        let range = start..<min(start + step, run.bytes.upperBound)
        let bytes = try reader.bytes(range, of: run.source, runEnd: run.bytes.upperBound)
        let sample = VerifiedSample(index: index, offset: start, isSync: true, duration: 0, isLast: false)
        verifier?.verify(bytes, sample, &result.problems)
        index += range.count / size
        result.verifiedCount += bytes.count / size
      }
    }
  }

  /// Adds the result of a part. Parts are added in order.
  package mutating func add(_ result: PartResult) throws(IOError) {
    if let failure = result.failure { throw failure }
    let index = result.part.track
    results[index].problems.add(result.problems)
    results[index].limits.formUnion(result.problems.limits)
    results[index].verifiedCount += result.verifiedCount
    if result.hasLargeSamples { results[index].limits.insert(.large) }
    let source = result.part.place.source
    for block in result.blocks {
      let sources = tracks[index].samples.storage.sources
      guard let earlier = try repeats.earlier(block, source, sources[source]) else { continue }
      results[index].problems.add(
        .repeats, "repeats", block.sample, at: block.offset,
        "\(RepeatedBlocks.size) bytes are the same as at byte \(earlier)")
    }
  }
}
