#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A numeric IP address: IPv4 or IPv6.
package struct IPAddress: Hashable, Sendable {
  /// The bytes of the address: 4 or 16.
  package let bytes: [UInt8]

  /// The address with these 4 or 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses the usual notation, such as `10.0.0.1` or `fe80::1`.
  package init?(_ text: String) {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if unsafe inet_pton(family, text, &bytes) == 1 {
        self.bytes = bytes
        return
      }
    }
    return nil
  }

  init(_ address: in_addr) { bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) } }

  /// `127.0.0.1` (this machine only).
  package static let loopback = IPAddress(in_addr(s_addr: UInt32(0x7f00_0001).bigEndian))

  package var isIPv4: Bool { bytes.count == 4 }
  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
  /// Whether it means every address of this machine.
  package var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }

  var family: Int32 { isIPv4 ? AF_INET : AF_INET6 }
}

extension IPAddress: CustomStringConvertible {
  /// The usual notation, such as `127.0.0.1` or `::1`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 64)
    _ = unsafe inet_ntop(family, bytes, &text, socklen_t(text.count))
    return String(text)
  }
}

/// An address and a port.
package struct IPEndpoint: Hashable, Sendable, CustomStringConvertible {
  package let address: IPAddress
  /// The port; 0 lets the system choose one.
  package let port: UInt16

  package init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }

  /// As in a URL, such as `127.0.0.1:8080` or `[::1]:8080`.
  package var description: String { address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)" }

  /// Runs `body` with the address in the form that system calls expect.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if address.isIPv4 {
      var system = sockaddr_in()
      #if canImport(Darwin)
        system.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
      #endif
      system.sin_family = sa_family_t(AF_INET)
      system.sin_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &system.sin_addr) { unsafe $0.copyBytes(from: address.bytes) }
      return unsafe Self.withSystemAddress(system, body)
    }
    var system = sockaddr_in6()
    #if canImport(Darwin)
      system.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    #endif
    system.sin6_family = sa_family_t(AF_INET6)
    system.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &system.sin6_addr) { unsafe $0.copyBytes(from: address.bytes) }
    return unsafe Self.withSystemAddress(system, body)
  }

  /// Runs `body` with the address of one family as a generic socket address.
  private static func withSystemAddress<Address, Result>(
    _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  /// The address that `call` writes; `nil` if it fails or writes an address of another family.
  init?(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var storage = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, &count) }
    }
    guard code >= 0 else { return nil }
    let bytes = unsafe withUnsafeBytes(of: &storage) { unsafe Array($0.prefix(Int(count))) }
    // The family and the port come first; in IPv6, the flow information also precedes the address.
    let start: Int
    switch Int32(storage.ss_family) {
    case AF_INET: start = 4
    case AF_INET6: start = 8
    default: return nil
    }
    let length = start == 4 ? 4 : 16
    guard bytes.count >= start + length, let address = IPAddress(bytes: Array(bytes[start..<start + length])) else {
      return nil
    }
    self.init(address, port: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
  }
}
