import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Movies without samples")
struct EmptyMovieTests {
  private func movie(_ bytes: [UInt8]) throws -> Movie { try Movie(reading: [MemorySource(bytes, name: "in.mp4")]) }

  @Test("An init segment has tracks without samples, and most operations are refused")
  func initialization() throws {
    let movie = try movie(try readFile(vectorPath("files/hls/init.mp4")))
    #expect(movie.tracks.map(\.handler) == ["vide", "soun"] && movie.tracks.allSatisfy(\.samples.isEmpty))
    #expect(movie.tracks[0].codecs.count == 1 && movie.tracks[0].pictureSize != nil)
    for track in movie.tracks {
      #expect(track.start == nil && track.duration == MediaTime(0, 1) && track.mediaDuration == MediaTime(0, 1))
      #expect(track.frameRate == nil && track.samples.first == nil && track.samples.syncIndex(atOrBefore: 0) == nil)
      #expect(track.samples.index(atDecodeTime: MediaTime(0, 1)) == nil)
      #expect(track.samples.index(atPresentationTime: MediaTime(0, 1)) == nil)
      #expect(track.samples.byteRanges(of: 0..<0).isEmpty)
    }
    let error = #expect(throws: MovieError.self) { try Fragmenter().plan(movie) }
    #expect(error == .impossible(file: "in.mp4", Obstacle("no_segments", "")))
  }

  @Test("A truncated file has the samples whose data is present", arguments: [0, 1, 40, 200])
  func live(more: Int) throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(3)
    let built = file.build()
    // In the middle of the first fragment.
    let moof = try #require(built.bytes.indices.first { built.bytes[$0...].starts(with: ascii("mdat")) }) + 4
    let cut = built.truncated(to: moof + more)
    let movie = try movie(cut.bytes)
    for track in movie.tracks {
      #expect(try track.samples.map { try $0.bytes() } == cut.samples[track.id]?.map(\.payload))
    }
    #expect(movie.diagnostics.contains { $0.severity == .error })
    guard more < 20 else { return }
    let error = #expect(throws: MovieError.self) { try Fragmenter().plan(movie) }
    #expect(error == .impossible(file: "in.mp4", Obstacle("nothing_left", "")))
  }
}
