import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations

extension Rule {
  /// The times at which renditions start.
  static let timelines: [Rule] = [
    .presentation(
      "hls-timeline", .hls("6.2.4"), .warning,
      "The same moment has the same media time in all renditions, within one audio sample."
    ) { _, presentation, report in
      let starts = presentation.playlists.filter { $0.playlist.playlist?.isEnded == true && !$0.isIFramesOnly }
        .map(\.trackStarts)
      let all = starts.flatMap(\.self)
      guard let first = all.first(where: \.isVideo) ?? all.first else { return }
      for other in all {
        // An edit list can also delay media, or present several parts.
        guard let most = other.offsets.max(by: { first.apart($0) < first.apart($1) }),
          first.apart(most) > TrackStart.longestPriming
        else { continue }
        let isEarly = most < first.offset
        report.add(
          "track \(other.id): the media time of the same moment differs by \(seconds(first.apart(most))) from that of "
            + "\(first.playlist); players that do not use edit lists present it that much too "
            + (isEarly ? "early" : "late"),
          file: other.playlist)
      }
      // Tracks in the same segments may start late: their times are relative to each other.
      let firsts = starts.compactMap { $0.min { $0.presented < $1.presented } }
      guard let first = firsts.first(where: { $0.playlist == first.playlist }) else { return }
      for other in firsts where other.start != first.start || other.presented != first.presented {
        let tolerance = max(first.sampleDuration, other.sampleDuration, TrackStart.tolerance)
        let (gap, lead) = (other.presented - first.presented, other.start - first.start)
        // Audio without an edit list can start with samples that only decoders need.
        if gap.seconds > tolerance
          || gap.seconds < -(first.isVideo && !other.isVideo ? TrackStart.longestPriming : tolerance)
        {
          report.add(
            "track \(other.id): its first presented sample has the media time \(other.presented), but that of "
              + "\(first.playlist) has \(first.presented); players that do not use edit lists present it "
              + "\(seconds(gap.seconds.magnitude)) too \(gap.seconds > 0 ? "early" : "late"), or not at all",
            file: other.playlist)
        } else if lead.seconds.magnitude > TrackStart.longestPriming {
          report.add(
            "track \(other.id): its first sample has the media time \(other.start), but that of \(first.playlist) has "
              + "\(first.start); players that place the first samples at the same time present it "
              + "\(seconds(lead.seconds.magnitude)) too \(lead.seconds > 0 ? "early" : "late")",
            file: other.playlist)
        }
      }
    }
  ]
}

/// The start of a track of a playlist.
private struct TrackStart {
  /// The difference that no viewer notices, and that writers of other timescales need, in seconds.
  static let tolerance = 0.025
  static let longestPriming = MediaTime.longestPriming.seconds

  let playlist: String
  let id: UInt32
  let isVideo: Bool
  /// The media times of its first sample, and of the first one that is presented.
  let start: MediaTime
  let presented: MediaTime
  /// The duration of an audio sample in seconds; 0 for video.
  let sampleDuration: Double
  /// How much later media times are than presentation times, for each edit.
  let offsets: [MediaTime]

  /// The offset at the start.
  var offset: MediaTime { offsets.first ?? MediaTime(0, 1) }
  /// The difference from an offset in seconds.
  func apart(_ other: MediaTime) -> Double { (other - offset).seconds.magnitude }
}

extension CheckedPlaylist {
  /// The starts of its video and audio.
  fileprivate var trackStarts: [TrackStart] {
    guard let run = runs.first, run.segments.first == 0 else { return [] }
    return run.movie.tracks.compactMap { track in
      guard ["vide", "soun"].contains(track.handler), let (first, presented) = track.mediaStarts else { return nil }
      let sample = track.handler == "soun" ? track.samples.dropFirst().first?.duration.seconds ?? 0 : 0
      return TrackStart(
        playlist: playlist.name, id: track.id, isVideo: track.handler == "vide", start: first, presented: presented,
        sampleDuration: sample, offsets: track.mediaOffsets)
    }
  }
}
