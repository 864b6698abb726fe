public import Bytes
public import HLS
import Platform

/// Files and remote resources that are opened when they are read, of which only a few are open at a time. A
/// presentation of thousands of segments needs no more descriptors than one of a few.
///
/// The start of each is read when it is opened, several at the same time: disks and servers take long to answer, and
/// most of what is looked at in a segment is there. Of remote resources it is kept, so that they are fetched once.
public final class SourcePool: Sendable {
  /// The maximum number of resources that are open.
  public static let mostOpen = 8
  /// How many are opened at the same time: so many requests do not disturb a server, and disks answer more.
  private static let (remoteWidth, localWidth) = (8, 16)
  /// The maximum size of a remote resource in memory, where the transport has no other way.
  private static let limit = 256 << 20
  /// How much of the start of a resource is read when it is opened: the boxes of some seconds of media.
  private static let startByteCount = 32 << 10

  private let loader: PlaylistLoader
  private let state = Monitor(State())

  private struct State {
    var opened: [(location: PlaylistLocation, source: any ByteSource)] = []
    /// What is being opened by a thread.
    var opening: Set<PlaylistLocation> = []
    /// The keys that were read.
    var keys: [SegmentKey: Result<LoadedKey, KeyProblem>] = [:]
    /// How many bytes of starts may still be kept.
    var room = 64 << 20
  }

  /// A pool that opens local files, and remote resources through `transport`.
  public init(_ transport: (any Transport)? = nil) { loader = PlaylistLoader(transport) }

  /// The resource at `location`, or a part of it, as many of its bytes as exist. It is opened to learn its size, and
  /// again whenever it is read after others were.
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

  /// The sources of many items in their order, which `open` opens with this pool, several at the same time; `onEach` is
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

  /// Reads the start of a resource, from `base` on, and returns it if it is to be kept and there is room.
  private func start(of source: any ByteSource, at base: Int, _ count: Int?, isKept: Bool) -> MemorySource? {
    let wanted = min(count ?? Self.startByteCount, Self.startByteCount)
    // What cannot be read now is reported when it is asked for.
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
        // The latest are last.
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
      if state.opened.count == Self.mostOpen { state.opened.removeFirst() }
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
  /// Its first bytes, where they are kept.
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
