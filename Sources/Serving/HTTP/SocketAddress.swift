import MP4Platform

/// A numeric IPv4 or IPv6 address and a port.
public struct SocketAddress: Hashable, Sendable {
  let endpoint: IPEndpoint

  init(_ endpoint: IPEndpoint) { self.endpoint = endpoint }

  /// The 4 or 16 bytes of the address.
  public var host: [UInt8] { endpoint.address.bytes }
  /// The port; 0 lets the system choose one.
  public var port: UInt16 { endpoint.port }

  /// `127.0.0.1`, which only this machine can reach.
  public static func loopback(port: UInt16) -> SocketAddress { SocketAddress(IPEndpoint(.loopback, port: port)) }

  /// The address of `host`, such as `127.0.0.1` or `::1`; `localhost` is `127.0.0.1`. `nil` for other names, which
  /// are not looked up.
  public init?(_ host: String, port: UInt16) {
    guard let address = host == "localhost" ? .loopback : IPAddress(host) else { return nil }
    endpoint = IPEndpoint(address, port: port)
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { endpoint.address.isLoopback }
  /// Whether it means all addresses of this machine.
  public var isWildcard: Bool { endpoint.address.isWildcard }
}

extension SocketAddress: CustomStringConvertible {
  /// The address without its port, such as `127.0.0.1`.
  public var hostText: String { endpoint.address.description }
  /// In URL notation: `127.0.0.1:8080` or `[::1]:8080`.
  public var description: String { endpoint.description }
}

extension SocketAddress {
  /// The names of this machine for other machines, in lower case: its host name, and that in multicast DNS.
  public static var namesOfThisMachine: Set<String> {
    guard let name = LocalHost.name, let label = name.split(separator: ".").first else { return [] }
    return [name, "\(label).local"]
  }

  /// The IPv4 addresses of this machine for other machines, with a port.
  public static func ofThisMachine(port: UInt16) -> [SocketAddress] {
    LocalHost.addresses.map { SocketAddress(IPEndpoint($0, port: port)) }
  }
}
