import MP4Bytes
import Support
import Testing

@testable import MP4

@Suite("AAC syntax")
struct AACSyntaxTests {
  @Test("The codebooks are complete, and the bands end with the windows")
  func codebooks() {
    for codebook in AACCodebook.spectral.dropFirst() + [AACCodebook.scaleFactors] {
      #expect(codebook.isComplete)
    }
    for index in 0..<13 {
      let bands = AACCodebook.bands(frequencyIndex: index)
      #expect(bands?.long.reduce(0, +) == 1024 && bands?.short.reduce(0, +) == 128, "\(index)")
    }
    #expect(AACCodebook.bands(frequencyIndex: 13) == nil)
  }

  @Test("Parsed frames have their sizes in files, regardless of the bits after them")
  func frames() throws {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/progressive.mp4")))])
    let track = try #require(movie.tracks.first { $0.handler == "soun" })
    guard case .aac(let syntax) = try RecoveryPattern(movie).tracks[track.id == movie.tracks[0].id ? 0 : 1].syntax
    else {
      Issue.record("not recognized")
      return
    }
    for sample in track.samples {
      let bytes = try sample.bytes()
      #expect(syntax.byteCount((bytes + [1, 2, 3, 4, 5, 6, 7, 8])[...]) == bytes.count)
      #expect(syntax.byteCount(bytes.dropLast(1)) == nil)
    }
  }
}
