import Platform

/// The numeric address of a machine, IPv4 or IPv6, and a port.
public struct SocketAddress: Hashable, Sendable {
  let endpoint: IPEndpoint

  init(_ endpoint: IPEndpoint) { self.endpoint = endpoint }

  /// The bytes of the address: 4 or 16.
  public var host: [UInt8] { endpoint.address.bytes }
  /// The port; 0 for one that the system chooses.
  public var port: UInt16 { endpoint.port }

  /// `127.0.0.1`, which only programs of this machine reach.
  public static func loopback(port: UInt16) -> SocketAddress { SocketAddress(IPEndpoint(.loopback, port: port)) }

  /// The address of `host`, such as `127.0.0.1` or `::1`; `localhost` is the first of these. `nil` for other names, which
  /// are not looked up.
  public init?(_ host: String, port: UInt16) {
    guard let address = host == "localhost" ? .loopback : IPAddress(host) else { return nil }
    endpoint = IPEndpoint(address, port: port)
  }

  /// Whether only programs of this machine reach it.
  public var isLoopback: Bool { endpoint.address.isLoopback }
  /// Whether it stands for every address of this machine.
  public var isWildcard: Bool { endpoint.address.isWildcard }
}

extension SocketAddress: CustomStringConvertible {
  /// The address without its port, such as `127.0.0.1`.
  public var hostText: String { endpoint.address.description }
  /// As in a URL: `127.0.0.1:8080` or `[::1]:8080`.
  public var description: String { endpoint.description }
}

extension SocketAddress {
  /// The names by which other machines may call this one, in lower case: its own, and that of multicast DNS.
  public static var namesOfThisMachine: Set<String> {
    guard let name = LocalHost.name, let label = name.split(separator: ".").first else { return [] }
    return [name, "\(label).local"]
  }

  /// The IPv4 addresses by which other machines reach this one, with a port.
  public static func ofThisMachine(port: UInt16) -> [SocketAddress] {
    LocalHost.addresses.map { SocketAddress(IPEndpoint($0, port: port)) }
  }
}
