import MP4FileIO
import MP4HLS
import MP4Platform
import Support
import Testing

@testable import MP4Fetching
@testable import MP4Serving
@testable import MP4Streaming

@Suite("Origins that do not declare properties of their resources", .enabled(if: which("curl") != nil, "needs curl"))
struct OriginPassingTests {
  static let bytes = Relay.bytes(300_000)

  @Test("A seek requests the range, even if the origin does not declare range support")
  func seek() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true, saysRanges: false, held: 50_000..<290_000)
    #expect(try relay.get("/a", "Range: bytes=-500").body == Array(Self.bytes.suffix(500)))
    #expect(try relay.part("/a", 0..<50_000) == Array(Self.bytes[..<50_000]))
    #expect(relay.far.requests.count == 2)
    relay.far["/a"].held = nil
    #expect(try relay.get("/a").body == Self.bytes)
  }

  @Test("An origin without range support is asked for a range once, and its download continues")
  func withoutRanges() throws {
    let relay = try Relay()
    relay.far["/a"] = .init(bytes: Self.bytes, held: 50_000..<Int.max)
    let first = try relay.begin("/a", "Range: bytes=-500")
    let resource = try relay.resource("/a")
    #expect(becomes { resource.status { $0.state?.ranges == OriginState.Ranges.none && $0.downloads.count == 1 } })
    let second = try relay.begin("/a", "Range: bytes=250000-250009")
    relay.far["/a"].held = nil
    #expect(first.answer()?.body == Array(Self.bytes.suffix(500)))
    #expect(second.answer()?.body == Array(Self.bytes[250_000..<250_010]))
    #expect(relay.far.requests.count == 2)
  }

  @Test("A resource larger than the cache is passed on, also in ranges", arguments: [true, false], ["\"a\"", nil])
  func larger(hasRanges: Bool, tag: String?) throws {
    let relay = try Relay(limit: 256 << 10)
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: hasRanges, tag: tag)
    #expect(try relay.get("/a").body == Self.bytes)
    if tag != nil || !hasRanges {
      #expect(try relay.part("/a", 5..<70_000) == Array(Self.bytes[5..<70_000]))
      #expect(try relay.get("/a", "Range: bytes=-10").body == Array(Self.bytes.suffix(10)))
    }
    #expect(try relay.get("/a").fields["content-length"] == "300000")
    relay.waitUntilIdle()
    let resource = try relay.resource("/a")
    #expect(resource.status { $0.downloads.isEmpty && $0.state.map(resource.passes) == true })
    // Other resources can still be cached.
    relay.far["/b"] = .init(bytes: Array(Self.bytes.prefix(100_000)))
    #expect(try relay.get("/b").body == Array(Self.bytes.prefix(100_000)))
    #expect(relay.diagnostics { $0 } == [])
  }

  @Test(
    "A resource that proves larger than the cache is passed on completely", arguments: ["\"a\"", nil], [0, 1000])
  func withoutLength(tag: String?, freshness: Int) throws {
    let relay = try Relay(limit: 256 << 10, freshness: freshness)
    relay.far["/a"] = .init(bytes: Self.bytes, hasLength: false, tag: tag)
    for _ in 0..<2 {
      let answer = try relay.get("/a")
      #expect(answer.status == 200 && answer.body == Self.bytes)
      #expect(answer.fields["content-length"] == nil && answer.fields["accept-ranges"] == "none")
      #expect(answer.fields["content-type"] == "video/mp4")
    }
    // Without a length, ranges are not possible (RFC 9110, 14.2, allows a server to ignore them).
    #expect(try relay.get("/a", "Range: bytes=5-9").body == Self.bytes)
    let head = try relay.running.request("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(head.status == 200 && head.fields["content-length"] == nil)
    if let tag = try relay.get("/a").fields["etag"], freshness > 0 {
      #expect(try relay.get("/a", "If-None-Match: \(tag)").status == 304)
    }
    // A client without chunk support gets it until the connection ends; one with support can request it again.
    let old = try relay.running.client()
    old.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(old.answer()?.fields["transfer-encoding"] == nil)
    #expect(old.countToEnd() == Self.bytes.count)
    let client = try relay.begin("/a")
    #expect(client.answer()?.body == Self.bytes)
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.answer()?.body == Self.bytes)
    relay.waitUntilIdle()
    #expect(try relay.resource("/a").status { $0.downloads.isEmpty })
    #expect(try relay.origin.bytes(of: #require(WebAddress(relay.far.address + "/a")), limit: 300_000) == Self.bytes)
    #expect(throws: FetchError.self) {
      try relay.origin.bytes(of: #require(WebAddress(relay.far.address + "/a")), limit: 299_999)
    }
    // If it has a length again, or has changed, it is served as usual.
    let other = Relay.bytes(100_000, seed: 1)
    relay.far["/a"] = .init(bytes: other, tag: "\"b\"")
    if freshness > 0 { _ = try relay.get("/a") }
    #expect(try relay.get("/a").body == other)
    #expect(try relay.part("/a", 5..<9) == Array(other[5..<9]))
    #expect(relay.diagnostics { $0 } == [])
  }

  @Test("An interrupted resource of unknown length does not end its last chunk, so that the client detects it")
  func broken() throws {
    let relay = try Relay(limit: 256 << 10)
    relay.far["/a"] = .init(bytes: Self.bytes, hasLength: false)
    #expect(try relay.get("/a").body == Self.bytes)
    relay.far["/a"].held = 200_000..<Int.max
    let client = try relay.begin("/a")
    while !client.received(behindHead: 100_000) {}
    relay.origin.stop()
    #expect(client.answer() == nil)
  }

  @Test("A redirection from a public address to a private one is refused")
  func privateAddress() throws {
    let far = try TestOrigin()
    let port = try #require(far.address.split(separator: ":").last)
    // This machine under a name that only this resolver knows, as a public host.
    let resolver = HostResolver { host in
      host == "public.test" ? [HostAddress("127.0.0.1", isPublic: true)] : HostAddress.lookUp(host)
    }
    far["/secret"] = .init(bytes: [1, 2, 3])
    far["/a"] = .init(bytes: [4, 5, 6])
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::ffff:127.0.0.1]:\(port)", "10.0.0.1", "169.254.169.254"]
    for (index, host) in hosts.enumerated() {
      far["/\(index)"] = .init(status: 302, location: "http://\(host)/secret")
    }
    let relay = try Relay(far) { $0.fetch.resolver = resolver }
    func status(_ path: String, from host: String) throws -> Int {
      relay.origin.response(for: try #require(WebAddress("http://\(host):\(port)\(path)"))).status
    }
    #expect(try status("/a", from: "public.test") == 200)
    for index in hosts.indices {
      #expect(try status("/\(index)", from: "public.test") == 502, "\(hosts[index])")
    }
    #expect(!far.requests.contains { $0.hasPrefix("/secret") })
    // A private address may redirect to private addresses.
    #expect(try status("/0", from: "127.0.0.1") == 200)
    #expect(far.requests.contains { $0.hasPrefix("/secret") })
  }

  @Test("A larger resource that changes is truncated, and then the new one is passed on")
  func changes() throws {
    let relay = try Relay(limit: 256 << 10)
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: true)
    #expect(try relay.get("/a").body == Self.bytes)
    let other = Relay.bytes(300_000, seed: 1)
    relay.far["/a"] = .init(bytes: other, hasRanges: true, tag: "\"b\"")
    #expect(try relay.get("/a").status == 502)
    #expect(try relay.get("/a").body == other)
  }

  /// A playlist compressed with `gzip`.
  private static let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n".utf8)
  private static let zipped: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 83, 118, 141, 8, 241, 53, 14, 229, 82, 6, 210, 186, 17, 186, 33, 142, 65, 238, 174,
    33, 46, 161, 65, 142, 33, 158, 254, 126, 86, 134, 92, 0, 238, 64, 143, 225, 32, 0, 0, 0,
  ]

  @Test("A gzip-encoded playlist is decoded, and anything else is passed on unchanged")
  func gzip() throws {
    let relay = try Relay(freshness: 0)
    relay.far["/a.m3u8"] = .init(bytes: Self.zipped, coding: "gzip")
    relay.far["/list"] = .init(bytes: Self.zipped, coding: "gzip", mediaType: "application/vnd.apple.mpegurl")
    relay.far["/a.mp4"] = .init(bytes: Self.zipped, hasRanges: true, coding: "gzip")
    for _ in 0..<2 {
      for path in ["/a.m3u8", "/list"] {
        let answer = try relay.get(path)
        #expect(answer.status == 200 && answer.body == Self.playlist && answer.fields["content-encoding"] == nil)
        #expect(try relay.part(path, 1..<7) == Array("EXTM3U".utf8))
      }
      let other = try relay.get("/a.mp4")
      #expect(other.status == 200 && other.body == Self.zipped && other.fields["content-encoding"] == "gzip")
    }
    // An unchanged resource is not sent again.
    #expect(relay.far.requests.count { $0.hasPrefix("/a.m3u8") && $0.hasSuffix(" -") } == 1)
  }
}
