internal import MP4HLS
import MP4Platform

/// Looks up the addresses of hosts, with a cache.
package final class HostResolver: Sendable, Hashable {
  package typealias LookUp = @Sendable (_ host: String) -> [HostAddress]

  private struct Entry {
    var addresses: [HostAddress]
    var end: ContinuousClock.Instant
    /// Whether the host had a public address when it was first looked up. Such a host is not accepted as a private one
    /// later, whatever its name server returns then (DNS rebinding).
    var wasPublic: Bool
  }

  private let lookUp: LookUp
  private let usesProxy: Bool
  private let known = Monitor<[String: Entry]>([:])
  private static let lifetime = Duration.seconds(60)
  private static let mostKnown = 10_000

  /// The system's resolver.
  static let system = HostResolver(usesProxy: hasProxy, HostAddress.lookUp)

  /// A resolver that uses `lookUp`. With a proxy, the proxy resolves hosts without an address.
  package init(usesProxy: Bool = false, _ lookUp: @escaping LookUp) {
    (self.lookUp, self.usesProxy) = (lookUp, usesProxy)
  }

  package static func == (a: HostResolver, b: HostResolver) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Checks that a transfer that started at `start` may continue at `address`. Returns arguments that make the program
  /// connect to the checked addresses of the host.
  func pins(for address: WebAddress, from start: WebAddress) throws(FetchError) -> [String] {
    let (host, port) = address.hostAndPort
    let own = entry(host).addresses
    if address != start, entry(start.hostAndPort.host).wasPublic {
      if let other = own.first(where: { !$0.isPublic }) {
        throw FetchError(.privateAddress(other.text), address)
      }
      if own.isEmpty, !usesProxy {
        throw FetchError(.failed("the host name has no address", isPassing: true), address)
      }
    }
    // A numeric address needs no lookup.
    let texts = own.map { $0.text.utf8.contains(UInt8(ascii: ":")) ? "[\($0.text)]" : $0.text }
    guard !texts.isEmpty, !host.isEmpty, own.map(\.text) != [host], host.utf8.allSatisfy(Self.isPlain) else {
      return []
    }
    let names = host.utf8.last == UInt8(ascii: ".") ? [host, String(host.dropLast())] : [host]
    return names.map { "\($0):\(port):\(texts.joined(separator: ","))" }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
  }

  private func entry(_ host: String) -> Entry {
    let before = known { $0[host] }
    if let before, before.end > .now { return before }
    // Other threads can continue during the lookup.
    let addresses = lookUp(host)
    let isPublic = addresses.isEmpty || addresses.contains(where: \.isPublic)
    let entry = Entry(
      addresses: addresses, end: .now + Self.lifetime, wasPublic: before?.wasPublic == true || isPublic)
    known { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[host] = entry
    }
    return entry
  }

  /// Whether the program uses a proxy that resolves host names.
  private static var hasProxy: Bool {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { name in
      !(Environment[name] ?? "").isEmpty
    }
  }
}

extension WebAddress {
  /// The host in lower case, without brackets, and the port.
  var hostAndPort: (host: String, port: Int) {
    let authority = WebAddress.withoutUser(reference.authority ?? "")
    var host = authority[...]
    var port = isSecure ? 443 : 80
    if let colon = authority.utf8.lastIndex(of: 0x3A), authority.utf8.last != UInt8(ascii: "]") {
      host = authority[..<colon]
      port = Int(authority[authority.utf8.index(after: colon)...]) ?? port
    }
    if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
    return (URIReference.percentDecoded(String(host)).lowercased(), port)
  }
}
