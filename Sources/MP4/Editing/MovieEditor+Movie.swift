import Bytes
import ISOBMFF

extension MovieEditor {
  /// Fails when the source has a movie that can be used, and the output has none.
  func checkMovie(of plan: OutputPlan) throws(MovieError) {
    // A movie box that was not edited is what it was.
    let edited = items.filter { $0.type == "moov" && $0.tree != nil }
    if edited.isEmpty, items.contains(where: { $0.type == "moov" }) { return }
    guard let before = try? MovieDescription(firstIn: source), !before.tracks.isEmpty else { return }
    func refusal(_ obstacle: LayoutObstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    let output: PlannedSource
    do throws(IOError) { output = try PlannedSource(plan, name: source.name) } catch { throw .io(error) }
    let after: MovieDescription?
    do throws(MovieError) {
      after = try MovieDescription(firstIn: output)
    } catch {
      if case .io = error { throw error }
      throw refusal(.unusableMovie(error))
    }
    guard let after else { throw refusal(.noMovieLeft) }
    if after.tracks.isEmpty { throw refusal(.unusableMovie(.noTracks(file: source.name))) }
    if after.failures.count > before.failures.count, let error = after.failures.last {
      throw refusal(.unusableMovie(error))
    }
    try checkSamples(of: output)
  }

  /// Fails where a track loses all of its samples, or no movie can be read any more.
  private func checkSamples(of output: PlannedSource) throws(MovieError) {
    guard let before = try? Movie(reading: [source]) else { return }
    let after: Movie
    do throws(MovieError) { after = try Movie(reading: [output]) } catch {
      if case .io = error { throw error }
      throw .impossible(file: source.name, LayoutObstacle.unusableMovie(error))
    }
    for track in after.tracks where track.samples.isEmpty {
      if before.tracks.contains(where: { $0.id == track.id && !$0.samples.isEmpty }) {
        throw .impossible(file: source.name, LayoutObstacle.noSamplesLeft(track: track.id))
      }
    }
  }
}

extension MovieDescription {
  /// The first movie of a source; `nil` if there is no movie box.
  fileprivate init?(firstIn source: any ByteSource) throws(MovieError) {
    var parser = BoxParser(source)
    var movie: BoxNode?
    do throws(IOError) {
      while movie == nil, let node = try parser.next() {
        if node.type == "moov" { movie = node }
        parser.skipBoxes()
      }
    } catch { throw .io(error) }
    guard let header = movie?.header else { return nil }
    try self.init(reading: source, in: header.offset..<header.end)
  }
}
