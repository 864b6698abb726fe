import Support
import Testing

/// Plays the packages of every vector with other players.
@Suite("Other players accept packages without complaints")
struct CLIHLSReadersTests {
  /// ffmpeg 5.1 accepts no key for files in playlists.
  static let inputs = CLIPacketTests.inputs.filter { !$0.name.hasPrefix("encrypted") }
  static let options = ["", "--single-file", "--muxed", "--profile apple"]

  private func packaged(_ input: CLIPacketTests.Input, _ options: String) throws -> (EndToEnd, [TrackReading]) {
    let shell = try EndToEnd()
    let result = try shell(
      "cat $(ls \(input.words) | sort -V) > whole; mp4tool hls -q --segment-duration 2 \(options) \(input.words) -o out"
    )
    #expect(result.description == "exit code 0\n\n")
    return (shell, try SampleReader.read(shell.bytes("whole")).tracks)
  }

  /// The times, sizes and flags of the packets in a list, for the first stream of each kind.
  private func packets(_ list: String, _ shell: EndToEnd) throws -> [String: [[String]]] {
    let result = try shell(
      "ffprobe -v error -show_entries packet=codec_type,stream_index,pts,size,flags -of csv=p=0 \(list)")
    #expect(result.errorText == "")
    let lines = result.lines.map { $0.split(separator: ",").map(String.init) }.filter { $0.count > 2 }
    return Dictionary(grouping: lines) { $0[0] }.mapValues { lines in
      let first = lines.compactMap { Int($0[1]) }.min()
      return lines.filter { Int($0[1]) == first }.map { Array($0.dropFirst(2)) }
    }
  }
  private func check(_ lines: [[String]], _ samples: [SampleRecord]) throws {
    #expect(lines.count == samples.count)
    // A first picture that is presented after the start of its media is presented from there on, because players lay
    // the starts of all renditions at the same time.
    let shifts = zip(lines, samples).compactMap { line, sample in Int(line[0]).map { $0 - sample.compositionTime } }
    #expect(shifts.count == samples.count && Set(shifts.dropFirst()).count <= 1)
    let first = try #require(samples.first)
    if shifts.count > 1 { #expect([0, first.compositionTime - first.decodeTime].contains(shifts[1] - shifts[0])) }
    for (line, sample) in zip(lines, samples) where line.count >= 3 {
      #expect(line[1] == "\(sample.payload.count)" && line[2].hasPrefix("K") == sample.isSync)
    }
  }

  @Test(
    "ffprobe finds the packets of the source, and in I-frame playlists the sync samples",
    .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"), arguments: inputs, options)
  func packets(input: CLIPacketTests.Input, options: String) throws {
    let (shell, tracks) = try packaged(input, options)
    let known = tracks.filter { $0.samples.count < 10_000 }
    let all = try packets("out/master.m3u8", shell)
    for track in known { try check(all[track.handler == "vide" ? "video" : "audio"] ?? [], track.samples) }
    guard let video = known.first(where: { $0.handler == "vide" }) else { return }
    try check(packets("out/*/iframes.m3u8", shell)["video"] ?? [], video.samples.filter(\.isSync))
  }

  /// The same packets are decoded identically in any package.
  @Test(
    "ffmpeg decodes the main playlist and the keyframes to the end without a message",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"), arguments: inputs,
    ["", "--profile apple"])
  func ffmpeg(input: CLIPacketTests.Input, options: String) throws {
    let (shell, _) = try packaged(input, options)
    let result = try shell(
      """
      for list in out/master.m3u8 out/*/iframes.m3u8; do
        test -e $list && ffmpeg -nostdin -v warning -xerror -i $list -map 0 -f null - || test ! -e $list || echo "ended with $?"
      done
      """)
    #expect(result.output == [] && result.ffmpegMessages == [], "\(result)")
  }

  @Test(
    "GStreamer reads the bytes of every sample",
    .enabled(if: isGStreamerThere, "needs MP4TOOL_TESTS=all and gst-launch-1.0 with hlsdemux"),
    arguments: ["progressive.mp4", "hevc-fragmented.mp4"], ["", "--single-file"])
  func gstreamer(name: String, options: String) throws {
    let (shell, tracks) = try packaged(CLIPacketTests.Input(name), options)
    let result = try shell(
      """
      GST_DEBUG=1 gst-launch-1.0 -q filesrc location=$(echo out/video*/index.m3u8) ! hlsdemux ! qtdemux \\
        ! filesink location=video
      """)
    #expect(result.description == "exit code 0\n\n")
    let video = try #require(tracks.first { $0.handler == "vide" })
    #expect(try shell.bytes("video") == video.samples.flatMap(\.payload))
  }
}

/// Whether GStreamer can play packages on this machine.
private let isGStreamerThere =
  Effort.has("gst-launch-1.0", "gst-inspect-1.0")
  && (try? run("gst-inspect-1.0", ["--exists", "hlsdemux"]).exitCode) == 0
  && (try? run("gst-inspect-1.0", ["--exists", "qtdemux"]).exitCode) == 0
