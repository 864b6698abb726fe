import ISOBMFF
public import MP4
import MP4Bytes
import MP4HLS
public import MP4Presentations

/// The media of a presentation as movies on its timeline, which starts at 0 with the first segment. Of a multivariant
/// playlist, one variant and its renditions are used.
public struct PresentationMovies: Sendable {
  /// The segments of a playlist between discontinuities as one movie, with a gap for missing segments.
  public struct Part: Sendable {
    /// The playlist.
    let playlist: OpenedPlaylist
    /// The segments and their movie.
    let run: MediaRun
    /// The value added to the times of the movie.
    let shift: MediaTime
    /// The number of this part, if the playlist has several.
    let number: Int?

    /// The movie; its presentation starts at 0.
    public var movie: Movie { run.movie }

    /// The segment for an input of the movie; `nil` for the initialization section.
    func segment(ofSource index: Int) -> OpenedPlaylist.Segment? {
      let first = playlist.segments[run.segments[0]].section == nil ? 0 : 1
      guard run.segments.indices.contains(index - first) else { return nil }
      return playlist.segments[run.segments[index - first]]
    }

    /// The segment that is presented at a presentation time, according to the declared durations.
    func segment(at time: MediaTime) -> OpenedPlaylist.Segment? {
      let next = run.segments.indices.partition {
        MediaTime(playlist.segments[run.segments[$0]].declared.start) > time
      }
      return playlist.segments[run.segments[max(0, next - 1)]]
    }

    /// A heading such as `video/index.m3u8, part 2`.
    var heading: String { playlist.uri.printable + (number.map { ", part \($0)" } ?? "") }
  }

  /// The name of the presentation.
  public let name: String
  /// The playlists that are used; the first one has the tags that apply to all.
  let playlists: [OpenedPlaylist]
  /// The movies, playlist by playlist.
  public private(set) var parts: [Part] = []
  /// Problems with reading these playlists.
  public private(set) var problems: [PresentationProblem] = []
  /// Why segments are not movies.
  public private(set) var failures: [MovieError] = []
  /// Whether the segments of a playlist are not MP4, so that only the playlist is known.
  public private(set) var hasOtherFormats = false
  /// Notes about the parts of the presentation that are used, and those that are not.
  public private(set) var notes: [String] = []

  /// The time span in which media is presented; `nil` if there is none.
  public var presentedTimes: Range<MediaTime>? {
    let spans = parts.flatMap { part in
      part.movie.tracks.compactMap(\.presentedTimes).map { ($0.lowerBound + part.shift, $0.upperBound + part.shift) }
    }
    guard let start = spans.map(\.0).min(), let end = spans.map(\.1).max(), start < end else { return nil }
    return start..<end
  }

  /// Reads the boxes of the segments of some playlists, by default those of the first variant, and keeps the selected
  /// tracks.
  public init(
    _ presentation: OpenedPresentation, _ chosen: [OpenedPlaylist]? = nil,
    tracks: TrackSelection = TrackSelection(), onProgress: OpenedPresentation.Progress = { _, _ in }
  ) {
    self.init(presentation, chosen, tracks: tracks, read: [], onProgress: onProgress)
  }

  /// The same for playlists whose segments have already been read.
  init(
    _ presentation: OpenedPresentation, _ chosen: [OpenedPlaylist]? = nil,
    tracks: TrackSelection = TrackSelection(), read: [CheckedPlaylist],
    onProgress: OpenedPresentation.Progress = { _, _ in }
  ) {
    name = presentation.name
    playlists = chosen ?? presentation.playlists(ofVariant: 0)
    problems = presentation.problems
    if presentation.multivariant != nil, playlists.count < presentation.playlists.count {
      let others = counted(presentation.playlists.count - playlists.count, "other playlist is", "other playlists are")
      let used = playlists.map(\.uri.printable).joined(separator: ", ")
      let words = chosen == nil ? "the first variant is used (\(used))" : "used: \(used)"
      notes.append("\(name): \(words); \(others) not")
    }
    var timeline = PresentationClock()
    presentation.forEachMedia(of: playlists, opened: read.map(\.media), onProgress: onProgress) { media in
      let playlist = media.playlist
      let known = read.first { $0.playlist.name == playlist.name }
      problems += playlist.problems + media.problems
      if let format = media.otherFormat {
        hasOtherFormats = true
        notes.append("\(playlist.name): its segments are \(format), not MP4; skipped")
        return
      }
      let all = playlist.parts
      for (index, part) in all.enumerated() {
        let readable = media.readable(part)
        guard !readable.isEmpty, let sources = media.sources(of: readable) else { continue }
        do throws(MovieError) {
          var movie: Movie
          if let run = known?.runs.first(where: { $0.segments == readable }) {
            movie = run.movie
          } else {
            movie = try Movie(reading: sources)
          }
          let shift = timeline.shift(of: MediaRun(segments: readable, movie: movie), in: playlist)
          // The presentation starts with the first picture; audio before it is priming.
          movie = movie.hidingPriming(before: MediaTime(0, 1) - shift)
          let run = MediaRun(segments: readable, movie: movie)
          let kept = run.movie.tracks.indices.filter { tracks.contains(run.movie.tracks[$0]) }
          guard !kept.isEmpty else { continue }
          let isWhole = kept.count == run.movie.tracks.count
          parts.append(
            Part(
              playlist: playlist,
              run: isWhole ? run : MediaRun(segments: readable, movie: run.movie.keeping(tracks: kept)),
              shift: shift, number: all.count > 1 ? index + 1 : nil))
        } catch { failures.append(error) }
      }
    }
  }
}

extension TrackSelection {
  fileprivate func contains(_ track: Track) -> Bool {
    items.isEmpty
      || items.contains { item in
        switch item {
        case .id(let id): track.id == id
        case .handlers(let handlers): handlers.contains(track.handler)
        }
      }
  }
}
