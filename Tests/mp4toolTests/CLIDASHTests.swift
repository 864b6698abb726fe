import Support
import Testing

@Suite("hls --dash, end to end")
struct CLIDASHTests {
  @Test("A manifest is static, so playlists that can grow are refused")
  func event() throws {
    let result = try EndToEnd()("mp4tool hls --dash --playlist-type event in.mp4 -o out")
    #expect(result.exitCode == 64 && result.errorText.contains("'--dash'"), "\(result)")
  }

  @Test("The formats that are written")
  func formats() throws {
    let result = try EndToEnd()(
      """
      printf 'WEBVTT\n\n00:00.500 --> 00:01.000\nText\n' > en.vtt
      mp4tool package -q in.mp4 en.vtt -o package; mp4tool hls --dash -q in.mp4 en.vtt -o dash; diff -r package dash
      mp4tool package -q --formats hls in.mp4 en.vtt -o hls; diff -rq package hls
      mp4tool hls -q --formats dash in.mp4 en.vtt -o manifest; diff -rq package manifest | grep -v -e index.m3u8 -e segment
      mp4tool hls -q --dash --formats hls in.mp4 -o no
      """)
    let text = """
      Only in package: manifest.mpd
      Only in package/text-en: dash.vtt
      Only in package: master.m3u8
      Only in package/video-90: iframes.m3u8

      """
    #expect(result.text == text, "\(result)")
    #expect(result.exitCode == 64 && result.errorText.contains("--formats"), "\(result)")
  }

  @Test(
    "The manifest is added to the same files",
    arguments: ["", "--single-file", "--muxed", "--reference", "--profile cmaf --start-number 7"])
  func files(options: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q \(options) in.mp4 -o without; mp4tool hls -q --dash \(options) in.mp4 -o with
      diff -r without with
      grep -c '<Representation ' with/manifest.mpd
      """)
    #expect(result.lines.first == "Only in with: manifest.mpd", "\(result)")
    #expect(result.lines.last.flatMap { Int($0) } ?? 0 > 0, "\(result)")
  }

  // MARK: Players

  /// Inputs as lines that create `input` files, and the number of pictures of the best video.
  private static let inputs = [
    (
      """
      ffmpeg -v error -f lavfi -i sine=300:duration=12 -c:a aac -metadata:s:a:0 language=eng en.m4a
      ffmpeg -v error -f lavfi -i sine=500:duration=12 -c:a aac -metadata:s:a:0 language=fra input3.m4a
      for height in 180 90; do
        ffmpeg -v error -f lavfi -i testsrc2=size=320x$height:rate=25:duration=12 -i en.m4a -map 0 -map 1 -c:v libx264 \\
          -preset ultrafast -x264-params open-gop=1:keyint=50:bframes=3 -pix_fmt yuv420p -c:a copy input$height.mp4
      done
      """, 300
    ),
    (
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=30000/1001:duration=12 -f lavfi -i sine=300:duration=12 \\
        -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=60 -tag:v hvc1 -pix_fmt yuv420p -c:a aac input.mp4
      """, 360
    ),
    (
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=24:duration=12 -itsoffset 2.5 -f lavfi -i sine=300:duration=9.5 \\
        -map 0 -map 1 -c:v libx264 -preset ultrafast -g 48 -pix_fmt yuv420p -c:a aac input.mp4
      """, 288
    ),
    (
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=30:duration=12 \\
        -vf "select='not(mod(n,3))+lt(mod(n,40),20)'" -fps_mode vfr -c:v libx264 -preset ultrafast -g 40 -bf 2 \\
        -pix_fmt yuv420p input.mp4
      """, 240
    ),
  ]

  private func package(_ lines: String, _ options: String) throws -> EndToEnd {
    let shell = try EndToEnd()
    let result = try shell(
      "set -e\n\(lines)\nmp4tool hls -q --dash --segment-duration 4 \(options) input* -o out 2> notes || cat notes")
    #expect(result.description == "exit code 0\n\n")
    return shell
  }

  /// Version 5.1, Debian's, stops early where a segment has only one picture.
  @Test(
    "ffmpeg reads the packets of the files, with their times",
    .enabled(
      if: Effort.has("ffmpeg") && environment("MP4TOOL_FFMPEG") != nil,
      "needs MP4TOOL_TESTS=all, ffmpeg, and a newer one as MP4TOOL_FFMPEG"),
    arguments: inputs, ["", "--single-file"])
  func packets(input: (lines: String, count: Int), options: String) throws {
    let shell = try package(input.lines, options)
    let tool = EndToEnd.quoted(try #require(environment("MP4TOOL_FFMPEG")))
    let result = try serving(
      ".",
      """
      packets() { \(tool) -nostdin -v error -i $1 -map 0 -c copy -f framemd5 - | grep -v '^#' | tr -d ' '; }
      for folder in out/*/; do
        cd $folder
        if test -e init.mp4; then cat init.mp4 $(ls segment*.m4s | sort -V) > all.mp4; else cp media.mp4 all.mp4; fi
        packets all.mp4 | sed 's/^/file,/'; cd ../..
        echo end
      done
      packets ${url}out/manifest.mpd | sed 's/^/manifest,/'
      """, in: shell)
    var files: [[[Substring]]] = [[]]
    var streams: [Substring: [[Substring]]] = [:]
    for line in result.lines {
      let words = line.split(separator: ",")
      switch words[0] {
      case "file": files[files.count - 1].append(Array(words.dropFirst(2)))
      case "end": files.append([])
      case "manifest": streams[words[1], default: []].append(Array(words.dropFirst(2)))
      default: break
      }
    }
    // Packets relative to the first one: the times of a manifest start at 0.
    func relative(_ packets: [[Substring]]) -> [[String]] {
      guard let start = packets.first.flatMap({ Int($0[0]) }) else { return [] }
      return packets.map { words in
        words.prefix(2).map { String((Int($0) ?? 0) - start) } + words.dropFirst(2).map { String($0) }
      }
    }
    files.removeAll(where: \.isEmpty)
    #expect(files.map(\.count).max().map { $0 >= input.count } == true, "\(result.errorText)")
    #expect(
      streams.values.map { relative($0).description }.sorted() == files.map { relative($0).description }.sorted())
  }

  @Test(
    "GStreamer shows every picture",
    .enabled(
      if: Effort.has("ffmpeg", "gst-launch-1.0", "gst-inspect-1.0")
        && (try? run("gst-inspect-1.0", ["--exists", "dashdemux2"]).exitCode) == 0,
      "needs MP4TOOL_TESTS=all, ffmpeg and gst-launch-1.0 with dashdemux2"),
    arguments: inputs.dropFirst(), ["", "--single-file"])
  func gstreamer(input: (lines: String, count: Int), options: String) throws {
    let shell = try package(input.lines, options)
    let result = try serving(
      ".",
      """
      timeout 120 gst-launch-1.0 -q playbin3 uri=${url}out/manifest.mpd flags=0x3 audio-sink=fakesink \\
        video-sink="filesink location=pictures sync=false" && stat -c %s pictures
      """, in: shell)
    #expect(result.lines.first.flatMap { Int($0) } == input.count * 320 * 180 * 3 / 2, "\(result)")
  }

  @Test(
    "Chromium plays through MediaSource, from the start, the middle and near the end",
    .enabled(if: Chromium.isThere && Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all, chromium, python3 and ffmpeg"),
    arguments: [inputs[0], inputs[2], inputs[3]], ["", "--single-file"])
  func chromium(input: (lines: String, count: Int), options: String) throws {
    // Chromium cannot decode from open GOPs of H.264 after seeking, with any playlist or manifest.
    let shell = try package(input.lines.replacing("open-gop=1", with: "open-gop=0"), options)
    let page = String(decoding: try readFile(vectorPath("../Tests/Players/dash.html")), as: UTF8.self)
    let events = try Chromium.events(of: page, shell)
    let buffered = try #require(events.first { $0[0] == "buffered" }, "\(events)")
    #expect(buffered[1] == "320" && buffered[2] == "180", "\(events)")
    for ranges in buffered.dropFirst(4) {
      let ends = ranges.split(separator: "-").compactMap { Double($0) }
      #expect(ends.count == 2 && ends[0] < 0.1 && abs(ends[1] - 12) < 0.2, "\(events)")
    }
    #expect(events.count { $0[0] == "played" } == 3 && events.last?[0] == "ended", "\(events)")
  }
}
