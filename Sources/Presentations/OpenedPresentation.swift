public import MP4Bytes
package import MP4FileIO
public import MP4HLS

/// An HLS or DASH presentation according to its playlists: the media playlists without duplicates, their segments with
/// the locations of their bytes, and the rules that the playlists violate. No segment is read.
///
/// ```swift
/// let presentation = try OpenedPresentation(reading: PlaylistLocation(file: "movie/master.m3u8"))
/// for playlist in presentation.playlists {
///   for segment in playlist.segments {
///     let source = try presentation.source(of: segment, in: playlist)
///     print(segment.line, segment.declared.duration, source.byteCount as Any)
///   }
/// }
/// ```
public struct OpenedPresentation: Sendable {
  /// The maximum number of media playlists that are read.
  public static let maxPlaylists = 1000

  /// The name of the playlist or the folder in messages.
  public let name: String
  /// The location of the first playlist, after redirects; `nil` for several media playlists of a folder.
  public private(set) var location: PlaylistLocation?
  /// The multivariant playlist with variables replaced; `nil` if there is none.
  public private(set) var multivariant: MultivariantPlaylist?
  /// Whether it is a DASH manifest; the playlists then stand for it, and have no findings.
  public var isManifest: Bool { multivariant?.source != nil }
  /// The media playlists without duplicates: those of variants, renditions and I-frames, in this order.
  public private(set) var playlists: [OpenedPlaylist] = []
  /// The HLS rules that the multivariant playlist violates; each media playlist has its own findings.
  public private(set) var findings: [PlaylistFinding] = []
  /// Why resources that the multivariant playlist refers to cannot be read; each media playlist has its own problems.
  public private(set) var problems: [PresentationProblem] = []
  let opener: PresentationOpener
  /// The number of bytes of playlists that may still be read.
  private var remaining = PresentationOpener.playlistLimit

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
    self.init(name: location.name, PresentationOpener(transport))
    let (playlist, found, byteCount) = try opener.playlist(
      at: location, isFirst: true, isTolerant: true, isStopped: isStopped)
    self.location = found
    remaining -= byteCount
    switch playlist {
    case .media(let media):
      playlists = [OpenedPlaylist(found)]
      playlists[0].findings = media.findings
      playlists[0].take(media, importing: Variables())
    case .multivariant(let main): try read(main, at: found, isStopped)
    }
  }

  /// Reads several media playlists that are not referenced; the first error of each is its problem.
  init(name: String, _ media: [PlaylistLocation], _ opener: PresentationOpener) throws(PresentationError) {
    self.init(name: name, opener)
    for location in media.prefix(Self.maxPlaylists) {
      playlists.append(OpenedPlaylist(location))
      try load(playlists.count - 1, from: location, Variables()) { false }
      playlists[playlists.count - 1].findings = playlists[playlists.count - 1].playlist?.findings ?? []
    }
  }

  private init(name: String, _ opener: PresentationOpener) { (self.name, self.opener) = (name, opener) }

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
      let place = Result { () throws(PresentationError) in
        try location.resolving(own.uri, line: own.line, of: location.name)
      }
      if let old = (try? place.get()).flatMap({ places[$0] }) ?? written[asWritten.uri] {
        playlists[old].roles.append(own.role)
        continue
      }
      guard playlists.count < Self.maxPlaylists else {
        let error = PresentationError.tooManyPlaylists(file: location.name, limit: Self.maxPlaylists)
        problems.append(PresentationProblem(location.name, line: own.line, error))
        break
      }
      let index = playlists.count
      playlists.append(OpenedPlaylist(try? place.get(), uri: own.uri, line: own.line, roles: [own.role]))
      written[asWritten.uri] = index
      switch place {
      case .success(let place):
        places[place] = index
        try load(index, from: location, variables, isStopped)
      case .failure(let error):
        playlists[index].problems.append(PresentationProblem(location.name, line: own.line, error))
      }
    }
    if isManifest { return }
    for finding in Presentation(main, media: written.compactMapValues { playlists[$0].playlist }).findings {
      if let index = finding.playlist.flatMap({ written[$0] }) {
        playlists[index].findings.append(finding)
      } else {
        findings.append(finding)
      }
    }
  }

  /// Reads a media playlist to which a line of `main` refers.
  private mutating func load(
    _ index: Int, from main: PlaylistLocation, _ variables: Variables, _ isStopped: () -> Bool
  ) throws(PresentationError) {
    let own = playlists[index]
    guard let place = own.location else { return }
    do throws(PresentationError) {
      let (playlist, found, byteCount) = try opener.playlist(at: place, isTolerant: true, isStopped: isStopped)
      guard byteCount <= remaining else { throw .tooLong(file: found.name, limit: PresentationOpener.playlistLimit) }
      remaining -= byteCount
      let media = try playlist.media(file: found.name)
      playlists[index] = OpenedPlaylist(found, uri: own.uri, line: own.line, roles: own.roles)
      playlists[index].take(media, importing: variables)
    } catch {
      if case .stopped = error { throw error }
      if case .fetch(let error) = error, error.problem == .stopped { throw .stopped(file: name) }
      playlists[index].problems.append(PresentationProblem(main.name, line: own.line, error))
    }
  }

  // MARK: Segments

  /// The bytes of a segment, without its initialization section. Only a few sources are open at a time, and if the
  /// transport supports it, only the ranges that are read are fetched. Segments that are encrypted as a whole are
  /// decrypted, unless their key cannot be read.
  public func source(
    of segment: OpenedPlaylist.Segment, in playlist: OpenedPlaylist
  ) throws(PresentationError) -> any ByteSource {
    try opener.source(
      of: segment.resource.get(), in: playlist.name, isMP4: segment.section != nil, keepsEncrypted: true)
  }

  /// The bytes of an initialization section.
  public func source(
    of section: OpenedPlaylist.Section, in playlist: OpenedPlaylist
  ) throws(PresentationError) -> any ByteSource {
    try opener.source(of: section.resource.get(), in: playlist.name, keepsEncrypted: true)
  }

  /// The number of open sources.
  package var openCount: Int { opener.openCount }
}

extension OpenedPresentation {
  /// The playlist of a variant, by default the first one, and those of its renditions; of audio and subtitles only
  /// those in `languages`, if there are any. All playlists if there is no multivariant playlist.
  ///
  /// - Throws: `PresentationError.noStream` if there is no such variant, or no rendition of it in one of the languages.
  public func playlists(
    of choice: VariantChoice?, languages: [String] = []
  ) throws(PresentationError) -> [OpenedPlaylist] {
    guard let main = multivariant, !main.variants.isEmpty else { return playlists }
    do throws(StreamChoice.Failure) {
      let index = try main.position(of: choice ?? .number(1), speaking: languages, in: [.audio, .subtitles])
      return playlists(ofVariant: index, languages: languages)
    } catch { throw .noStream(file: name, error) }
  }

  /// The playlist of the variant at `index`, and those of its renditions.
  package func playlists(ofVariant index: Int, languages: [String] = []) -> [OpenedPlaylist] {
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

extension InputRegistry {
  /// Adds the local files of a presentation, so that no output replaces them.
  package func add(_ presentation: OpenedPresentation) {
    if let location = presentation.location { add(location) }
    for playlist in presentation.playlists { add(playlist) }
  }

  /// Adds the files of a media playlist.
  package func add(_ playlist: OpenedPlaylist) {
    if let location = playlist.location { add(location) }
    for section in playlist.sections { if let item = try? section.resource.get() { add(item.place) } }
    var last: PlaylistLocation?
    for segment in playlist.segments {
      guard let place = try? segment.resource.get().place, place != last else { continue }
      add(place)
      last = place
    }
  }

  /// Adds the file at this location, if it is one.
  package func add(_ location: PlaylistLocation) { if let path = location.path.flatMap({ Pathname($0) }) { add(path) } }
}
