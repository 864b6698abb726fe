import MP4Platform

/// Why a server cannot listen on an address.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address.
  public let address: SocketAddress
  private let errno: Errno

  init(address: SocketAddress, _ errno: Errno) { (self.address, self.errno) = (address, errno) }

  /// The `errno` of the call that failed.
  public var code: Int32 { errno.rawValue }
  /// Whether the port is in use.
  public var isInUse: Bool { errno == .addressInUse }

  /// Such as `127.0.0.1:80: cannot listen: permission denied`.
  public var description: String {
    let reason =
      switch errno {
      case .addressInUse: "the port is in use"
      case .addressNotAvailable: "this machine has no such address"
      case .wouldBlock: "no thread could be created"
      case .permissionDenied: "ports below 1024 require administrator rights"
      default: errno.systemText
      }
    return "\(address): cannot listen: \(reason)"
  }
}
