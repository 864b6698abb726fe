public import MP4HLS
import MP4Serving

/// The part of another server that is served: the given address and everything in its folder.
public struct OriginScope: Sendable {
  /// The given address, without `.` and `..`; its user and password are only sent to the origin.
  public let address: WebAddress
  /// The components of its path; the last one of a folder is empty.
  let names: [[UInt8]]
  /// Whether everything on the host is served.
  public let allowsOutside: Bool

  /// The scope of `address` and its folder, or everything on its host if it `allowsOutside`; `nil` if its path
  /// is not valid.
  public init?(_ address: WebAddress, allowsOutside: Bool = false) {
    var reference = address.reference.resolved(against: address.reference)
    if reference.path.isEmpty { reference.path = "/" }
    guard let plain = WebAddress(reference), let names = Server.Request.names(inPath: Array(reference.path.utf8)[...]),
      names.allSatisfy(Self.leadsDown)
    else { return nil }
    (self.address, self.names, self.allowsOutside) = (plain, names, allowsOutside)
  }

  /// Whether the address is a folder.
  public var isFolder: Bool { names.last?.isEmpty != false }

  /// Whether a path is in the folder of the address.
  func isInside(_ other: [[UInt8]]) -> Bool {
    let folder = names.dropLast()
    return other.count > folder.count && other.starts(with: folder)
  }

  /// Whether all servers interpret the name in the same way: some read a backslash as a slash, or ignore everything
  /// after a semicolon.
  static func leadsDown(_ name: [UInt8]) -> Bool {
    let plain = name.prefix { $0 != UInt8(ascii: ";") }
    return !name.contains(UInt8(ascii: "\\")) && !plain.elementsEqual(".".utf8) && !plain.elementsEqual("..".utf8)
  }

  /// The playlist `bytes`, served at `other`. If `location`, its location after redirects, has another folder or host,
  /// URIs are rewritten: those in the scope become paths of this server, all others absolute URLs.
  func moved(_ bytes: [UInt8], from location: WebAddress, to other: WebAddress) -> [UInt8]? {
    guard !isSameFolder(location, other), var playlist = try? Playlist(bytes) else { return nil }
    let change = { (uri: String) -> String in
      // A reference that begins with a variable may be a complete URL.
      let reference = URIReference(uri)
      guard !uri.hasPrefix("{$"), !reference.isAbsolute, let target = location.resolving(uri) else { return uri }
      guard isSameHost(target, address),
        let names = Server.Request.names(inPath: Array(target.reference.path.utf8)[...]),
        allowsOutside || isInside(names)
      else { return "\(target)" }
      let query = target.reference.query.map { "?" + $0 } ?? ""
      return target.reference.path + query
    }
    switch playlist {
    case .media(var media):
      media.changeURIs(change)
      playlist = .media(media)
    case .multivariant(var multivariant):
      multivariant.changeURIs(change)
      playlist = .multivariant(multivariant)
    }
    return playlist.bytes
  }

  private func isSameHost(_ a: WebAddress, _ b: WebAddress) -> Bool {
    a.reference.scheme == b.reference.scheme
      && a.reference.authority.map(WebAddress.withoutUser) == b.reference.authority.map(WebAddress.withoutUser)
  }
  private func isSameFolder(_ a: WebAddress, _ b: WebAddress) -> Bool {
    func folder(_ address: WebAddress) -> Substring {
      address.reference.path.prefix(
        upTo: address.reference.path.lastIndex(of: "/") ?? address.reference.path.startIndex)
    }
    return isSameHost(a, b) && folder(a) == folder(b)
  }
}
