import ISOBMFF
public import MP4Bytes

/// Concatenates an init segment and media segments to one fragmented file.
///
/// The result is the concatenation of the sorted sources, byte for byte, except for what must change:
/// absolute offsets, the size of a box that extended to the end of its file, and repeated init segments.
public struct Joiner: Sendable {
  /// The order of segments.
  public enum Order: Sendable {
    /// By decode time.
    case time
    /// As given.
    case given
  }
  /// The order of segments.
  public var order: Order
  /// Whether segments that do not seem to match the init segment are used.
  public var takesAllSegments = false

  /// Creates a joiner.
  public init(order: Order = .time) { self.order = order }

  /// Reads the fragments of `sources`, an init segment and its media segments or a whole file, and plans the file.
  /// MPEG transport streams are concatenated.
  ///
  /// - Throws: `MovieError` if no source has a movie box, or another source is not a segment of it.
  public func plan(_ sources: [any ByteSource], onProgress: @escaping (Int) -> Bool = { _ in true }) throws(MovieError)
    -> OutputPlan
  {
    if let plan = try planTransportStream(sources) { return plan }
    let input = try MovieInputReader.read(
      sources, keepsSamples: false, takesAllSegments: takesAllSegments, onProgress: onProgress)
    try check(input)
    var diagnostics = input.diagnostics.filter(\.concernsJoin)
    let segments = try SegmentOrder(input, order)
    diagnostics += segments.diagnostics
    diagnostics += input.dataAfterEnds() + input.tracksWithoutDefaults()
    let layout = JoinedLayout(input, segments.order)
    let plan = try layout.plan(diagnostics)
    try JoinReadBack(input, try layout.relocations()).check(plan)
    return plan
  }

  private func check(_ input: MovieInput) throws(MovieError) {
    let sources = input.sources
    guard sources.count > 1 || input.contents[0].fragmentCount > 0 else {
      let isWhole = input.groups[0].movie.tracks.contains(where: \.hasSamples)
      throw .impossible(
        file: sources[0].name,
        isWhole
          ? Obstacle(
            "progressive", "it is already progressive; nothing can be joined to it", remedy: .concatenate)
          : Obstacle("no_segments", "no segments to join; name them too"))
    }
    for index in sources.indices.dropFirst() where !input.contents[index].isOmitted {
      guard input.contents[index].fragmentCount > 0 else {
        throw .notASegment(file: sources[index].name).explained(by: sources[index])
      }
    }
    if !takesAllSegments { try input.checkTracks() }
  }
}

extension MovieInput {
  /// Diagnostics about sources that end before the data of their fragments starts, which no other code reports.
  fileprivate func dataAfterEnds() -> [Diagnostic] {
    var known = Set(diagnostics.filter { $0.severity == .error }.map(\.file))
    return fragments.dataRanges.compactMap { trackFragment, range in
      let header = fragments.headers[fragments.trackFragments[trackFragment].fragment]
      let source = sources[header.source]
      guard let end = source.byteCount, range.upperBound > end, known.insert(source.name).inserted else { return nil }
      let text =
        "sample data of the fragment at byte \(header.offset) is missing; the file is cut off"
      return Diagnostic(.error, source.name, text)
    }
  }
}

extension MovieInput {
  /// Diagnostics about the tracks of segments for which the movie box has no `trex`, each with its first segment.
  fileprivate func tracksWithoutDefaults() -> [Diagnostic] {
    var known = Set(tracks.indices.filter { tracks[$0].hasDefaults })
    return fragments.trackFragments.compactMap { fragment in
      guard known.insert(fragment.track).inserted else { return nil }
      let file = sources[fragment.source].name
      let movie = Diagnostic.shortened(name(ofMovieOf: fragment.source), beside: file)
      let text =
        "it has fragments of track \(tracks[fragment.track].id), for which the moov of \(movie) has no trex; players "
        + "may not play them"
      return Diagnostic(.warning, file, text)
    }
  }
}

extension Diagnostic {
  /// Whether it is about the joined file and not only about its samples.
  fileprivate var concernsJoin: Bool {
    if case .staleBases = kind { true } else { severity == .error }
  }
}
