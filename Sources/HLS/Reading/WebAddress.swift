import MP4Bytes

/// A URL on a server: absolute, `http` or `https`, with a host, without a fragment.
public struct WebAddress: Hashable, Sendable {
  /// The components of the URL as given.
  public let reference: URIReference

  /// The URL in `text`, or `nil` if it is not one.
  public init?(_ text: String) { self.init(URIReference(text)) }

  /// The URL of `reference`, or `nil` if it is not one.
  public init?(_ reference: URIReference) {
    guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https" else { return nil }
    guard let host = reference.authority.map(WebAddress.withoutUser), WebAddress.isHost(host) else { return nil }
    var reference = reference
    reference.scheme = scheme
    reference.fragment = nil
    self.reference = reference
  }

  /// Whether `text` looks like a URL rather than a file name.
  public static func isMeant(by text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Whether the connection is encrypted.
  public var isSecure: Bool { reference.scheme == "https" }

  /// The URL of a reference inside this resource, or `nil` if it has another scheme.
  public func resolving(_ uri: String) -> WebAddress? { WebAddress(URIReference(uri).resolved(against: reference)) }

  /// The URL as it is sent: characters that are not allowed are percent-encoded.
  package var text: String {
    PercentEncoding.encoded(reference.description.utf8) {
      $0 > 0x20 && $0 < 0x7F && !WebAddress.encoded.contains($0)
    }
  }

  /// Whether it is a host name or address, with an optional port number.
  private static func isHost(_ text: String) -> Bool {
    var name = text.utf8[...]
    // IPv6 addresses contain colons too, in brackets.
    if let colon = name.lastIndex(of: 0x3A), name.last != UInt8(ascii: "]") {
      let port = name[colon...].dropFirst()
      guard port.isEmpty || UInt16(String(Substring(port))) != nil else { return false }
      name = name[..<colon]
    }
    return !name.isEmpty && name.allSatisfy { $0 > 0x20 && $0 != 0x7F && !encoded.contains($0) }
  }

  private static let encoded = Array("\"<>\\^`{|}".utf8)
  /// A host with an optional port, without the user and password before it.
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
