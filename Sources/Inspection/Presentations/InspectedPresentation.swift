public import Bytes
public import HLS
public import Presentations

/// An HLS presentation according to its playlists: the media playlists without duplicates, their segments with the
/// locations of their bytes, and the rules that the playlists violate. No segment is read.
///
/// ```swift
/// let presentation = try InspectedPresentation(reading: PlaylistLocation(file: "movie/master.m3u8"))
/// for playlist in presentation.playlists {
///   for segment in playlist.segments {
///     let source = try presentation.source(of: segment, in: playlist)
///     print(segment.line, segment.declared.duration, source.byteCount as Any)
///   }
/// }
/// ```
public struct InspectedPresentation: Sendable {
  /// The maximum number of media playlists that are read.
  public static let maxPlaylists = 1000

  /// The name of the playlist or the folder in messages.
  public let name: String
  /// The location of the first playlist, after redirects; `nil` for several media playlists of a folder.
  public private(set) var location: PlaylistLocation?
  /// The multivariant playlist with variables replaced; `nil` if there is none.
  public private(set) var multivariant: MultivariantPlaylist?
  /// The media playlists without duplicates: those of variants, renditions and I-frames, in this order.
  public private(set) var playlists: [InspectedPlaylist] = []
  /// The HLS rules that the multivariant playlist violates; each media playlist has its own findings.
  public private(set) var findings: [PlaylistFinding] = []
  /// Why resources that the multivariant playlist refers to cannot be read; each media playlist has its own problems.
  public private(set) var problems: [PresentationProblem] = []
  private let sources: SourcePool
  private let loader: PlaylistLoader
  /// The number of bytes of playlists that may still be read.
  private var remaining = PlaylistLoader.playlistLimit

  /// Called with the number of opened segments, and the total number.
  public typealias Progress = (_ opened: Int, _ total: Int) -> Void

  /// Reads the playlist at `location`, and those that it refers to. Unreadable media playlists are reported as
  /// problems.
  ///
  /// - Parameters:
  ///   - location: The location of a multivariant or media playlist, and what it may refer to.
  ///   - transport: How remote resources are fetched.
  ///   - isStopped: Called from time to time; returns whether to stop.
  /// - Throws: `PresentationError` if the first playlist cannot be read.
  public init(
    reading location: PlaylistLocation, _ transport: (any Transport)? = nil, isStopped: () -> Bool = { false }
  ) throws(PresentationError) {
    self.init(name: location.name, transport)
    let (bytes, found) = try loader.playlist(at: location, isFirst: true, isStopped: isStopped)
    self.location = found
    let playlist: Playlist
    do throws(PlaylistError) { playlist = try Playlist(bytes, isTolerant: true) } catch {
      throw .playlist(file: found.name, error)
    }
    remaining -= bytes.count
    switch playlist {
    case .media(let media):
      var own = InspectedPlaylist(found.name, line: 0, found, [])
      own.findings = media.findings
      own.take(media, importing: Variables())
      playlists = [own]
    case .multivariant(let main): try read(main, at: found, isStopped)
    }
  }

  /// Reads several media playlists that are not referenced; the first error of each is its problem.
  init(name: String, _ media: [PlaylistLocation], _ transport: (any Transport)?) {
    self.init(name: name, transport)
    for location in media.prefix(Self.maxPlaylists) {
      var own = InspectedPlaylist(location.name, line: 0, location, [])
      do throws(PresentationError) {
        let media = try playlist(at: location) { false }.media
        own.findings = media.findings
        own.take(media, importing: Variables())
      } catch { own.problems.append(PresentationProblem(own.name, line: 0, error)) }
      playlists.append(own)
    }
  }

  private init(name: String, _ transport: (any Transport)?) {
    self.name = name
    sources = SourcePool(transport)
    loader = PlaylistLoader(transport)
  }

  // MARK: Playlists

  private mutating func read(
    _ main: MultivariantPlaylist, at location: PlaylistLocation, _ isStopped: () -> Bool
  ) throws(PresentationError) {
    var (variables, known) = (Variables(), main)
    do throws(PlaylistError) {
      variables = try Variables(main.definitions, uri: location.reference)
      known = try main.substituted(variables)
    } catch {
      problems.append(PresentationProblem(location.name, line: error.line, .playlist(file: location.name, error)))
    }
    multivariant = known
    var places: [PlaylistLocation: Int] = [:]
    // Findings name playlists by their URI as written; if several URIs lead to one playlist, the first.
    var written: [String: Int] = [:]
    for (own, asWritten) in zip(known.references, main.references) {
      if isStopped() { throw .stopped(file: name) }
      var (place, refusal) = (PlaylistLocation?.none, PlaylistLocation.Refusal?.none)
      do throws(PlaylistLocation.Refusal) { place = try location.resolving(own.uri) } catch { refusal = error }
      if let old = place.flatMap({ places[$0] }) ?? written[asWritten.uri] {
        playlists[old].roles.append(own.role)
        continue
      }
      guard playlists.count < Self.maxPlaylists else {
        let error = PresentationError.tooManyPlaylists(file: location.name, limit: Self.maxPlaylists)
        problems.append(PresentationProblem(location.name, line: own.line, error))
        break
      }
      let index = playlists.count
      playlists.append(InspectedPlaylist(own.uri, line: own.line, place, [own.role]))
      written[asWritten.uri] = index
      if let place {
        places[place] = index
        try load(index, from: location, variables, isStopped)
      } else if let refusal {
        let error = PresentationError.refused(file: location.name, line: own.line, uri: own.uri, refusal)
        playlists[index].problems.append(PresentationProblem(location.name, line: own.line, error))
      }
    }
    for finding in Presentation(main, media: written.compactMapValues { playlists[$0].playlist }).findings {
      if let index = finding.playlist.flatMap({ written[$0] }) {
        playlists[index].findings.append(finding)
      } else {
        findings.append(finding)
      }
    }
  }

  private mutating func load(
    _ index: Int, from main: PlaylistLocation, _ variables: Variables, _ isStopped: () -> Bool
  ) throws(PresentationError) {
    let own = playlists[index]
    guard let place = own.location else { return }
    do throws(PresentationError) {
      let (media, found) = try playlist(at: place, isStopped)
      playlists[index] = InspectedPlaylist(own.uri, line: own.line, found, own.roles)
      playlists[index].take(media, importing: variables)
    } catch {
      if case .stopped = error { throw error }
      if case .fetch(let error) = error, error.problem == .stopped { throw .stopped(file: name) }
      playlists[index].problems.append(PresentationProblem(main.name, line: own.line, error))
    }
  }

  /// The media playlist at `location`, and its location after redirects.
  private mutating func playlist(
    at location: PlaylistLocation, _ isStopped: () -> Bool
  ) throws(PresentationError) -> (media: MediaPlaylist, location: PlaylistLocation) {
    let (bytes, found) = try loader.playlist(at: location, isStopped: isStopped)
    guard bytes.count <= remaining else { throw .tooLong(file: found.name, limit: PlaylistLoader.playlistLimit) }
    remaining -= bytes.count
    do throws(PlaylistError) { return (try MediaPlaylist(bytes, isTolerant: true), found) } catch {
      throw .playlist(file: found.name, error)
    }
  }

  // MARK: Segments

  /// The bytes of a segment, without its initialization section. Only a few sources are open at a time, and if the
  /// transport supports it, only the ranges that are read are fetched. Segments that are encrypted as a whole are
  /// decrypted, unless their key cannot be read.
  public func source(
    of segment: InspectedPlaylist.Segment, in playlist: InspectedPlaylist
  ) throws(PresentationError) -> any ByteSource {
    try source(
      segment.resource, segment.declared.uri, line: segment.line, in: playlist, isMP4: segment.section != nil)
  }

  /// The bytes of an initialization section.
  public func source(
    of section: InspectedPlaylist.Section, in playlist: InspectedPlaylist
  ) throws(PresentationError) -> any ByteSource {
    try source(section.resource, section.declared.uri, line: section.line, in: playlist)
  }

  /// The bytes of several segments and initialization sections, in order. Several are opened concurrently; `onEach` is
  /// called after each.
  func sources(
    of items: [PlaylistMedia.Item], in playlist: InspectedPlaylist, onEach: () -> Void
  ) -> [Result<any ByteSource, PresentationError>] {
    // Keys are read first, because segments share them.
    for case .segment(let index) in items {
      if let own = try? playlist.segments[index].resource.get().encryption { _ = try? sources.key(own.key) }
    }
    return sources.sources(of: items, areLocal: playlist.location?.path != nil, onEach: onEach) {
      item throws(PresentationError) in
      switch item {
      case .section(let index): try self.source(of: playlist.sections[index], in: playlist)
      case .segment(let index): try self.source(of: playlist.segments[index], in: playlist)
      }
    }
  }

  /// The number of open sources.
  package var openCount: Int { sources.openCount }

  private func source(
    _ resource: Result<SegmentSeries.Item, PlaylistLocation.Refusal>, _ uri: String, line: Int,
    in playlist: InspectedPlaylist, isMP4: Bool = true
  ) throws(PresentationError) -> any ByteSource {
    let item: SegmentSeries.Item
    do throws(PlaylistLocation.Refusal) { item = try resource.get() } catch {
      throw .refused(file: playlist.name, line: line, uri: uri, error)
    }
    let source = try sources.source(at: item.place, item.byteRange)
    guard let encryption = item.encryption else { return source }
    do throws(KeyProblem) {
      return try DecryptedSegment(source, encryption, sources.key(encryption.key), isMP4: isMP4)
    } catch {
      switch error {
      case .io, .fetch: return source
      case .segment(let error): throw .io(error)
      case .size, .wrong: throw .key(file: playlist.name, line: encryption.key.line, error)
      }
    }
  }
}

extension InspectedPresentation {
  /// The playlist of a variant, by default the first one, and those of its renditions; of audio and subtitles only
  /// those in `languages`, if there are any. All playlists if there is no multivariant playlist.
  ///
  /// - Throws: `PresentationError.noStream` if there is no such variant, or no rendition of it in one of the languages.
  public func playlists(
    of choice: VariantChoice?, languages: [String] = []
  ) throws(PresentationError) -> [InspectedPlaylist] {
    guard let main = multivariant, !main.variants.isEmpty else { return playlists }
    guard let variant = main.variant(choice ?? .number(1)), let index = main.variants.firstIndex(of: variant) else {
      throw .noStream(file: name, .noVariant(there: main.variantSummaries))
    }
    let spoken = [Rendition.Kind.audio, .subtitles].flatMap { main.renditions($0, of: variant) }
    for language in languages where !spoken.contains(where: { $0.isIn(language) }) {
      throw .noStream(file: name, .noLanguage(language, there: spoken.compactMap(\.language)))
    }
    return playlists(ofVariant: index, languages: languages)
  }

  /// The playlist of the variant at `index`, and those of its renditions.
  func playlists(ofVariant index: Int, languages: [String] = []) -> [InspectedPlaylist] {
    guard let main = multivariant, main.variants.indices.contains(index) else { return playlists }
    let variant = main.variants[index]
    let spoken = [Rendition.Kind.audio, .subtitles].flatMap { main.renditions($0, of: variant) }.filter { rendition in
      languages.isEmpty || languages.contains { rendition.isIn($0) }
    }
    let wanted = main.renditions(.video, of: variant) + spoken
    let renditions = main.renditions
    return playlists.filter { playlist in
      playlist.roles.contains { role in
        switch role {
        case .variant(let own): own == index
        case .rendition(let own): renditions.indices.contains(own) && wanted.contains(renditions[own])
        case .iFrames: false
        }
      }
    }
  }
}
