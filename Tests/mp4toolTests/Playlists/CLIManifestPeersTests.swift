import Support
import Testing

@Suite("DASH manifests of other packagers", .serialized)
struct CLIManifestPeersTests {
  private static let sources = """
    ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=20 -f lavfi -i sine=440:duration=20 -c:v libx264 \
      -preset ultrafast -bf 2 -g 50 -pix_fmt yuv420p -c:a aac low.mp4
    ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25:duration=20 -c:v libx265 -preset ultrafast \
      -x265-params log-level=none:keyint=50 -tag:v hvc1 -pix_fmt yuv420p high.mp4
    mkdir out
    compare() {
      mp4tool defrag -q --no-follow out/m.mpd -o "$1"; echo "status $?"
      { mp4tool hash high.mp4; mp4tool hash low.mp4; } | cut -d ' ' -f 1 > wanted
      mp4tool hash "$1" | cut -d ' ' -f 1 | while read -r hash; do grep -c "$hash" wanted; done
      mp4tool check -q --for dash --ignore dash-codecs-media out/m.mpd | grep error:
    }

    """

  // ffmpeg writes `hvc1` without the profile as codec.
  @Test(
    "Manifests of ffmpeg give the samples of its input",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-adaptation_sets \"id=0,streams=v id=1,streams=a\"", "-single_file 1", "-use_template 0",
      "-use_timeline 0",
    ])
  func ffmpeg(options: String) throws {
    let result = try EndToEnd()(
      Self.sources + """
        ffmpeg -v error -i high.mp4 -i low.mp4 -map 0:v -map 1:v -map 1:a -c copy -f dash -seg_duration 4 \(options) out/m.mpd
        compare film.mp4
        """)
    // Segments of equal duration end with the period: a later one, which has a part of an audio frame, is not loaded.
    #expect(result.lines == ["status 0", "1", options.contains("timeline") ? "0" : "1"], "\(result)")
  }

  @Test(
    "Manifests of shaka-packager give the samples of its input",
    .enabled(
      if: Effort.has("ffmpeg") && environment("MP4TOOL_SHAKA") != nil,
      "needs MP4TOOL_TESTS=all, MP4TOOL_SHAKA and ffmpeg"),
    arguments: [
      "init_segment=STREAM/init.mp4,segment_template=STREAM/$Number$.m4s",
      "init_segment=STREAM/init.mp4,segment_template=STREAM/$Time$.m4s", "output=STREAM.mp4",
    ])
  func shaka(template: String) throws {
    let packager = try #require(environment("MP4TOOL_SHAKA"))
    func stream(_ name: String) -> String { "'" + template.replacing("STREAM", with: name) + "'" }
    let result = try EndToEnd()(
      Self.sources + """
        (cd out; \(packager) in=../high.mp4,stream=video,\(stream("high")) in=../low.mp4,stream=video,\(stream("low")) \\
          in=../low.mp4,stream=audio,lang=en,\(stream("audio")) --segment_duration 4 --mpd_output m.mpd > log 2>&1 || cat log)
        compare film.mp4
        """)
    #expect(result.lines == ["status 0", "1", "1"], "\(result)")
  }
}
