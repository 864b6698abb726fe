public import Bytes
public import HLS
import Platform

/// Files and remote resources that are opened when they are read, of which only a few are open at a time. A
/// presentation of thousands of segments needs no more descriptors than one of a few.
public final class SourcePool: Sendable {
  /// The maximum number of resources that are open.
  public static let mostOpen = 8
  /// The maximum size of a remote resource in memory, where the transport has no other way.
  private static let limit = 256 << 20

  private let loader: PlaylistLoader
  private let opened = Monitor<[(location: PlaylistLocation, source: any ByteSource)]>([])

  /// A pool that opens local files, and remote resources through `transport`.
  public init(_ transport: (any Transport)? = nil) { loader = PlaylistLoader(transport) }

  /// The resource at `location`, or a part of it, as many of its bytes as exist. It is opened to learn its size, and
  /// again whenever it is read after others were.
  public func source(
    at location: PlaylistLocation, _ range: Range<Int>? = nil
  ) throws(PresentationError) -> any ByteSource {
    let size = try open(location).byteCount
    let whole = 0..<(size ?? .max)
    let part = range?.clamped(to: whole)
    return PooledSource(
      location, name: location.name + (part.map { $0.lowerBound > 0 ? " from byte \($0.lowerBound)" : "" } ?? ""),
      base: part?.lowerBound ?? 0, byteCount: part?.count ?? size, self)
  }

  /// The number of resources that are open.
  package var openCount: Int { opened { $0.count } }

  fileprivate func open(_ location: PlaylistLocation) throws(PresentationError) -> any ByteSource {
    try opened { opened throws(PresentationError) in
      if let index = opened.lastIndex(where: { $0.location == location }) {
        // The latest are last.
        if index < opened.count - 1 { opened.append(opened.remove(at: index)) }
        return opened[opened.count - 1].source
      }
      let source = try loader.wholeSource(at: location, limit: Self.limit)
      if opened.count == Self.mostOpen { opened.removeFirst() }
      opened.append((location, source))
      return source
    }
  }
}

/// A resource of a pool, or a part of it.
private final class PooledSource: ByteSource {
  let name: String
  let byteCount: Int?
  private let location: PlaylistLocation
  private let base: Int
  private let pool: SourcePool

  init(_ location: PlaylistLocation, name: String, base: Int, byteCount: Int?, _ pool: SourcePool) {
    (self.location, self.name, self.base, self.byteCount, self.pool) = (location, name, base, byteCount, pool)
  }

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let wanted = min(buffer.byteCount, max((byteCount ?? .max) - offset, 0))
    if wanted == 0 { return 0 }
    let source: any ByteSource
    do throws(PresentationError) { source = try pool.open(location) } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: name, offset: offset, reason: "\(error)")
    }
    var part = buffer._mutatingExtracting(..<wanted)
    return try source.read(at: base + offset, into: &part)
  }
}
