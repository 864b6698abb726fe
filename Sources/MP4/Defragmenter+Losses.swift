import Bytes
import ISOBMFF

/// What is refused, and what is reported as lost.
extension Defragmenter {
  /// What a progressive file has no place for, or what is not carried over.
  func losses(_ input: MovieInput, _ timeline: FragmentTimeline, _ layout: MediaLayout) -> [Notice] {
    var notices: [Notice] = []
    for (index, samples) in layout.tables.map(\.samples).enumerated() {
      let (track, file) = (input.tracks.reference(index), input.name(ofTrack: index))
      if samples.count == 0 { notices.append(Notice(.emptyTrack, file, track)) }
      if samples.cutDurations > 0 {
        let time = timeline.tracks[index].firstGap(longerThan: Int64(UInt32.max))
        notices.append(Notice(.gapTooLong(count: samples.cutDurations, time: time), file, track))
      }
    }
    notices += input.deliveryBoxes().map { Notice(.noPlace($0.type, count: $0.count), $0.file) }
    return notices + input.droppedBoxes()
  }

  /// Refuses to write a movie without samples, which no program could use, the own reader neither.
  func checkSamples(_ input: MovieInput, _ layout: MediaLayout, _ notices: [Notice]) throws(MovieError) {
    guard layout.tables.allSatisfy({ $0.samples.count == 0 }) else { return }
    guard let loss = notices.first(where: { $0.severity == .loss }) else {
      throw .impossible(file: input.sources[0].name, MovieObstacle.noSamples)
    }
    let lost = notices.reduce(0) { sum, notice in
      if case .missingData(let spans) = notice.kind { sum + spans.reduce(0) { $0 + $1.samples } } else { sum }
    }
    throw .impossible(file: loss.file, MovieObstacle.nothingLeft(samples: lost, loss: loss))
  }
}
