import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import Support
import Testing

@testable import MP4Serving

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The number of open descriptors of this process, and its memory use in kilobytes.
private enum Process {
  static var descriptorCount: Int { namesInFolder("/proc/self/fd").count }
  static var kilobytes: Int {
    get throws {
      let lines = String(decoding: try readFile("/proc/self/status"), as: UTF8.self).split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix("VmRSS:") })
      return try #require(line.split { " \t".contains($0) }.dropFirst().first.flatMap { Int($0) })
    }
  }
  static let isKnown = fileExists("/proc/self/fd")
  /// The number of idle connections that fit in this process, which has both ends of each.
  static var idleCount: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    return limit.rlim_cur >= 4000 ? 1000 : 100
  }
}

@Suite("Connections are limited and leave no resources", .serialized)
struct ConnectionTests {
  @Test(
    "A thousand idle connections and sixty-four busy ones are served, with limited memory and descriptors",
    .enabled(if: Process.isKnown, "there is no /proc"))
  func many() async {
    // Other tests open files and allocate memory in this process.
    await #expect(processExitsWith: .success) { try ConnectionTests.serveMany() }
  }

  private static func serveMany() throws {
    let wanted = Process.idleCount
    let (descriptors, memory) = (Process.descriptorCount, try Process.kilobytes)
    let running = try Running()
    do {
      let idle = try (0..<wanted).map { _ in try running.client() }
      let half = try (0..<64).map { _ in try running.client() }
      for _ in 0..<20 {
        for client in half { client.send("GET /letters HTTP/1.1\r\nHost: a\r\n\r\n") }
        for client in half { #expect(client.answer()?.body == Running.letters) }
      }
      #expect(becomes { running.server.connectionCount == wanted + 64 }, "\(running.server.connectionCount)")
      for client in idle { client.send("GET /letters HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
      for client in idle { #expect(client.answer()?.status == 200) }
      let used = try Process.kilobytes - memory
      #expect(used < 100_000, "\(used) kB for \(wanted) connections")
    }
    #expect(becomes { running.server.connectionCount == 0 })
    #expect(becomes { Process.descriptorCount <= descriptors + 8 }, "\(descriptors) to \(Process.descriptorCount)")
  }

  @Test(
    "Among a thousand idle, slow and invalid connections, others are served immediately, with limited memory",
    .enabled(if: Process.isKnown, "there is no /proc"))
  func besieged() async {
    await #expect(processExitsWith: .success) { try ConnectionTests.serveBesieged() }
  }

  private static func serveBesieged() throws {
    let (wanted, memory) = (Process.idleCount, try Process.kilobytes)
    let running = try Running()
    let idle = try (0..<wanted).map { _ in try running.client() }
    let slow = try (0..<64).map { _ in
      let client = try running.client(receiveBuffer: 4096)
      client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    let steady = try running.client()
    var generator = SplitMix64(seed: 1)
    for round in 0..<300 {
      let client = try running.client()
      client.send(FuzzTests.nonsense(&generator))
      client.finish()
      #expect(slow[round % slow.count].receive(limit: 100))
      steady.send("GET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(steady.answer()?.body == Running.letters)
      while client.receive() {}
    }
    #expect(becomes { running.server.connectionCount == wanted + slow.count + 1 }, "\(running.server.connectionCount)")
    for client in idle { client.send("GET /letters HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
    for client in idle { #expect(client.answer()?.body == Running.letters) }
    let used = try Process.kilobytes - memory
    #expect(used < 100_000, "\(used) kB")
  }

  @Test("A connection above the limit replaces the one that was idle longest, or is refused")
  func limits() throws {
    let running = try Running { $0.connectionLimit = 3 }
    let clients = try (0..<3).map { number in
      // Waits until the previous connection is idle, so that it is clear which one was idle longest.
      #expect(becomes { running.server.idleCount == number })
      let client = try running.client()
      client.send("GET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.answer()?.status == 200)
      return client
    }
    #expect(try running.get("/letters").status == 200)
    #expect(!clients[0].receive() && clients[0].isAtEnd)
    // Unfinished requests do not keep a connection either.
    let beginners = try (0..<5).map { _ in
      let client = try running.client()
      client.send("GET /letters HTTP/1.1\r\nHo")
      return client
    }
    #expect(try running.get("/letters").status == 200)
    #expect(beginners.count == 5)
    // Now all connections are busy.
    let busy = try (0..<3).map { _ in
      #expect(becomes { running.server.connectionCount <= 3 })
      let client = try running.client(receiveBuffer: 4096)
      client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive(limit: 16))
      return client
    }
    let refused = try running.client()
    #expect(refused.answer()?.status == 503 && !refused.receive())
    #expect(busy.count == 3)
  }

  // One limit for each server: the others are too long to be reached.
  @Test("Clients that send nothing, send slowly, or receive nothing are disconnected")
  func slow() throws {
    let quick = try Running { $0.idleTimeout = .milliseconds(100) }
    let silent = try quick.client()
    #expect(!silent.receive() && silent.code == 0)
    let running = try Running {
      $0.idleTimeout = .seconds(600)
      $0.headTimeout = .milliseconds(500)
      $0.progressTimeout = .seconds(600)
    }
    let hesitant = try running.client()
    hesitant.send("GET /letters HT")
    #expect(hesitant.answer()?.status == 408 && !hesitant.receive())
    let trickling = try running.client()
    // Byte by byte until there is a response: bytes sent after it could reset the connection and discard the response.
    for byte in "GET /" + String(repeating: "a", count: 8000) where !trickling.isReadable(milliseconds: 30) {
      trickling.send([byte.asciiValue ?? 0])
    }
    #expect(trickling.answer()?.status == 408)
    let content = try running.client()
    content.send("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    #expect(content.answer() == nil)
    #expect(becomes { running.server.connectionCount == 0 })
    let impatient = try Running { $0.progressTimeout = .milliseconds(300) }
    let full = try impatient.client(receiveBuffer: 4096)
    full.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
    full.receive(limit: 1)
    #expect(becomes { impatient.server.connectionCount == 0 })
    // It receives the bytes in transit, and then an error, because the response is incomplete.
    #expect(full.countToEnd() < 1 << 30 && full.code == ECONNRESET)
    #expect(try running.get("/letters").status == 200)
  }

  @Test("A slow client receives the whole response; only later responses are dropped")
  func slowAtTheEnd() throws {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    defer { close(ends[0]) }
    let sink = SocketSink(Socket(owning: ends[1]), to: .loopback(port: 80), timeout: 0)
    try sink.write(ascii("all"))
    try sink.flush()
    try sink.write(ascii("more"))
    let error = #expect(throws: IOError.self) { try sink.flush() }
    #expect(error?.code == ETIMEDOUT && sink.sentCount == 3)
  }

  @Test("A client that disconnects during a response is not an error")
  func gone() throws {
    let running = try Running()
    for _ in 0..<50 {
      let client = try running.client(receiveBuffer: 4096)
      client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
      client.receive(limit: 100)
    }
    #expect(becomes { running.server.connectionCount == 0 })
    #expect(try running.get("/letters").status == 200)
  }

  @Test("Unreadable content is a 500 response, or truncates a response that has started")
  func broken() throws {
    let running = try Running()
    let client = try running.client()
    client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\nGET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.answer()?.status == 500)
    #expect(client.answer()?.status == 200)
    let late = try running.client()
    late.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(late.answer() == nil && late.isAtEnd)
  }

  @Test("Stopping closes idle connections immediately, and waits for responses that have started")
  func stopping() throws {
    let running = try Running()
    let idle = try running.client()
    idle.send("GET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(idle.answer()?.status == 200)
    let busy = try running.client(receiveBuffer: 4096)
    let (asked, slow) = (Flag(), Flag())
    let waiting = try Server(.loopback(port: 0)) { _ in
      asked.set()
      while !slow.isSet { usleep(1000) }
      return Server.Response(200, "late")
    }
    try waiting.start()
    let client = try Client(port: waiting.address.port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(becomes { asked.isSet })
    let isStopped = Flag()
    _ = Thread.start {
      waiting.stop()
      isStopped.set()
    }
    #expect(becomes { (try? Client(port: waiting.address.port)) == nil })
    #expect(!isStopped.isSet)
    slow.set()
    let answer = try #require(client.answer())
    #expect(answer.status == 200 && answer.fields["connection"] == "close" && !client.receive())
    #expect(becomes { isStopped.isSet })
    #expect(throws: Client.Problem.self) { try Client(port: waiting.address.port) }
    running.server.stop()
    #expect(!idle.receive() && !busy.receive())
  }

  @Test("A port in use is an error with that reason")
  func taken() throws {
    let running = try Running()
    let error = #expect(throws: ListenError.self) {
      try Server(.loopback(port: running.port)) { _ in .notFound }
    }
    #expect(error?.isInUse == true)
    #expect(error?.description == "127.0.0.1:\(running.port): cannot listen: the port is in use")
  }

  @Test("IPv6 connections are served")
  func six() throws {
    let address = try #require(SocketAddress("::1", port: 0))
    guard let server = try? Server(address, answering: { _ in Server.Response(200, "six") }) else { return }
    #expect("\(server.address)".hasPrefix("[::1]:") && server.address.isLoopback)
    try server.start()
    server.stop()
    #expect(SocketAddress("0.0.0.0", port: 1)?.isWildcard == true && SocketAddress("::", port: 1)?.isWildcard == true)
    #expect(SocketAddress("10.1.2.3", port: 1)?.isLoopback == false && SocketAddress("example.com", port: 1) == nil)
    #expect(SocketAddress("localhost", port: 80)?.description == "127.0.0.1:80")
  }
}
