import MP4Platform
import Support
import Testing

@testable import MP4Serving
@testable import MP4Streaming

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Changes at an origin", .enabled(if: which("curl") != nil, "needs curl"))
struct OriginChangeTests {
  static let bytes = Relay.bytes(300_000)

  @Test("Each request revalidates the resource, and a changed one is downloaded again", arguments: [true, false])
  func changing(hasRanges: Bool) throws {
    let relay = try Relay(freshness: 0)
    let tag = { (number: Int) in "\"\(number)\"" }
    for number in 0..<3 {
      let bytes = Relay.bytes(100_000, seed: number)
      relay.far["/a"] = .init(bytes: bytes, hasRanges: hasRanges, tag: tag(number))
      #expect(try relay.get("/a").body == bytes)
      relay.waitUntilIdle()
      let (sent, asked) = (relay.far.sent, relay.far.requests.count)
      for _ in 0..<3 { #expect(try relay.part("/a", 10..<90_000) == Array(bytes[10..<90_000])) }
      #expect(relay.far.sent == sent)
      #expect(relay.far.requests.dropFirst(asked) == ["/a - - \(tag(number))"][...].repeated(3))
    }
  }

  @Test("A validation that started before a request does not apply to it")
  func askedBefore() throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(bytes: Self.bytes, held: 0..<Int.max)
    let early = try relay.begin("/a")
    #expect(becomes { relay.far.state { $0.answering == 1 } })
    let bytes = Relay.bytes(300_000, seed: 1)
    relay.far["/a"] = .init(bytes: bytes, tag: "\"b\"", holdsOthers: true)
    let late = try relay.begin("/a")
    #expect(becomes { relay.running.server.connectionCount == 2 })
    // The test cannot detect that the request waits. If it did not wait yet, the test would prove less, but would not
    // fail.
    usleep(200_000)
    relay.far["/a"].holdsOthers = false
    #expect(late.answer()?.body == bytes)
    #expect(early.answer().map { $0.body == Self.bytes || $0.status == 502 } ?? true)
  }

  @Test("Without an ETag, the date detects changes, but not within the same second")
  func dates() throws {
    let relay = try Relay(freshness: 0)
    let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"]
    let bytes = [Relay.bytes(100_000), Relay.bytes(100_000, seed: 1)]
    relay.far["/a"] = .init(bytes: bytes[0], tag: "W/\"a\"", modified: dates[0], date: dates[1])
    #expect(try relay.get("/a").fields["last-modified"] == dates[0])
    relay.far["/a"].tag = nil
    relay.waitUntilIdle()
    #expect(try relay.get("/a").body == bytes[0] && relay.far.sent == 100_000)
    #expect(relay.far.requests.last == "/a - - \(dates[0])")
    // Modified twice in the same second.
    relay.far["/b"] = .init(bytes: bytes[0], tag: nil, modified: dates[0], date: dates[0])
    #expect(try relay.get("/b").body == bytes[0])
    relay.waitUntilIdle()
    relay.far["/b"].bytes = bytes[1]
    #expect(try relay.get("/b").body == bytes[1])
  }

  @Test("Without a validator, nothing is reused after the end of its download")
  func noValidator() throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true, tag: nil, held: 200_000..<Int.max)
    #expect(try relay.part("/a", 0..<10) == Array(Self.bytes[..<10]))
    #expect(try relay.part("/a", 100_000..<150_000) == Array(Self.bytes[100_000..<150_000]))
    #expect(relay.far.requests.count == 1)
    relay.far["/a"].held = nil
    relay.waitUntilIdle()
    relay.far["/a"].bytes = Relay.bytes(300_000, seed: 1)
    #expect(try relay.part("/a", 0..<10) == Array(Relay.bytes(10, seed: 1)))
    relay.waitUntilIdle()
    #expect(relay.far.requests == ["/a - - -", "/a - - -"])
  }

  @Test("An origin without conditional requests is asked, and cached data is not sent to clients twice")
  func ignoring() throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(bytes: Self.bytes, ignoresConditions: true)
    let tag = try relay.get("/a").fields["etag"]
    relay.waitUntilIdle()
    relay.far["/a"].held = 1..<Int.max
    #expect(try relay.get("/a").body == Self.bytes && relay.get("/a").fields["etag"] == tag)
    relay.far["/a"] = .init(bytes: Relay.bytes(5, seed: 1), tag: "\"b\"", ignoresConditions: true)
    #expect(try relay.get("/a").body == Relay.bytes(5, seed: 1))
  }

  @Test(
    "A resource that changes while it is sent is truncated, and then the new one is sent", arguments: [true, false])
  func changedMeanwhile(hasRanges: Bool) throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: hasRanges, held: 200_000..<Int.max)
    let client = try relay.begin("/a")
    #expect(becomes { client.received(behindHead: 150_000) })
    let bytes = Relay.bytes(300_000, seed: 1)
    relay.far["/a"] = .init(bytes: bytes, hasRanges: hasRanges, tag: "\"b\"", holdsOthers: true)
    #expect(try relay.get("/a").body == bytes)
    #expect(client.answer() == nil && client.isAtEnd)
  }
}

extension ArraySlice {
  func repeated(_ count: Int) -> ArraySlice { Array((0..<count).flatMap { _ in self })[...] }
}
