import ISOBMFF

extension FragmentReader {
  /// Puts samples of movie boxes before all fragments, as one fragment for each movie that starts at its box.
  mutating func insert(_ first: [TrackFragment], _ movies: [FragmentHeader]) {
    insert(movies)
    for index in trackFragments.indices { trackFragments[index].fragment += movies.count }
    trackFragments.insert(contentsOf: first, at: 0)
  }

  /// Puts the samples of these fragments, which follow each other in one track, into the groups that `members` says.
  /// Returns whether it could be understood.
  mutating func addGroups(_ members: GroupMembers, to fragments: inout [TrackFragment], of track: Int) -> Bool {
    var local = SampleGroups.Local([])
    guard let groups = information[track].groups.add(members, &local) else { return false }
    var rest = groups.runs[...]
    for index in fragments.indices {
      var left = fragments[index].sampleCount
      var own = SampleGroups.Runs(kind: groups.kind, runs: [])
      while left > 0, let run = rest.first {
        let count = UInt32(clamping: min(left, Int(run.count)))
        own.runs.append((count, run.index))
        left -= Int(count)
        rest[rest.startIndex].count -= count
        if count == run.count { rest.removeFirst() }
      }
      fragments[index].information.groups.append(own)
    }
    return true
  }

  /// The duration of the samples of a track that the movie box describes; `nil` when it describes none.
  func movieDuration(of track: Int) -> Int64? {
    guard tracks[track].hasSamples else { return nil }
    let own = trackFragments.prefix { $0.fragment < movieCount }.filter { $0.track == track }
    return Int64(clamping: own.reduce(0) { $0 &+ $1.duration })
  }

  /// What fragments hold of samples besides their times and bytes, and what is not carried into the sample tables.
  func droppedBoxes(_ file: String) -> [Notice] {
    let dropped = leftOut.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, count in
      let boxes = count == 1 ? "1 \(type) box" : "\(count) \(type) boxes"
      return Notice(.loss, file, "\(boxes) of the track fragments cannot be carried over yet; left out")
    }
    return dropped
      + zip(tracks, information).filter { $0.1.otherEncryption > 0 }.map { track, information in
        let count = information.otherEncryption
        let fragments = count == 1 ? "1 fragment is" : "\(count) fragments are"
        let text =
          "track \(track.id): \(fragments) encrypted with other parameters than those of the track, which a progressive "
          + "file cannot say"
        return Notice(.loss, file, text)
      }
  }
}
