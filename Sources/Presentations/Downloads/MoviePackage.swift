package import MP4Bytes
import MP4DASH
import MP4FileIO
import MP4HLS

/// What Apple's players download (`.movpkg`), as the playlists of an HLS presentation.
///
/// It is a folder. `boot.xml` lists the streams, and the multivariant playlist that was downloaded with them. The
/// folder of each stream has `StreamInfoBoot.xml`, which lists the files of its segments (`*.frag`) and init segments
/// (`*.initfrag`), and a copy of its media playlist. Apple has not published the format; this follows public examples
/// of these files, and GStreamer's reader of them.
///
/// As with a DASH manifest, each stream is a media playlist at the location of `boot.xml`, with the ID of the stream as
/// fragment.
package struct MoviePackage {
  /// The name of the file that lists the streams.
  private static let fileName = "boot.xml"
  /// The name of the root element of that file.
  package static let rootName = "HLSMoviePackage"

  /// The path of that file, if `folder` has one.
  package static func file(in folder: Pathname) -> Pathname? {
    let path = Pathname(fileName).map { folder.appending($0) }
    return path.flatMap { FileIdentity(of: $0) == nil ? nil : path }
  }

  private struct Stream {
    let id: String
    /// Its folder.
    let path: String
    /// Where it was downloaded from.
    let address: String
  }

  private let location: PlaylistLocation
  private let streams: [Stream]
  /// The copy of the multivariant playlist, and where it was downloaded from.
  private let main: (path: String, address: URIReference)?

  /// Reads `boot.xml`, which is at `location`.
  init(_ bytes: [UInt8], at location: PlaylistLocation) throws(PresentationError) {
    let root = try Self.element(bytes, Self.rootName, location.name)
    self.location = location
    var streams: [Stream] = []
    for element in root.first("Streams")?.all("Stream") ?? [] {
      guard let id = element["ID"], let path = element["Path"], !streams.contains(where: { $0.id == id }) else {
        throw .manifest(file: location.name, MPDError("a stream has no unique ID, or no Path", line: element.line))
      }
      streams.append(Stream(id: id, path: path, address: element["NetworkURL"] ?? ""))
    }
    guard !streams.isEmpty else { throw .manifest(file: location.name, MPDError("there are no streams")) }
    self.streams = streams
    let items = root.first("DataItems")
    let item = items?.all("DataItem").first { item in
      item.first("Category")?.trimmed == "Playlist" && item.first("Role")?.trimmed == "Master"
    }
    let address = root.first("MasterPlaylist")?.first("NetworkURL")?.trimmed ?? ""
    main = item?.first("DataPath").map { path in
      ((items?["Directory"].map { $0 + "/" } ?? "") + path.trimmed, URIReference(address))
    }
  }

  /// The playlist at the location: the multivariant playlist, or that of the stream which the fragment names.
  func playlist(_ opener: PresentationOpener) throws(PresentationError) -> Playlist {
    guard let id = location.reference.fragment else { return .multivariant(try multivariant(opener)) }
    guard let stream = streams.first(where: { $0.id == URIReference.percentDecoded(id) }) else {
      throw .manifest(file: location.name, MPDError("it has no stream '\(id)'"))
    }
    return .media(try media(stream, opener))
  }

  // MARK: The multivariant playlist

  /// The multivariant playlist with what was downloaded of it.
  private func multivariant(_ opener: PresentationOpener) throws(PresentationError) -> MultivariantPlaylist {
    guard let main else { return listing }
    let bytes = try opener.source(at: place(main.path)).bytes(limit: PresentationOpener.playlistLimit)
    guard case .multivariant(var playlist) = try Playlist(bytes, file: main.path, isTolerant: true) else {
      return listing
    }
    func stored(_ uri: String) -> String? {
      let address = URIReference(uri).resolved(against: main.address).description
      return streams.first { $0.address == address }.map(uri(of:))
    }
    func kept<View>(_ views: [View], _ uri: WritableKeyPath<View, String>) -> [View] {
      views.compactMap { view in
        guard let new = stored(view[keyPath: uri]) else { return nil }
        var own = view
        own[keyPath: uri] = new
        return own
      }
    }
    playlist.variants = kept(playlist.variants, \.uri)
    playlist.iFrameVariants = kept(playlist.iFrameVariants, \.uri)
    playlist.renditions = playlist.renditions.compactMap { rendition in
      guard let uri = rendition.uri else { return rendition }
      var own = rendition
      own.uri = stored(uri)
      return own.uri == nil ? nil : own
    }
    for index in playlist.variants.indices {
      let variant = playlist.variants[index]
      func has(_ group: String?, _ kind: Rendition.Kind) -> Bool {
        group == nil || playlist.renditions.contains { $0.group == group && $0.kind == kind }
      }
      if !has(variant.audio, .audio) { playlist.variants[index].audio = nil }
      if !has(variant.video, .video) { playlist.variants[index].video = nil }
      if !has(variant.subtitles, .subtitles) { playlist.variants[index].subtitles = nil }
    }
    return playlist.variants.isEmpty ? listing : playlist
  }

  /// A list of all streams, without the multivariant playlist: their IDs end with their bit rates.
  private var listing: MultivariantPlaylist {
    var playlist = MultivariantPlaylist()
    let rates = streams.map { stream in
      (stream, rate: stream.id.split(separator: "-").last.flatMap { Int($0) } ?? 0)
    }
    let others = rates.filter { $0.rate == 0 }
    let variants = others.count == rates.count ? rates : rates.filter { $0.rate > 0 }
    if variants.count < rates.count {
      playlist.renditions = others.enumerated().map { index, other in
        Rendition(.audio, group: "audio", name: "Audio \(index + 1)", uri: uri(of: other.0))
      }
    }
    playlist.variants = variants.map { stream, rate in
      var variant = Variant(uri(of: stream), bandwidth: max(1, rate))
      if variants.count < rates.count { variant.audio = "audio" }
      return variant
    }
    return playlist
  }

  private func uri(of stream: Stream) -> String { "\(Self.fileName)#\(Self.escaped(stream.id))" }

  // MARK: Media playlists

  /// A file of a stream.
  private struct Part {
    let path: String
    let address: String
    let offset: Int?
    let number: Int?
    let duration: Duration
  }

  /// The playlist of a stream with its stored files. Segments that are not stored are gaps.
  private func media(_ stream: Stream, _ opener: PresentationOpener) throws(PresentationError) -> MediaPlaylist {
    let path = "\(stream.path)/StreamInfoBoot.xml"
    let source = try opener.source(at: place(path))
    let root = try Self.element(source.bytes(limit: PresentationOpener.playlistLimit), "StreamInfo", source.name)
    let parts = Self.parts(root.first("MediaSegments")?.all("SEG") ?? [])
    let initialization = Self.parts(root.first("MediaInitializationSegments")?.all("ISEG") ?? [])
    let description = root.first("MediaPlaylist")
    let copy = description?.first("PathToLocalCopy")?.trimmed ?? ""
    func uri(_ part: Part) -> String { Self.escaped("\(stream.path)/\(part.path)") }
    guard !copy.isEmpty else {
      var segments = parts.map { Segment(uri($0), duration: $0.duration) }
      if let first = initialization.first, !segments.isEmpty {
        segments[0].map = InitializationSection(uri(first))
      }
      return MediaPlaylist(segments, type: .vod, isEnded: true)
    }
    let bytes = try opener.source(at: place("\(stream.path)/\(copy)")).bytes(limit: PresentationOpener.playlistLimit)
    guard case .media(var playlist) = try Playlist(bytes, file: "\(stream.path)/\(copy)", isTolerant: true) else {
      throw .manifest(file: source.name, MPDError("'\(copy)' is not a media playlist"))
    }
    try replace(
      &playlist, stream, from: URIReference(description?.first("NetworkURL")?.trimmed ?? stream.address),
      PartIndex(parts), PartIndex(initialization))
    return playlist
  }

  /// Replaces the URIs of a playlist that was downloaded from `base` by those of the stored files.
  private func replace(
    _ playlist: inout MediaPlaylist, _ stream: Stream, from base: URIReference, _ parts: PartIndex,
    _ initialization: PartIndex
  ) throws(PresentationError) {
    let resolved: [ResolvedSegment]
    do throws(PlaylistError) { resolved = try playlist.resolved() } catch {
      throw .playlist(file: stream.path, error)
    }
    func address(_ uri: String) -> String { URIReference(uri).resolved(against: base).description }
    func uri(_ part: Part) -> String { Self.escaped("\(stream.path)/\(part.path)") }
    var (maps, lastMap): (PartIndex, InitializationSection?) = (initialization, nil)
    for (number, segment) in resolved.enumerated() {
      if let map = segment.map, map != lastMap {
        let part = maps.next(address(map.uri), map.byteRange?.offset)
        playlist.segments[number].map = part.map { InitializationSection(uri($0)) } ?? map
        lastMap = map
      }
      let part = parts.part(address(segment.uri), segment.byteRange?.lowerBound, number: segment.mediaSequence)
      playlist.segments[number].byteRange = nil
      if part == nil { playlist.segments[number].isGap = true }
      playlist.segments[number].uri = part.map(uri) ?? Self.escaped("\(stream.path)/missing-\(segment.mediaSequence)")
    }
    playlist.isEnded = true
  }

  /// The files by what playlists say about them.
  private struct PartIndex {
    private var byPlace: [String: Part] = [:]
    private var byNumber: [Int: Part] = [:]
    private let hasAddresses: Bool

    init(_ parts: [Part]) {
      hasAddresses = parts.contains { !$0.address.isEmpty }
      for (index, part) in parts.enumerated() {
        byPlace[Self.key(part.address, part.offset)] = part
        byNumber[part.number ?? index] = part
      }
    }

    private static func key(_ address: String, _ offset: Int?) -> String { "\(offset ?? 0) \(address)" }

    /// The file of a segment: that of the same address and byte or, without addresses, that of the same number.
    func part(_ address: String, _ offset: Int?, number: Int) -> Part? {
      hasAddresses ? byPlace[Self.key(address, offset)] : byNumber[number]
    }

    /// The same for an init segment, whose number playlists do not have: without addresses, the next one.
    mutating func next(_ address: String, _ offset: Int?) -> Part? {
      if hasAddresses { return byPlace[Self.key(address, offset)] }
      return byNumber.keys.min().flatMap { byNumber.removeValue(forKey: $0) }
    }
  }

  private static func parts(_ elements: [XMLElement]) -> [Part] {
    let parts = elements.compactMap { element -> Part? in
      guard let path = element["PATH"], !path.isEmpty else { return nil }
      return Part(
        path: path, address: element["URL"] ?? "", offset: element["Off"].flatMap { Int($0) },
        number: element["SeqNum"].flatMap { Int($0) },
        duration: Duration(decimal: (element["Dur"] ?? "")[...].utf8) ?? .zero)
    }
    return parts.enumerated().sorted { ($0.element.number ?? 0, $0.offset) < ($1.element.number ?? 0, $1.offset) }
      .map(\.element)
  }

  // MARK: Files

  /// The location of a file in the folder.
  private func place(_ path: String) throws(PresentationError) -> PlaylistLocation {
    do throws(PlaylistLocation.Refusal) { return try location.resolving(Self.escaped(path)) } catch {
      throw .manifest(file: location.name, MPDError("\"\(path)\" is not allowed: \(error.reason)"))
    }
  }

  /// A path as a URI. A part with a colon would be a scheme.
  private static func escaped(_ path: String) -> String {
    PercentEncoding.encoded(path.utf8) { $0 > 0x20 && $0 < 0x7F && !"\"#%:?<>[\\]^`{|}".utf8.contains($0) }
  }

  private static func element(
    _ bytes: [UInt8], _ name: String, _ file: String
  ) throws(PresentationError) -> XMLElement {
    let root: XMLElement
    do throws(XMLError) { root = try XMLElement(document: bytes[...]) } catch {
      throw .manifest(file: file, MPDError(error.reason, line: error.line))
    }
    guard root.name == name else {
      throw .manifest(file: file, MPDError("the root element is '\(root.name)', not \(name)", line: root.line))
    }
    return root
  }
}

extension XMLElement {
  /// Its text without white space around it.
  fileprivate var trimmed: String {
    let bytes = Array(text.utf8)
    let start = bytes.prefix { $0 <= 0x20 }.count
    return String(
      decoding: bytes.dropFirst(start).dropLast(bytes.reversed().prefix { $0 <= 0x20 }.count), as: UTF8.self)
  }
}
