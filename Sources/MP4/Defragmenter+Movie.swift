import ISOBMFF

/// The samples that movie boxes themselves describe, in hybrid files and in progressive ones that are arranged anew.
extension Defragmenter {
  /// Samples that movie boxes describe come before the fragments.
  func readMovieSamples(_ presentation: inout Presentation) throws(MovieError) {
    var first: [TrackFragment] = []
    var headers: [FragmentHeader] = []
    var ranges: [(source: Int, indices: Range<Int>)] = []
    for group in presentation.groups where group.movie.tracks.contains(where: \.hasSamples) {
      let start = first.count
      first += try movieSamples(of: group, fragment: headers.count, &presentation)
      headers.append(FragmentHeader(source: group.source, offset: group.header.offset, sequenceNumber: 0))
      ranges.append((group.source, start..<first.count))
    }
    presentation.fragments.insert(first, headers)
    for (source, indices) in ranges {
      presentation.notices += presentation.fragments.cut(
        indices, toEndOf: presentation.sources[source], presentation.contents[source])
    }
  }

  private func movieSamples(of group: MovieGroup, fragment: Int, _ presentation: inout Presentation)
    throws(MovieError) -> [TrackFragment]
  {
    var reader = MovieSamples(group, presentation.sources[group.source])
    var result: [TrackFragment] = []
    for number in group.movie.tracks.indices where group.movie.tracks[number].hasSamples {
      let track = group.tracks.lowerBound + number
      var own = try reader.read(number, fragment: fragment, into: &presentation.fragments.store)
      let (boxes, notRead) = try reader.information(number)
      var left = notRead
      do throws(IOError) {
        left.formUnion(try presentation.fragments.inform(&own, boxes, of: presentation.sources[group.source]))
      } catch { throw .io(error) }
      presentation.notices += notCarried(left, track, presentation)
      result += own
    }
    return result
  }

  /// What a movie box says of its own samples and is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int, _ presentation: Presentation) -> [Notice] {
    guard !types.isEmpty else { return [] }
    let kind = Notice.Kind.notCarriedOfMovie(types.sorted { $0.rawValue < $1.rawValue })
    return [Notice(kind, presentation.name(ofTrack: track), presentation.tracks.reference(track))]
  }
}
