import Bytes
import ISOBMFF

/// The samples that movie boxes describe, in hybrid files and in progressive files that are rearranged.
extension MovieInput {
  /// Reads the samples that movie boxes describe and inserts them before those of fragments.
  mutating func readMovieSamples() throws(MovieError) {
    var first: [TrackFragment] = []
    var headers: [FragmentHeader] = []
    for group in groups where group.movie.tracks.contains(where: \.hasSamples) {
      first += try movieSamples(of: group, fragment: headers.count)
      headers.append(FragmentHeader(source: group.source, offset: group.header.offset))
    }
    fragments.insert(first, headers)
    for index in contents.indices { contents[index].places = [] }
  }

  private mutating func movieSamples(of group: MovieGroup, fragment: Int) throws(MovieError) -> [TrackFragment] {
    let source = sources[group.source]
    var reader = MovieSamples(group, of: self)
    var result: [TrackFragment] = []
    for number in group.movie.tracks.indices where group.movie.tracks[number].hasSamples {
      let track = group.tracks.lowerBound + number
      let reference = tracks.reference(track)
      let reading: MovieSamples.Reading
      do throws(MovieError) {
        reading = try reader.read(number, fragment: fragment)
      } catch {
        if case .io = error { throw error }
        let kind = Diagnostic.Kind.lostTrack(error, samples: reader.declaredCount(number))
        diagnostics.append(Diagnostic(kind, source.name, reference))
        continue
      }
      diagnostics += reading.contradictions.map { Diagnostic(.rebuilt($0), source.name, reference) }
      var own = fragments.add(reading, to: track)
      let (boxes, damaged, others) = try reader.information(number)
      var left = damaged.union(others)
      do throws(IOError) {
        left.formUnion(try fragments.inform(&own, boxes, chunks: reading.chunks, of: source))
      } catch { throw .io(error) }
      diagnostics += notCarried(left, track)
      // A track with samples in other files is rejected later. External descriptions that no sample uses do not matter.
      let external = tracks[track].externalDescriptions
      if own.contains(where: { $0.sampleCount > 0 && external.contains(Int($0.descriptionIndex)) }) {
        result += own
        continue
      }
      let lost = fragments.cut(&own, to: &reader.places, reading.unplaced)
      if !lost.isEmpty { diagnostics.append(Diagnostic(.missingData(lost), source.name, reference)) }
      result += own
    }
    return result
  }

  /// The ranges that can contain samples of a movie box.
  func mediaPlaces(of group: MovieGroup) -> MediaPlaces {
    let contents = contents[group.source]
    // The leftovers of an interrupted change in place are at the end of the file and contain no samples.
    let isLeft = contents.fragmentCount > 0 || contents.openEnds.contains { $0.offset == contents.trailingFree }
    let end = isLeft ? contents.trailingFree : nil
    return MediaPlaces(contents.mediaPlaces, end: min(end ?? .max, sources[group.source].byteCount ?? .max))
  }

  /// The diagnostic about sample information of a movie box that is not read.
  private func notCarried(_ types: Set<FourCC>, _ track: Int) -> [Diagnostic] {
    guard !types.isEmpty else { return [] }
    let kind = Diagnostic.Kind.notCarriedOfMovie(types.sorted { $0.rawValue < $1.rawValue })
    return [Diagnostic(kind, name(ofTrack: track), tracks.reference(track))]
  }
}
