import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations

/// Maps the media of a presentation to its timeline, which starts at 0 with the first segment. Between discontinuities,
/// the media of all playlists shares one clock, so all of it is shifted like the first requested playlist.
struct PresentationClock {
  /// The values added to media times.
  private var shifts: [Int: MediaTime] = [:]

  /// The value added to the presentation times of some segments, whose movie starts at 0.
  mutating func shift(of run: MediaRun, in playlist: OpenedPlaylist) -> MediaTime {
    guard let first = run.segments.first.map({ playlist.segments[$0].declared }) else { return MediaTime(0, 1) }
    let mediaStart = run.movie.mediaStart
    if let known = shifts[first.discontinuitySequence] { return known + mediaStart }
    let tracks = run.movie.tracks.filter { !$0.samples.isEmpty }
    // Audio can start slightly earlier than the pictures with which the segment starts.
    let video = tracks.filter { $0.handler == "vide" }
    let starts = (video.isEmpty ? tracks : video).compactMap { $0.presentedTimes?.lowerBound }
    guard let start = starts.min() else { return MediaTime(0, 1) }
    let shift = MediaTime(first.start) - start
    shifts[first.discontinuitySequence] = shift - mediaStart
    return shift
  }
}
