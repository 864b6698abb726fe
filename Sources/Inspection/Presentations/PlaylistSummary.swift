import ISOBMFF
public import MP4
import MP4Bytes
public import MP4HLS
public import MP4Packaging
public import MP4Presentations

/// A summary of a media playlist and the contents of its segments.
public struct PlaylistSummary: Sendable {
  /// Its name: its path or URL.
  public let name: String
  /// Its URI in the multivariant playlist; its name if there is none.
  public let uri: String
  /// Whether segments may be added.
  public let isLive: Bool
  /// EXT-X-VERSION; `nil` if the playlist cannot be read.
  public let version: Int?
  /// Whether each segment is a single picture.
  public let isIFramesOnly: Bool
  /// The number of segments.
  public let segmentCount: Int
  /// The number of segments that are marked as missing.
  public let gapCount: Int
  /// The number of parts between discontinuities and changes of the initialization section.
  public let partCount: Int
  /// The sum of the durations of its segments.
  public let duration: MediaTime
  /// EXT-X-TARGETDURATION.
  public let targetDuration: MediaTime
  /// The shortest and the longest duration of a segment; `nil` without segments.
  public let segmentDurations: ClosedRange<MediaTime>?
  /// The encryption methods of the segments, such as `AES-128`.
  public let encryption: [String]
  /// The format of its segments if they are not MP4, such as `an MPEG transport stream`; `nil` if unknown.
  public let otherFormat: String?
  /// The movie of its longest part; `nil` if its segments are not MP4, or cannot be read.
  public let movie: MovieSummary?
  /// The tracks of the sources of all its parts, such as the programs of a live stream: those of `movie`, then those of
  /// other initialization sections.
  let sources: [[TrackSummary]]
  /// The bit rate of its segments; `nil` if the size of one of them is unknown.
  public let bandwidth: Bandwidth?
  /// The total duration of the examined segments.
  public let examined: MediaTime
  /// The HLS rules that it violates.
  public let findings: [PlaylistFinding]
  /// Problems with reading it.
  public let problems: [PresentationProblem]
  /// Why its segments are not a movie.
  public let failure: MovieError?

  /// Whether all its segments were examined.
  public var isWhole: Bool { examined >= duration }
}

extension PlaylistSummary {
  /// Examines the media of a playlist. `read` has movies of it that have already been read.
  init(_ media: PlaylistMedia, read: [MediaRun] = []) {
    let playlist = media.playlist
    let segments = playlist.segments
    (name, uri, findings) = (playlist.name, playlist.uri, playlist.findings)
    let declared = playlist.playlist
    isLive = declared.map { !$0.isEnded && $0.playlistType != .vod } ?? false
    (version, isIFramesOnly) = (declared?.version, declared?.isIFramesOnly ?? false)
    (segmentCount, gapCount) = (segments.count, segments.count { $0.declared.isGap })
    duration = MediaTime(playlist.duration(of: segments.indices))
    targetDuration = MediaTime(declared?.targetDuration ?? .zero)
    let durations = segments.map(\.declared.duration)
    segmentDurations = durations.min().flatMap { least in
      durations.max().map { MediaTime(least)...MediaTime($0) }
    }
    encryption = segments.reduce(into: []) { methods, segment in
      for key in segment.declared.keys where !methods.contains(key.method.rawValue) {
        methods.append(key.method.rawValue)
      }
    }
    partCount = playlist.parts.count
    examined = MediaTime(media.examined)
    bandwidth = media.bandwidth
    otherFormat = media.otherFormat
    (movie, failure) = otherFormat == nil ? Self.movie(of: media, read: read) : (nil, nil)
    sources = movie.map { [$0.tracks] + Self.otherSources(of: media) } ?? []
    problems = playlist.problems + media.problems
  }

  /// The tracks of the initialization sections, if there are several.
  private static func otherSources(of media: PlaylistMedia) -> [[TrackSummary]] {
    guard media.sections.count > 1 else { return [] }
    return media.sections.sorted { $0.key < $1.key }.compactMap { _, section in
      (try? Movie(reading: [section])).flatMap { try? MovieSummary($0).tracks }
    }
  }

  /// The movie of the longest part that has been read. For I-frames, which can be parts of segments, only the
  /// initialization section is used.
  private static func movie(of media: PlaylistMedia, read: [MediaRun]) -> (MovieSummary?, MovieError?) {
    let playlist = media.playlist
    func length(_ part: [Int]) -> Duration { part.reduce(.zero) { $0 + playlist.segments[$1].declared.duration } }
    let isWhole = playlist.playlist?.isIFramesOnly != true
    do throws(MovieError) {
      // If segments are missing, there is a movie for each run without gaps.
      if isWhole, let run = read.max(by: { length($0.segments) < length($1.segments) }) {
        return (try MovieSummary(run.movie), nil)
      }
      let parts = playlist.parts.map(media.readable).filter { !$0.isEmpty }
      guard let part = parts.max(by: { length($0) < length($1) }) else { return (nil, nil) }
      guard let sources = media.sources(of: part, isWhole: isWhole) else { return (nil, nil) }
      return (try MovieSummary(Movie(reading: sources)), nil)
    } catch { return (nil, error) }
  }
}

extension MediaTime {
  /// The duration in microseconds.
  init(_ duration: Duration) { self.init(duration, timescale: 1_000_000) }
}
