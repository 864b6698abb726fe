public import Bytes
import ISOBMFF

extension Defragmenter {
  /// Reads the fragments of `source` and plans its conversion to a progressive file in place: no media is read or
  /// written. `onProgress` is called with the number of bytes read. A file that is already progressive needs no write.
  ///
  /// - Throws: `MovieError` if there is no movie, no sample, or no way to do this in place.
  public func planInPlace(_ source: any ByteSource, onProgress: @escaping (Int) -> Bool = { _ in true })
    throws(MovieError) -> InPlacePlan
  {
    var input = try MovieInputReader.read(
      [source], keepsSamples: true, options.tracks, onProgress: onProgress)
    input.overlaps = options.overlaps
    if input.fragments.headers.isEmpty {
      guard input.tracks.contains(where: \.hasSamples) else {
        throw .impossible(file: source.name, MovieObstacle.noSamples)
      }
      let whole = try ReadBack(input)
      if whole.obstacle == nil {
        let note = Diagnostic(.note, source.name, "already progressive; nothing to do")
        var plan = InPlacePlan(diagnostics: input.diagnostics + [note])
        // What there is in it is worth a report.
        plan.decisions = DefragmentReport(
          progressive: input, input.groups[0].movie, samples: whole.tracks)
        return plan
      }
    }
    try input.readMovieSamples()
    let result = try layOut(&input, keepsPlaces: true)
    try checkTracks(input, result.diagnostics)
    var plan = try input.checked(
      { (input) throws(MovieError) in
        let plan = try InPlaceLayout(input, result.layout, result.edits).plan(result.diagnostics)
        let finished: PlannedSource
        do throws(IOError) { finished = try plan.finished(source) } catch { throw .io(error) }
        try ReadBack.check(
          finished, result.layout.tables.map { ($0.samples.count, $0.samples.duration) }, of: source.name)
        return plan
      }, diagnostics: \.diagnostics)
    plan.decisions = result.report
    return plan
  }

  /// Refuses to drop a whole track, since the file may be the only copy of it. Of a track that cannot be read it is not
  /// known whether it was asked for by its kind.
  private func checkTracks(_ input: MovieInput, _ diagnostics: [Diagnostic]) throws(MovieError) {
    let damage = options.tracks.items.isEmpty ? input.groups[0].movie.damage : []
    for case .lostTrack(let error, _) in damage + diagnostics.map(\.kind) {
      throw .impossible(file: input.sources[0].name, InPlaceObstacle.lostTrack(error))
    }
  }
}

extension InPlacePlan {
  /// The file as it would be with all changes.
  fileprivate func finished(_ source: any ByteSource) throws(IOError) -> PlannedSource {
    let result = PlannedSink(name: source.name)
    try result.copy(0..<(source.byteCount ?? 0), of: source)
    for step in steps {
      switch step {
      case .replace(let bytes, let offset), .commit(let bytes, let offset): result.replace(bytes, at: offset)
      case .append(let plan, let offset):
        result.truncate(to: offset)
        try result.append(plan)
      case .synchronize: break
      }
    }
    return PlannedSource(result.file, name: source.name)
  }
}
