import ISOBMFF
import MP4Bytes

/// The movie boxes of the sources.
extension MovieInputReader {
  /// Looks for a movie box after the first fragment: some writers append it when they finish a file.
  mutating func findMovie(after node: BoxNode, _ index: Int) throws(MovieError) {
    guard index == 0 else { throw .noMovie(file: sources[0].name).explained(by: sources[0]) }
    var parser = BoxParser(sources[0], in: node.header.end..<(sources[0].byteCount ?? .max))
    var box = BoxNode()
    while try next(&parser, &box) {
      if box.type == "moov" { return try readMovie(box, index) }
      parser.skipBoxes()
    }
    throw .segmentFirst(file: sources[0].name)
  }

  mutating func readMovie(_ node: BoxNode, _ index: Int) throws(MovieError) {
    if contents[index].fragmentCount == 0 { contents[index].startsWithMovie = true }
    if groups.isEmpty {
      guard index == 0 else { throw .noMovie(file: sources[0].name).explained(by: sources[0]) }
      return try beginGroup(node, index)
    }
    // The reader reaches the movie box that it already found ahead.
    if groups.contains(where: { $0.source == index && $0.header == node.header }) { return }
    if let number = try knownMovie(node, index) {
      let group = groups[number]
      if number != contents[index].group || !parts.isEmpty {
        contents[index].group = number
        fragments?.begin(group.tracks, ignored: group.movie.droppedTracks)
        noteTimes(of: group, from: index)
      }
      if keepsSamples, parts.isEmpty, index != group.source, group.movie.tracks.contains(where: \.hasSamples) {
        diagnostics.append(Diagnostic(.copy(of: sources[group.source].name), sources[index].name))
      }
      return contents[index].repeatedMovies.append(node.header)
    }
    if let known = series(of: index).flatMap({ seriesTracks[$0] }) { return try resume(with: known, node, index) }
    guard keepsSamples, contents[index].fragmentCount == 0, !groups.contains(where: { $0.source == index }) else {
      throw .otherMovie(file: sources[index].name, movie: sources[groups[contents[index].group].source].name)
    }
    try beginGroup(node, index)
    // The sources of a playlist, and requested subtitles, are merged without a note.
    guard parts.isEmpty, index < firstFollower else { return }
    var kind = Diagnostic.Kind.combined(with: sources[0].name)
    if corrections.leaders[index] == index, let other = try sourceOfEqualMovie(node, index) {
      kind = .equalMovie(as: sources[other].name)
    }
    diagnostics.append(Diagnostic(kind, sources[index].name))
  }

  /// The movie that this box repeats; if several are equal, that of the current fragments.
  private func knownMovie(_ node: BoxNode, _ index: Int) throws(MovieError) -> Int? {
    let current = contents[index].group
    for number in [current] + groups.indices.filter({ $0 != current }) {
      let group = groups[number]
      guard series(of: group.source) == series(of: index), try isEqual(group, node, index) else { continue }
      if contents[index].fragmentCount > 0 {
        // Only an init segment at the start of a source determines the movie of the segments after it.
        return number == current && parts.isEmpty ? number : nil
      }
      if let leader = corrections.leaders[index], leader != group.source { continue }
      return number
    }
    return nil
  }

  private func isEqual(_ group: MovieGroup, _ node: BoxNode, _ index: Int) throws(MovieError) -> Bool {
    try sources[group.source].hasSameBytes(group.header, node.header, of: sources[index])
  }

  /// Counts the samples of fragments among those that are lost with an unusable track.
  mutating func countLostSamples() {
    for number in groups.indices {
      let sources = contents.indices.filter { contents[$0].group == number }
      for (place, id) in groups[number].movie.lostTracks {
        guard case .lostTrack(let error, var samples) = groups[number].movie.damage[place] else { continue }
        for source in sources { samples += fragments?.table.ignoredSamples[source]?[id] ?? 0 }
        groups[number].movie.damage[place] = .lostTrack(error, samples: samples)
      }
    }
  }

  /// The first source with this movie box, if that source is a separate input.
  private func sourceOfEqualMovie(_ node: BoxNode, _ index: Int) throws(MovieError) -> Int? {
    for group in groups where group.source != index {
      if try isEqual(group, node, index) { return group.source }
    }
    return nil
  }

  /// Reads a movie box that applies to the sources from here on.
  private mutating func beginGroup(_ node: BoxNode, _ index: Int) throws(MovieError) {
    let source = sources[index]
    var movie: MovieDescription
    do throws(MovieError) {
      movie = try MovieDescription(reading: source, in: node.header.offset..<node.header.end, index: index)
      guard !movie.tracks.isEmpty else { throw .noTracks(file: source.name) }
    } catch { throw error.explained(by: node.header, of: source) }
    if index < firstFollower { movie.keep(selection) }
    if parts.indices.contains(index) {
      try parts[index].tracks.check(movie.tracks, dropped: movie.droppedTracks, file: source.name)
      movie.keep(parts[index].tracks)
    }
    let tracks = addGroup(movie, node, index)
    fragments?.begin(tracks, ignored: movie.droppedTracks)
  }
}
