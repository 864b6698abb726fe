import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging

/// Reads of a presentation what subtitles have to know: its multivariant playlist, when its segments are played, and which
/// times their media has.
struct TimingReader {
  private(set) var place: PresentationPlace
  /// When the media starts, where the user says so.
  let mediaStart: MediaTime?
  /// What could not be read.
  private(set) var notices: [Notice] = []

  init(_ place: PresentationPlace, mediaStart: MediaTime?) { (self.place, self.mediaStart) = (place, mediaStart) }

  /// Works out what is added to the presentation at the place, which is that after redirections afterwards.
  mutating func plan(_ planner: SubtitlePlanner, adding subtitles: [Subtitles]) throws -> SubtitlePlan {
    let main = try multivariant()
    let timing = try timing(of: main)
    do throws(SubtitleError) { return try planner.plan(subtitles, main, timing) } catch {
      if case .movie(let error) = error { throw error }
      throw MovieError.impossible(file: place.name, reason: error.description)
    }
  }

  /// The playlist at the place; a media playlist cannot name subtitles.
  private mutating func multivariant() throws -> MultivariantPlaylist {
    let bytes = try place.playlist()
    let playlist = try Self.naming(place) { () throws(PlaylistError) in try Playlist(bytes) }
    if case .multivariant(let main) = playlist { return main }
    throw MovieError.impossible(
      file: place.name,
      reason: "this is a media playlist, which cannot name subtitles; give the multivariant playlist that names it, or "
        + "make one with #EXT-X-STREAM-INF:BANDWIDTH=… above its name")
  }

  /// The segments of the first variant with pictures, else of the first one, and the times of their media.
  private mutating func timing(of main: MultivariantPlaylist) throws -> PresentationTiming {
    let variants = main.variants
    guard !variants.isEmpty else {
      throw MovieError.impossible(file: place.name, reason: SubtitleError.noVariants.description)
    }
    var choice = StreamChoice()
    choice.variant = .number((variants.firstIndex { $0.resolution != nil } ?? 0) + 1)
    let (streams, variables): ([StreamChoice.Stream], Variables)
    do throws(StreamChoice.Failure) {
      (streams, variables) = try choice.streams(of: main, at: place.place.reference)
    } catch { throw MovieError.impossible(file: place.name, reason: error.description) }
    var inner = try place.moved(to: streams[0].uri, line: streams[0].line)
    let bytes = try inner.playlist()
    let playlist = try Self.naming(inner) { () throws(PlaylistError) in try MediaPlaylist(bytes) }
    var timing = try Self.naming(inner) { () throws(PlaylistError) in
      let own = try Variables(playlist.definitions, importing: variables, uri: inner.place.reference)
      return try PresentationTiming(playlist, own)
    }
    for index in timing.periods.indices {
      if index == 0, let mediaStart {
        timing.periods[index].mediaStart = mediaStart
      } else {
        timing.periods[index].mediaStart = try mediaTime(of: timing.periods[index], timing, playlist, inner)
      }
    }
    return timing
  }

  /// When the media of a period starts, by its first segment that is there.
  private mutating func mediaTime(
    of period: PresentationTiming.Period, _ timing: PresentationTiming, _ playlist: MediaPlaylist,
    _ place: PresentationPlace
  ) throws -> MediaTime? {
    let segments = timing.segments[period.segments]
    guard let segment = segments.first(where: { !$0.isGap }) else { return nil }
    var reason = "its times cannot be read"
    if segment.keys.contains(where: { $0.method == .aes128 }) {
      reason = "it is encrypted"
    } else {
      // A place that may not be read is an error; one that cannot be read is reported.
      let map = try segment.map.map { map in
        (try place.moved(to: map.uri, line: playlist.lineNumber(ofMapForSegment: segment.index)), map.byteRange)
      }
      let media = try place.moved(to: segment.uri, line: playlist.lineNumber(ofSegment: segment.index))
      do {
        let initialization = try map.map { try $0.segment($1.map { $0.bytes(from: 0) }) }
        let source = try media.segment(segment.byteRange)
        if let start = MediaClock.start(of: source, initialization: initialization) { return start }
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
