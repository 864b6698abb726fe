import Bytes
import MP4

/// What happens in a presentation, and where its playback may stop.
struct PresentationHappenings {
  /// As `mp4tool events` lists it.
  let events: [TimelineEvent]
  /// As `mp4tool samples --stalls` lists it.
  let stalls: PresentationStalls
  /// What keeps some of it from being listed.
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
  /// A place of a presentation where its playback may stop.
  init(_ place: PresentationStalls.Place) {
    self.init(place.stall, file: place.part.playlist.name, line: place.line)
  }
}
