import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Hashes of tracks")
struct TrackHashesTests {
  private func hex(_ hash: TrackHash) -> String? {
    hash.digest.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
  }

  /// A movie with the samples `a`, `b` and `c`.
  private func movie(isFragmented: Bool, timescale: UInt32) throws -> Movie {
    let sink = MemorySink()
    let writer = isFragmented ? MovieWriter(fragmentsTo: sink) : MovieWriter(to: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (640, 360)
    let track = try writer.add(MovieWriter.Track(Box(entry, type: "mp4v"), timescale: timescale))
    for (letter, duration) in zip("abc".utf8, [1, 2, 1] as [Int64]) {
      try writer.append([letter], to: track, duration: MediaTime(duration, 25), isSync: duration == 1)
    }
    try writer.finish()
    return try Movie(reading: [MemorySource(sink.bytes)])
  }

  @Test("The documented form is hashed, in any layout and timescale", arguments: [false, true], [25, 90_000])
  func form(isFragmented: Bool, timescale: UInt32) throws {
    let movie = try movie(isFragmented: isFragmented, timescale: timescale)
    #expect(
      try TrackHashes(movie).tracks.map(hex) == ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"])
    // Python's SHA-256 of "abc0/1 1/25 1 1\n1/25 2/25 1 0\n3/25 last 1 1\n".
    #expect(
      try TrackHashes(movie, includesTimes: true).tracks.map(hex) == [
        "27e04b6a27ed44014eb479b315775be35ef2767243d5b79bca2a018e44dadac3"
      ])
    #expect(try TrackHashes(movie, .xxh64).tracks.map(hex) == ["44bc2cf5ad770999"])
  }

  @Test(
    "The file is read once, whatever its interleaving", arguments: ["progressive.mp4", "pcm.mov", "fragmented.mp4"])
  func reading(name: String) throws {
    let bytes = try readFile(vectorPath("files/" + name))
    let source = CountingSource(bytes)
    let movie = try Movie(reading: [source])
    let before = (source.byteTotal, source.callCount)
    let hashes = try TrackHashes(movie)
    #expect(hashes.tracks.allSatisfy { $0.digest?.count == 32 })
    #expect(source.byteTotal - before.0 <= bytes.count, "\(source.byteTotal - before.0) of \(bytes.count)")
    #expect(source.callCount - before.1 <= 10 + bytes.count / 20_000)
  }

  /// A file that became shorter after its size was read.
  private final class ShorterSource: ByteSource {
    let name = "in.mp4"
    let byteCount: Int?
    private let rest: MemorySource
    init(_ bytes: [UInt8], until end: Int) {
      (byteCount, rest) = (bytes.count, MemorySource(Array(bytes[..<end])))
    }
    func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
      try rest.read(at: offset, into: &buffer)
    }
  }

  @Test("If data is missing, the sample is named, and the other tracks are hashed")
  func missing() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let movie = try Movie(reading: [MemorySource(bytes, name: "in.mp4")])
    let last = try #require(movie.tracks.flatMap { $0.samples }.max { $0.offset < $1.offset })
    let (whole, other) = (try TrackHashes(movie), last.offset + 1)
    let short = try TrackHashes(Movie(reading: [ShorterSource(bytes, until: other)]))
    #expect(
      short.diagnostics.map(\.description) == [
        "in.mp4: track 2: the data of sample \(last.index + 1) ends at byte \(other); not hashed"
      ])
    #expect(short.tracks[0] == whole.tracks[0] && short.tracks[1].digest == nil)
  }

  @Test("A movie without samples has no hashes")
  func empty() throws {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/hls/init.mp4")))])
    #expect(throws: MovieError.self) { try TrackHashes(movie) }
  }

  @Test("Progress can stop it")
  func stopping() throws {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/progressive.mp4")), name: "a")])
    #expect(throws: MovieError.stopped(file: "a")) { try TrackHashes(movie) { $0 == 0 } }
  }
}
