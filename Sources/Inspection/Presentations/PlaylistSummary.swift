import Bytes
public import HLS
import ISOBMFF
public import MP4
public import Packaging
import Presentations

/// What a media playlist is: what it declares, and what its segments contain.
public struct PlaylistSummary: Sendable {
  /// Its name: its path or URL.
  public let name: String
  /// Its URI in the multivariant playlist; its name without one.
  public let uri: String
  /// Whether segments may be added.
  public let isLive: Bool
  /// EXT-X-VERSION; `nil` if the playlist cannot be read.
  public let version: Int?
  /// Whether each segment is a single picture.
  public let isIFramesOnly: Bool
  /// The number of segments.
  public let segmentCount: Int
  /// How many of them are marked as missing.
  public let gapCount: Int
  /// The number of parts between discontinuities and changes of the initialization section.
  public let partCount: Int
  /// The sum of the durations of its segments.
  public let duration: MediaTime
  /// EXT-X-TARGETDURATION.
  public let targetDuration: MediaTime
  /// The shortest and the longest duration of a segment; `nil` without segments.
  public let segmentDurations: ClosedRange<MediaTime>?
  /// The methods by which segments are encrypted, such as `AES-128`.
  public let encryption: [String]
  /// What its segments are if they are not MP4, such as `an MPEG transport stream`; `nil` if that is unknown.
  public let otherFormat: String?
  /// The movie of its longest part; `nil` if its segments are not MP4, or cannot be read.
  public let movie: MovieSummary?
  /// The bit rate of its segments; `nil` if the size of one of them is unknown.
  public let bandwidth: Bandwidth?
  /// How long the segments last that were examined.
  public let examined: MediaTime
  /// The rules of HLS that it violates.
  public let findings: [PlaylistFinding]
  /// What of it cannot be read.
  public let problems: [PresentationProblem]
  /// Why its segments are not a movie.
  public let failure: MovieError?

  /// Whether all its segments were examined.
  public var isWhole: Bool { examined >= duration }
}

extension PlaylistSummary {
  /// Examines a media playlist of a presentation, and its segments until `limit`.
  init(_ playlist: InspectedPlaylist, of presentation: InspectedPresentation, until limit: Duration?) {
    let segments = playlist.segments
    (name, uri, findings) = (playlist.name, playlist.uri, playlist.findings)
    let media = playlist.playlist
    isLive = media.map { !$0.isEnded && $0.playlistType != .vod } ?? false
    (version, isIFramesOnly) = (media?.version, media?.isIFramesOnly ?? false)
    (segmentCount, gapCount) = (segments.count, segments.count { $0.declared.isGap })
    duration = MediaTime(playlist.duration(of: segments.indices))
    targetDuration = MediaTime(media?.targetDuration ?? .zero)
    let durations = segments.map(\.declared.duration)
    segmentDurations = durations.min().flatMap { least in
      durations.max().map { MediaTime(least)...MediaTime($0) }
    }
    encryption = segments.reduce(into: []) { methods, segment in
      for key in segment.declared.keys where !methods.contains(key.method.rawValue) {
        methods.append(key.method.rawValue)
      }
    }
    let parts = playlist.parts
    partCount = parts.count
    var reading = SegmentReading(playlist, presentation)
    reading.read(until: limit)
    examined = MediaTime(reading.examined)
    bandwidth = reading.bandwidth
    otherFormat = reading.otherFormat
    (movie, failure) = reading.movie(ofLongest: parts)
    problems = playlist.problems + reading.problems
  }
}

/// The segments of a playlist, as far as they can be read.
private struct SegmentReading {
  private let playlist: InspectedPlaylist
  private let presentation: InspectedPresentation
  private(set) var problems: [PresentationProblem] = []
  private(set) var examined = Duration.zero
  private var sources: [(any ByteSource)?] = []
  private var sections: [Int: any ByteSource] = [:]

  init(_ playlist: InspectedPlaylist, _ presentation: InspectedPresentation) {
    (self.playlist, self.presentation) = (playlist, presentation)
  }

  /// Finds the segments with their initialization sections, and how large they are.
  mutating func read(until limit: Duration?) {
    let (playlist, presentation) = (playlist, presentation)
    var section: Int?
    for segment in playlist.segments {
      if let limit, examined >= limit { break }
      examined += segment.declared.duration
      if let own = segment.section, own != section, sections[own] == nil, !segment.declared.isGap {
        let declared = playlist.sections[own]
        sections[own] = source(declared.line) { () throws(PresentationError) in
          try presentation.source(of: declared, in: playlist)
        }
        section = own
      }
      let source =
        segment.declared.isGap
        ? nil
        : source(segment.line) { () throws(PresentationError) in try presentation.source(of: segment, in: playlist) }
      sources.append(source)
    }
  }

  private mutating func source(
    _ line: Int, _ open: () throws(PresentationError) -> any ByteSource
  ) -> (any ByteSource)? {
    do throws(PresentationError) { return try open() } catch {
      problems.append(PresentationProblem(playlist.name, line: line, error))
      return nil
    }
  }

  /// The bit rate of the segments that are there; `nil` without any, or if a size is unknown.
  var bandwidth: Bandwidth? {
    var sizes: [(byteCount: Int, duration: Duration)] = []
    for (segment, source) in zip(playlist.segments, sources) where source != nil {
      guard let size = source?.byteCount else { return nil }
      sizes.append((size, segment.declared.duration))
    }
    let target = playlist.playlist?.targetDuration ?? .zero
    return sizes.isEmpty ? nil : Bandwidth(sizes, targetDuration: max(target, .seconds(1)))
  }

  /// What the first segment is if it is not MP4.
  var otherFormat: String? {
    guard let index = sources.indices.first(where: { sources[$0] != nil && !playlist.segments[$0].isOpaque }) else {
      return nil
    }
    return sources[index].flatMap { try? ForeignFormat(of: $0) }?.name
  }

  /// The movie of the part that lasts longest of those that were read. Of I-frames, which can be pieces of segments,
  /// it is that of the initialization section alone.
  func movie(ofLongest parts: [Range<Int>]) -> (MovieSummary?, MovieError?) {
    let readable = parts.map { part in part.filter { $0 < sources.count && isReadable($0) } }.filter { !$0.isEmpty }
    func length(_ part: [Int]) -> Duration { part.reduce(.zero) { $0 + playlist.segments[$1].declared.duration } }
    guard otherFormat == nil, let part = readable.max(by: { length($0) < length($1) }) else { return (nil, nil) }
    var movie: [any ByteSource] = []
    if let section = playlist.segments[part[0]].section {
      guard let own = sections[section] else { return (nil, nil) }
      movie.append(own)
    }
    if playlist.playlist?.isIFramesOnly != true || movie.isEmpty { movie += part.compactMap { sources[$0] } }
    do throws(MovieError) { return (try MovieSummary(Movie(reading: movie)), nil) } catch { return (nil, error) }
  }

  private func isReadable(_ index: Int) -> Bool { sources[index] != nil && !playlist.segments[index].isOpaque }
}

extension MediaTime {
  /// The time in microseconds.
  init(_ duration: Duration) { self.init(duration, timescale: 1_000_000) }
}
