#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SocketAddress {
  /// The IPv4 addresses by which other machines reach this one, with a port.
  public static func ofThisMachine(port: UInt16) -> [SocketAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var result: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let address = unsafe entry.pointee.ifa_addr, unsafe Int32(address.pointee.sa_family) == AF_INET else {
        continue
      }
      let four = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee.sin_addr }
      let own = SocketAddress(host: unsafe withUnsafeBytes(of: four) { unsafe Array($0) }, port: port)
      if !own.isLoopback, !result.contains(own) { result.append(own) }
    }
    return result
  }
}
