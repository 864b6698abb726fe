import MP4
import MP4Bytes

/// Media segments as operands without their init segment.
struct LoneSegments {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  /// The paragraph of manuals.
  static let description =
    "Media segments without their init segment are listed as far as possible. Times in seconds need the timescale of a "
    + "`sidx` or `emsg` in the segments, and defaults that the init segment declares are unknown. A note reports this."

  /// The movie of files, or of media segments alone. `hasTimescales` is `false` if times in seconds are unknown.
  func movie(reading sources: [any ByteSource]) throws -> (movie: Movie, hasTimescales: Bool) {
    do throws(MovieError) { return (try Movie(reading: sources), true) } catch {
      guard case .segmentFirst = error, let segment = try LoneSegment(sources) else { throw error }
      let movie = try Movie(segment, of: sources)
      let times = segment.timescale.map { "the timescale \($0) is that of an index or event in the segment" }
      context.diagnostics.note(
        "\(sources[0].name): there is no init segment; \(times ?? "times in seconds are unknown")")
      return (movie, segment.timescale != nil)
    }
  }
}
