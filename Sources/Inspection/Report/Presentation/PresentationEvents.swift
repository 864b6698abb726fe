import MP4
import MP4Bytes
import MP4Presentations

/// The events and stalls of a presentation.
struct PresentationEvents {
  /// The events, as listed by `mp4tool events`.
  let events: [TimelineEvent]
  /// The stalls, as listed by `mp4tool samples --stalls`.
  let stalls: PresentationStalls
  /// The reasons why some of them could not be listed.
  let failures: [String]

  init(_ movies: PresentationMovies) throws(IOError) {
    stalls = PresentationStalls(movies)
    do throws(MovieError) {
      let listing = try EventListing(movies)
      (events, failures) = (listing.events, listing.diagnostics.filter { $0.severity == .error }.map(\.description))
    } catch {
      if case .io(let error) = error { throw error }
      (events, failures) = ([], [error.description])
    }
  }
}

extension ReportFinding {
  /// A finding for a stall of a presentation.
  init(_ place: PresentationStalls.Place) {
    self.init(place.stall, file: place.part.playlist.name, line: place.line)
  }
}
