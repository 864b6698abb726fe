import ISOBMFF
import MP4Bytes

extension MovieInputReader {
  /// Reads another movie box in the series of a source. Its tracks continue the existing tracks of the series, matched
  /// by kind and order.
  mutating func resume(with known: [Int], _ node: BoxNode, _ index: Int) throws(MovieError) {
    let source = sources[index]
    if let series = series(of: index) { continuedSeries.insert(series) }
    guard contents[index].fragmentCount == 0, let first = known.first else {
      throw .otherMovie(file: source.name, movie: sources[groups[contents[index].group].source].name)
    }
    var movie = try MovieDescription(reading: source, in: node.header.offset..<node.header.end, index: index)
    movie.keep(selection)
    if movie.tracks.contains(where: \.hasSamples) {
      let text = "only fragments can continue previous ones, but its moov has samples"
      throw .impossible(file: source.name, Obstacle("samples_in_series", text))
    }
    var free = known
    var continued: [ContinuedTrack] = []
    var isNew: [Bool] = []
    for (number, track) in movie.tracks.enumerated() {
      let place = free.firstIndex { fragments?.table.tracks[$0].handler == track.handler }
      isNew.append(place == nil)
      guard let place else { continue }
      let target = free.remove(at: place)
      var own = ContinuedTrack(track, index: target)
      own.descriptions = try addDescriptions(of: movie, number, to: target, index)
      continued.append(own)
      noteTimes(track, movie, target, from: index)
    }
    contents[index].group = groups.firstIndex { $0.tracks.contains(first) } ?? 0
    contents[index].repeatedMovies.append(node.header)
    if isNew.contains(true) {
      movie.keep(isNew)
      let tracks = addGroup(movie, node, index)
      continued += tracks.compactMap { number in
        fragments.map { ContinuedTrack($0.table.tracks[number], index: number) }
      }
    }
    fragments?.begin(continued, ignored: movie.droppedTracks)
  }

  /// Adds the tracks of a movie as new tracks of the series of a source.
  mutating func addGroup(_ movie: MovieDescription, _ node: BoxNode, _ index: Int) -> Range<Int> {
    var reader = fragments ?? FragmentParser(source: sources[index], keepsSamples: keepsSamples)
    reader.table.staleBases = corrections.staleBases ?? [:]
    let tracks = reader.table.add(movie)
    fragments = reader
    contents[index].group = groups.count
    groups.append(MovieGroup(movie: movie, header: node.header, source: index, tracks: tracks))
    if let series = series(of: index) { seriesTracks[series, default: []] += tracks }
    for (track, number) in zip(movie.tracks, tracks) { noteTimes(track, movie, number, from: index) }
    return tracks
  }

  /// Whether several movie boxes describe the tracks of the series of a source.
  func hasSeveralMovies(_ index: Int) -> Bool { series(of: index).map(continuedSeries.contains) ?? false }

  /// The tracks of the series of a source; `nil` if no series are known.
  func series(of index: Int) -> Int? { index < parts.count ? parts[index].series : nil }

  mutating func noteTimes(_ track: TrackDescription, _ movie: MovieDescription, _ target: Int, from source: Int) {
    trackTimes[target, default: []].append(TrackTimes(track, movieTimescale: movie.timescale, source: source))
  }

  /// Records that the tracks of a group use the times of its own movie box.
  mutating func noteTimes(of group: MovieGroup, from source: Int) {
    for (track, number) in zip(group.movie.tracks, group.tracks) { noteTimes(track, group.movie, number, from: source) }
  }

  /// Adds the sample descriptions of a track to another track, except those that it already has. Returns their numbers
  /// there, or `nil` if the numbers do not change.
  private mutating func addDescriptions(
    of movie: MovieDescription, _ number: Int, to target: Int, _ index: Int
  ) throws(MovieError) -> [UInt32]? {
    let track = movie.tracks[number]
    guard let groupIndex = groups.firstIndex(where: { $0.tracks.contains(target) }) else { return nil }
    let trak = target - groups[groupIndex].tracks.lowerBound
    guard let own = movie.box.trak(number)?.first("mdia", "minf", "stbl", "stsd"),
      let place = groups[groupIndex].movie.box.place(ofTrak: trak),
      var known = groups[groupIndex].movie.box.boxes[place].first("mdia", "minf", "stbl", "stsd")
    else { return nil }
    if let known = fragments?.table.tracks[target].groupDescriptions, !track.groupDescriptions.isEmpty,
      known != track.groupDescriptions
    {
      diagnostics.append(Diagnostic(.notCarriedOfMovie(["sgpd"]), sources[index].name))
    }
    let count = known.boxes.count
    let numbers = try known.addEntries(of: own, sources)
    var last = count
    for (offset, number) in numbers.enumerated() where number > last {
      fragments?.table.addDescription(offset, of: track, to: target)
      last = Int(number)
    }
    guard known.boxes.count > count else { return numbers.isInOrder ? nil : numbers }
    groups[groupIndex].movie.box.boxes[place].edit("mdia", "minf", "stbl", "stsd") { $0 = known }
    return numbers.isInOrder ? nil : numbers
  }
}

extension [UInt32] {
  /// Whether these are 1, 2, 3 and so on.
  fileprivate var isInOrder: Bool { enumerated().allSatisfy { $0.element == UInt32($0.offset + 1) } }
}

extension Box {
  /// Adds the sample entries of another `stsd`, except those that this one already has. Returns the number here of each
  /// of them.
  mutating func addEntries(of other: Box, _ sources: [any ByteSource]) throws(MovieError) -> [UInt32] {
    let count = boxes.count
    var numbers: [UInt32] = []
    for entry in other.boxes {
      if let same = try position(of: entry, sources) {
        numbers.append(UInt32(same + 1))
      } else {
        boxes.append(entry)
        numbers.append(UInt32(boxes.count))
      }
    }
    guard boxes.count > count else { return numbers }
    let path = "moov/trak/mdia/minf/stbl/stsd"
    var payload = try MoviePayloads(source: sources[source]).payload(of: self, in: path, SampleDescriptionBox.self)
    payload.entryCount = UInt32(boxes.count)
    fields = .edited(payload)
    return numbers
  }

  private func position(of entry: Box, _ sources: [any ByteSource]) throws(MovieError) -> Int? {
    guard let header = entry.header else { return nil }
    for (position, other) in boxes.enumerated() {
      guard let otherHeader = other.header, other.type == entry.type else { continue }
      if try sources[other.source].hasSameBytes(otherHeader, header, of: sources[entry.source]) { return position }
    }
    return nil
  }

  /// The position of the track box with this index in a movie box.
  func place(ofTrak number: Int) -> Int? {
    let places = boxes.indices.filter { boxes[$0].type == "trak" }
    return number < places.count ? places[number] : nil
  }
  func trak(_ number: Int) -> Box? { place(ofTrak: number).map { boxes[$0] } }
}
