import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4HLS
import Support
import Testing

@testable import MP4Fetching

@Suite("Reading parts of a file on a server", .enabled(if: WebServer.isPossible, "needs python3 and curl"))
struct RangeSourceTests {
  let folder: Support.TemporaryFolder
  let server: WebServer
  var options = FetchOptions()
  static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

  init() throws {
    folder = try TemporaryFolder()
    _ = try folder.write("a.bin", Self.bytes)
    _ = try folder.write("empty.bin", [])
    server = try WebServer(folder.path)
    options.retryWait = 10
  }

  private func open(_ path: String) throws -> any ByteSource {
    try RangeSource.open(
      #require(WebAddress("\(server.address)/\(path)")), options, scratch: ScratchSpace(in: Pathname(folder.path)))
  }
  private func read(_ range: Range<Int>, of source: any ByteSource) throws -> [UInt8] {
    let sink = MemorySink(name: "copy")
    try sink.copy(range, of: source)
    return sink.bytes
  }
  private func requests() throws -> [String] {
    let log = try Fetcher().bytes(#require(WebAddress("\(server.address)/log")), limit: 1 << 20).bytes
    return String(decoding: log, as: UTF8.self).split(separator: "\n").map { String($0.split(separator: " ")[1]) }
  }

  @Test("A few bytes at both ends take two requests, without the bytes between")
  func ends() throws {
    let source = try #require(try open("a.bin") as? RangeSource)
    #expect(source.byteCount == Self.bytes.count)
    #expect(try read(0..<8, of: source) == Array(Self.bytes[..<8]))
    #expect(try read(2_999_000..<3_000_000, of: source) == Array(Self.bytes[2_999_000...]))
    #expect(try read(16..<5000, of: source) == Array(Self.bytes[16..<5000]))
    #expect(try requests() == ["bytes=0-65535", "bytes=2949120-2999999"])
    #expect(source.received <= 2 * RangeReader.blockSize)
  }

  @Test(
    "The bytes are right regardless of the server's behavior",
    arguments: Effort.some(
      [
        "a.bin", "hop2/a.bin", "503x1/a.bin", "drop70000x3/a.bin", "short100000/a.bin", "plain/a.bin",
        "plain/drop70000x1/a.bin", "gzip/a.bin", "plain/gzip/a.bin", "chunked/a.bin", "notags/a.bin",
      ], short: 6))
  func whole(_ path: String) throws {
    let source = try open(path)
    #expect(source.byteCount == Self.bytes.count)
    #expect(try read(0..<Self.bytes.count, of: source) == Self.bytes)
    #expect(try read(1_000_000..<1_300_000, of: source) == Array(Self.bytes[1_000_000..<1_300_000]))
    #expect(folder.names == ["a.bin", "empty.bin"])
  }

  @Test("Sequential reads use a few large ranges, and alternating reads at two positions use two")
  func streaming() throws {
    let source = try #require(try open("a.bin") as? RangeSource)
    for start in stride(from: 0, to: 3_000_000, by: 10_000) { _ = try read(start..<start + 10_000, of: source) }
    #expect(try requests() == ["bytes=0-65535", "bytes=65536-327679", "bytes=327680-1376255", "bytes=1376256-2999999"])
    let other = try #require(try open("a.bin") as? RangeSource)
    for start in stride(from: 0, to: 1_400_000, by: 20_000) {
      for place in [start, start + 1_500_000] {
        #expect(try read(place..<place + 20_000, of: other) == Array(Self.bytes[place..<place + 20_000]))
      }
    }
    #expect(other.requests <= 10)
    #expect(other.received <= 3_200_000)
  }

  @Test("Small gaps are fetched too, large ones are not")
  func gaps() throws {
    let source = try #require(try open("a.bin") as? RangeSource)
    _ = try read(0..<700_000, of: source)
    let before = source.requests
    #expect(try read(900_000..<900_010, of: source) == Array(Self.bytes[900_000..<900_010]))
    #expect(source.requests == before)
    #expect(try read(2_500_000..<2_500_010, of: source) == Array(Self.bytes[2_500_000..<2_500_010]))
    #expect(source.requests == before + 1)
  }

  @Test("A file that changes between two requests is an error", arguments: [3_000_000, 2_000_000, 50])
  func changed(size: Int) throws {
    let source = try open("a.bin")
    #expect(try read(0..<8, of: source) == Array(Self.bytes[..<8]))
    _ = try folder.write("a.bin", [UInt8](repeating: 7, count: size))
    let error = try #require(throws: IOError.self) { try read(2_800_000..<2_900_000, of: source) }
    #expect(error.operation == .read)
    #expect(error.reason == "it changed in the meantime")
  }

  @Test("An empty file and a missing file")
  func none() throws {
    #expect(try open("empty.bin").byteCount == 0)
    #expect { try open("b.bin") } throws: { ($0 as? FetchError)?.problem == .status(404) }
  }
}
