#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The numeric address of a machine, IPv4 or IPv6, and a port.
public struct SocketAddress: Hashable, Sendable {
  /// The bytes of the address: 4 or 16.
  public let host: [UInt8]
  /// The port; 0 for one that the system chooses.
  public let port: UInt16

  /// `127.0.0.1`, which only programs of this machine reach.
  public static func loopback(port: UInt16) -> SocketAddress { SocketAddress(host: [127, 0, 0, 1], port: port) }

  private init(host: [UInt8], port: UInt16) { (self.host, self.port) = (host, port) }

  /// The address of `host`, such as `127.0.0.1` or `::1`; `localhost` is the first of these. `nil` for other names, which
  /// are not looked up.
  public init?(_ host: String, port: UInt16) {
    var four = in_addr()
    var six = in6_addr()
    if host == "localhost" {
      self = .loopback(port: port)
    } else if unsafe inet_pton(AF_INET, host, &four) == 1 {
      self.init(host: unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }, port: port)
    } else if unsafe inet_pton(AF_INET6, host, &six) == 1 {
      self.init(host: unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }, port: port)
    } else {
      return nil
    }
  }

  /// Whether only programs of this machine reach it.
  public var isLoopback: Bool {
    host.count == 4 ? host[0] == 127 : host.dropLast().allSatisfy { $0 == 0 } && host.last == 1
  }
  /// Whether it stands for every address of this machine.
  public var isWildcard: Bool { host.allSatisfy { $0 == 0 } }
}

extension SocketAddress: CustomStringConvertible {
  /// The address without its port, such as `127.0.0.1`.
  public var hostText: String {
    var text = [CChar](repeating: 0, count: 64)
    let family = host.count == 4 ? AF_INET : AF_INET6
    _ = unsafe host.withUnsafeBytes { unsafe inet_ntop(family, $0.baseAddress, &text, socklen_t(64)) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  /// As it stands in a URL: `127.0.0.1:8080` or `[::1]:8080`.
  public var description: String { host.count == 4 ? "\(hostText):\(port)" : "[\(hostText)]:\(port)" }
}

extension SocketAddress {
  var family: Int32 { host.count == 4 ? AF_INET : AF_INET6 }

  /// Runs `body` with the address as system calls want it.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if host.count == 4 {
      var address = sockaddr_in()
      #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: host) }
      return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    var address = sockaddr_in6()
    #if canImport(Darwin)
      address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    #endif
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: host) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  /// The address that `call` writes, or `nil` when it fails or writes one of another family.
  init?(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var storage = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &count) }
    }
    guard code >= 0 else { return nil }
    let bytes = unsafe withUnsafeBytes(of: &storage) { unsafe Array($0.prefix(Int(count))) }
    // Family, port, and then for IPv6 the flow before the address.
    let start: Int
    switch Int32(storage.ss_family) {
    case AF_INET: start = 4
    case AF_INET6: start = 8
    default: return nil
    }
    let length = start == 4 ? 4 : 16
    guard bytes.count >= start + length else { return nil }
    self.init(host: Array(bytes[start..<start + length]), port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
  }
}
