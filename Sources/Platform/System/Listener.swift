#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A socket that accepts connections.
package final class Listener: Sendable {
  private let socket: Socket
  /// A byte in this pipe wakes `accept`.
  private let wake: Pipe
  /// The endpoint that clients connect to.
  package let endpoint: IPEndpoint

  package init(_ wanted: IPEndpoint) throws(Errno) {
    let socket = try Socket(family: wanted.address.family)
    // Allows a port whose previous connections are still closing.
    socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
    if !wanted.address.isIPv4 {
      socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, wanted.address.isWildcard ? 0 : 1)
    }
    let number = socket.number
    _ = try checked(unsafe wanted.withSystemAddress { unsafe bind(number, $0, $1) })
    _ = try checked(listen(number, 1024))
    socket.makeNonBlocking()
    guard let own = unsafe IPEndpoint({ unsafe getsockname(number, $0, $1) }) else { throw .current }
    endpoint = own
    self.socket = socket
    wake = try Pipe()
  }

  /// The next connection and the address of the client; `nil` after `stop`.
  package func accept() throws(Errno) -> (Socket, IPEndpoint)? {
    while true {
      var requests = [
        pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.read.number, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&requests, 2, -1)
      if count < 0 && errno != EINTR { throw .current }
      if requests[1].revents != 0 { return nil }
      if count <= 0 { continue }
      var number: Int32 = -1
      let peer = unsafe IPEndpoint { address, length in
        number = unsafe acceptConnection(socket.number, address, length)
        return number
      }
      if number >= 0 {
        // An address of another family cannot be shown.
        return (Socket(owning: number), peer ?? endpoint)
      }
      let error = Errno.current
      // The client may have disconnected already.
      if ![.wouldBlock, .interrupted, .connectionAborted, .protocolError].contains(error) { throw error }
    }
  }

  /// Refuses all further connections and wakes `accept`.
  package func stop() {
    _ = unsafe systemWrite(wake.write.number, [0], 1)
    _ = shutdown(socket.number, Int32(SHUT_RDWR))
  }
}

/// Accepts a blocking connection that child processes do not inherit.
private func acceptConnection(
  _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 {
  #if os(Linux)
    return unsafe accept4(listener, address, length, closeOnExecution)
  #else
    let number = unsafe accept(listener, address, length)
    if number >= 0 {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
    }
    return number
  #endif
}
