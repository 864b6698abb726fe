#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// This machine on the network.
package enum LocalHost {
  /// The machine's own name, in lowercase.
  package static var name: String? {
    var text = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&text, 255) == 0 else { return nil }
    return String(text).lowercased()
  }

  /// The IPv4 addresses under which other machines can reach it.
  package static var addresses: [IPAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var result: [IPAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let address = unsafe entry.pointee.ifa_addr, unsafe Int32(address.pointee.sa_family) == AF_INET else {
        continue
      }
      let own = IPAddress(
        unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee.sin_addr })
      if !own.isLoopback, !result.contains(own) { result.append(own) }
    }
    return result
  }
}
