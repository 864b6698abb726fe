import Support
import Testing

/// Pictures that carry their number, and a chirp that carries its time, measured in players by `Tests/Players`.
@Suite(
  "Sound and pictures are in sync in players", .serialized,
  .enabled(if: Chromium.isThere && which("ffmpeg") != nil, "needs MP4TOOL_TESTS=all, chromium, python3 and ffmpeg"))
struct CLISynchronisationTests {
  /// The commands that write `in.mp4` from `source.mp4`, which has B-frames and AAC.
  static let cases = [
    "ln source.mp4 in.mp4",
    // Pictures from the keyframe on are hidden by an edit list, and sound is not there.
    "mp4tool cut -q --from 3.52 --to 20 source.mp4 -o in.mp4",
    // Sound starts at 4.99 s.
    "ffmpeg -v error -i source.mp4 -c:v copy -af atrim=start=4.99 -c:a aac in.mp4",
    "ffmpeg -v error -i source.mp4 -c:v copy -af atrim=start=4.99,aformat=channel_layouts=5.1 -c:a aac in.mp4",
    "ffmpeg -v error -i source.mp4 -c:v copy -af atrim=start=4.99 -c:a libopus in.mp4",
    "ffmpeg -v error -i source.mp4 -c:v copy -c:a libopus in.mp4",
    // Pictures start at 2 s.
    "ffmpeg -v error -i source.mp4 -vf trim=start=2 -fps_mode vfr -c:v libx264 -preset veryfast -g 50 -c:a copy in.mp4",
    // Two parts are removed.
    "mp4tool cut -q --remove 2.2..4.1 --remove 7..8.3 source.mp4 -o in.mp4",
  ]
  /// How late sound may be: less than an audio sample where times are exact, and about two pictures in a player that is
  /// measured while it plays.
  private static let exact = 0.024
  private static let played = 0.08

  private func results(_ player: String, _ lists: String, _ shell: EndToEnd) throws -> [[Double?]] {
    let script = vectorPath("../Tests/Players/measure.py")
    let result = try shell("python3 \(script) play \(player) \(lists)")
    return result.lines.map { $0.split(separator: " ").dropFirst().map { Double($0) } }
  }

  private func prepare(_ command: String, _ options: String) throws -> EndToEnd {
    let shell = try EndToEnd()
    let script = vectorPath("../Tests/Players/measure.py")
    let result = try shell(
      """
      set -e
      python3 \(script) source source.mp4 24
      rm -f in.mp4
      \(command)
      mp4tool hls -q \(options) in.mp4 -o out
      """)
    #expect(result.description == "exit code 0\n\n")
    return shell
  }

  @Test("In ffmpeg and GStreamer", arguments: cases, ["", "--muxed", "--single-file", "--profile apple"])
  func readers(command: String, options: String) throws {
    let shell = try prepare(command, options)
    let newest = environment("MP4TOOL_FFMPEG").map { [$0] } ?? []
    for player in ["ffmpeg"] + newest + (which("gst-launch-1.0") != nil ? ["gstreamer"] : []) {
      let result = try #require(try results(player, "out/master.m3u8", shell).first)
      for late in result.prefix(2) { #expect(try abs(#require(late)) < Self.exact, "\(player): \(result)") }
    }
  }

  @Test("In Chromium, at the start and after a seek", arguments: cases)
  func chromium(command: String) throws {
    let shell = try prepare(command, "")
    for player in ["chromium"] + (environment("MP4TOOL_HLSJS") != nil ? ["hls.js"] : []) {
      let result = try #require(try results(player, "out/master.m3u8", shell).first)
      for late in result.prefix(2) { #expect(try abs(#require(late)) < Self.played, "\(player): \(result)") }
    }
  }
}
