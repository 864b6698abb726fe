import MP4Serving
import Support
import Testing

@Suite("Random requests")
struct FuzzTests {
  private static let pieces = [
    "GET ", "HEAD ", "POST ", "/letters", "/", "..", "%2e", "%00", "%", " HTTP/1.1", " HTTP/1.0", " HTTP/9.9", "\r\n",
    "\r\n\r\n", "\n", "\r", "Host: a\r\n", "Host: a", "Range: bytes=", "0-1", "-", ",", "99999999999999999999",
    "If-Range: ",
    "\"tag\"", "If-None-Match: *\r\n", "Content-Length: 3\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n", "\u{0}", "\t", " ", ":", "ä",
    "http://a/",
  ]

  /// One or several valid requests with some changes.
  static func nonsense(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    if Bool.random(using: &generator) {
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes += ascii("GET /letters HTTP/1.1\r\nHost: a\r\nRange: bytes=1-2,-3\r\nIf-Range: \"tag\"\r\n\r\n")
      }
      for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        case 2: bytes.removeLast(bytes.count - place)
        default: bytes.insert(contentsOf: ascii(pieces.randomElement(using: &generator) ?? ""), at: place)
        }
      }
    } else {
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        bytes += ascii(pieces.randomElement(using: &generator) ?? "")
      }
    }
    return bytes
  }

  @Test("Every response to random bytes is well-formed, and the next client is served", arguments: 0..<8)
  func random(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    let running = try Running { $0.headTimeout = .seconds(2) }
    for _ in 0..<Effort.count(short: 50, all: 400) {
      let bytes = Self.nonsense(&generator)
      let client = try running.client()
      client.send(bytes)
      client.finish()
      let isHead = bytes.starts(with: ascii("HEAD"))
      while let answer = client.answer(withoutBody: isHead) {
        #expect(
          [100, 200, 206, 304, 400, 404, 405, 408, 411, 412, 413, 414, 416, 417, 431, 505].contains(answer.status))
        if isHead { break }
      }
    }
    #expect(try running.get("/letters").body == Running.letters)
  }
}
