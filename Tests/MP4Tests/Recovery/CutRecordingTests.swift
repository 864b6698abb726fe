import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Recordings that were cut off at any byte, with a recording of the same settings as the reference.
@Suite("Recovery of recordings that were cut off")
struct CutRecordingTests {
  /// Recovers the first `end` bytes of a file: no sample is invented, at most `missing` whole ones are missing from a
  /// track, and all tracks end with the media.
  private func check(
    _ whole: BrokenFile, cutAt end: Int, like good: [UInt8], missing: [Int], _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let cut = whole.cut(at: end)
    let name = "\(name) cut off at byte \(end)"
    let recovery = try Recovery(of: MemorySource(cut.bytes, name: name), like: MemorySource(good, name: "good"))
    let score = cut.score(recovery)
    #expect(score.wrong == 0, "\(name)", sourceLocation: sourceLocation)
    for (index, track) in score.tracks.enumerated() {
      #expect(
        track.allCount - track.count <= missing[index] && track.misplaced == 0, "\(name): \(track)",
        sourceLocation: sourceLocation)
    }
    // Bytes of incomplete samples are reported.
    let used = recovery.tracks.reduce(0) { $0 + $1.byteCount } + recovery.unknownByteCount + recovery.paddingByteCount
    #expect(used <= cut.bytes.count && used > cut.bytes.count - 64, "\(name)", sourceLocation: sourceLocation)
    let media = recovery.tracks.filter { ["vide", "soun"].contains($0.handler) }.map(\.duration).max()
    let sink = MemorySink()
    try recovery.write(to: sink)
    let movie = try Movie(reading: [MemorySource(sink.bytes, name: name)])
    let longest = movie.tracks.filter { !$0.samples.isEmpty }.map(\.mediaDuration).max()
    #expect(longest == media, "\(name)", sourceLocation: sourceLocation)
  }

  @Test("Uncompressed sound ends where the interleaving of the reference says")
  func vector() throws {
    let whole = try readFile(vectorPath("files/pcm.mov"))
    let broken = try #require(try BrokenFile(whole))
    let known = broken.samples.flatMap { $0.map { $0.key + $0.value.size } }
    let (first, last) = (try #require(known.min()), try #require(known.max()))
    // Also at every byte around the borders of the last pictures.
    let pictures = broken.samples[0].keys.sorted().suffix(3)
    let ends = Array(stride(from: first + 8000, through: last, by: 3001)) + pictures.flatMap { $0 - 2...$0 + 40 }
    for end in ends where end <= broken.bytes.count {
      try check(broken, cutAt: end, like: whole, missing: [0, 0], "pcm.mov")
    }
  }

  private struct Setting {
    var options: String
    var suffix = "mov"
    /// The number of whole samples of each track that may be missing.
    var missing = [0, 0, 0]
  }
  private static let settings: [Setting] = [
    Setting(options: "-c:a pcm_s16le -ac 1 -timecode 01:00:00:00"), Setting(options: "-c:a pcm_s16be -ac 2"),
    Setting(options: "-c:a pcm_s24le -ac 1"), Setting(options: "-c:a pcm_s24be -ac 2 -timecode 01:00:00:00"),
    Setting(options: "-r 30000/1001 -c:a pcm_s16le -ac 2"),
    Setting(options: "-c:a pcm_s16le -ac 2 -chunk_duration 500000"),
    Setting(options: "-c:a aac -ac 2 -timecode 01:00:00:00"), Setting(options: "-c:a aac -ac 1", suffix: "mp4"),
  ]

  @Test(
    "Recordings of ffmpeg with sound of several formats",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"), arguments: settings.indices)
  func recordings(index: Int) throws {
    let setting = Self.settings[index]
    let folder = try TemporaryFolder()
    func make(_ video: String, _ audio: String) throws -> [UInt8] {
      let path = folder("recording.\(setting.suffix)")
      let words =
        "-nostdin -v error -y -f lavfi -i \(video) -f lavfi -i \(audio) -t 4 -c:v libx264 -g 25 -pix_fmt yuv420p "
        + "\(setting.options) \(path)"
      let result = try run("ffmpeg", words.split(separator: " ").map(String.init))
      try #require(result.exitCode == 0, "\(setting.options): \(result.errorText)")
      return try readFile(path)
    }
    let good = try make("testsrc=s=160x90:r=25", "anoisesrc=a=0.1:r=48000:seed=3")
    let whole = try make(
      "testsrc2=s=160x90:r=25,noise=alls=12:allf=t",
      "aevalsrc=0.4*sin(2*PI*t*(200+90*t))+0.05*random(0)|0.3*sin(900*t):s=48000"
    )
    let broken = try #require(try BrokenFile(whole))
    for percent in [13, 29, 38, 57, 71, 86, 97] {
      try check(
        broken, cutAt: broken.bytes.count * percent / 100, like: good, missing: setting.missing, setting.options)
    }
  }
}
