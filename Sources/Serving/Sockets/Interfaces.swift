#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SocketAddress {
  /// The names by which other machines may call this one, in lower case: its own, and that of multicast DNS.
  public static var namesOfThisMachine: Set<String> {
    var text = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&text, 255) == 0 else { return [] }
    let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    guard let label = name.split(separator: ".").first else { return [] }
    return [name, "\(label).local"]
  }

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
