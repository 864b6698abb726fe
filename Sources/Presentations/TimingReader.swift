import Bytes
import HLS
import ISOBMFF
public import MP4
public import Packaging

/// Reads the data of a presentation that subtitles need: its multivariant playlist, the durations of its segments, and
/// the times of their media.
///
/// ```swift
/// var reader = TimingReader(PresentationLocation(PlaylistLocation(file: "movie/master.m3u8")))
/// let plan = try reader.plan(SubtitlePlanner(), adding: [subtitles])
/// ```
public struct TimingReader: Sendable {
  /// The presentation; after redirects once it has been read.
  public private(set) var presentation: PresentationLocation
  /// The start time of the media, if the caller knows it.
  public let mediaStart: MediaTime?
  /// Whether a media playlist alone is accepted too. Its multivariant playlist is then written, with the bandwidth, the
  /// codecs and the picture size of its segments.
  public var acceptsMediaPlaylist = false
  /// Whether the presentation is a media playlist.
  public private(set) var isMediaPlaylist = false
  /// The segments whose times could not be read, one for each part between discontinuities.
  public private(set) var unknownStarts: [UnknownMediaStart] = []

  /// A reader of this presentation; if `mediaStart` is given, the first segment is not read.
  public init(_ presentation: PresentationLocation, mediaStart: MediaTime? = nil) {
    (self.presentation, self.mediaStart) = (presentation, mediaStart)
  }

  /// Plans the files to add to the presentation; its location is updated after redirects.
  public mutating func plan(
    _ planner: SubtitlePlanner, adding subtitles: [Subtitles]
  ) throws(PresentationError) -> SubtitlePlan {
    let main = try multivariant()
    let timing = try timing(of: main)
    do throws(SubtitleError) { return try planner.plan(subtitles, main, timing) } catch {
      throw .subtitles(file: presentation.name, error)
    }
  }

  /// The multivariant playlist of the presentation, or that of a media playlist.
  private mutating func multivariant() throws(PresentationError) -> MultivariantPlaylist {
    let bytes = try presentation.playlistBytes()
    if FileBox(startOf: bytes[...]) != nil { throw .movie(file: presentation.name) }
    let playlist = try Self.naming(presentation) { () throws(PlaylistError) in try Playlist(bytes) }
    switch playlist {
    case .multivariant(let main): return main
    case .media(let media) where acceptsMediaPlaylist && !presentation.isRemote:
      isMediaPlaylist = true
      return try multivariant(of: media)
    case .media: throw .notMultivariant(file: presentation.name)
    }
  }

  /// A multivariant playlist with a local media playlist as its only variant.
  private func multivariant(of playlist: MediaPlaylist) throws(PresentationError) -> MultivariantPlaylist {
    let segments = try Self.naming(presentation) { () throws(PlaylistError) in
      let own = try Variables(playlist.definitions, importing: Variables(), uri: presentation.playlist.reference)
      return try PresentationTiming(playlist, own).segments
    }
    var sizes: [(byteCount: Int, duration: Duration)] = []
    var movie: Movie?
    for segment in segments where !segment.isGap {
      let line = playlist.lineNumber(ofSegment: segment.index)
      let source = try presentation.moved(to: segment.uri, line: line).segment(segment.byteRange, nil)
      sizes.append((source.byteCount ?? 0, segment.duration))
      if movie == nil, let map = segment.map {
        let place = try presentation.moved(to: map.uri, line: playlist.lineNumber(ofMapForSegment: segment.index))
        let initialization = try place.segment(map.byteRange.map { $0.bytes(from: 0) }, nil)
        movie = try? Movie(reading: [initialization])
      }
    }
    let bandwidth = Bandwidth(sizes, targetDuration: playlist.targetDuration)
    var variant = Variant(presentation.fileName.description, bandwidth: bandwidth.peak)
    variant.averageBandwidth = bandwidth.average
    let codecs = (movie?.tracks ?? []).flatMap(\.codecs)
    if !codecs.isEmpty { variant.codecs = codecs.joined(separator: ",") }
    let size = movie?.tracks.lazy.compactMap(\.pictureSize).first
    variant.resolution = size.map { Resolution(width: $0.width, height: $0.height) }
    var main = MultivariantPlaylist()
    main.variants = [variant]
    main.version = main.lowestVersion
    return main
  }

  /// The segments of the first variant with video, or else of the first one, and the times of their media.
  private mutating func timing(of main: MultivariantPlaylist) throws(PresentationError) -> PresentationTiming {
    let variants = main.variants
    guard !variants.isEmpty else { throw .subtitles(file: presentation.name, .noVariants) }
    var choice = StreamChoice()
    choice.variant = .number((variants.firstIndex { $0.resolution != nil } ?? 0) + 1)
    let (streams, variables): ([StreamChoice.Stream], Variables)
    do throws(StreamChoice.Failure) {
      (streams, variables) = try choice.streams(of: main, at: presentation.playlist.reference)
    } catch { throw .noStream(file: presentation.name, error) }
    var inner = try presentation.moved(to: streams[0].uri, line: streams[0].line)
    let bytes = try inner.playlistBytes()
    let playlist = try Self.naming(inner) { () throws(PlaylistError) in try MediaPlaylist(bytes) }
    var timing = try Self.naming(inner) { () throws(PlaylistError) in
      let own = try Variables(playlist.definitions, importing: variables, uri: inner.playlist.reference)
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

  /// The start time of the media of a period, from its first segment that is present.
  private mutating func mediaTime(
    of period: PresentationTiming.Period, _ timing: PresentationTiming, _ playlist: MediaPlaylist,
    _ location: PresentationLocation
  ) throws(PresentationError) -> MediaTime? {
    let segments = timing.segments[period.segments]
    guard let segment = segments.first(where: { !$0.isGap }) else { return nil }
    var reason = UnknownMediaStart.Reason.unreadable
    // A location that may not be read is an error; one that cannot be read is reported.
    var map: (location: PresentationLocation, range: Range<Int>?)?
    if let own = segment.map {
      let line = playlist.lineNumber(ofMapForSegment: segment.index)
      map = (try location.moved(to: own.uri, line: line), own.byteRange.map { $0.bytes(from: 0) })
    }
    let line = playlist.lineNumber(ofSegment: segment.index)
    let media = try location.moved(to: segment.uri, line: line)
    do throws(PresentationError) {
      let (own, ofMap) = try location.encryption(of: segment, line: line)
      let initialization = if let map { try map.location.segment(map.range, ofMap) } else { nil as (any ByteSource)? }
      let source = try media.segment(segment.byteRange, own, isMP4: map != nil)
      if let start = MediaClock.start(of: source, initialization: initialization) { return start }
    } catch {
      switch error {
      case .key, .segment: reason = .encrypted
      default: reason = .failed(error)
      }
    }
    unknownStarts.append(UnknownMediaStart(file: location.name, uri: segment.uri, reason: reason))
    return nil
  }

  /// Runs an operation on a playlist, and adds the name of the playlist to its errors.
  private static func naming<Value>(
    _ location: PresentationLocation, _ body: () throws(PlaylistError) -> Value
  ) throws(PresentationError) -> Value {
    do throws(PlaylistError) { return try body() } catch { throw .playlist(file: location.name, error) }
  }
}

/// A segment whose start time is unknown and counts as 0.
public struct UnknownMediaStart: Sendable {
  /// Why it is unknown.
  public enum Reason: Sendable {
    /// The segment is encrypted.
    case encrypted
    /// It has no readable times.
    case unreadable
    /// The segment cannot be read.
    case failed(PresentationError)
  }
  /// The media playlist.
  public var file: String
  /// The URI of the segment in the playlist.
  public var uri: String
  /// Why it is unknown.
  public var reason: Reason
}

extension UnknownMediaStart: CustomStringConvertible {
  /// A sentence that names the playlist.
  public var description: String { "\(file): \(text)" }

  /// The sentence without the name of the playlist.
  package var text: String {
    let reason =
      switch reason {
      case .encrypted: "it is encrypted"
      case .unreadable: "its times cannot be read"
      case .failed(let error): error.description
      }
    return "the start time of segment \(uri) is unknown (\(reason)); 0 is used"
  }
}
