import ISOBMFF
public import MP4
public import MP4Bytes
import MP4DASH
public import MP4HLS
public import MP4Packaging

/// Reads the data of a presentation that subtitles need: its multivariant playlist, the durations of its segments, and
/// the times of their media.
///
/// ```swift
/// var reader = TimingReader(PlaylistLocation(file: "movie/master.m3u8"))
/// let plan = try reader.plan(SubtitlePlanner(), adding: [subtitles])
/// ```
public struct TimingReader: Sendable {
  /// The location of the multivariant playlist; after redirects once it has been read.
  public private(set) var location: PlaylistLocation
  /// The name of the multivariant playlist in messages.
  public private(set) var name: String
  /// The start time of the media, if the caller knows it.
  public let mediaStart: MediaTime?
  /// Whether a media playlist alone is accepted too. Its multivariant playlist is then written, with the bandwidth, the
  /// codecs and the picture size of its segments.
  public var acceptsMediaPlaylist = false
  /// Whether the presentation is a media playlist.
  public private(set) var isMediaPlaylist = false
  /// The segments whose times could not be read, one for each part between discontinuities.
  public private(set) var unknownStarts: [UnknownMediaStart] = []
  private let opener: PresentationOpener

  /// A reader of the presentation whose multivariant playlist is at `location`.
  ///
  /// - Parameters:
  ///   - location: Its location, and what it may refer to.
  ///   - transport: How remote resources are fetched.
  ///   - mediaStart: The start time of the media, if it is known: then the first segment is not read.
  public init(_ location: PlaylistLocation, _ transport: (any Transport)? = nil, mediaStart: MediaTime? = nil) {
    (self.location, name, self.mediaStart) = (location, location.name, mediaStart)
    opener = PresentationOpener(transport, isPooling: false)
  }

  /// Plans the files to add to the presentation; its location is updated after redirects. The multivariant playlist is
  /// read from `source` if it is given, such as a pipe.
  public mutating func plan(
    _ planner: SubtitlePlanner, adding subtitles: [Subtitles], from source: (any ByteSource)? = nil
  ) throws(PresentationError) -> SubtitlePlan {
    let bytes: [UInt8]
    if let source {
      (bytes, name) = (try source.bytes(limit: PresentationOpener.playlistLimit), source.name)
    } else {
      (bytes, location) = try opener.contents(ofPlaylistAt: location, isFirst: true)
      name = location.name
    }
    let main = try multivariant(bytes)
    let timing = try timing(of: main)
    do throws(SubtitleError) { return try planner.plan(subtitles, main, timing) } catch {
      throw .subtitles(file: name, error)
    }
  }

  /// The multivariant playlist of the presentation, or that of a media playlist.
  private mutating func multivariant(_ bytes: [UInt8]) throws(PresentationError) -> MultivariantPlaylist {
    if FileBox(startOf: bytes[...]) != nil { throw .movie(file: name) }
    if MPD.isStart(bytes) {
      let text = "subtitles cannot be added to a DASH manifest; use the multivariant playlist of the same package"
      throw .manifest(file: name, MPDError(text))
    }
    switch try Playlist(bytes, file: name) {
    case .multivariant(let main): return main
    case .media(let playlist) where acceptsMediaPlaylist && !location.isRemote:
      isMediaPlaylist = true
      return try multivariant(of: opened(playlist, OpenedPlaylist(location, name: name)))
    case .media: throw .notMultivariant(file: name)
    }
  }

  /// The segments of a media playlist.
  private func opened(
    _ playlist: MediaPlaylist, _ media: OpenedPlaylist, importing variables: Variables = Variables()
  ) throws(PresentationError) -> OpenedPlaylist {
    var media = media
    media.take(playlist, importing: variables)
    if let problem = media.problems.first { throw problem.reason }
    return media
  }

  /// A multivariant playlist with a local media playlist as its only variant.
  private func multivariant(of media: OpenedPlaylist) throws(PresentationError) -> MultivariantPlaylist {
    var sizes: [(byteCount: Int, duration: Duration)] = []
    var movie: Movie?
    for segment in media.segments where !segment.declared.isGap {
      let item = try allowed(segment.resource, in: media)
      sizes.append((try opener.source(at: item.place, item.byteRange).byteCount ?? 0, segment.declared.duration))
      if movie == nil, let section = segment.section {
        let item = try allowed(media.sections[section].resource, in: media)
        let initialization = try opener.source(at: item.place, item.byteRange)
        movie = try? Movie(reading: [initialization])
      }
    }
    let bandwidth = Bandwidth(sizes, targetDuration: media.playlist?.targetDuration ?? .zero)
    var variant = Variant(location.fileName.description, bandwidth: bandwidth.peak)
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
    guard !variants.isEmpty else { throw .subtitles(file: name, .noVariants) }
    var choice = StreamChoice()
    choice.variant = .number((variants.firstIndex { $0.resolution != nil } ?? 0) + 1)
    let (streams, variables): ([StreamChoice.Stream], Variables)
    do throws(StreamChoice.Failure) {
      (streams, variables) = try choice.streams(of: main, at: location.reference)
    } catch { throw .noStream(file: name, error) }
    let (uri, line) = (streams[0].uri, streams[0].line)
    let place = try location.resolving(uri, line: line, of: name)
    if place.isLinkedOutside { throw .refusedLink(file: name, line: line, uri: uri) }
    let (other, found, _) = try opener.playlist(at: place)
    let playlist = try other.media(file: found.name)
    let media = try opened(playlist, OpenedPlaylist(found), importing: variables)
    var timing = PresentationTiming(playlist, media.segments.map(\.declared))
    for (index, period) in timing.periods.enumerated() {
      timing.periods[index].mediaStart =
        if index == 0, let mediaStart { mediaStart } else { try mediaTime(of: media.segments[period.segments], media) }
    }
    return timing
  }

  /// The start time of the media of a period, from its first segment that is present.
  private mutating func mediaTime(
    of segments: ArraySlice<OpenedPlaylist.Segment>, _ media: OpenedPlaylist
  ) throws(PresentationError) -> MediaTime? {
    guard let segment = segments.first(where: { !$0.declared.isGap }) else { return nil }
    // A location that may not be read is an error; one that cannot be read is reported.
    var map: SegmentSeries.Item?
    if let section = segment.section { map = try allowed(media.sections[section].resource, in: media) }
    let item = try allowed(segment.resource, in: media)
    var reason = UnknownMediaStart.Reason.unreadable
    // A key that cannot be interpreted is not in the items.
    let isLocked =
      segment.isEncryptedAsWhole && item.encryption == nil
      || segment.declared.mapKeys.contains { $0.method == .aes128 } && map?.encryption == nil
    do throws(PresentationError) {
      if isLocked {
        reason = .encrypted
      } else {
        var initialization: (any ByteSource)?
        if let map { initialization = try opener.source(of: map, in: media.name) }
        let source = try opener.source(of: item, in: media.name, isMP4: map != nil)
        if let start = MediaClock.start(of: source, initialization: initialization) { return start }
      }
    } catch {
      if case .key = error { reason = .encrypted } else { reason = .failed(error) }
    }
    unknownStarts.append(UnknownMediaStart(file: media.name, uri: segment.declared.uri, reason: reason))
    return nil
  }

  /// The location of a resource that is not a symbolic link out of the folder of the presentation.
  private func allowed(
    _ resource: Result<SegmentSeries.Item, PresentationError>, in media: OpenedPlaylist
  ) throws(PresentationError) -> SegmentSeries.Item {
    let item = try resource.get()
    if item.place.isLinkedOutside { throw .refusedLink(file: media.name, line: item.line, uri: item.uri) }
    return item
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
