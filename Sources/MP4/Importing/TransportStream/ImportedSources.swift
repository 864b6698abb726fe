package import MP4Bytes

/// Inputs of which transport streams and packed audio became movies.
///
/// Those in the same part are one stream, such as the segments of a playlist. Without parts, transport streams with the
/// same streams are one, in the order of their times. All have a common timeline, unless a discontinuity is between
/// them.
package struct ImportedSources {
  /// The inputs.
  package private(set) var sources: [any ByteSource] = []
  private(set) var parts: [SourcePart] = []
  /// What is missing, damaged or omitted in those that became movies.
  package private(set) var diagnostics: [Diagnostic] = []
  /// The number of bytes of all inputs, if there were any.
  package private(set) var byteCount: Int?

  private enum Kind {
    case transportStream
    case packedAudio
  }

  /// Inputs that are one movie.
  private struct Run {
    var sources: [any ByteSource]
    var kind: Kind?
    var part: SourcePart?
    /// The streams of a transport stream.
    var streams: [[Int]] = []
  }

  /// Whether a file becomes a movie.
  package static func isStream(_ source: any ByteSource) throws(MovieError) -> Bool { try kind(of: source) != nil }

  /// Whether a file becomes a movie, and its start has samples.
  package static func isReadable(_ source: any ByteSource) throws(MovieError) -> Bool {
    switch try kind(of: source) {
    case .transportStream: try TransportStart(source)?.time != nil
    case .packedAudio: true
    case nil: false
    }
  }

  private static func kind(of source: any ByteSource) throws(MovieError) -> Kind? {
    if try PacketFraming(of: source) != nil { return .transportStream }
    return try PackedAudio(source) == nil ? nil : .packedAudio
  }

  /// Reads the inputs. `onProgress` is called with the number of bytes read, and returns whether to continue.
  package init(
    _ given: [any ByteSource], _ givenParts: [SourcePart] = [], onProgress: (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var runs: [Run] = []
    for (index, source) in given.enumerated() {
      var run = Run(sources: [source], kind: try Self.kind(of: source))
      if givenParts.indices.contains(index) { run.part = givenParts[index] }
      guard run.kind != nil else {
        runs.append(run)
        continue
      }
      if run.part == nil, run.kind == .transportStream { run.streams = try TransportStart(source)?.streams ?? [] }
      let same =
        run.part == nil
        ? runs.firstIndex { $0.kind == run.kind && $0.streams == run.streams }
        : runs.indices.last.flatMap { runs[$0].kind == run.kind && runs[$0].part == run.part ? $0 : nil }
      if let same { runs[same].sources.append(source) } else { runs.append(run) }
    }
    parts = runs.compactMap(\.part)
    guard runs.contains(where: { $0.kind != nil }) else {
      sources = given
      return
    }
    byteCount = given.reduce(0) { $0 + ($1.byteCount ?? 0) }
    var (streams, done) = ([TransportReader?](), 0)
    for run in runs {
      streams.append(try reader(run) { onProgress(done + $0) })
      done += run.sources.reduce(0) { $0 + ($1.byteCount ?? 0) }
    }
    for (index, run) in runs.enumerated() {
      guard let stream = streams[index] else {
        sources += run.sources
        continue
      }
      // The distance from the first stream of the period.
      let starts = runs.indices.compactMap { runs[$0].part?.period == run.part?.period ? streams[$0]?.start : nil }
      let base = starts.map { PacketTable.wrapped($0 &- starts[0]) }.min() ?? 0
      let shift = PacketTable.wrapped(stream.start &- (starts.first ?? 0)) &- base
      sources.append(try stream.movie(delay: shift))
      diagnostics += stream.diagnostics
    }
  }

  private mutating func reader(
    _ run: Run, _ onProgress: (Int) -> Bool
  ) throws(MovieError) -> TransportReader? {
    guard let kind = run.kind else { return nil }
    var all = run.sources
    if run.part == nil, all.count > 1, kind == .transportStream {
      let (ordered, notes) = try all.inOrderOfTimes()
      (all, diagnostics) = (ordered, diagnostics + notes)
    }
    let whole = try Self.concatenated(all)
    switch kind {
    case .transportStream: return try TransportReader(whole, onProgress: onProgress)
    case .packedAudio: return TransportReader(try PackedAudio.track(all, whole), of: whole)
    }
  }

  /// Files one after another, with the name of the first.
  private static func concatenated(_ sources: [any ByteSource]) throws(MovieError) -> any ByteSource {
    if sources.count == 1 { return sources[0] }
    let sink = PlannedSink(name: sources[0].name)
    for source in sources { try io(sink.copy(0..<source.measuredByteCount(), of: source)) }
    return PlannedSource(sink.file, name: sink.name)
  }
}
