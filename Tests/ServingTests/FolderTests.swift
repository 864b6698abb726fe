import ISOBMFF
import MP4Bytes
import MP4Platform
import MP4Processes
import MP4Serving
import Support
import Testing

@testable import MP4FileIO

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Folders serve only their contents")
struct FolderTests {
  private let folder: Support.TemporaryFolder

  init() throws {
    folder = try Support.TemporaryFolder()
    for name in ["in", "in/sub", "out"] { unsafe mkdir(folder(name), 0o755) }
    try writeFile(folder("in/a b.m3u8"), ascii("playlist"))
    try writeFile(folder("in/sub/ä.mp4"), ascii("movie"))
    try writeFile(folder("in/.hidden"), ascii("hidden"))
    try writeFile(folder("out/secret"), ascii("secret"))
    unsafe symlink("../out", folder("in/climbing"))
    unsafe symlink(folder("out/secret"), folder("in/absolute"))
    unsafe symlink("sub/ä.mp4", folder("in/staying"))
    unsafe symlink("/proc/self/root", folder("in/magic"))
    unsafe symlink("loop", folder("in/loop"))
    unsafe mkfifo(folder("in/pipe"), 0o644)
    unsafe chmod(folder("out/secret"), 0o644)
  }

  @Test("Files have their bytes, their type, and an ETag that changes with them")
  func files() throws {
    let running = try Running(folder: folder("in"))
    let list = try running.get("/a%20b.m3u8")
    #expect(list.text == "playlist" && list.fields["content-type"] == "application/vnd.apple.mpegurl")
    let movie = try running.get("/sub//%C3%A4.mp4?x=y")
    #expect(movie.text == "movie" && movie.fields["content-type"] == "video/mp4")
    #expect(try running.get("/sub/ä.mp4").text == "movie" && running.get("/staying").text == "movie")
    let tag = try #require(list.fields["etag"])
    #expect(try running.get("/a%20b.m3u8", "If-None-Match: \(tag)").status == 304)
    try writeFile(folder("in/a b.m3u8"), ascii("playlisu"))
    let other = try running.get("/a%20b.m3u8", "If-None-Match: \(tag)")
    #expect(other.status == 200 && other.text == "playlisu" && other.fields["etag"] != tag)
  }

  static let ways = [
    "/climbing/secret", "/absolute", "/magic/etc/passwd", "/../out/secret", "/%2e%2e/out/secret",
    "/sub/../../out/secret",
    "/..%2fout%2fsecret", "/%2e%2e%2fout/secret", "/..%5cout%5csecret", "/..\\out\\secret", "/%c0%ae%c0%ae/out/secret",
    "/sub%2f..%2f..%2fout%2fsecret", "/a%00/../../out/secret", "//../out/secret", "/.", "/..", "/sub/..", "/loop",
    "/pipe", "/sub", "/sub/", "/.hidden", "/sub/ä.mp4/", "/sub/ä.mp4/a", "/nothing", "/",
    "/" + String(repeating: "a", count: 300), "/" + String(repeating: "sub/../", count: 100),
  ]

  @Test("Nothing outside the folder is served by any path, and no folder", arguments: ways, [true, false])
  func outside(path: String, usesOpenat2: Bool) throws {
    let inside = try SourceFolder(#require(Pathname(folder("in"))), usesOpenat2: usesOpenat2)
    let running = try Running(answering: { request in
      request.names.map(inside.response) ?? Server.Response(400, "that leads nowhere")
    })
    let answer = try running.get(path)
    #expect([400, 403, 404].contains(answer.status) && !answer.text.contains("secret"), "\(answer.status)")
    #expect(try running.get("/sub/ä.mp4").text == "movie")
  }

  @Test("Without kernel support, links are not followed, and files are still found")
  func componentWise() throws {
    let inside = try SourceFolder(#require(Pathname(folder("in"))), usesOpenat2: false)
    #expect(inside.response(for: [ascii("sub"), ascii("ä.mp4")]).status == 200)
    #expect(inside.response(for: [ascii("staying")]).status == 404)
    #expect(try inside.open(["sub", "ä.mp4"]).size == 5)
    for names: [Pathname] in [[""], ["."], [".."], ["sub", ".."], ["sub/ä.mp4"], ["sub", "", "ä.mp4"]] {
      #expect(throws: IOError.self) { try inside.open(names) }
    }
  }

  @Test("Entries are files and folders, without hidden entries, special files and links to the outside")
  func entries() throws {
    for usesOpenat2 in [true, false] {
      let inside = try SourceFolder(#require(Pathname(folder("in"))), usesOpenat2: usesOpenat2)
      let names = try inside.entries(limit: 100).map { $0.name.description + ($0.isFolder ? "/" : "") }
      #expect(names == ["a b.m3u8"] + (usesOpenat2 ? ["staying"] : []) + ["sub/"])
      #expect(try inside.entries(of: ["sub"], limit: 100).map(\.name) == ["ä.mp4"])
      #expect(try inside.entries(limit: 1).count <= 1)
      #expect(throws: IOError.self) { try inside.entries(of: ["climbing"], limit: 100) }
    }
  }

  @Test("Nothing outside is served while folders are being replaced by links")
  func races() throws {
    let inside = try SourceFolder(#require(Pathname(folder("in"))), usesOpenat2: true)
    let careful = try SourceFolder(#require(Pathname(folder("in"))), usesOpenat2: false)
    unsafe mkdir(folder("in/kept"), 0o755)
    try writeFile(folder("in/kept/secret"), ascii("public"))
    try writeFile(folder("out/secret"), ascii("SECRET"))
    let script = "until [ -e end ]; do mv kept aside; ln -s ../out kept; rm kept; mv aside kept; done"
    let process = try ChildProcess("bash", ["-c", "cd \"$0\"; " + script, folder("in")])
    var (found, missing) = (0, 0)
    // Until both results have occurred often enough, regardless of thread scheduling.
    while min(found, missing * 10) < Effort.count(short: 500, all: 5000) {
      for folder in [inside, careful] {
        guard let file = try? folder.open(["kept", "secret"]) else {
          missing += 1
          continue
        }
        found += 1
        let sink = MemorySink()
        try sink.copy(0..<6, of: file)
        #expect(sink.bytes == ascii("public"))
      }
    }
    try writeFile(folder("in/end"), [])
    #expect(process.waitForEnd() == .exited(0))
  }

  @Test("A file that is truncated or rewritten truncates the response, and the next one is right")
  func changed() throws {
    let size = 64 << 20
    try writeFile(folder("in/big.mp4"), [UInt8](repeating: 1, count: size))
    let running = try Running(folder: folder("in"))
    for change in ["truncate -s 1000 big.mp4", "dd if=/dev/zero of=big.mp4 bs=1M count=64 conv=notrunc 2> /dev/null"] {
      try writeFile(folder("in/big.mp4"), [UInt8](repeating: 1, count: size))
      let client = try running.client(receiveBuffer: 4096)
      client.send("GET /big.mp4 HTTP/1.1\r\nHost: a\r\n\r\n")
      client.receive(limit: 4096)
      #expect(try run("sh", ["-c", change], folder: folder("in")).exitCode == 0)
      #expect(client.countToEnd() < size)
      let next = try running.get("/big.mp4", "Range: bytes=10-19")
      #expect(next.status == 206 && next.body.count == 10)
    }
    // A file that only grows has the declared bytes.
    let client = try running.client(receiveBuffer: 4096)
    client.send("GET /big.mp4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    client.receive(limit: 4096)
    #expect(try run("sh", ["-c", "echo more >> big.mp4"], folder: folder("in")).exitCode == 0)
    #expect(client.answer()?.body.count == size)
  }
}

/// A flag that one thread sets once.
final class Flag: Sendable {
  private let value = Monitor(false)
  var isSet: Bool { value { $0 } }
  func set() { value { $0 = true } }
}
