import Support
import Testing

/// Plays served media with other players.
@Suite("Players play from serve", .serialized)
struct CLIServeReadersTests {
  static let places = [
    "fragmented/master.m3u8", "fragmented.mp4", "out/master.m3u8", "single/master.m3u8", "progressive.mp4",
    "progressive/master.m3u8",
  ]
  static let inputs = "\"$V\"/fragmented.mp4 \"$V\"/progressive.mp4 out single"
  static let packages =
    "mkdir whole; mp4tool hls -q --segment-duration 2 in.mp4 -o out; mp4tool hls -q --single-file in.mp4 -o single; "
    + "mp4tool hls -q \"$V\"/progressive.mp4 -o whole/progressive"

  @Test(
    "ffmpeg decodes everything without a message, and seeks with ranges",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let shell = try EndToEnd()
    #expect(try shell(Self.packages).exitCode == 0)
    let result = try serving(
      "--log-format json \(Self.inputs)",
      """
      url=$(sed -n 's/^{"url":"\\([^"]*\\)".*/\\1/p' log)
      for place in \(Self.places.joined(separator: " ")); do
        case $place in *.mp4) file="$V"/$place;; progressive/*) file=whole/$place;; *) file=${place/fragmented/out};; esac
        for what in 0:v 0:a; do
          ffmpeg -nostdin -v warning -xerror -i $url$place -map $what -f md5 - > served
          ffmpeg -nostdin -v error -i "$file" -map $what -f md5 - | cmp - served || echo "$place $what differs"
        done
        case $place in *.mp4) ffmpeg -nostdin -v warning -xerror -ss 2.5 -i $url$place -frames:v 3 -f null -;; esac
      done
      grep -c '"range":"bytes=[1-9]' log | sed 's/[1-9][0-9]*/ranges/'
      """, in: shell)
    #expect(result.text == "ranges\nended with 0\n" && result.errorText == "", "\(result)")
  }

  @Test(
    "GStreamer reads the bytes of every sample, from segments and from byte ranges",
    .enabled(
      if: Effort.has("gst-launch-1.0") && ["hlsdemux", "qtdemux", "souphttpsrc"].allSatisfy(isElementThere),
      "needs MP4TOOL_TESTS=all and gst-launch-1.0 with hlsdemux, qtdemux and souphttpsrc"),
    arguments: ["fragmented/video-90/index.m3u8", "single/video-90/index.m3u8", "fragmented.mp4"])
  func gstreamer(place: String) throws {
    let shell = try EndToEnd()
    #expect(try shell(Self.packages).exitCode == 0)
    let demuxer = place.hasSuffix("m3u8") ? "hlsdemux ! qtdemux" : "qtdemux"
    let result = try serving(
      Self.inputs,
      """
      GST_DEBUG=1 gst-launch-1.0 -q souphttpsrc location=${url}\(place) ! \(demuxer) name=d d.video_0 ! filesink location=video
      """, in: shell)
    let video = try #require(try SampleReader.read(shell.bytes("in.mp4")).tracks.first { $0.handler == "vide" })
    #expect(try shell.bytes("video") == video.samples.flatMap(\.payload), "\(result)")
    #expect(result.text == "ended with 0\n", "\(result)")
  }
}

private func isElementThere(_ name: String) -> Bool {
  Effort.has("gst-inspect-1.0") && (try? run("gst-inspect-1.0", ["--exists", name]).exitCode) == 0
}
