public import MP4Bytes
package import MP4FileIO
public import MP4HLS
import MP4Platform

extension PlaylistLocation {
  /// Its name in messages.
  package var name: String {
    // A stream of a DASH manifest.
    let stream = reference.fragment.map { "#" + $0 } ?? ""
    if let path { return path + stream }
    return WebAddress(reference).map { $0.description + stream } ?? reference.description
  }

  /// The location to which `uri`, in a line of the playlist `file` at this location, refers.
  package func resolving(
    _ uri: String, line: Int, of file: String
  ) throws(PresentationError) -> PlaylistLocation {
    do throws(Refusal) { return try resolving(uri) } catch {
      throw .refused(file: file, line: line, uri: uri, error)
    }
  }

  /// Opens the file at this location, which must be allowed, even after resolving links.
  package func open() throws(PresentationError) -> FileSource {
    if isLinkedOutside { throw .linkedOutside(file: name) }
    return try openAnywhere()
  }

  /// Opens the file at this location, even if symbolic links lead elsewhere.
  func openAnywhere() throws(PresentationError) -> FileSource {
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

extension PlaylistLocation {
  /// Whether it is on a server.
  public var isRemote: Bool { path == nil }
  /// Whether its URL contains a user or password.
  public var hasUser: Bool { reference.authority?.utf8.contains(UInt8(ascii: "@")) == true }
  /// Its file name, or a default.
  public var fileName: Pathname {
    let path = reference.path
    let last = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).last.map { String(Substring($0)) }
    let file = Pathname(URIReference.percentDecoded(last ?? ""))
    return file.flatMap { $0.bytes.isEmpty || $0.bytes.contains(0x2f) || $0.bytes.first == 0x2e ? nil : $0 }
      ?? "master.m3u8"
  }

  /// How to change the URIs of the playlist when it is written to the folder `other`, which may not exist yet.
  ///
  /// - Throws: `IOError` if the parent folder of `other` is missing.
  public func rebasing(to other: Pathname) throws(IOError) -> @Sendable (String) -> String {
    guard let folder = path.flatMap({ Pathname($0) })?.folder else {
      var reference = reference
      reference.authority = reference.authority.map(WebAddress.withoutUser)
      return { [reference] uri in URIReference(uri).resolved(against: reference).description }
    }
    guard let from = other.resolved ?? other.folder.resolved?.appending(other.lastComponent), let to = folder.resolved
    else {
      throw IOError(.create, file: other.description, reason: "its folder does not exist")
    }
    let way = try to.relative(to: from).uriReference
    return { uri in
      let reference = URIReference(uri)
      let isRelative = !reference.isAbsolute && reference.authority == nil && reference.path.utf8.first != 0x2f
      return isRelative && !uri.isEmpty && way != "." ? "\(way)/\(uri)" : uri
    }
  }
}
