public import Bytes
package import FileIO
public import HLS

/// Reads playlists and the files that they refer to: local files, as far as the location allows it, and remote ones
/// through a ``HLS/Transport``.
public struct PlaylistLoader: Sendable {
  /// The maximum size of a playlist in bytes: a million segments with long names.
  public static let playlistLimit = 256 << 20

  private let transport: (any Transport)?

  /// A loader that fetches with `transport`; without one, only files are read.
  public init(_ transport: (any Transport)? = nil) { self.transport = transport }

  /// The bytes of the playlist at `location`, and its location after redirects.
  ///
  /// - Parameters:
  ///   - location: The location of the playlist.
  ///   - isFirst: Whether the caller, not another playlist, names it: then it may be a symbolic link to any file.
  ///   - isStopped: Asked from time to time whether to stop fetching.
  public func playlist(
    at location: PlaylistLocation, isFirst: Bool = false, isStopped: () -> Bool = { false }
  ) throws(PresentationError) -> (bytes: [UInt8], location: PlaylistLocation) {
    guard let address = WebAddress(location.reference) else {
      let file = isFirst ? try location.openAnywhere() : try location.open()
      return (try file.bytes(limit: Self.playlistLimit), location)
    }
    let (bytes, found) = try fetch(address, nil, limit: Self.playlistLimit, isStopped)
    return (bytes, location.moved(to: found.reference))
  }

  /// The resource at `location`, or a part of it: a file, or at most `limit` bytes that are fetched into memory.
  public func source(
    at location: PlaylistLocation, _ range: Range<Int>? = nil, limit: Int
  ) throws(PresentationError) -> any ByteSource {
    guard let address = WebAddress(location.reference) else {
      let file = try location.open()
      return range.map { file.part($0, name: location.name) } ?? file
    }
    let part = range.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + min($0.count, limit)) }
    return MemorySource(try fetch(address, part, limit: limit) { false }.bytes, name: location.name)
  }

  /// The whole resource at `location`: a file, or a remote one. If the transport supports it, only the ranges that are
  /// read are fetched; otherwise at most `limit` bytes are fetched into memory.
  package func wholeSource(at location: PlaylistLocation, limit: Int) throws(PresentationError) -> any ByteSource {
    guard let address = WebAddress(location.reference) else { return try location.open() }
    guard let transport else { throw .noTransport(address) }
    do throws(FetchError) { return try transport.source(address, limit: limit) } catch { throw Self.reason(error) }
  }

  /// The key at `location`.
  package func key(at location: PlaylistLocation) throws(KeyProblem) -> LoadedKey {
    let bytes: [UInt8]
    do throws(PresentationError) {
      if let address = WebAddress(location.reference) {
        bytes = try fetch(address, nil, limit: LoadedKey.limit) { false }.bytes
      } else {
        let file = try location.open()
        bytes = try file.part(0..<min(file.size, LoadedKey.limit), name: file.name).bytes(limit: LoadedKey.limit)
      }
    } catch {
      switch error {
      case .io(let error): throw .io(error)
      case .fetch(let error):
        if case .tooLarge = error.problem { throw .size(LoadedKey.limit) }
        throw .fetch(error)
      default: throw .io(IOError(.open, file: location.name, reason: "\(error)"))
      }
    }
    return try LoadedKey(bytes)
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

extension PlaylistLocation {
  /// Its name in messages.
  package var name: String {
    if let path { return path }
    return WebAddress(reference)?.description ?? reference.description
  }

  /// Opens the file at this location, which must be allowed, even after resolving links.
  package func open() throws(PresentationError) -> FileSource {
    if isLinkedOutside { throw .linkedOutside(file: name) }
    return try openAnywhere()
  }

  /// Opens the file at this location, even if symbolic links lead elsewhere.
  fileprivate func openAnywhere() throws(PresentationError) -> FileSource {
    guard let path = path.flatMap({ Pathname($0) }) else {
      throw .io(IOError(.open, file: name, reason: "it is not a file name"))
    }
    do throws(IOError) { return try FileSource(path) } catch { throw .io(error) }
  }

  /// Whether the file at this location exists, but a symbolic link leads out of the folder in which it has to be.
  package var isLinkedOutside: Bool {
    guard let folder, let path = path.flatMap({ Pathname($0) }), FileIdentity(of: path) != nil else { return false }
    return !path.isBelow(folder)
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
