import Bytes
import ISOBMFF

/// Rejected inputs, and reported losses.
extension Defragmenter {
  /// Data that a progressive file cannot contain, or that is not carried over.
  func losses(_ input: MovieInput, _ timeline: FragmentTimeline, _ layout: MediaLayout) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for (index, samples) in layout.tables.map(\.samples).enumerated() {
      let (track, file) = (input.tracks.reference(index), input.name(ofTrack: index))
      if samples.count == 0 { diagnostics.append(Diagnostic(.emptyTrack, file, track)) }
      if samples.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        diagnostics.append(Diagnostic(.gapTooLong(count: samples.cutDurations, time: time), file, track))
      }
    }
    diagnostics += input.deliveryBoxes().map { Diagnostic(.noPlace($0.type, count: $0.count), $0.file) }
    return diagnostics + input.droppedBoxes()
  }

  /// Refuses to write a movie without samples, which no program could use, the own reader neither.
  func checkSamples(_ input: MovieInput, _ layout: MediaLayout, _ diagnostics: [Diagnostic]) throws(MovieError) {
    guard layout.tables.allSatisfy({ $0.samples.count == 0 }) else { return }
    guard let loss = diagnostics.first(where: { $0.severity == .error }) else {
      throw .impossible(file: input.sources[0].name, MovieObstacle.noSamples)
    }
    let lost = diagnostics.reduce(0) { sum, diagnostic in
      if case .missingData(let spans) = diagnostic.kind { sum + spans.reduce(0) { $0 + $1.samples } } else { sum }
    }
    throw .impossible(file: loss.file, MovieObstacle.nothingLeft(samples: lost, loss: loss))
  }
}
