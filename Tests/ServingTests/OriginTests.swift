import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import Support
import Testing

@testable import MP4Serving
@testable import MP4Streaming

@Suite("Serving the resources of an origin", .enabled(if: which("curl") != nil, "needs curl"))
struct OriginTests {
  static let bytes = Relay.bytes(300_000)

  @Test("One request to an origin without ranges suffices for ranges, conditions and HEAD", arguments: [true, false])
  func ranges(hasLength: Bool) throws {
    let relay = try Relay()
    relay.far["/a.mp4"] = .init(bytes: Self.bytes, hasLength: hasLength)
    let whole = try relay.get("/a.mp4")
    #expect(whole.status == 200 && whole.body == Self.bytes)
    #expect(whole.fields["content-type"] == "video/mp4" && whole.fields["accept-ranges"] == "bytes")
    for range in [0..<1, 5..<70_000, 65_536..<65_537, 299_999..<300_000, 1000..<299_000] {
      #expect(try relay.part("/a.mp4", range) == Array(Self.bytes[range]))
    }
    #expect(try relay.get("/a.mp4", "Range: bytes=-500").body == Array(Self.bytes.suffix(500)))
    #expect(try relay.get("/a.mp4", "Range: bytes=300000-").fields["content-range"] == "bytes */300000")
    let tag = try #require(whole.fields["etag"])
    #expect(try relay.get("/a.mp4", "If-None-Match: \(tag)").status == 304)
    #expect(try relay.get("/a.mp4", "Range: bytes=1-2", "If-Range: \(tag)").body == Array(Self.bytes[1...2]))
    #expect(try relay.get("/a.mp4", "Range: bytes=1-2", "If-Range: \"x\"").status == 200)
    let head = try relay.running.request("HEAD /a.mp4 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(head.status == 200 && head.fields["content-length"] == "300000")
    #expect(relay.far.requests == ["/a.mp4 - - -"])
  }

  @Test("An empty resource is served")
  func empty() throws {
    let relay = try Relay()
    for hasLength in [true, false] {
      relay.far["/\(hasLength)"] = .init(bytes: [], hasLength: hasLength)
      let answer = try relay.get("/\(hasLength)")
      #expect(answer.status == 200 && answer.body == [])
    }
  }

  @Test("Many clients share one download, and a request waits only for its own bytes")
  func sharing() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, held: 100_000..<Int.max)
    let late = try (0..<20).map { try relay.begin("/a", "Range: bytes=\(100_000 + $0)-\(200_000 + $0)") }
    for start in stride(from: 0, to: 100_000, by: 9999) {
      #expect(
        try relay.part("/a", start..<min(start + 9999, 100_000))
          == Array(Self.bytes[start..<min(start + 9999, 100_000)]))
    }
    relay.far["/a"].held = nil
    for (index, client) in late.enumerated() {
      #expect(client.answer()?.body == Array(Self.bytes[100_000 + index...200_000 + index]))
    }
    relay.waitUntilIdle()
    #expect(relay.far.requests.count == 1 && relay.far.sent == 300_000)
  }

  @Test("Bytes are passed to the client as they arrive")
  func arriving() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, held: 10..<Int.max)
    let client = try relay.begin("/a")
    var count = 10
    for step in [1, 100, 70_000, 100_000] {
      #expect(becomes { client.received(behindHead: count) })
      count += step
      relay.far["/a"].held = count..<Int.max
    }
    relay.far["/a"].held = nil
    #expect(client.answer()?.body == Self.bytes)
  }

  @Test("The end of a resource is fetched without the middle if the origin supports ranges")
  func tail() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true, held: 50_000..<290_000)
    #expect(try relay.get("/a", "Range: bytes=-500").body == Array(Self.bytes.suffix(500)))
    #expect(try relay.part("/a", 0..<50_000) == Array(Self.bytes[..<50_000]))
    #expect(relay.far.requests.map { $0.prefix(9) }.sorted() == ["/a - - -", "/a bytes="])
    relay.far["/a"].held = nil
    #expect(try relay.get("/a").body == Self.bytes)
    relay.waitUntilIdle()
    // No byte is sent twice, except for those in transit when the rest was found in the cache.
    #expect(relay.far.requests.count == 2)
  }

  @Test("A resource is not downloaded twice at the same time")
  func twoDownloads() throws {
    // Blocks have 32 KiB; another download starts for bytes more than four blocks ahead.
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true, held: 30_000..<Int.max)
    let start = try relay.begin("/a", "Range: bytes=0-9999")
    #expect(start.answer()?.status == 206)
    let middle = try relay.begin("/a", "Range: bytes=200000-200009")
    #expect(becomes { relay.far.requests.count == 2 })
    let resource = try relay.resource("/a")
    #expect(becomes { resource.status { $0.downloads.allSatisfy { $0.state != nil } && $0.downloads.count == 2 } })
    relay.far["/a"].held = 202_000..<Int.max
    #expect(middle.answer()?.status == 206)
    // The first download reaches the block that the second one is receiving, and leaves the rest to it.
    #expect(becomes { resource.status { $0.downloads.count == 1 } })
    #expect(resource.status { $0.downloads.first?.start } == 196_608)
    relay.far["/a"].held = nil
    #expect(try relay.get("/a").body == Self.bytes)
  }

  @Test("Without clients, the download continues to the end")
  func background() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, held: 100_000..<Int.max)
    #expect(try relay.part("/a", 0..<10) == Array(Self.bytes[..<10]))
    relay.far["/a"].held = nil
    relay.waitUntilIdle()
    #expect(relay.far.sent == 300_000)
    relay.far["/a"].held = 0..<Int.max
    #expect(try relay.get("/a").body == Self.bytes)
    #expect(relay.far.requests.count == 1)
  }

  @Test("An interrupted connection is resumed if the origin supports ranges")
  func breaks() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true, cut: 100_000)
    #expect(try relay.get("/a").body == Self.bytes)
    #expect(relay.far.requests == ["/a - - -", "/a bytes=100000- \"a\" -"])
    #expect(relay.far.sent == 300_000)
    // The resource changed during the interruption.
    relay.far["/b"] = .init(bytes: Self.bytes, hasRanges: true, held: 100_000..<Int.max)
    let client = try relay.begin("/b")
    #expect(becomes { client.received(behindHead: 100_000) })
    relay.far.state.change {
      $0.behaviours["/b"] = .init(bytes: Relay.bytes(300_000, seed: 1), hasRanges: true, tag: "\"b\"", cut: 100_000)
    }
    #expect(client.answer() == nil && client.isAtEnd)
    relay.far["/b"].cut = nil
    #expect(try relay.get("/b").body == Relay.bytes(300_000, seed: 1))
  }

  @Test("An interruption is a 502 response before the first byte, truncates it later, and the next request works")
  func broken() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, held: 100_000..<Int.max)
    let (early, late) = (try relay.begin("/a"), try relay.begin("/a", "Range: bytes=150000-150009"))
    #expect(becomes { early.received(behindHead: 100_000) })
    relay.far["/a"].cut = 100_000
    #expect(late.answer()?.status == 502)
    #expect(early.answer() == nil && early.isAtEnd)
    relay.far["/a"] = .init(bytes: Self.bytes)
    #expect(try relay.get("/a").body == Self.bytes)
  }

  @Test(
    "The response of the origin is passed to the client",
    arguments: [(404, 404), (410, 404), (401, 403), (403, 403), (500, 502), (503, 502), (400, 502), (304, 502)])
  func statuses(said: Int, heard: Int) throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(status: said)
    #expect(try relay.get("/a").status == heard)
    relay.far["/a"] = .init(bytes: Self.bytes)
    #expect(try relay.get("/a").body == Self.bytes)
    relay.waitUntilIdle()
    relay.far["/a"].ignoresConditions = true
    relay.far["/a"].status = said
    if said != 304 { #expect(try relay.get("/a").status == heard) }
  }

  @Test("An unreachable origin is a 502 or 504 response, even if its bytes are cached")
  func unreachable() throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a"] = .init(bytes: Self.bytes)
    relay.far["/slow"] = .init(bytes: Self.bytes, held: 0..<Int.max)
    #expect(try relay.get("/a").body == Self.bytes)
    let impatient = try Relay(relay.far) { $0.fetch.stallTimeout = 1 }
    #expect(try impatient.get("/slow").status == 504)
    relay.far.kill()
    #expect(try relay.get("/a").status == 502)
    let other = try Relay { $0.fetch.program = "no-such-curl" }
    #expect(try other.get("/a").status == 500)
  }

  @Test("The content type is that of the origin, if it declares one")
  func types() throws {
    let relay = try Relay()
    for (path, said, expected) in [
      ("/a.m3u8", "text/plain; charset=utf-8", "application/vnd.apple.mpegurl"),
      ("/a.mp4", "application/octet-stream", "video/mp4"), ("/a.ts", nil, "video/mp2t"),
      ("/a.bin", "text/plain", "text/plain"), ("/b.m3u8", "audio/mpegurl", "audio/mpegurl"),
    ] {
      relay.far[path] = .init(bytes: [1], mediaType: said)
      #expect(try relay.get(path).fields["content-type"] == expected)
    }
  }

  @Test("Unused resources are forgotten, and impossible lengths are refused")
  func bounds() throws {
    let relay = try Relay()
    for number in 0..<600 {
      let address = try #require(WebAddress("http://127.0.0.1:1/\(number)"))
      _ = try relay.origin.resource(address)
    }
    #expect(relay.origin.table { $0.resources.count } <= Origin.idleLimit)
    for length in ["9223372036854775807", "4611686018427387904", "99999999999999999999", "-1", "1x"] {
      relay.far["/\(length)"] = .init(bytes: [1, 2, 3], saidLength: length)
      let status = try relay.get("/\(length)").status
      #expect(status == 502 || status == 200)
    }
  }

  @Test("Too many concurrent transfers are refused, and later requests work")
  func tooMuch() throws {
    let far = try TestOrigin()
    far["/a"] = .init(bytes: Self.bytes)
    let threads = Monitor(1000)
    let address = try #require(WebAddress(far.address + "/a"))
    let resource = OriginResource(address, try BlockCache(nil, byteLimit: 1), Origin.Options(), threads)
    for _ in 0..<2 { #expect(throws: FetchError.self) { try resource.currentState() } }
    threads { $0 = 0 }
    #expect(try resource.bytes(of: resource.currentState(), limit: 300_000) == Self.bytes)
    #expect(becomes { threads { $0 == 0 } })
    far.kill()
  }

  @Test("Playlists are fetched completely, in their current state, and within the size limit")
  func playlists() throws {
    let relay = try Relay(freshness: 0)
    let address = try #require(WebAddress(relay.far.address + "/a.m3u8"))
    for number in 0..<3 {
      relay.far["/a.m3u8"] = .init(bytes: Relay.bytes(100_000, seed: number), tag: number == 0 ? nil : "\"\(number)\"")
      #expect(try relay.origin.bytes(of: address, limit: 100_000) == Relay.bytes(100_000, seed: number))
      relay.waitUntilIdle()
    }
    #expect { try relay.origin.bytes(of: address, limit: 99_999) } throws: {
      ($0 as? FetchError)?.problem == .tooLarge(limit: 99_999)
    }
    relay.far["/a.m3u8"].status = 404
    #expect { try relay.origin.bytes(of: address, limit: 1) } throws: { ($0 as? FetchError)?.problem == .status(404) }
  }
}
