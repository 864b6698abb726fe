import MP4Toolkit

// snippet: actor
actor Library {
  private var movies: [String: Movie] = [:]

  func movie(_ path: String) async throws -> Movie {
    if let known = movies[path] { return known }
    let movie = try await Movie.read([openSource(path)])
    movies[path] = movie
    return movie
  }
}
// end

// snippet: model
@MainActor final class Model {
  private(set) var plan: FragmentPlan?

  func load(_ path: String, from library: Library) async throws {
    plan = try Fragmenter().plan(await library.movie(path))
  }
}
// end
