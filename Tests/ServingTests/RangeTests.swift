import Support
import Testing

@testable import MP4Serving
@testable import MP4Streaming

@Suite("Ranges and conditions according to RFC 9110")
struct RangeTests {
  @Test(
    "All forms of Range return the requested bytes",
    arguments: [
      ("bytes=0-1", "ab", "0-1"), ("bytes=0-", "abcdefghijklmnopqrstuvwxyz", "0-25"), ("bytes=24-", "yz", "24-25"),
      ("bytes=-3", "xyz", "23-25"), ("bytes=-100", "abcdefghijklmnopqrstuvwxyz", "0-25"), ("bytes=25-25", "z", "25-25"),
      ("bytes=20-1000", "uvwxyz", "20-25"), ("Bytes=3-3", "d", "3-3"), ("bytes= 1-2 ", "bc", "1-2"),
      ("bytes=24-99999999999999999999999", "yz", "24-25"), ("bytes=30-,1-2", "bc", "1-2"), ("bytes=1-2,,", "bc", "1-2"),
      ("bytes=0-9223372036854775807", "abcdefghijklmnopqrstuvwxyz", "0-25"),
    ])
  func one(range: String, text: String, place: String) throws {
    let answer = try Running().get("/letters", "Range: \(range)")
    #expect(answer.status == 206 && answer.text == text)
    #expect(answer.fields["content-range"] == "bytes \(place)/26" && answer.fields["content-type"] == "text/plain")
    #expect(answer.fields["etag"] == "\"tag\"" && answer.fields["accept-ranges"] == "bytes")
  }

  @Test(
    "Invalid ranges, and too many, return the whole resource",
    arguments: [
      "bytes=5-4", "bytes=a-b", "bytes=", "bytes", "bytes=-", "bytes=1", "lines=1-2", "bytes=1-2,x", "bytes=0x1-2",
      "bytes=--1", "bytes=1-2-3", "bytes=0-,0-", "bytes=0-25,0-0",
      "bytes=" + Array(repeating: "1-1", count: 17).joined(separator: ","),
    ])
  func whole(range: String) throws {
    let answer = try Running().get("/letters", "Range: \(range)")
    #expect(answer.status == 200 && answer.body == Running.letters && answer.fields["content-range"] == nil)
  }

  @Test(
    "Missing bytes are a 416 with the length", arguments: ["bytes=26-", "bytes=-0", "bytes=99999999999999999999-"])
  func unsatisfiable(range: String) throws {
    let running = try Running()
    let answer = try running.get("/letters", "Range: \(range)")
    #expect(answer.status == 416 && answer.fields["content-range"] == "bytes */26" && answer.body == [])
    #expect(try running.get("/empty", "Range: bytes=0-").fields["content-range"] == "bytes */0")
  }

  @Test("Several ranges are returned as parts, in the requested order")
  func several() throws {
    let answer = try Running().get("/letters", "Range: bytes=-2, 0-1 ,5-5,30-31")
    let type = try #require(answer.fields["content-type"])
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(answer.status == 206 && type.hasPrefix("multipart/byteranges; boundary="))
    #expect(answer.fields["content-range"] == nil)
    let parts = [("24-25", "yz"), ("0-1", "ab"), ("5-5", "f")].map { place, text in
      "\r\n--\(boundary)\r\nContent-Type: text/plain\r\nContent-Range: bytes \(place)/26\r\n\r\n\(text)"
    }
    #expect(answer.text == parts.joined() + "\r\n--\(boundary)--\r\n")
  }

  @Test("Random ranges return their bytes")
  func random() throws {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...60, using: &generator)
      let (a, b) = (Int.random(in: 0...70, using: &generator), Int.random(in: 0...70, using: &generator))
      let wanted: Range<Int>?
      let text: String
      switch Int.random(in: 0...2, using: &generator) {
      case 0: (text, wanted) = ("\(a)-\(b)", a > b ? nil : min(a, count)..<min(b + 1, count))
      case 1: (text, wanted) = ("\(a)-", min(a, count)..<count)
      default: (text, wanted) = ("-\(a)", max(0, count - a)..<count)
      }
      let result = RangeRequest("bytes=\(text)", of: count)
      let expected: RangeRequest = wanted.map { $0.isEmpty ? .unsatisfiable : .ranges([$0]) } ?? .all
      #expect(result == expected, "\(text) of \(count)")
    }
  }

  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  static let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"

  @Test(
    "Conditions are evaluated in order",
    arguments: [
      (["If-None-Match: \"tag\""], 304), (["If-None-Match: W/\"tag\""], 304), (["If-None-Match: *"], 304),
      (["If-None-Match: \"a\", \"tag\""], 304), (["If-None-Match: \"a\"", "If-None-Match: \"tag\""], 304),
      (["If-None-Match: \"a\""], 200), (["If-None-Match: tag"], 200),
      (["If-Modified-Since: \(date)"], 304), (["If-Modified-Since: \(earlier)"], 200),
      (["If-Modified-Since: yesterday"], 200), (["If-None-Match: \"a\"", "If-Modified-Since: \(date)"], 200),
      (["If-Match: \"tag\""], 200), (["If-Match: *"], 200), (["If-Match: W/\"tag\""], 412), (["If-Match: \"a\""], 412),
      (["If-Unmodified-Since: \(date)"], 200), (["If-Unmodified-Since: \(earlier)"], 412),
      (["If-Match: \"tag\"", "If-Unmodified-Since: \(earlier)"], 200),
      (["If-Match: \"a\"", "If-None-Match: \"tag\""], 412),
      (["Range: bytes=0-1", "If-None-Match: \"tag\""], 304), (["Range: bytes=0-1", "If-Match: \"a\""], 412),
      (["Range: bytes=0-1", "If-Range: \"tag\""], 206), (["Range: bytes=0-1", "If-Range: W/\"tag\""], 200),
      (["Range: bytes=0-1", "If-Range: \"a\""], 200), (["Range: bytes=0-1", "If-Range: \(date)"], 206),
      (["Range: bytes=0-1", "If-Range: \(earlier)"], 200), (["Range: bytes=99-", "If-Range: \"a\""], 200),
      (["Range: bytes=99-", "If-Range: \"tag\""], 416), (["If-Range: \"a\""], 200),
    ])
  func conditions(fields: [String], status: Int) throws {
    let running = try Running()
    let lines = fields.map { $0 + "\r\n" }.joined()
    for method in ["GET", "HEAD"] {
      let client = try running.client()
      client.send("\(method) /letters HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
      let answer = try #require(client.answer(withoutBody: method == "HEAD"))
      // Only GET has ranges.
      let expected = method == "HEAD" && [206, 416].contains(status) ? 200 : status
      #expect(answer.status == expected, "\(method) \(fields)")
      if status != 416 { #expect(answer.fields["etag"] == "\"tag\"" && answer.fields["last-modified"] == Self.date) }
      // The connection is in sync.
      client.send("GET /letters HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.answer()?.body == Running.letters)
    }
  }

  @Test("Pages of other origins can read everything if allowed, and otherwise nothing")
  func origins() throws {
    let closed = try Running()
    let ask = "OPTIONS /letters HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nAccess-Control-Request-Method: GET\r\n\r\n"
    #expect(try closed.request(ask).status == 405)
    #expect(try closed.get("/letters", "Origin: http://b").fields["access-control-allow-origin"] == nil)
    let open = try Running { $0.allowsOrigins = true }
    let answer = try open.request(ask)
    #expect(answer.status == 204 && answer.fields["access-control-allow-origin"] == "*" && answer.body == [])
    #expect(answer.fields["access-control-allow-methods"] == "GET, HEAD")
    #expect(answer.fields["access-control-allow-headers"]?.contains("Range") == true)
    let fields = "Access-Control-Request-Headers: x-token, Range\r\n\r\n"
    let asked = try open.request(String(ask.dropLast()) + fields)
    #expect(asked.fields["access-control-allow-headers"] == "x-token, Range")
    let wrong = "Access-Control-Request-Headers: a\u{1}b;\r\n\r\n"
    #expect(
      try open.request(String(ask.dropLast()) + wrong).fields["access-control-allow-headers"]?.contains(";") != true)
    #expect(try closed.get("/letters").fields["cross-origin-resource-policy"] == nil)
    for path in ["/letters", "/nothing"] {
      let answer = try open.get(path, "Origin: http://b", "Range: bytes=0-1")
      #expect(answer.fields["cross-origin-resource-policy"] == "cross-origin")
      #expect(answer.fields["access-control-allow-origin"] == "*")
      #expect(answer.fields["access-control-expose-headers"]?.contains("Content-Range") == true)
    }
  }
}
