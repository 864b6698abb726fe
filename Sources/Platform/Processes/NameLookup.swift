import MP4Platform

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

package enum NameLookup {
  #if canImport(Darwin)
    /// All addresses of `host` in text form, with the interface name after `%` where needed; empty if it has none.
    package static func addresses(of host: String) -> [String] {
      var hints = unsafe addrinfo()
      unsafe hints.ai_socktype = SOCK_STREAM
      var list: UnsafeMutablePointer<addrinfo>?
      guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
      defer { unsafe freeaddrinfo(list) }
      var result: [String] = []
      var entry = unsafe list
      while let info = unsafe entry?.pointee {
        unsafe entry = info.ai_next
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = unsafe getnameinfo(
          info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        if code == 0 { result.append(String(decoding: bytes, as: UTF8.self)) }
      }
      return result
    }
  #else
    /// All addresses of `host` in text form, with the interface name after `%` where needed; empty if it has none.
    ///
    /// Runs a system program, because a static executable cannot load the system's name service modules.
    package static func addresses(of host: String) -> [String] {
      guard !host.isEmpty, !host.hasPrefix("-"), let program = try? ChildProcess("getent", ["ahosts", host]) else {
        return []
      }
      var bytes: [UInt8] = []
      while let output = try? program.read(), output != .ended, bytes.count < 1 << 20 {
        if case .bytes(let more) = output { bytes += more } else { ChildProcess.wait(for: [program], milliseconds: -1) }
      }
      guard program.waitForEnd() == .exited(0) else { return [] }
      // Each line has an address, the kind of socket, and possibly the name.
      return bytes.split(separator: UInt8(ascii: "\n")).map { line in
        String(decoding: line.prefix { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
      }
    }
  #endif
}
