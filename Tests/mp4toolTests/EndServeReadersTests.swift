import Support
import Testing

/// What players that are not ours make of what is served.
@Suite("Players play from serve", .serialized)
struct EndServeReadersTests {
  static let places = [
    "fragmented/master.m3u8", "fragmented.mp4", "out/master.m3u8", "single/master.m3u8", "progressive.mp4",
    "progressive/master.m3u8",
  ]
  static let inputs = "\"$V\"/fragmented.mp4 \"$V\"/progressive.mp4 out single"
  static let packages =
    "mkdir whole; mp4tool hls -q --duration 2 in.mp4 -o out; mp4tool hls -q --single-file in.mp4 -o single; "
    + "mp4tool hls -q \"$V\"/progressive.mp4 -o whole/progressive"

  @Test(
    "ffmpeg decodes all of it without a message, and seeks by ranges",
    .enabled(if: which("ffmpeg") != nil, "ffmpeg is not installed"))
  func ffmpeg() throws {
    let shell = try EndToEnd()
    #expect(try shell(Self.packages).exitCode == 0)
    let result = try serving(
      "--format json \(Self.inputs)",
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
    "GStreamer gets the bytes of every sample, of segments and of byte ranges",
    .enabled(
      if: which("gst-launch-1.0") != nil && ["hlsdemux", "qtdemux", "souphttpsrc"].allSatisfy(isElementThere),
      "gst-launch-1.0 with hlsdemux, qtdemux and souphttpsrc is not installed"),
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

  /// Takes as long as the media lasts. A page of the served folder looks at the player's page in a frame, and reports by
  /// requests, which are in the log.
  @Test(
    "Chromium plays to the end on the page of the server",
    .enabled(
      if: environment("MP4TOOL_CHROMIUM") != nil && which("chromium") != nil, "needs MP4TOOL_CHROMIUM and chromium"),
    arguments: ["stream/master.m3u8", "movie.mp4"])
  func chromium(place: String) throws {
    let shell = try EndToEnd()
    #expect(
      try shell("mkdir site; mp4tool hls -q --duration 2 in.mp4 -o site/stream; cp in.mp4 site/movie.mp4").exitCode == 0
    )
    try shell.folder.write("site/look.html", ascii(Self.look))
    let result = try serving(
      "site",
      """
      chromium --headless=new --no-sandbox --disable-gpu --autoplay-policy=no-user-gesture-required \\
        --user-data-dir=profile ${url}look.html'#'\(place) > /dev/null 2>&1 & player=$!
      for i in $(seq 450); do grep -qE 'GET /report.(ended|error)' log && break; sleep 0.1; done
      kill $player; wait $player 2> /dev/null
      sed -n 's/.*GET .report.\\([^ ]*\\) .*/\\1/p' log
      """, in: shell)
    let events = result.lines.map { $0.split(separator: "+").map(String.init) }.filter { $0.count == 4 }
    let end = try #require(events.first { $0[0] == "ended" }, "\(result)")
    let source = try SampleReader.read(shell.bytes("in.mp4"))
    let last = try #require(source.presented.values.compactMap { $0.map(\.end).max() }.max())
    let length = Double(last.numerator) / Double(last.denominator)
    #expect(end[1] == "160x90" && Double(end[2]).map { abs($0 - length) < 0.1 } == true, "\(events) \(length)")
    #expect(Double(end[3]).map { abs($0 - length) < 0.1 } == true, "\(events)")
    let times = events.compactMap { Double($0[3]) }
    #expect(times == times.sorted() && Set(times.map { Int($0 * 2) }).count > Int(length), "\(times)")
  }

  private static let look = """
    <iframe id=frame width=800 height=600></iframe><script>
    const frame = document.getElementById('frame')
    frame.onload = () => {
      const v = frame.contentDocument.getElementById('player')
      const tell = name => fetch('/report?' + [name, v.videoWidth + 'x' + v.videoHeight, v.duration, v.currentTime].join('+'))
      for (const name of ['timeupdate', 'error', 'ended']) v.addEventListener(name, () => tell(name))
    }
    frame.src = '/' + location.hash
    </script>
    """
}

private func isElementThere(_ name: String) -> Bool {
  which("gst-inspect-1.0") != nil && (try? run("gst-inspect-1.0", ["--exists", name]).exitCode) == 0
}
