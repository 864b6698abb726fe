#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A client that sends exactly the given bytes.
final class Client {
  private let number: Int32
  private var received: [UInt8] = []
  /// Whether the peer has closed or reset the connection.
  private(set) var isAtEnd = false
  /// The `errno` of receiving; 0 after an orderly end.
  private(set) var code: Int32 = 0

  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    #if canImport(Glibc)
      // A program that another test starts must not keep the connection open.
      number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      number = socket(AF_INET, SOCK_STREAM, 0)
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    #endif
    if var size = receiveBuffer { _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var time = timeval(tv_sec: 600, tv_usec: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 {
      close(number)
      throw Problem(text: "cannot connect: \(errno)")
    }
  }

  deinit { close(number) }

  struct Problem: Error { let text: String }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends as many bytes as the peer accepts.
  func send(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
      #endif
      let count = unsafe bytes[done...].withUnsafeBytes { unsafe systemSend(number, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return }
      done += count
    }
  }

  /// Closes the sending side.
  func finish() { shutdown(number, Int32(SHUT_WR)) }

  /// Waits up to this long; returns whether bytes or the end can be received.
  func isReadable(milliseconds: Int32) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, milliseconds) > 0
  }

  /// Receives at least one and at most `limit` more bytes; returns whether there were any.
  @discardableResult
  func receive(limit: Int = 65536) -> Bool {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = unsafe recv(number, &buffer, limit, 0)
    if count <= 0 {
      isAtEnd = true
      code = count < 0 ? errno : 0
      return false
    }
    received += buffer[..<count]
    return true
  }

  /// A response as received.
  struct Answer {
    var status: Int
    /// The header fields, with names in lower case.
    var fields: [String: String]
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The next response; `nil` if the connection ends before or in it.
  func answer(withoutBody: Bool = false) -> Answer? {
    var end = 0
    while true {
      if let found = headEnd() {
        end = found
        break
      }
      if !receive() { return nil }
    }
    let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    received.removeFirst(end)
    if status == 100 { return Answer(status: status, fields: fields, body: []) }
    if !withoutBody, fields["transfer-encoding"] == "chunked" {
      return chunkedBody().map { Answer(status: status, fields: fields, body: $0) }
    }
    let length = withoutBody || status == 304 || status == 204 ? 0 : Int(fields["content-length"] ?? "") ?? 0
    while received.count < length { if !receive() { return nil } }
    let body = Array(received[..<length])
    received.removeFirst(length)
    return Answer(status: status, fields: fields, body: body)
  }

  /// The body of a chunked response; `nil` if the connection ends in it.
  private func chunkedBody() -> [UInt8]? {
    var body: [UInt8] = []
    while true {
      while !received.contains(10) { if !receive() { return nil } }
      let line = received.prefix { $0 != 13 }
      guard let count = Int(String(decoding: line, as: UTF8.self), radix: 16) else { return nil }
      while received.count < line.count + 4 + count { if !receive() { return nil } }
      body += received[(line.count + 2)...].prefix(count)
      received.removeFirst(line.count + 4 + count)
      if count == 0 { return body }
    }
  }

  /// Receives once; returns whether this many bytes of the body have arrived.
  func received(behindHead count: Int) -> Bool {
    if let end = headEnd(), received.count >= end + count { return true }
    receive()
    return headEnd().map { received.count >= $0 + count } ?? false
  }

  /// The number of bytes received until the peer ends the connection.
  func countToEnd() -> Int {
    while receive() {}
    return received.count
  }

  private func headEnd() -> Int? {
    var index = 0
    while index + 3 < received.count {
      if received[index] == 13, received[index + 1] == 10, received[index + 2] == 13, received[index + 3] == 10 {
        return index + 4
      }
      index += 1
    }
    return nil
  }
}

private func systemSend(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  unsafe send(number, start, count, flags)
}
