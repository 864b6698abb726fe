#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// This machine in a network.
package enum LocalHost {
  /// The name that it has itself, in lower case.
  package static var name: String? {
    var text = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&text, 255) == 0 else { return nil }
    return String(text).lowercased()
  }

  /// The IPv4 addresses by which other machines reach it.
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
