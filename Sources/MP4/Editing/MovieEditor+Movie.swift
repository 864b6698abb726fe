import Bytes
import ISOBMFF

extension MovieEditor {
  /// Fails when the source has a movie that can be used, and the output has none.
  func checkMovie(of plan: OutputPlan) throws(MovieError) {
    // A movie box that was not edited is what it was.
    if let moov = items.first(where: { $0.type == "moov" }), moov.tree == nil { return }
    guard let before = try? MovieDescription(firstIn: source), !before.tracks.isEmpty else { return }
    func refusal(_ obstacle: LayoutObstacle) -> MovieError { .impossible(file: source.name, obstacle) }
    let after: MovieDescription?
    do throws(MovieError) {
      let output: PlannedSource
      do throws(IOError) { output = try PlannedSource(plan, name: source.name) } catch { throw .io(error) }
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
  }
}

extension MovieDescription {
  /// The first movie of a source; `nil` where there is no movie box.
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
