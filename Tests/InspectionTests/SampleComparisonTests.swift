import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import Support
import Testing

@Suite("Comparing the samples of two movies")
struct SampleComparisonTests {
  private static let files = namesInFolder(vectorPath("files")).filter {
    $0.hasSuffix(".mp4") || $0.hasSuffix(".mov") || $0.hasSuffix(".ismv")
  }

  private static func bytes(_ file: String) throws -> [UInt8] { try readFile(vectorPath("files/" + file)) }
  private static func movie(_ bytes: [UInt8], _ name: String) throws -> Movie {
    try Movie(reading: [MemorySource(bytes, name: name)])
  }
  private static func lines(_ a: Movie, _ b: Movie) throws -> [Substring] {
    try SampleComparison(a, b).text.split(separator: "\n")
  }

  @Test("A remuxed file has the same samples", arguments: files)
  func remuxed(file: String) throws {
    let source = MemorySource(try Self.bytes(file), name: file)
    let output = MemorySink()
    try Defragmenter().plan([source]).write(to: output)
    let movie = try Movie(reading: [source])
    let comparison = try SampleComparison(movie, Self.movie(output.bytes, "out.mp4"))
    #expect(comparison.isSame, "\(comparison.text)")
    #expect(comparison.tracks.count == movie.tracks.count && comparison.tracks.allSatisfy { $0.differences != nil })
  }

  @Test("Samples with different bytes are counted, and the first one is described")
  func changedBytes() throws {
    var bytes = try Self.bytes("progressive.mp4")
    let movie = try Self.movie(bytes, "a.mp4")
    let sound = movie.tracks[1].samples
    // The last byte of two adjacent samples, and the first byte of another one.
    for index in [17, 18] { bytes[sound[index].offset + sound[index].size - 1] ^= 1 }
    bytes[sound[300].offset] ^= 0x80
    let changed = try Self.movie(bytes, "b.mp4")
    let lines = try Self.lines(movie, changed)
    #expect(lines[0] == "track 1: 600 samples, the same")
    let size = counted(sound[17].size, "byte")
    #expect(
      lines[1] == "track 2: 3 of 518 samples differ; the first is sample 18 at 0:00.743: \(size), which differ")
    let differences = try TrackDifferences(of: movie.tracks[1], from: changed.tracks[1])
    #expect(differences.changedCount == 3 && differences.first?.property == .bytes && differences.first?.index == 17)
  }

  @Test("If one movie has fewer samples, those with the same decode time are compared")
  func fewerSamples() throws {
    let movie = try Self.movie(Self.bytes("progressive.mp4"), "a.mp4").keeping(tracks: [0])
    let keyFrames = movie.keyFrames(ofTrack: 0)
    let differences = try TrackDifferences(of: movie.tracks[0], from: keyFrames.tracks[0])
    // All keyframes are longer; the duration of the last one does not count.
    #expect(differences.removedCount == 588 && differences.addedCount == 0 && differences.changedCount == 11)
    #expect(differences.first?.property == .duration && differences.first?.otherIndex == 0)
    let reverse = try TrackDifferences(of: keyFrames.tracks[0], from: movie.tracks[0])
    #expect(reverse.removedCount == 0 && reverse.addedCount == 588 && reverse.changedCount == 11)
  }

  @Test("A track that one movie lacks is a difference; tracks are found by their handlers")
  func missingTrack() throws {
    let movie = try Self.movie(Self.bytes("progressive.mp4"), "a.mp4")
    let sound = try Self.movie(Self.bytes("progressive.mp4"), "b.mp4").keeping(tracks: [1])
    #expect(
      try Self.lines(movie, sound) == [
        "track 1 (vide, 600 samples) is only in a.mp4", "track 2: 518 samples, the same",
      ])
    #expect(try !SampleComparison(movie, sound).isSame && !SampleComparison(sound, movie).isSame)
  }

  @Test("Times are compared regardless of the timescale")
  func timescales() throws {
    func movie(_ timescale: UInt32, _ duration: UInt32, edits: [EditSpec]? = nil) throws -> Movie {
      var trex = try #require(TrackSpec.audio().trex)
      trex.duration = duration
      let track = TrackSpec.audio().with(\.timescale, timescale).with(\.trex, trex).with(\.edits, edits)
      var file = FragmentedFileBuilder([track, .video()])
      file.addFragments(3)
      return try Self.movie(file.build().bytes, "\(timescale).mp4")
    }
    let movies = [try movie(48_000, 1024), try movie(96_000, 2048), try movie(48_000, 1025)]
    #expect(try SampleComparison(movies[0], movies[1]).isSame)
    #expect(
      try Self.lines(movies[0], movies[2])[0]
        == "track 2: 12 of 12 samples differ; the first is sample 1 at 0:00.000: lasts 1024/48000 s, 1025/48000 s")
    let late = try movie(48_000, 1024, edits: [.empty(500), .media(from: 0)])
    let comparison = try SampleComparison(movies[0], late)
    let sound = try #require(comparison.tracks.first { $0.track?.id == 2 })
    #expect(sound.differences?.isEmpty == true && !sound.hasSamePresentationTimes && !comparison.isSame)
  }
}
