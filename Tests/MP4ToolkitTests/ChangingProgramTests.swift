import MP4Toolkit
import Support
import Testing

/// Tests of the programs in the articles on cutting, encrypting, recovering, recording and labels.
@Suite("Programs that change movies")
struct ChangingProgramTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("The programs of the articles on cutting, encrypting and recovering")
  func operations() async throws {
    let path = vectorPath("files/progressive.mp4")
    let source = try FileSource.open(path)
    #expect(try await extractAudio(of: source, to: folder("a.aac")) == [])
    #expect(try readFile(folder("a.aac")).starts(with: [0xff, 0xf1]))
    try await split(source, every: 1, into: folder.path)
    #expect(try await Movie(reading: [folder("part1.mp4")]).duration == MediaTime(24, 1))
    _ = try await concatenate([source, source], to: folder("long.mp4"))
    let long = try FileSource.open(folder("long.mp4"))
    #expect(try await Movie(reading: [long]).chapters().map(\.time) == [MediaTime(0, 1), MediaTime(24, 1)])
    // A presentation of eight minutes.
    _ = try await concatenate(Array(repeating: source, count: 20), to: folder("show.mp4"))
    _ = try await removeAdvertisement(from: FileSource.open(folder("show.mp4")), to: folder("rest.mp4"))
    #expect(try await Movie(reading: [folder("rest.mp4")]).duration == MediaTime(330, 1))
    let (key, keyID) = ([UInt8](1...16), [UInt8](17...32))
    let both = try Encryption.Key(key, keyID: keyID)
    _ = try await encrypt(source, with: both, to: folder("e.mp4"))
    let encrypted = try FileSource.open(folder("e.mp4"))
    _ = try await decrypt(encrypted, to: folder("d.mp4")) { $0 == keyID ? key : [] }
    let (before, after) = (try await Movie(reading: [path]), try await Movie(reading: [folder("d.mp4")]))
    for (a, b) in zip(before.tracks, after.tracks) {
      #expect(try await a.samples.bytes(of: 0..<a.samples.count) == b.samples.bytes(of: 0..<b.samples.count))
    }
    let whole = try readFile(path)
    try folder.write("broken.mp4", Array(whole.dropLast(9000)))
    let unknown = try await recover(FileSource.open(folder("broken.mp4")), like: nil, to: folder("r.mp4"))
    #expect(unknown == 0)
  }

  @Test("A recording of H.264 with the times of an encoder")
  func recording() async throws {
    let movie = try await Movie(reading: [vectorPath("files/progressive.mp4")])
    let video = try #require(movie.tracks.first { $0.isVideo })
    let (camera, continuation) = AsyncStream.makeStream(of: EncodedPicture.self)
    for sample in video.samples {
      let clock = MediaTime(1_000_000, 1)
      continuation.yield(
        EncodedPicture(
          bytes: try await sample.bytes(), time: clock + sample.compositionTime, decodeTime: clock + sample.decodeTime,
          isKey: sample.isSync))
    }
    continuation.finish()
    try await record(camera, video.parameterSets, to: folder("a.mp4"))
    let copy = try await Movie(reading: [folder("a.mp4")])
    let count = video.samples.count
    #expect(try await copy.tracks[0].samples.bytes(of: 0..<count) == video.samples.bytes(of: 0..<count))
    #expect(copy.tracks[0].samples.map(\.presentationTime) == video.samples.map(\.presentationTime))
  }

  @Test("Labels of a movie, and pictures for a decoder")
  func articles() async throws {
    let source = try FileSource.open(vectorPath("files/progressive.mp4"))
    let chapters = [Chapter(time: MediaTime(0, 1), title: "Start")]
    let plan = try await labelled(
      source, title: "Holiday", cover: [0xff, 0xd8, 0xff, 0xe0], chapters: ChapterList(chapters))
    try await plan.write(to: folder("a.mp4"))
    let movie = try await Movie(reading: [folder("a.mp4")])
    #expect(try await labels(of: movie) == ["Holiday", "Start"])
    var shown = 0
    try await decode(MediaTime(0, 1)..<MediaTime(1, 1), of: movie.tracks[0]) { sample, bytes, isShown in
      #expect(bytes.count == sample.size)
      shown += isShown ? 1 : 0
    }
    #expect(shown == 25)
    let bytes = try readFile(folder("a.mp4"))
    let other = try await MP4ToolkitTests.movie(at: "https://example.com/a.mp4", byteCount: bytes.count) {
      Array(bytes[$0])
    }
    #expect(try await firstBytes(of: other.tracks[0]) == firstBytes(of: movie.tracks[0]))
  }
}
