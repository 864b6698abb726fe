import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Platform
import Support
import Testing

@testable import MP4Fetching
@testable import MP4Serving
@testable import MP4Streaming

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The cache of an origin is limited and persistent", .enabled(if: which("curl") != nil, "needs curl"))
struct OriginCacheTests {
  private let folder: Support.TemporaryFolder
  static let bytes = Relay.bytes(2_000_000)
  /// Blocks have 8 KiB with this limit.
  static let smallest = 256 << 10

  init() throws { folder = try Support.TemporaryFolder() }

  private var files: [String] { filesBelow(folder("mp4tool-cache")) }
  /// The disk space that the files use.
  private var room: Int {
    files.reduce(0) { $0 + (Pathname($1).flatMap { FileStamp(of: $0) }.map { ($0.size + 4095) / 4096 * 4096 } ?? 0) }
  }

  @Test(
    "A resource larger than the cache is served, whole and in parts, within the cache limit",
    arguments: [true, false])
  func bound(hasRanges: Bool) throws {
    let relay = try Relay(folder: folder.path, limit: Self.smallest)
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: hasRanges)
    let client = try relay.begin("/a")
    for count in stride(from: 0, to: 2_000_000, by: Effort.count(short: 100_000, all: 10_000)) {
      #expect(becomes { client.received(behindHead: count) })
      #expect(room <= Self.smallest)
    }
    #expect(client.answer()?.body == Self.bytes)
    for range in [0..<10, 1_000_000..<1_500_000, 1_999_990..<2_000_000, 20_000..<400_000] {
      #expect(try relay.part("/a", range) == Array(Self.bytes[range]))
      #expect(room <= Self.smallest)
    }
    for index in 0..<Effort.count(short: 5, all: 20) {
      relay.far["/\(index)"] = .init(bytes: Relay.bytes(100_000, seed: index))
      #expect(try relay.get("/\(index)").body == Relay.bytes(100_000, seed: index))
      #expect(room <= Self.smallest)
    }
  }

  @Test(
    "A download far ahead of all readers waits for them, continues, and ends if no reader comes",
    arguments: [true, false])
  func pausing(hasRanges: Bool) throws {
    // The maximum size for the cache; larger resources are not cached at all.
    let bytes = Array(Self.bytes.prefix(250_000))
    let relay = try Relay(folder: folder.path, limit: Self.smallest)
    relay.far["/a"] = .init(bytes: bytes, hasRanges: hasRanges)
    #expect(try relay.part("/a", 0..<10) == Array(bytes[..<10]))
    let resource = try relay.resource("/a")
    let isPaused = { resource.status { $0.downloads.contains { $0.isPaused } } }
    #expect(becomes(isPaused))
    #expect(room < Self.smallest / 2)
    #expect(try relay.get("/a").body == bytes)
    #expect(relay.far.requests.count == 1)
    let impatient = try Relay(relay.far, limit: Self.smallest) { $0.patience = .milliseconds(1) }
    #expect(try impatient.part("/a", 0..<10) == Array(bytes[..<10]))
    #expect(becomes { impatient.origin.isIdle })
    #expect(try impatient.get("/a").body == bytes)
  }

  @Test("Data downloaded before a restart or a crash is not downloaded again", arguments: [true, false])
  func restart(hasRanges: Bool) throws {
    let far = try TestOrigin()
    far["/a"] = .init(bytes: Self.bytes, hasRanges: hasRanges)
    far["/b"] = .init(bytes: Self.bytes, hasRanges: hasRanges, held: 1_000_000..<Int.max)
    far["/c"] = .init(bytes: Self.bytes, tag: nil)
    do {
      let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
      #expect(try relay.get("/a").body == Self.bytes && relay.get("/c").body == Self.bytes)
      #expect(try relay.part("/b", 0..<1_000_000) == Array(Self.bytes[..<1_000_000]))
    }
    far.end()
    far["/b"].held = nil
    let sent = far.sent
    let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
    #expect(try relay.get("/a").body == Self.bytes && far.sent == sent)
    #expect(try relay.get("/b").body == Self.bytes)
    relay.waitUntilIdle()
    let again = far.sent - sent
    #expect(hasRanges ? again < 1_300_000 : again == 2_000_000, "\(again)")
    // A smaller cache has smaller blocks.
    relay.origin.stop()
    let smaller = try Relay(far, folder: folder.path, limit: Self.smallest)
    #expect(room <= Self.smallest)
    #expect(try smaller.get("/a").body == Self.bytes)
    far.kill()
  }

  @Test("A resource that changed during a restart is downloaded again, and no old data is used")
  func changedRestart() throws {
    let far = try TestOrigin()
    far["/a"] = .init(bytes: Self.bytes)
    do {
      let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
      #expect(try relay.get("/a").body == Self.bytes)
    }
    far["/a"] = .init(bytes: Relay.bytes(70_000, seed: 1), tag: "\"b\"")
    let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
    #expect(try relay.get("/a").body == Relay.bytes(70_000, seed: 1))
    relay.waitUntilIdle()
    #expect(files.count == 2 && room < 100_000)
    far.kill()
  }

  @Test("A folder has one owner, and unrelated files in it are left alone")
  func owner() throws {
    try folder.write("mine", [1])
    let path = try #require(Pathname(folder.path))
    let cache = try BlockCache(path, byteLimit: 1 << 20)
    #expect { try BlockCache(path, byteLimit: 1 << 20) } throws: {
      "\($0)".hasSuffix("it is in use by another program")
    }
    cache.close()
    try writeFile(folder("mp4tool-cache/other"), [2])
    try BlockCache(path, byteLimit: 1 << 20).close()
    #expect(try readFile(folder("mine")) == [1] && readFile(folder("mp4tool-cache/other")) == [2])
    #expect(throws: (any Error).self) { try BlockCache(Pathname(folder("no/folder")), byteLimit: 1) }
    let temporary = try BlockCache(nil, byteLimit: 1)
    try temporary.folder.write([1], as: "a")
    #expect(namesInFolder(temporary.folder.name) == ["a"])
    temporary.close()
    #expect(!fileExists(temporary.folder.name))
  }

  @Test("Damaged data in the cache is not served", arguments: 0..<6)
  func damage(kind: Int) throws {
    let far = try TestOrigin()
    far["/a"] = .init(bytes: Self.bytes)
    do {
      let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
      #expect(try relay.get("/a").body == Self.bytes)
      relay.waitUntilIdle()
    }
    let blocks = files.filter { !$0.hasSuffix("record") }
    let record = try #require(files.first { $0.hasSuffix("record") })
    let text = try readFile(record)
    switch kind {
    case 0: for block in blocks { try writeFile(block, Array(readFile(block).dropLast())) }
    case 1: try writeFile(record, Array(text.dropLast(3)))
    case 2:
      try writeFile(record, Array(String(decoding: text, as: UTF8.self).replacing("2000000", with: "1999999").utf8))
    case 3: try writeFile(record, [])
    case 4: unsafe unlink(record)
    default:
      unsafe unlink(blocks[0])
      unsafe mkdir(blocks[0], 0o700)
    }
    try writeFile(folder("mp4tool-cache/.0123456789abcdef.7.abcdef"), [1])
    let relay = try Relay(far, folder: folder.path, limit: 8 << 20)
    #expect(!fileExists(folder("mp4tool-cache/.0123456789abcdef.7.abcdef")))
    #expect(try relay.get("/a").body == Self.bytes)
    far.kill()
  }

  @Test("A block that is damaged while the cache is in use is downloaded again")
  func damagedMeanwhile() throws {
    let relay = try Relay(folder: folder.path, limit: 8 << 20)
    relay.far["/a"] = .init(bytes: Self.bytes)
    #expect(try relay.get("/a").body == Self.bytes)
    relay.waitUntilIdle()
    for block in files.filter({ !$0.hasSuffix("record") }) { try writeFile(block, [1]) }
    #expect(try relay.get("/a").body == Self.bytes)
    for file in files { unsafe unlink(file) }
    #expect(try relay.get("/a").body == Self.bytes)
  }

  @Test("The least recently used blocks are removed first, also after a restart")
  func order() throws {
    let path = try #require(Pathname(folder.path))
    let address = try #require(WebAddress("http://a/a"))
    let head = "HTTP/1.1 200 Fine\r\nETag: \"a\"\r\nContent-Length: 800000\r\n\r\n"
    let response = try #require(FetchResponse(ascii(head), from: address))
    var cache = try BlockCache(path, byteLimit: Self.smallest)
    let state = OriginState(response, of: address, blockSize: cache.blockSize)
    let other = OriginState(response, of: try #require(WebAddress("http://a/b")), blockSize: cache.blockSize)
    let bytes = [UInt8](repeating: 7, count: cache.blockSize)
    for number in 0..<30 { try cache.add(bytes, as: number, of: state) }
    for number in [3, 0, 7] { #expect(cache.block(number, of: state) != nil) }
    cache.close()
    cache = try BlockCache(path, byteLimit: Self.smallest)
    let again = try #require(cache.state(of: "http://a/a"))
    #expect(again == state)
    for number in 0..<26 { try cache.add(bytes, as: number, of: other) }
    #expect((0..<30).filter { cache.has($0, of: again) } == [0, 3, 7, 28, 29])
    // The record is removed with its last block.
    for number in 26..<31 { try cache.add(bytes, as: number, of: other) }
    #expect(cache.state(of: "http://a/a") == nil && cache.state(of: "http://a/b") == other)
    #expect(files.count == 32 && room <= Self.smallest)
  }

  /// Whether the test can mount a disk of a few megabytes.
  static let canMount: Bool = {
    guard geteuid() == 0, let folder = try? Support.TemporaryFolder() else { return false }
    let isMounted = (try? run("mount", ["-t", "tmpfs", "tmpfs", folder.path]).exitCode) == 0
    if isMounted { _ = try? run("umount", [folder.path]) }
    return isMounted
  }()

  @Test(
    "On a full disk, older blocks are removed; otherwise the error is reported, and later requests work again",
    .enabled(if: canMount, "nothing can be mounted here"))
  func fullDisk() throws {
    #expect(try run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.path]).exitCode == 0)
    defer { _ = try? run("umount", ["-l", folder.path]) }
    let relay = try Relay(folder: folder.path, limit: 32 << 20)
    let bytes = Relay.bytes(6_000_000)
    relay.far["/a"] = .init(bytes: bytes, hasRanges: true)
    #expect(try relay.get("/a").body == bytes && relay.diagnostics { $0.isEmpty })
    relay.waitUntilIdle()
    for file in files { unsafe unlink(file) }
    try? writeFile(folder("other"), Array(repeating: 0, count: 5 << 20))
    relay.far["/b"] = .init(bytes: bytes)
    #expect(try relay.get("/b", "Range: bytes=3000000-").status == 500)
    #expect(
      relay.diagnostics { $0.contains { $0.contains("/b: it cannot be cached") && $0.contains("the disk is full") } })
    relay.waitUntilIdle()
    unsafe unlink(folder("other"))
    #expect(try relay.get("/b").body == bytes)
  }
}
