public import Bytes
public import HLS
import Platform

/// Files and remote resources that are opened when they are read, a few at a time: a presentation of thousands of
/// segments needs no more descriptors than one of a few.
///
/// The start of each resource is read when it is opened, several concurrently, because disks and servers have a high
/// latency, and most of the needed boxes are there. The start of remote resources is kept, so that it is fetched only
/// once.
public final class SourcePool: Sendable {
  /// The maximum number of resources that are open.
  public static let maxOpen = 8
  /// The number of resources opened concurrently: servers accept this many requests, and disks handle more.
  private static let (remoteWidth, localWidth) = (8, 16)
  /// The maximum size of a remote resource in memory, if the transport cannot fetch ranges.
  private static let limit = 256 << 20
  /// The number of bytes read from the start when a resource is opened: the boxes of some seconds of media.
  private static let startByteCount = 32 << 10

  private let loader: PlaylistLoader
  private let state = Monitor(State())

  private struct State {
    var opened: [(location: PlaylistLocation, source: any ByteSource)] = []
    /// The resources that a thread is opening.
    var opening: Set<PlaylistLocation> = []
    /// The keys that were read.
    var keys: [SegmentKey: Result<LoadedKey, KeyProblem>] = [:]
    /// The number of further bytes that may be kept.
    var room = 64 << 20
  }

  /// A pool that opens local files, and remote resources through `transport`.
  public init(_ transport: (any Transport)? = nil) { loader = PlaylistLoader(transport) }

  /// The resource at `location`, or a part of it, as many of its bytes as exist. It is opened to learn its size, and
  /// again when it is read after the pool has closed it.
  public func source(
    at location: PlaylistLocation, _ range: Range<Int>? = nil
  ) throws(PresentationError) -> any ByteSource {
    let source = try open(location)
    let size = source.byteCount
    let part = range?.clamped(to: 0..<(size ?? .max))
    let (base, count) = (part?.lowerBound ?? 0, part?.count ?? size)
    return PooledSource(
      location, name: location.name + (base > 0 ? " from byte \(base)" : ""), base: base, byteCount: count,
      start: start(of: source, at: base, count, isKept: location.path == nil), self)
  }

  /// A key, which is read once.
  package func key(_ key: SegmentKey) throws(KeyProblem) -> LoadedKey {
    if let known = state({ $0.keys[key] }) { return try known.get() }
    let loaded = Result { () throws(KeyProblem) in try loader.key(at: key.place) }
    state { $0.keys[key] = loaded }
    return try loaded.get()
  }

  /// The sources of many items in their order. `open` opens them with this pool, several concurrently; `onEach` is
  /// called after each.
  package func sources<Item: Sendable>(
    of items: [Item], areLocal: Bool, onEach: () -> Void = {},
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
    let result = Result { () throws(PresentationError) in try loader.wholeSource(at: location, limit: Self.limit) }
    state.change { state in
      state.opening.remove(location)
      guard case .success(let source) = result else { return }
      if state.opened.count == Self.maxOpen { state.opened.removeFirst() }
      state.opened.append((location, source))
    }
    return try result.get()
  }
}

/// A resource of a pool, or a part of it.
private final class PooledSource: ByteSource {
  let name: String
  let byteCount: Int?
  private let location: PlaylistLocation
  private let base: Int
  /// Its first bytes, if they are kept.
  private let start: MemorySource?
  private let pool: SourcePool

  init(
    _ location: PlaylistLocation, name: String, base: Int, byteCount: Int?, start: MemorySource?, _ pool: SourcePool
  ) {
    (self.location, self.name, self.base, self.byteCount) = (location, name, base, byteCount)
    (self.start, self.pool) = (start, pool)
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max((byteCount ?? .max) - offset, 0))
    if wanted == 0 { return 0 }
    if let start, offset < start.bytes.count, wanted <= start.bytes.count - offset {
      return try start.read(at: offset, into: &buffer)
    }
    let source: any ByteSource
    do throws(PresentationError) { source = try pool.open(location) } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: name, offset: offset, reason: "\(error)")
    }
    var part = buffer._mutatingExtracting(..<wanted)
    return try source.read(at: base + offset, into: &part)
  }
}
