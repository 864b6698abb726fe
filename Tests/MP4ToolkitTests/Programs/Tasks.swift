import MP4Toolkit

// snippet: actor
actor Library {
  private var movies: [String: Movie] = [:]

  func movie(_ path: String) async throws -> Movie {
    if let known = movies[path] { return known }
    let movie = try await Movie(reading: [path])
    movies[path] = movie
    return movie
  }
}
// end

// snippet: model
@MainActor final class Model {
  private(set) var plan: FragmentPlan?

  func load(_ path: String, from library: Library) async throws {
    plan = try await Fragmenter().plan(library.movie(path))
  }
}
// end

// snippet: media-thread
func firstBytes(of track: Track) async throws -> [[UInt8]] {
  try await MediaThread.run { try track.samples.prefix(100).map { try $0.bytes(16) } }
}
// end

// snippet: asynchronous-source
func movie(at address: String, byteCount: Int, fetch: @escaping @Sendable (Range<Int>) async throws -> [UInt8])
  async throws -> Movie
{
  try await Movie(reading: [.ranges(name: address, byteCount: byteCount) { range in try await fetch(range) }])
}
// end
