import Bytes

/// Where something lies on a server: an absolute `http` or `https` URL with a host, without a fragment.
public struct WebAddress: Hashable, Sendable {
  /// The parts of the URL as they were given.
  public let reference: URIReference

  /// The address in `text`, or `nil` when that is something else.
  public init?(_ text: String) { self.init(URIReference(text)) }

  /// The address that `reference` is, or `nil` when it is something else.
  public init?(_ reference: URIReference) {
    guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https" else { return nil }
    guard let host = reference.authority.map(WebAddress.withoutUser), WebAddress.isHost(host) else { return nil }
    var reference = reference
    reference.scheme = scheme
    reference.fragment = nil
    self.reference = reference
  }

  /// Whether `text` is meant to be an address on a server rather than the name of a file.
  public static func isMeant(by text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Whether the way to it is encrypted.
  public var isSecure: Bool { reference.scheme == "https" }

  /// The address that a reference inside this resource means, or `nil` when it leads to another scheme.
  public func resolving(_ uri: String) -> WebAddress? { WebAddress(URIReference(uri).resolved(against: reference)) }

  /// The address as it is sent: what a URL cannot hold is percent-encoded.
  package var text: String {
    PercentEncoding.encoded(reference.description.utf8) {
      $0 > 0x20 && $0 < 0x7F && !WebAddress.encoded.contains($0)
    }
  }

  /// Whether it is a name or an address, and perhaps the number of a port, so that a server can be there.
  private static func isHost(_ text: String) -> Bool {
    var name = text.utf8[...]
    // Colons are in addresses of IPv6 too, in brackets.
    if let colon = name.lastIndex(of: 0x3A), name.last != UInt8(ascii: "]") {
      let port = name[colon...].dropFirst()
      guard port.isEmpty || UInt16(String(Substring(port))) != nil else { return false }
      name = name[..<colon]
    }
    return !name.isEmpty && name.allSatisfy { $0 > 0x20 && $0 != 0x7F && !encoded.contains($0) }
  }

  private static let encoded = Array("\"<>\\^`{|}".utf8)
  /// A host and perhaps its port, without the user and the password that may stand before them.
  public static func withoutUser(_ authority: String) -> String {
    String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
  }
}

extension WebAddress: CustomStringConvertible {
  /// The URL without user and password, for messages.
  public var description: String {
    var shown = reference
    shown.authority = shown.authority.map(WebAddress.withoutUser)
    return shown.description
  }
}
