import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging

/// Reads of a presentation what subtitles have to know: its multivariant playlist, when its segments are played, and which
/// times their media has.
struct TimingReader {
  let place: PresentationPlace
  /// When the media starts, where the user says so.
  let mediaStart: MediaTime?
  /// What could not be read.
  private(set) var notices: [Notice] = []

  init(_ place: PresentationPlace, mediaStart: MediaTime?) { (self.place, self.mediaStart) = (place, mediaStart) }

  /// The playlist at the place; a media playlist cannot name subtitles.
  func multivariant() throws -> MultivariantPlaylist {
    let bytes = try place.playlist()
    let playlist = try Self.naming(place) { () throws(PlaylistError) in try Playlist(bytes) }
    if case .multivariant(let main) = playlist { return main }
    throw MovieError.impossible(
      file: place.name,
      reason: "this is a media playlist, which cannot name subtitles; give the multivariant playlist that names it, or "
        + "make one with #EXT-X-STREAM-INF:BANDWIDTH=… above its name")
  }

  /// The segments of the first variant with pictures, else of the first one, and the times of their media.
  mutating func timing(of main: MultivariantPlaylist) throws -> PresentationTiming {
    guard let variant = main.variants.first(where: { $0.resolution != nil }) ?? main.variants.first else {
      throw MovieError.impossible(file: place.name, reason: SubtitleError.noVariants.description)
    }
    let variables = try Self.naming(place) { () throws(PlaylistError) in try Variables(main.definitions) }
    let uri = try Self.naming(place) { () throws(PlaylistError) in try variables.substituted(variant.uri) }
    let inner = try place.moved(to: uri)
    let bytes = try inner.playlist()
    var timing = try Self.naming(inner) { () throws(PlaylistError) in
      let playlist = try MediaPlaylist(bytes)
      return try PresentationTiming(playlist, Variables(playlist.definitions, importing: variables))
    }
    for index in timing.periods.indices {
      if index == 0, let mediaStart {
        timing.periods[index].mediaStart = mediaStart
      } else {
        timing.periods[index].mediaStart = mediaTime(of: timing.periods[index], timing, inner)
      }
    }
    return timing
  }

  /// When the media of a period starts, by its first segment that is there.
  private mutating func mediaTime(
    of period: PresentationTiming.Period, _ timing: PresentationTiming, _ place: PresentationPlace
  ) -> MediaTime? {
    let segments = timing.segments[period.segments]
    guard let segment = segments.first(where: { !$0.isGap }) else { return nil }
    var reason = "its times cannot be read"
    if segment.keys.contains(where: { $0.method == .aes128 }) {
      reason = "it is encrypted"
    } else {
      do {
        let map = try segment.map.map { map in
          try place.moved(to: map.uri).segment(map.byteRange.map { $0.bytes(from: 0) })
        }
        let media = try place.moved(to: segment.uri).segment(segment.byteRange)
        if let start = MediaClock.start(of: media, initialization: map) { return start }
      } catch { reason = "\(error)" }
    }
    let text =
      "when the media of the segment \(segment.uri) starts is not known: \(reason). It is taken as 0; --media-start says it"
    notices.append(Notice(.warning, place.name, text))
    return nil
  }

  /// Does something with a playlist, and names it where that fails.
  private static func naming<Value>(
    _ place: PresentationPlace, _ body: () throws(PlaylistError) -> Value
  ) throws(MovieError) -> Value {
    do throws(PlaylistError) { return try body() } catch {
      throw .impossible(file: place.name, reason: error.description)
    }
  }
}
