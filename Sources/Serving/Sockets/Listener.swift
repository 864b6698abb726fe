#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why no client can connect to an address.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address.
  public let address: SocketAddress
  /// The `errno` of the call that failed.
  public let code: Int32

  /// Whether another program has the port.
  public var isInUse: Bool { code == EADDRINUSE }

  /// Such as `127.0.0.1:80: cannot listen: permission denied`.
  public var description: String {
    let reason =
      switch code {
      case EADDRINUSE: "another program uses the port"
      case EADDRNOTAVAIL: "this machine has no such address"
      case EAGAIN: "the system has no thread to give"
      case EACCES: "ports below 1024 are for administrators"
      default: unsafe String(cString: strerror(code))
      }
    return "\(address): cannot listen: \(reason)"
  }
}

/// A socket that others connect to.
final class Listener: Sendable {
  private let socket: Socket
  /// Written to when waiting is to end.
  private let wake: (reading: Socket, writing: Socket)
  /// Where it can be reached.
  let address: SocketAddress

  init(_ wanted: SocketAddress) throws(ListenError) {
    func fail() -> ListenError { ListenError(address: wanted, code: errno) }
    let number = socketNumber(wanted.family)
    guard number >= 0 else { throw fail() }
    socket = Socket(owning: number)
    // A port whose last connections are still dying is free.
    socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
    if wanted.family == AF_INET6 { socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, wanted.isWildcard ? 0 : 1) }
    let code = unsafe wanted.withSystemAddress { unsafe bind(number, $0, $1) }
    guard code == 0, listen(number, 1024) == 0 else { throw fail() }
    socket.makeNonBlocking()
    guard let own = unsafe SocketAddress({ unsafe getsockname(number, $0, $1) }) else { throw fail() }
    address = own
    guard let ends = pipeNumbers() else { throw fail() }
    wake = (Socket(owning: ends.reading), Socket(owning: ends.writing))
  }

  /// The next one who connects; `nil` with `errno` set when there is none, which is 0 after `stop`.
  func accept() -> (Socket, SocketAddress)? {
    while true {
      var requests = [
        pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading.number, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&requests, 2, -1)
      if count < 0 && errno != EINTR { return nil }
      if requests[1].revents != 0 {
        errno = 0
        return nil
      }
      if count <= 0 { continue }
      var number: Int32 = -1
      let peer = unsafe SocketAddress { address, length in
        number = unsafe acceptConnection(socket.number, address, length)
        return number
      }
      if number >= 0 {
        // An address of another family has no numbers to show.
        return (Socket(owning: number), peer ?? self.address)
      }
      // Who had connected may be gone already.
      if ![EAGAIN, EINTR, ECONNABORTED, EPROTO].contains(errno) { return nil }
    }
  }

  /// Refuses all who connect from now on, and ends waiting in `accept`.
  func stop() {
    _ = wake.writing.writeByte()
    _ = shutdown(socket.number, Int32(SHUT_RDWR))
  }
}
