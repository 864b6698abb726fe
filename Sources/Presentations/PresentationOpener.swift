public import MP4Bytes
import MP4DASH
import MP4FileIO
public import MP4HLS
import MP4Platform

/// Opens presentations: reads playlists and keys, and opens the segments to which playlists refer. Local files are read
/// as far as their location allows it, and remote ones through a `Transport`.
///
/// Segments are opened when they are read, a few at a time: a presentation of thousands of segments needs no more
/// descriptors than one of a few. The start of each resource is read when it is opened, several concurrently, because
/// disks and servers have a high latency, and most of the needed boxes are there. The start of remote resources is
/// kept, so that it is fetched only once.
public final class PresentationOpener: Sendable {
  /// The maximum size of a playlist in bytes: a million segments with long names.
  public static let playlistLimit = 256 << 20
  /// The maximum number of resources that are open.
  public static let maxOpen = 8
  /// The number of resources opened concurrently: servers accept this many requests, and disks handle more.
  private static let (remoteWidth, localWidth) = (8, 16)
  /// The maximum size of a remote resource in memory.
  private static let limit = 256 << 20
  /// The number of bytes read from the start when a resource is opened: the boxes of some seconds of media.
  private static let startByteCount = 32 << 10

  private let transport: (any Transport)?
  private let isPooling: Bool
  private let state = Monitor(State())

  private struct State {
    var opened: [(location: PlaylistLocation, source: any ByteSource)] = []
    /// The resources that a thread is opening.
    var opening: Set<PlaylistLocation> = []
    /// The keys that were read.
    var keys: [SegmentKey: Result<LoadedKey, KeyProblem>] = [:]
    /// The latest segments of live manifests, by the locations of their streams, and the number of the first one.
    var live: [String: (segments: [Segment], number: Int)] = [:]
    /// The number of further bytes that may be kept.
    var room = 64 << 20
  }

  /// Opens local files, and remote resources through `transport`.
  public convenience init(_ transport: (any Transport)? = nil) { self.init(transport, isPooling: true) }

  /// Without pooling, for callers that need only a few segments, a file is open as long as it is used, and remote
  /// resources are fetched into memory.
  init(_ transport: (any Transport)?, isPooling: Bool) { (self.transport, self.isPooling) = (transport, isPooling) }

  // MARK: Playlists and keys

  /// The playlist at `location`, its location after redirects, and its size. A DASH manifest is the playlists that it
  /// stands for; their locations have fragments.
  ///
  /// - Parameters:
  ///   - location: The location of the playlist.
  ///   - isFirst: Whether the caller, not another playlist, names it: then it may be a symbolic link to any file.
  ///   - isTolerant: Whether tags and attributes that cannot be read are skipped.
  ///   - isStopped: Asked from time to time whether to stop fetching.
  func playlist(
    at location: PlaylistLocation, isFirst: Bool = false, isTolerant: Bool = false,
    isStopped: () -> Bool = { false }
  ) throws(PresentationError) -> (playlist: Playlist, location: PlaylistLocation, byteCount: Int) {
    let (bytes, found) = try contents(ofPlaylistAt: location, isFirst: isFirst, isStopped: isStopped)
    return (try playlist(bytes, at: found, isTolerant: isTolerant), found, bytes.count)
  }

  /// The playlist in `bytes` that were read from `location`, or that of a DASH manifest in them.
  package func playlist(
    _ bytes: [UInt8], at location: PlaylistLocation, isTolerant: Bool = false
  ) throws(PresentationError) -> Playlist {
    if XMLReader.rootName(bytes) == MoviePackage.rootName {
      return try MoviePackage(bytes, at: location).playlist(self)
    }
    guard MPD.isStart(bytes) else { return try Playlist(bytes, file: location.name, isTolerant: isTolerant) }
    let manifest: MPD
    do throws(MPDError) { manifest = try MPD(bytes) } catch { throw .manifest(file: location.name, error) }
    let playlists = ManifestPlaylists(manifest, at: location)
    guard let name = location.reference.fragment else { return .multivariant(playlists.multivariant) }
    guard let stream = playlists.streams.first(where: { $0.name == name }) else {
      throw .manifest(file: location.name, MPDError("it has no representation '\(name)'"))
    }
    return .media(try playlists.playlist(of: stream, self))
  }

  /// The number of the first one of `segments`. In a manifest that is loaded again, segments keep their numbers, even
  /// if it numbers those that are left from the start; `number` is that of the manifest, or `nil` if it is static.
  func number(
    ofFirst segments: [Segment], _ number: Int?, of stream: String, at location: PlaylistLocation
  ) -> Int {
    let key = "\(location.reference.path)#\(stream)"
    return state { state in
      var own = number ?? 0
      guard number != nil || state.live[key] != nil else { return own }
      if let known = state.live[key] {
        let index = known.segments.firstIndex { $0.isSame(as: segments.first) }
        own =
          index.map { saturatingSum(known.number, $0) }
          ?? max(own, saturatingSum(known.number, known.segments.count))
      }
      state.live[key] = (segments, own)
      return own
    }
  }

  /// The bytes of the playlist at `location`, and its location after redirects.
  ///
  /// - Parameters:
  ///   - location: The location of the playlist.
  ///   - isFirst: Whether the caller, not another playlist, names it: then it may be a symbolic link to any file.
  ///   - isStopped: Asked from time to time whether to stop fetching.
  public func contents(
    ofPlaylistAt location: PlaylistLocation, isFirst: Bool = false, isStopped: () -> Bool = { false }
  ) throws(PresentationError) -> (bytes: [UInt8], location: PlaylistLocation) {
    guard let address = WebAddress(location.reference) else {
      let file = isFirst ? try location.openAnywhere() : try location.open()
      return (try file.bytes(limit: Self.playlistLimit), location)
    }
    let (bytes, found) = try fetch(address, nil, limit: Self.playlistLimit, isStopped)
    var reference = found.reference
    reference.fragment = location.reference.fragment
    return (bytes, location.moved(to: reference))
  }

  /// A key, which is read once.
  package func key(_ key: SegmentKey) throws(KeyProblem) -> LoadedKey {
    if let known = state({ $0.keys[key] }) { return try known.get() }
    let loaded = Result { () throws(KeyProblem) in try LoadedKey(bytes(ofKeyAt: key.place)) }
    state { $0.keys[key] = loaded }
    return try loaded.get()
  }

  private func bytes(ofKeyAt location: PlaylistLocation) throws(KeyProblem) -> [UInt8] {
    do throws(PresentationError) {
      if let address = WebAddress(location.reference) {
        return try fetch(address, nil, limit: LoadedKey.limit) { false }.bytes
      }
      let file = try location.open()
      return try file.part(0..<min(file.size, LoadedKey.limit), name: file.name).bytes(limit: LoadedKey.limit)
    } catch {
      switch error {
      case .io(let error): throw .io(error)
      case .fetch(let error):
        if case .tooLarge = error.problem { throw .size(LoadedKey.limit) }
        throw .fetch(error)
      default: throw .io(IOError(.open, file: location.name, reason: "\(error)"))
      }
    }
  }

  // MARK: Segments

  /// The resource at `location`, or a part of it, as many of its bytes as exist. It is opened to learn its size, and
  /// again when it is read after the opener has closed it.
  public func source(
    at location: PlaylistLocation, _ range: Range<Int>? = nil
  ) throws(PresentationError) -> any ByteSource {
    guard isPooling else { return try directSource(at: location, range) }
    let source = try open(location)
    let size = source.byteCount
    let part = range?.clamped(to: 0..<(size ?? .max))
    let (base, count) = (part?.lowerBound ?? 0, part?.count ?? size)
    return PooledSource(
      location, name: location.name + (base > 0 ? " from byte \(base)" : ""), base: base, byteCount: count,
      start: start(of: source, at: base, count, isKept: location.path == nil), self)
  }

  /// A segment or an initialization section of the playlist `file`, decrypted if it is encrypted as a whole.
  ///
  /// - Parameters:
  ///   - isMP4: Whether it is an initialization section or has one.
  ///   - keepsEncrypted: Whether it stays encrypted if its key cannot be read.
  func source(
    of item: SegmentSeries.Item, in file: String, isMP4: Bool = true, keepsEncrypted: Bool = false
  ) throws(PresentationError) -> any ByteSource {
    let source = try source(at: item.place, item.byteRange)
    guard let encryption = item.encryption else { return source }
    do throws(KeyProblem) {
      return try DecryptedSegment(source, encryption, key(encryption.key), isMP4: isMP4)
    } catch {
      switch error {
      case .io where keepsEncrypted, .fetch where keepsEncrypted: return source
      case .segment(let error): throw .io(error)
      default: throw .key(file: file, line: encryption.key.line, error)
      }
    }
  }

  /// The sources of many items in their order. `open` opens them with this opener, several concurrently; `onEach` is
  /// called after each.
  func sources<Item: Sendable>(
    of items: [Item], areLocal: Bool, onEach: () -> Void,
    _ open: @escaping @Sendable (Item) throws(PresentationError) -> any ByteSource
  ) -> [Result<any ByteSource, PresentationError>] {
    Thread.map(items, width: areLocal ? Self.localWidth : Self.remoteWidth, onEach: onEach) { item in
      Result { () throws(PresentationError) in try open(item) }
    }
  }

  /// The number of resources that are open.
  package var openCount: Int { state { $0.opened.count } }

  /// Reads the start of a resource, from `base` on; returns it if it should be kept and there is room.
  private func start(of source: any ByteSource, at base: Int, _ count: Int?, isKept: Bool) -> MemorySource? {
    let wanted = min(count ?? Self.startByteCount, Self.startByteCount)
    // An error is reported when the bytes are requested.
    guard let start = try? source.bytes(in: base..<base + wanted), isKept else { return nil }
    let hasRoom = state { state in
      state.room -= start.count
      return state.room >= 0
    }
    return hasRoom ? MemorySource(start, name: source.name) : nil
  }

  fileprivate func open(_ location: PlaylistLocation) throws(PresentationError) -> any ByteSource {
    let known = state.wait { state -> (any ByteSource)?? in
      if let index = state.opened.lastIndex(where: { $0.location == location }) {
        // The most recently used are last.
        if index < state.opened.count - 1 { state.opened.append(state.opened.remove(at: index)) }
        return .some(state.opened[state.opened.count - 1].source)
      }
      // Another thread may be opening it for another part.
      return state.opening.insert(location).inserted ? .some(nil) : nil
    }
    if let known { return known }
    let result = Result { () throws(PresentationError) in try wholeSource(at: location) }
    state.change { state in
      state.opening.remove(location)
      guard case .success(let source) = result else { return }
      if state.opened.count == Self.maxOpen { state.opened.removeFirst() }
      state.opened.append((location, source))
    }
    return try result.get()
  }

  /// The whole resource at `location`: a file, or a remote one. If the transport supports it, only the ranges that are
  /// read are fetched.
  private func wholeSource(at location: PlaylistLocation) throws(PresentationError) -> any ByteSource {
    guard let address = WebAddress(location.reference) else { return try location.open() }
    guard let transport else { throw .noTransport(address) }
    do throws(FetchError) { return try transport.source(address, limit: Self.limit) } catch {
      throw Self.reason(error)
    }
  }

  /// The resource at `location`, or a part of it: a file, or bytes that are fetched into memory.
  private func directSource(
    at location: PlaylistLocation, _ range: Range<Int>?
  ) throws(PresentationError) -> any ByteSource {
    guard let address = WebAddress(location.reference) else {
      let file = try location.open()
      return range.map { file.part($0, name: location.name) } ?? file
    }
    let part = range.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + min($0.count, Self.limit)) }
    return MemorySource(try fetch(address, part, limit: Self.limit) { false }.bytes, name: location.name)
  }

  private func fetch(
    _ address: WebAddress, _ range: Range<Int>?, limit: Int, _ isStopped: () -> Bool
  ) throws(PresentationError) -> (bytes: [UInt8], address: WebAddress) {
    guard let transport else { throw .noTransport(address) }
    do throws(FetchError) {
      return try transport.fetch(address, range: range, limit: limit, isStopped: isStopped)
    } catch { throw Self.reason(error) }
  }

  private static func reason(_ error: FetchError) -> PresentationError {
    if case .io(let error) = error.problem { return .io(error) }
    return .fetch(error)
  }
}

/// A resource of an opener, or a part of it.
private final class PooledSource: ByteSource {
  let name: String
  let byteCount: Int?
  private let location: PlaylistLocation
  private let base: Int
  /// Its first bytes, if they are kept.
  private let start: MemorySource?
  private let opener: PresentationOpener

  init(
    _ location: PlaylistLocation, name: String, base: Int, byteCount: Int?, start: MemorySource?,
    _ opener: PresentationOpener
  ) {
    (self.location, self.name, self.base, self.byteCount) = (location, name, base, byteCount)
    (self.start, self.opener) = (start, opener)
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max((byteCount ?? .max) - offset, 0))
    if wanted == 0 { return 0 }
    if let start, offset < start.bytes.count, wanted <= start.bytes.count - offset {
      return try start.read(at: offset, into: &buffer)
    }
    let source: any ByteSource
    do throws(PresentationError) { source = try opener.open(location) } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: name, offset: offset, reason: "\(error)")
    }
    var part = buffer._mutatingExtracting(..<wanted)
    return try source.read(at: base + offset, into: &part)
  }
}

extension ByteSource {
  /// All bytes, if there are at most `limit`.
  package func bytes(limit: Int) throws(PresentationError) -> [UInt8] {
    if byteCount ?? 0 <= limit {
      var window = ByteWindow(self, readAhead: 0)
      do throws(IOError) {
        let bytes = Array(try window.slice(at: 0, count: byteCount ?? limit + 1))
        if bytes.count <= limit { return bytes }
      } catch { throw .io(error) }
    }
    throw .tooLong(file: name, limit: limit)
  }
}

extension Segment {
  /// Whether they have the same bytes.
  fileprivate func isSame(as other: Segment?) -> Bool { uri == other?.uri && byteRange == other?.byteRange }
}
