import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Evidence of the encoder settings of recovered pictures")
struct EncoderEvidenceTests {
  private func warningCount(_ whole: [UInt8], like good: [UInt8]) throws -> Int {
    let broken = try #require(try BrokenFile(whole)).bytes
    let recovery = try Recovery(of: MemorySource(broken, name: "broken"), like: MemorySource(good, name: "good"))
    return recovery.diagnostics.count {
      $0.severity == .warning && $0.text.contains("do not fit the encoder settings of good")
    }
  }

  @Test("Pictures of the reference file itself fit its parameter sets")
  func own() throws {
    for name in ["progressive-moov-last.mp4", "pcm.mov"] {
      let whole = try readFile(vectorPath("files/" + name))
      #expect(try warningCount(whole, like: whole) == 0, "\(name)")
    }
  }

  @Test(
    "Pictures that do not fit the parameter sets of the reference file cause a warning",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func refuted() throws {
    let folder = try TemporaryFolder()
    func make(_ size: String, _ preset: String) throws -> [UInt8] {
      let path = folder("recording.mp4")
      let words =
        "-nostdin -v error -y -f lavfi -i testsrc2=s=\(size):r=25 -t 2 -c:v libx264 -g 25 -pix_fmt yuv420p "
        + "-preset \(preset) \(path)"
      let result = try run("ffmpeg", words.split(separator: " ").map(String.init))
      try #require(result.exitCode == 0, "\(result.errorText)")
      return try readFile(path)
    }
    let whole = try make("320x180", "veryfast")
    #expect(try warningCount(whole, like: whole) == 0)
    #expect(try warningCount(whole, like: try make("320x180", "ultrafast")) == 1)
    #expect(try warningCount(whole, like: try make("640x360", "veryfast")) == 1)
    // With the same width, the slices have the same syntax, and end too early.
    #expect(try warningCount(whole, like: try make("320x240", "veryfast")) == 1)
    // The number of references changes the prediction, and the syntax of no I slice.
    let broken = MemorySource(try #require(try BrokenFile(make("320x180", "medium"))).bytes, name: "broken")
    for (preset, expected) in [("medium", false), ("slow", true)] {
      let recovery = try Recovery(of: broken, like: MemorySource(try make("320x180", preset), name: "good"))
      #expect(recovery.diagnostics.contains { $0.text.contains("ref is 3, not 5") } == expected, "\(preset)")
    }
  }
}
