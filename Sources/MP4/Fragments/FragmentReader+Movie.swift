import ISOBMFF

extension FragmentReader {
  /// Puts samples of the movie box before all fragments, as a fragment that starts at the movie box.
  mutating func insert(_ first: [TrackFragment], movieOffset: Int) {
    insertHeader(FragmentHeader(source: 0, offset: movieOffset, sequenceNumber: 0))
    for index in trackFragments.indices { trackFragments[index].fragment += 1 }
    trackFragments.insert(contentsOf: first, at: 0)
  }

  /// The duration of the samples of a track that the movie box describes; `nil` when it describes none.
  func movieDuration(of track: Int) -> Int64? {
    guard movie.tracks[track].hasSamples else { return nil }
    return trackFragments.first { $0.fragment == 0 && $0.track == track }.map { Int64(clamping: $0.duration) }
  }

  /// What fragments hold of samples besides their times and bytes, and what is not carried into the sample tables.
  func droppedBoxes(_ file: String) -> [Notice] {
    leftOut.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, count in
      let boxes = count == 1 ? "1 \(type) box" : "\(count) \(type) boxes"
      return Notice(.loss, file, "\(boxes) of the track fragments cannot be carried over yet; left out")
    }
  }
}
