public import ISOBMFF

extension Defragmenter {
  /// Reads the fragments of `source` and works out how it becomes a progressive file where it stands: no media is read or
  /// written. `onProgress` is told how many bytes are behind. A file that is progressive already needs no write.
  ///
  /// - Throws: `MovieError` when there is no movie, no sample, or no way to do this in place.
  public func planInPlace(_ source: any ByteSource, onProgress: @escaping (Int) -> Bool = { _ in true })
    throws(MovieError) -> InPlacePlan
  {
    var presentation = try PresentationReader.read(
      [source], keepsSamples: true, options.tracks, onProgress: onProgress)
    if presentation.fragments.headers.isEmpty {
      guard presentation.tracks.contains(where: \.hasSamples) else {
        throw .impossible(file: source.name, reason: "there are no samples in it")
      }
      let note = Notice(.note, source.name, "the file is not fragmented; there is nothing to be done")
      var plan = InPlacePlan(notices: presentation.notices + [note])
      // What there is in it is worth a report, and what is wrong with it is true wherever it stands.
      do throws(MovieError) {
        let rewritten = try ProgressiveLayout(presentation, presentation.groups[0]).plan()
        plan.notices += rewritten.notices.filter(\.isOfSamples)
        plan.decisions = rewritten.decisions
      } catch {
        if case .io = error { throw error }
        plan.notices.append(Notice(.unchecked(reason: error.reason), source.name))
      }
      return plan
    }
    try presentation.readMovieSamples()
    let result = try layOut(&presentation, keepsPlaces: true)
    var plan = try InPlaceLayout(presentation, result.layout, result.edits).plan(result.notices)
    plan.decisions = result.report
    return plan
  }
}

extension Notice {
  /// Whether it says that samples of a progressive file are not there, or may not be.
  fileprivate var isOfSamples: Bool {
    switch kind {
    case .strayed, .unchecked: true
    default: false
    }
  }
}
