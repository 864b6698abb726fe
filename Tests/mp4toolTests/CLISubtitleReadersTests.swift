import MP4Bytes
import Support
import Testing

/// Reads subtitles with other programs.
@Suite("Other readers find unchanged subtitles", .serialized)
struct CLISubtitleReadersTests {
  private static func isThere(_ plugins: String...) -> Bool {
    Effort.has("gst-launch-1.0", "gst-inspect-1.0")
      && plugins.allSatisfy { (try? run("gst-inspect-1.0", ["--exists", $0]).exitCode) == 0 }
  }

  @Test(
    "ffmpeg reads the texts of a text track, with times relative to the first picture",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "\"$V\"/fragmented.mp4", "\"$V\"/progressive.mp4",
      "movie/video-90/init.mp4 movie/video-90/segment*.m4s movie/audio-en/init.mp4 movie/audio-en/segment*.m4s",
    ])
  func timedText(inputs: String) throws {
    let shell = try CLISubtitlesTests.prepared("--profile apple")
    let result = try shell(
      """
      mp4tool defrag -q \(inputs) --subtitles en=en.vtt --subtitles fr.srt,name=Français,default -o out.mp4 || echo failed
      for track in 0 1; do ffmpeg -v error -copyts -i out.mp4 -map 0:s:$track -f webvtt -; done
      ffprobe -v error -select_streams s -show_entries \
        stream=codec_name:stream_tags=language,handler_name:stream_disposition=default -of csv=p=0 out.mp4
      """)
    let start = try shell("ffprobe -v error -select_streams v -show_entries stream=start_time -of csv=p=0 out.mp4").text
    // Video that is decoded before its presentation time, without an edit list. Media with the times of Apple's writer
    // start at the first picture.
    #expect(start == (inputs.contains("fragmented") ? "0.080000\n" : "0.000000\n"))
    let shift = start.hasPrefix("0.08") ? 80 : 0
    func time(_ milliseconds: Int) -> String {
      let (seconds, rest) = (milliseconds + shift).quotientAndRemainder(dividingBy: 1000)
      func padded(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: count - "\(number)".count) + "\(number)"
      }
      return "00:\(padded(seconds, 2)).\(padded(rest, 3))"
    }
    func cue(_ start: Int, _ end: Int, _ text: String) -> String { "\n\(time(start)) --> \(time(end))\n\(text)\n" }
    let (hello, second) = ("<i>Hello</i> & welcome", "Second cue\nin two <b>lines</b>")
    let english =
      cue(1000, 3000, hello) + cue(3000, 3500, "\(hello)\n\(second)") + cue(3500, 6500, second)
      + cue(11_000, 12_000, "Third")
    let french = cue(1000, 2000, "Un\n\u{a0}\nDeux") + cue(3000, 4000, "Trois")
    let tracks = "mov_text,0,eng,English\nmov_text,1,fra,Français\n"
    #expect(result.text == "WEBVTT\n\(english)WEBVTT\n\(french)\(tracks)", "\(result)")
  }

  @Test(
    "GStreamer reads WebVTT in MP4, in one file and in segments",
    .enabled(if: isThere("qtdemux"), "needs MP4TOOL_TESTS=all and gst-launch-1.0 with qtdemux"))
  func webVTT() throws {
    let shell = try CLISubtitlesTests.prepared("--profile apple")
    let result = try shell(
      """
      read() { gst-launch-1.0 -q filesrc location=$1 ! qtdemux name=d d.subtitle_0 ! queue ! fdsink fd=1 | cat; }
      mp4tool defrag -q "$V"/progressive.mp4 --subtitles en.vtt --text-format wvtt -o out.mp4 && read out.mp4
      mp4tool subtitles -q movie/master.m3u8 --text-format wvtt --segment-duration 4 --subtitles en=en.vtt -o out
      cat out/subtitles/en/init.mp4 out/subtitles/en/segment*.m4s > whole.mp4; read whole.mp4
      """)
    let second = "Second cue\nin two <b>lines</b>\n\n"
    let hello = "<i>Hello</i> & welcome\n\n"
    #expect(
      result.text == """
        WEBVTT

        intro
        00:00:01.000 --> 00:00:03.000 line:0
        \(hello)intro
        00:00:03.000 --> 00:00:03.500 line:0
        \(hello)00:00:03.000 --> 00:00:03.500
        \(second)00:00:03.500 --> 00:00:06.500
        \(second)00:00:11.000 --> 00:00:12.000
        Third

        WEBVTT

        intro
        00:00:11.000 --> 00:00:13.000 line:0
        \(hello)intro
        00:00:13.000 --> 00:00:13.500 line:0
        \(hello)00:00:13.000 --> 00:00:13.500
        \(second)00:00:13.500 --> 00:00:14.000
        \(second)00:00:14.000 --> 00:00:16.500
        \(second)00:00:21.000 --> 00:00:22.000
        Third


        """, "\(result)")
  }

  @Test(
    "GStreamer plays the edited playlist, and every cue has the right time",
    .enabled(
      if: isPlayerThere && WebServer.isPossible,
      "needs MP4TOOL_TESTS=all and gst-launch-1.0 with hlsdemux2, souphttpsrc, subparse and avdec_h264, curl or python3"
    ),
    arguments: ["", "--segment-duration 4", "--text-format wvtt --segment-duration 4"])
  func presentation(options: String) throws {
    let shell = try CLISubtitlesTests.prepared("--profile apple", of: "progressive.mov")
    let server = try WebServer(shell.folder.path)
    let result = try shell(
      """
      mp4tool subtitles -q movie/master.m3u8 \(options) --subtitles en=en.vtt -o out
      \(Self.texts("\(server.address)/out/master.m3u8"))
      """)
    // Times in MP4 are media times; for WebVTT, 0 is a minute before the first decode time.
    let zero = options.contains("wvtt") ? 10_000 : 60_080
    let texts = Self.cues(result.lines, from: zero)
    let expected =
      options.contains("wvtt")
      ? [[1000, 26], [3000, 26], [3000, 30], [3500, 30], [4000, 30]] : [[1000, 26], [3000, 30]]
    #expect(texts == Set(expected), "\(result)")
  }

  /// Plays the presentation at a URL, and prints the size and time of every text.
  static func texts(_ address: String) -> String {
    """
    gst-launch-1.0 -v playbin3 uri=\(address) flags=0x7 audio-sink="fakesink sync=false" \
        video-sink="fakesink sync=false" text-sink="fakesink name=texts silent=false sync=false" 2>&1 |
        grep 'texts.*chain' |
        sed 's/.*(texts:sink) (\\([0-9]*\\) bytes.* pts: \\([0-9:.]*\\), duration: .*/\\1 \\2/'
    """
  }

  static var isPlayerThere: Bool { isThere("hlsdemux2", "souphttpsrc", "subparse", "avdec_h264") }

  /// The times (in milliseconds from `zero` on) and sizes of the printed texts.
  static func cues(_ lines: [Substring], from zero: Int) -> Set<[Int]> {
    var texts: Set<[Int]> = []
    for words in lines.map({ $0.split(separator: " ") }) where words.count == 2 {
      let parts = words[1].split { $0 == ":" || $0 == "." }.compactMap { Int($0) }
      guard parts.count == 4 else { continue }
      let time = ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + parts[3] / 1_000_000
      texts.insert([time - zero, Int(words[0]) ?? 0])
    }
    // A cue after the end is in no segment.
    texts.remove([11_000, 5])
    return texts
  }
}
