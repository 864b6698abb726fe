import MP4FileIO
import Support
import Testing

@testable import MP4Serving
@testable import MP4Streaming

@Suite("Serving stale content if the origin fails", .enabled(if: which("curl") != nil, "needs curl"))
struct OriginStaleTests {
  static let bytes = Relay.bytes(100_000)

  private func relay(_ far: TestOrigin? = nil, folder: String? = nil, seconds: Int = 100_000) throws -> Relay {
    try Relay(far, folder: folder, freshness: 0) { $0.staleIfError = .seconds(seconds) }
  }

  @Test("Cached content is served with Age and Warning while the origin has status 5xx, and then the new content")
  func failing() throws {
    let relay = try relay()
    relay.far["/a.m3u8"] = .init(bytes: Self.bytes)
    let first = try relay.get("/a.m3u8")
    #expect(first.body == Self.bytes && first.fields["age"] == nil && first.fields["warning"] == nil)
    relay.waitUntilIdle()
    relay.far["/a.m3u8"].status = 503
    for _ in 0..<3 {
      let stale = try relay.get("/a.m3u8")
      #expect(stale.status == 200 && stale.body == Self.bytes && stale.fields["etag"] == first.fields["etag"])
      #expect(stale.fields["warning"] == "110 - \"Response is Stale\"")
      #expect(stale.fields["age"].flatMap { Int($0) }.map { $0 >= 0 } == true)
      #expect(try relay.part("/a.m3u8", 5..<70_000) == Array(Self.bytes[5..<70_000]))
    }
    #expect(try relay.get("/b.m3u8").status == 404)
    relay.far["/a.m3u8"] = .init(bytes: Array(Self.bytes.reversed()), tag: "\"b\"")
    #expect(try becomes { try relay.get("/a.m3u8").body == Self.bytes.reversed() })
    #expect(try relay.get("/a.m3u8").fields["age"] == nil)
  }

  @Test("An error that is an answer is passed on")
  func gone() throws {
    for (said, heard) in [(404, 404), (403, 403), (400, 502)] {
      let relay = try relay()
      relay.far["/a"] = .init(bytes: Self.bytes)
      #expect(try relay.get("/a").body == Self.bytes)
      relay.waitUntilIdle()
      relay.far["/a"].ignoresConditions = true
      relay.far["/a"].status = said
      #expect(try relay.get("/a").status == heard)
    }
  }

  @Test("An unreachable origin: what is cached is served, also after a restart; what is not is a 502 response")
  func unreachable() throws {
    let folder = try Support.TemporaryFolder()
    let far = try TestOrigin()
    far["/a"] = .init(bytes: Self.bytes)
    far["/b"] = .init(bytes: Self.bytes)
    do {
      let relay = try relay(far, folder: folder.path)
      #expect(try relay.get("/a").body == Self.bytes)
      relay.waitUntilIdle()
      far.kill()
      #expect(try relay.get("/a").body == Self.bytes)
      #expect(try relay.get("/b").status == 502)
    }
    let again = try relay(far, folder: folder.path)
    let stale = try again.get("/a")
    #expect(stale.status == 200 && stale.body == Self.bytes && stale.fields["warning"] != nil)
  }

  @Test("Nothing is served after the time limit")
  func limit() throws {
    let relay = try relay(seconds: 1)
    relay.far["/a"] = .init(bytes: Self.bytes)
    #expect(try relay.get("/a").body == Self.bytes)
    relay.far.kill()
    #expect(try becomes { try relay.get("/a").status == 502 })
    #expect(try relay.get("/a").status == 502)
  }
}
