import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Platform
import Support
import Testing

@testable import MP4Serving

@Suite("MP4 files in a folder are packaged on request")
struct PackageTests {
  private let folder: Support.TemporaryFolder
  private static let key = [UInt8](repeating: 7, count: 16)
  static let methods: [Packager.Protection.Method?] = [nil, .cbcs, .cenc, .aes128]

  init() throws {
    folder = try Support.TemporaryFolder()
    try copy("progressive.mp4", to: "a.mp4")
  }

  private func copy(_ vector: String, to name: String) throws {
    try folder.write(name, readFile(vectorPath("files/" + vector)))
  }

  private static func packager(_ method: Packager.Protection.Method? = nil) throws -> Packager {
    var packager = Packager()
    packager.options.segmentDuration = MediaTime(1, 1)
    packager.options.formats = method == .aes128 ? [.hls] : [.hls, .dash]
    if let method {
      packager.options.protection = Packager.Protection(method, keys: [.init(try .init(key, keyID: key))])
    }
    return packager
  }

  private func serving(_ packages: PackageCache) throws -> Running {
    let site = Site(try SourceFolder(#require(Pathname(folder.path))), title: "a", packages: packages)
    return try Running(answering: site.response)
  }

  @Test(
    "Every file has the bytes of the plan, whole and in ranges",
    arguments: ["progressive.mp4", "fragmented.mp4", "negative-cts.mp4"], methods)
  func bytes(vector: String, method: Packager.Protection.Method?) throws {
    try copy(vector, to: "b c.mp4")
    let running = try serving(PackageCache(Self.packager(method)))
    var packager = try Self.packager(method)
    let source = try FileSource(#require(Pathname(folder("b c.mp4"))))
    packager.options.protection?.inputIdentity = FileSource.identity(of: [source])
    let plan = try packager.plan([source]) { _ in true }
    for file in plan.files {
      let sink = MemorySink(name: file.path)
      try plan.write(file, to: sink)
      let answer = try running.get("/b%20c.mp4/\(file.path)")
      #expect(answer.status == 200 && answer.body == sink.bytes, "\(file.path)")
      let (start, end) = (file.byteCount / 3, file.byteCount / 2)
      let part = try running.get("/b%20c.mp4/\(file.path)", "Range: bytes=\(start)-\(end)")
      #expect(part.status == 206 && part.body == Array(sink.bytes[start...end]), "\(file.path)")
      let head = try running.request("HEAD /b%20c.mp4/\(file.path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(head.status == 200 && head.fields["content-length"] == "\(file.byteCount)", "\(file.path)")
    }
    #expect(try running.get("/b%20c.mp4").body == readFile(folder("b c.mp4")))
    for name in ["nothing", "video-90", "video-90/", "", "master.m3u8/", "video-90/../master.m3u8", "a/b/master.m3u8"] {
      #expect([400, 404].contains(try running.get("/b%20c.mp4/\(name)").status), "\(name)")
    }
  }

  @Test("Concurrent requests wait for one plan")
  func concurrency() throws {
    let packages = PackageCache(try Self.packager())
    let running = try serving(packages)
    let clients = try (0..<24).map { _ in try running.client() }
    for client in clients { client.send("GET /a.mp4/video-90/segment1.m4s HTTP/1.1\r\nHost: a\r\n\r\n") }
    let bodies = clients.map { $0.answer()?.body }
    #expect(bodies.allSatisfy { $0 == bodies[0] } && bodies[0]?.isEmpty == false)
    #expect(packages.planCount == 1 && packages.packageCount == 1)
  }

  @Test("Plans for which there is no room are removed, the least recently used ones first, and created again")
  func eviction() throws {
    for name in ["b.mp4", "c.mp4"] { try copy("progressive.mp4", to: name) }
    var options = PackageCache.Options()
    options.byteLimit = 1
    let small = PackageCache(try Self.packager(), options)
    var running = try serving(small)
    let first = try running.get("/a.mp4/master.m3u8")
    for name in ["b", "c", "a", "a"] { #expect(try running.get("/\(name).mp4/master.m3u8").status == 200) }
    // The last plan is kept whatever its size.
    #expect(small.packageCount == 1 && small.planCount == 4)
    let again = try running.get("/a.mp4/master.m3u8")
    #expect(again.body == first.body && again.fields["etag"] == first.fields["etag"])
    // Room for two of them.
    let size = small.byteCount
    #expect(size > 1000)
    options.byteLimit = size * 5 / 2
    let packages = PackageCache(try Self.packager(), options)
    running = try serving(packages)
    for name in ["a", "b", "a", "c", "a"] { #expect(try running.get("/\(name).mp4/master.m3u8").status == 200) }
    #expect(packages.planCount == 3 && packages.packageCount == 2 && packages.byteCount <= options.byteLimit)
    #expect(try running.get("/b.mp4/master.m3u8").status == 200 && packages.planCount == 4)
  }

  @Test("A file that changes is planned again, with other entity tags")
  func change() throws {
    let packages = PackageCache(try Self.packager())
    let running = try serving(packages)
    let old = try running.get("/a.mp4/master.m3u8")
    let tag = try #require(old.fields["etag"])
    #expect(try running.get("/a.mp4/master.m3u8", "If-None-Match: \(tag)").status == 304)
    #expect(try running.get("/a.mp4/video-90/init.mp4", "Range: bytes=0-3", "If-Range: \(tag)").body.count == 4)
    try copy("fragmented.mp4", to: "a.mp4")
    let new = try running.get("/a.mp4/master.m3u8", "If-None-Match: \(tag)")
    #expect(new.status == 200 && new.body != old.body && new.fields["etag"] != tag)
    #expect(packages.planCount == 2 && packages.packageCount == 1)
    try folder.write("a.mp4", Array(readFile(vectorPath("files/progressive.mp4")).prefix(999)))
    #expect(try running.get("/a.mp4/master.m3u8").status == 422)
    _ = try run("rm", ["a.mp4"], folder: folder.path)
    #expect(try running.get("/a.mp4/master.m3u8").status == 404)
  }

  @Test("Entity tags depend on the options and keys")
  func tags() throws {
    var tags: Set<String> = []
    for method: Packager.Protection.Method? in Self.methods {
      let running = try serving(PackageCache(Self.packager(method)))
      tags.insert(try #require(running.get("/a.mp4/video-90/segment1.m4s").fields["etag"]))
    }
    var packager = try Self.packager(.cbcs)
    packager.options.protection?.keys = [
      .init(try .init([UInt8](repeating: 8, count: 16), keyID: Self.key))
    ]
    tags.insert(try #require(serving(PackageCache(packager)).get("/a.mp4/video-90/segment1.m4s").fields["etag"]))
    #expect(tags.count == 5)
  }

  @Test("A file that cannot be packaged has status 422 with a reason that reveals no path; others are not found")
  func mistakes() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    try folder.write("cut.mp4", Array(bytes.prefix(999)))
    try folder.write("text.mp4", ascii("not a movie"))
    try folder.write("text.txt", ascii("not a movie"))
    try folder.write("empty.mp4", [])
    let packages = PackageCache(try Self.packager())
    let running = try serving(packages)
    for _ in 0..<2 {
      let cut = try running.get("/cut.mp4/master.m3u8")
      #expect(cut.status == 422 && cut.text.contains("cut.mp4: ") && !cut.text.contains(folder.path), "\(cut.text)")
      #expect(cut.fields["cache-control"] == "no-cache" && cut.fields["content-type"] == "text/plain; charset=utf-8")
    }
    for name in ["text", "empty"] {
      let answer = try running.get("/\(name).mp4/master.m3u8")
      #expect(answer.status == 422 && answer.text.contains("not an MP4 file"), "\(answer.text)")
    }
    for name in ["none.mp4", "text.txt"] { #expect(try running.get("/\(name)/master.m3u8").status == 404) }
    #expect(packages.planCount == 1)
    #expect(try running.get("/a.mp4/master.m3u8").status == 200)
  }

  @Test("Damaged files are packaged or refused, and the server goes on")
  func damage() throws {
    let running = try serving(PackageCache(try Self.packager()))
    var random = SplitMix64(seed: 7)
    for vector in ["progressive.mp4", "fragmented.mp4"] {
      let bytes = try readFile(vectorPath("files/" + vector))
      for _ in 0..<Effort.count(short: 10, all: 200) {
        var damaged = bytes
        for _ in 0..<4 { damaged[Int(random.next() % UInt64(min(bytes.count, 4000)))] = UInt8(random.next() & 255) }
        try folder.write("d.mp4", damaged)
        let list = try running.get("/d.mp4/master.m3u8")
        #expect([200, 404, 422].contains(list.status), "\(list.status) \(list.text)")
      }
    }
    #expect(try running.get("/a.mp4/master.m3u8").status == 200)
  }

  @Test("Real files take precedence, and nothing outside the folder is packaged")
  func precedence() throws {
    let inside = folder("in")
    let script = """
      mkdir -p in/real.mp4/video-90 in/sub; echo real > in/real.mp4/master.m3u8; cp a.mp4 in/sub/b.mp4
      cp a.mp4 in/.hidden.mp4; ln -s ../a.mp4 in/out.mp4; ln -s sub/b.mp4 in/link.mp4; mkfifo in/pipe.mp4
      """
    #expect(try run("bash", ["-c", script], folder: folder.path).exitCode == 0)
    let site = Site(
      try SourceFolder(#require(Pathname(inside))), title: "a", packages: PackageCache(try Self.packager()))
    let running = try Running(answering: site.response)
    #expect(try running.get("/real.mp4/master.m3u8").text == "real\n")
    for path in ["/sub/b.mp4/master.m3u8", "/sub/b.mp4/video-90/init.mp4", "/link.mp4/manifest.mpd"] {
      #expect(try running.get(path).status == 200, "\(path)")
    }
    for path in [
      "/real.mp4/manifest.mpd", "/real.mp4/video-90/init.mp4", "/.hidden.mp4/master.m3u8", "/out.mp4/master.m3u8",
      "/pipe.mp4/master.m3u8", "/sub/master.m3u8", "/../a.mp4/master.m3u8", "/%2e%2e/a.mp4/master.m3u8",
      "/sub/b.mp4/.hidden", "/a.mp4/master.m3u8",
    ] {
      #expect([400, 403, 404].contains(try running.get(path).status), "\(path)")
    }
  }

  @Test("Caches may keep segments, playlists of packages for a minute, and neither keys nor playlists in folders")
  func caching() throws {
    try folder.write("segment1.m4s", [0])
    try folder.write("live.m3u8", ascii("#EXTM3U\n"))
    func fields(_ packages: PackageCache, _ paths: [String]) throws -> [String?] {
      let running = try serving(packages)
      return try paths.map { try running.get($0).fields["cache-control"] }
    }
    var options = PackageCache.Options()
    let paths = [
      "/segment1.m4s", "/live.m3u8", "/a.mp4", "/none", "/", "/a.mp4/master.m3u8", "/a.mp4/video-90/index.m3u8",
      "/a.mp4/video-90/segment1.m4s", "/a.mp4/video-90/init.mp4", "/a.mp4/none",
    ]
    let (media, list, none) = ("public, max-age=3600", "public, max-age=60", "no-cache")
    #expect(
      try fields(PackageCache(Self.packager()), paths + ["/a.mp4/manifest.mpd"])
        == [media, none, none, none, none, list, list, media, media, none, list])
    let key = "/a.mp4/" + String(repeating: "07", count: 16) + ".key"
    #expect(try fields(PackageCache(Self.packager(.aes128)), [key]) == ["no-store"])
    options.caching = CachePolicy(segments: 0)
    #expect(try fields(PackageCache(Self.packager(), options), paths) == paths.map { _ in none })
    options.caching = CachePolicy(segments: 5)
    #expect(
      try fields(PackageCache(Self.packager(), options), [paths[5], paths[7]])
        == ["public, max-age=5", "public, max-age=5"])
  }

  @Test("Several files are one package, whose plan is created again if one of them changes")
  func ladder() throws {
    try copy("fragmented.mp4", to: "b.mp4")
    let paths = try ["a.mp4", "b.mp4"].map { try #require(Pathname(folder($0))) }
    let packages = PackageCache(try Self.packager())
    let running = try Running(answering: Site(PackagedMovie(paths, in: packages), title: "a").response)
    let plan = try Self.packager().plan(paths.map { try FileSource($0) }) { _ in true }
    for file in plan.files {
      let sink = MemorySink(name: file.path)
      try plan.write(file, to: sink)
      #expect(try running.get("/\(file.path)").body == sink.bytes, "\(file.path)")
    }
    #expect(try running.get("/").text.contains("href=\"master.m3u8\"") && running.get("/a.mp4").status == 404)
    let tag = try running.get("/master.m3u8").fields["etag"]
    try copy("negative-cts.mp4", to: "b.mp4")
    #expect(try running.get("/master.m3u8").fields["etag"] != tag && packages.packageCount == 1)
  }
}
