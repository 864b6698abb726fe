import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4

/// Where a playlist lies and what it names: in a folder, or on a server.
struct PresentationPlace {
  private enum Base {
    /// The way from the folder of the multivariant playlist, as a URI.
    case folder(root: Path, inside: URIReference)
    case server(WebAddress)
  }
  private let base: Base
  /// Whether what a playlist names may be outside the folder of the multivariant playlist.
  private let allowsOutside: Bool
  /// The file, where it is one.
  let localPath: Path?
  /// What messages call the playlist.
  let name: String

  /// A multivariant playlist as a user names it: a file or an address.
  init(_ operand: Argument, allowsOutside: Bool) throws(UsageError) {
    self.allowsOutside = allowsOutside
    if WebAddress.isMeant(by: operand.text) {
      guard let address = WebAddress(operand.text) else {
        throw UsageError("'\(operand.text)' is no address: the name of the server is missing")
      }
      (base, localPath, name) = (.server(address), nil, "\(address)")
    } else {
      guard let path = Path(operand.bytes) else { throw UsageError("the name of an input has a zero byte in it") }
      let file = operand.isDash ? "master.m3u8" : path.lastComponent
      base = .folder(root: operand.isDash ? "." : path.folder, inside: URIReference(file.uriReference))
      (localPath, name) = (path, operand.isDash ? "standard input" : path.description)
    }
  }
  private init(_ base: Base, localPath: Path?, name: String, allowsOutside: Bool) {
    (self.base, self.localPath, self.name, self.allowsOutside) = (base, localPath, name, allowsOutside)
  }

  var isRemote: Bool { if case .server = base { true } else { false } }
  /// The folder of the multivariant playlist, where it is in one.
  var folder: Path? { if case .folder(let root, _) = base { root } else { nil } }
  /// The name of its file.
  var fileName: Path {
    let path =
      switch base {
      case .folder(_, let inside): inside.path
      case .server(let address): address.reference.path
      }
    let last = path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).last.map { String(Substring($0)) }
    let file = Path(URIReference.percentDecoded(last ?? ""))
    return file.flatMap { $0.bytes.isEmpty || $0.bytes.contains(0x2f) || $0.bytes.first == 0x2e ? nil : $0 }
      ?? "master.m3u8"
  }

  // MARK: Reading

  /// The most bytes that a playlist has.
  private static let mostOfPlaylist = 64 << 20
  /// The most bytes that are read of a segment, to know when it starts.
  private static let mostOfSegment = 256 << 20

  /// The bytes of the playlist itself.
  func playlist() throws -> [UInt8] { try bytes(nil, limit: Self.mostOfPlaylist) }

  /// What is here, or a part of it.
  func segment(_ range: Range<Int>?) throws -> any ByteSource {
    let part = range.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + min($0.count, Self.mostOfSegment)) }
    return MadeSource(try bytes(part, limit: Self.mostOfSegment), name: name)
  }

  private func bytes(_ range: Range<Int>?, limit: Int) throws -> [UInt8] {
    switch base {
    case .folder:
      var window = ByteWindow(try openSource(localPath ?? "-"))
      return Array(try window.slice(at: range?.lowerBound ?? 0, count: range?.count ?? limit))
    case .server(let address): return try Fetcher().bytes(address, range: range, limit: limit).bytes
    }
  }

  /// What a URI in the playlist leads to. From a server there is no way to a file, and from a folder none out of it unless
  /// that is allowed.
  func moved(to uri: String) throws -> PresentationPlace {
    switch base {
    case .server(let address):
      guard let other = address.resolving(uri) else { throw refused(uri, "it is not on a server") }
      return PresentationPlace(.server(other), localPath: nil, name: "\(other)", allowsOutside: false)
    case .folder(let root, let inside):
      if let address = WebAddress(uri) {
        return PresentationPlace(.server(address), localPath: nil, name: "\(address)", allowsOutside: false)
      }
      let other = URIReference(uri).resolved(against: inside)
      guard other.scheme == nil, other.authority == nil, let path = Path(URIReference.percentDecoded(other.path)) else {
        throw refused(uri, "it is no file")
      }
      let isOutside = path.isAbsolute || path.bytes.split(separator: 0x2f).contains { $0.elementsEqual("..".utf8) }
      guard !isOutside || allowsOutside else {
        throw refused(uri, "it is outside the folder of the playlist; --allow-outside reads it")
      }
      let whole = root == "." ? path : root.appending(path)
      return PresentationPlace(
        .folder(root: root, inside: other), localPath: whole, name: whole.description, allowsOutside: allowsOutside)
    }
  }
  private func refused(_ uri: String, _ reason: String) -> MovieError {
    .impossible(file: name, reason: "it names \"\(uri)\", which is not read: \(reason)")
  }

  // MARK: Another place for the playlist

  /// What has to be done to URIs of the playlist where it is written to the folder `other`, which may not be there yet.
  func rebasing(to other: Path) throws -> (String) -> String {
    switch base {
    case .server(let address):
      return { uri in URIReference(uri).resolved(against: address.reference).description }
    case .folder(let root, _):
      guard let from = other.real ?? other.folder.real?.appending(other.lastComponent), let to = root.real else {
        throw IOError(.create, file: other.description, reason: "the folder that it would be in is missing")
      }
      let way = try to.relative(to: from).uriReference
      return { uri in
        let reference = URIReference(uri)
        let isRelative = !reference.isAbsolute && reference.authority == nil && reference.path.utf8.first != 0x2f
        return isRelative && !uri.isEmpty && way != "." ? "\(way)/\(uri)" : uri
      }
    }
  }
}
