import Support
import Testing

@testable import MP4Serving

@Suite("Strict request parsing")
struct RequestTests {
  @Test(
    "Malformed requests are refused, and the connection is closed",
    arguments: [
      ("GET\r\n\r\n", 400), ("GET /letters\r\n\r\n", 400), ("GET  /letters HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET /letters HTTP/1.1 \r\nHost: a\r\n\r\n", 400), ("G(T /letters HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET letters HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /let\u{1}ters HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET /letters#a HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET http:///letters HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET /letters HTTP/1\r\nHost: a\r\n\r\n", 400), ("GET /letters HTTP/2.0\r\nHost: a\r\n\r\n", 505),
      ("PRI * HTTP/2.0\r\n\r\n", 505), ("GET /letters http/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\n\r\n", 400), ("GET /letters HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET /letters HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400), ("GET /letters HTTP/1.1\r\nHost: a\r\nb\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nb: \u{0}\r\n\r\n", 400), ("GET /letters HTTP/1.1\nHost: a\n\n", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nb: c\rd\r\n\r\n", 400), ("\r\n\r\n\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
      ("GET /letters HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
      ("GET /letters HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n", 417),
      ("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
      ("GET /" + String(repeating: "a", count: 8300) + "\nHost: a\r\n\r\n", 414),
      ("GET / HTTP/1.1\r\nHost: a\r\nb: " + String(repeating: "a", count: 9000) + "\r\n\r\n", 431),
      ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "b: c\r\n", count: 101) + "\r\n", 431),
      ("GET / HTTP/1.1\r\n" + String(repeating: "b: \(String(repeating: "c", count: 999))\r\n", count: 20), 431),
    ])
  func refused(text: String, status: Int) throws {
    let running = try Running()
    let client = try running.client()
    // The rest must not be parsed as another request.
    client.send(text + "GET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(client.answer(), "\(text.prefix(80))")
    let isRight = answer.status == status && answer.fields["connection"] == "close"
    #expect(isRight, "\(text.prefix(80)): \(answer.status)")
    #expect(client.answer() == nil && client.isAtEnd)
    #expect(try running.get("/letters").status == 200)
  }

  @Test("Targets are paths or URLs, and field names are not case-sensitive")
  func forms() throws {
    let running = try Running()
    for line in [
      "GET /letters HTTP/1.1", "GET http://a/letters HTTP/1.1", "GET HTTP://a:80/letters?b=c HTTP/1.1",
      "GET /letters?b=/../c HTTP/1.1", "GET /letters HTTP/1.0", "GET /letters HTTP/1.9",
    ] {
      let answer = try running.request("\(line)\r\nhOsT:\t a \t\r\nrAnGe:bytes=0-1\r\nX:\r\n\r\n")
      #expect(answer.status == 206 && answer.text == "ab", "\(line)")
    }
    #expect(try running.request("\r\n\r\nGET /letters HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
  }

  @Test("HEAD returns the header of GET, and other methods return the allowed methods")
  func methods() throws {
    let running = try Running()
    let head = try running.request("HEAD /letters HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n")
    #expect(head.status == 200 && head.fields["content-length"] == "26" && head.body == [])
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X"] {
      let answer = try running.request("\(method) /letters HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.status == 405 && answer.fields["allow"] == "GET, HEAD", "\(method)")
    }
    #expect(try running.request("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").status == 405)
    #expect(try running.request("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n").status == 405)
  }

  @Test("Request content is skipped, after 100 Continue if expected")
  func content() throws {
    let running = try Running()
    let client = try running.client()
    let head = "GET /letters HTTP/1.1\r\nHost: a\r\n"
    client.send("\(head)Content-Length: 5\r\n\r\nGET /\(head)\r\n")
    #expect(client.answer()?.status == 200)
    #expect(client.answer()?.status == 200)
    client.send("\(head)Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n")
    #expect(client.answer()?.status == 100)
    client.send("abc")
    #expect(client.answer()?.status == 200)
  }

  @Test("Connections are kept open according to the version and the client")
  func keeping() throws {
    let running = try Running()
    func stays(_ line: String, _ field: String) throws -> Bool {
      let client = try running.client()
      client.send("\(line)\r\nHost: a\r\n\(field)\r\n\r\n")
      let answer = try #require(client.answer())
      let isKept = answer.fields["connection"] != "close"
      client.send("\(line)\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect((client.answer() != nil) == isKept)
      return isKept
    }
    #expect(try stays("GET /letters HTTP/1.1", "a: b"))
    #expect(try !stays("GET /letters HTTP/1.1", "Connection: a, Close"))
    #expect(try !stays("GET /letters HTTP/1.0", "a: b"))
    #expect(try stays("GET /letters HTTP/1.0", "Connection: Keep-Alive"))
  }

  @Test("Pipelined requests, and requests that arrive byte by byte, are answered in order")
  func pipelining() throws {
    let running = try Running()
    let client = try running.client()
    let requests = (0..<20).map { "GET /letters HTTP/1.1\r\nHost: a\r\nRange: bytes=\($0)-\($0)\r\n\r\n" }
    client.send(requests.joined())
    for number in 0..<20 { #expect(client.answer()?.body == [Running.letters[number]]) }
    for byte in requests[3].utf8 { client.send([byte]) }
    #expect(client.answer()?.text == "d")
  }

  @Test("Paths are decoded once, and invalid paths or paths to parents are not found")
  func paths() throws {
    func names(_ path: String) throws -> [String]? {
      let head = Array("GET \(path) HTTP/1.1".utf8)
      let request = try RequestHead(
        head + ascii("\r\nHost: a\r\n\r\n"), lines: [0..<head.count, head.count + 2..<head.count + 9],
        from: .loopback(port: 1)
      ).request()
      return request.names?.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(try names("/") == [""] && names("/a//b%20c/") == ["a", "b c", ""] && names("/a?/../b") == ["a"])
    #expect(try names("/%25%32%65") == ["%2e"] && names("/a+b") == ["a+b"] && names("/ä") == ["ä"])
    for path in ["/..", "/a/../b", "/.", "/%2e%2E", "/.%2e/a", "/a%2fb", "/a%00", "/%", "/%2", "/%zz", "/a%2"] {
      #expect(try names(path) == nil, "\(path)")
    }
    // These are not dots, unless they are decoded carelessly.
    #expect(try names("/%c0%ae%c0%ae/a")?.count == 2 && names("/..%5ca") == ["..\\a"])
  }

  @Test("Dates are read in all three formats and written in one")
  func dates() {
    #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
      #expect(HTTPDate.seconds(text) == 784_111_777, "\(text)")
    }
    for text in ["", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 66 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
      #expect(HTTPDate.seconds(text) == nil, "\(text)")
    }
    var generator = SplitMix64(seed: 1)
    for _ in 0..<1000 {
      let second = Int.random(in: -10_000_000_000...200_000_000_000, using: &generator)
      #expect(HTTPDate.seconds(HTTPDate.text(second)) == second)
    }
  }
}
