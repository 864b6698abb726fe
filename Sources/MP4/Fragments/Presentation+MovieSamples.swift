import ISOBMFF

/// The samples that movie boxes themselves describe, in hybrid files and in progressive ones that are arranged anew.
extension Presentation {
  /// Samples that movie boxes describe come before the fragments.
  mutating func readMovieSamples() throws(MovieError) {
    var first: [TrackFragment] = []
    var headers: [FragmentHeader] = []
    var ranges: [(source: Int, indices: Range<Int>)] = []
    for group in groups where group.movie.tracks.contains(where: \.hasSamples) {
      let start = first.count
      first += try movieSamples(of: group, fragment: headers.count)
      headers.append(FragmentHeader(source: group.source, offset: group.header.offset, sequenceNumber: 0))
      ranges.append((group.source, start..<first.count))
    }
    fragments.insert(first, headers)
    for (source, indices) in ranges {
      notices += fragments.cut(indices, toEndOf: sources[source], contents[source])
    }
  }

  private mutating func movieSamples(of group: MovieGroup, fragment: Int) throws(MovieError) -> [TrackFragment] {
    var reader = MovieSamples(group, sources[group.source])
    var result: [TrackFragment] = []
    for number in group.movie.tracks.indices where group.movie.tracks[number].hasSamples {
      let track = group.tracks.lowerBound + number
      var own = try reader.read(number, fragment: fragment, into: &fragments.store)
      let (boxes, notRead) = try reader.information(number)
      var left = notRead
      do throws(IOError) {
        left.formUnion(try fragments.inform(&own, boxes, of: sources[group.source]))
      } catch { throw .io(error) }
      notices += notCarried(left, track)
      result += own
    }
    return result
  }

  /// What a movie box says of its own samples and is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int) -> [Notice] {
    guard !types.isEmpty else { return [] }
    let kind = Notice.Kind.notCarriedOfMovie(types.sorted { $0.rawValue < $1.rawValue })
    return [Notice(kind, name(ofTrack: track), tracks.reference(track))]
  }
}
