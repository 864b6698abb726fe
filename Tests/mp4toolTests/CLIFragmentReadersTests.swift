import Support
import Testing

/// Reads the fragment output for every vector with other programs.
@Suite("Other readers accept fragmented files without complaints")
struct CLIFragmentReadersTests {
  private static let profiles = ["cmaf", "apple"]

  /// ffmpeg 5.1 applies the encryption of the first fragment to all; it can read a file of one fragment.
  private func fragmented(_ input: CLIPacketTests.Input, _ profile: String) throws -> EndToEnd {
    let shell = try EndToEnd()
    let interval = input.name.hasPrefix("encrypted") ? 1000 : 2
    let result = try shell(
      "mp4tool fragment -q --profile \(profile) --segment-duration \(interval) \(input.words) -o out.mp4")
    #expect(result.description == "exit code 0\n\n")
    return shell
  }

  @Test(
    "ffprobe finds every packet with its size, sync flag and duration, and with its times in Apple's profile",
    .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"), arguments: CLIPacketTests.inputs,
    profiles)
  func packets(input: CLIPacketTests.Input, profile: String) throws {
    let shell = try fragmented(input, profile)
    let movie = try SampleReader.read(shell.bytes("out.mp4"))
    let result = try shell(
      """
      ffprobe -v error \(input.options) -show_entries packet=stream_index,dts,duration,size,flags -of csv=p=0 out.mp4
      """)
    #expect(result.errorText == "")
    let all = result.lines.map { $0.split(separator: ",").map(String.init) }
    for (index, track) in movie.tracks.enumerated() {
      var lines = all.filter { $0.first == "\(index)" }.map { Array($0.dropFirst()) }
      // Uncompressed audio is read in packets of many samples.
      if track.samples.count > 10_000 {
        lines = lines.map { Array($0.prefix(2)) }
        #expect(lines.reduce(0) { $0 + (Int($1[1]) ?? 0) } == track.samples.count)
        continue
      }
      #expect(lines.count == track.samples.count, "track \(track.id)")
      let hasNegative = track.samples.contains { $0.compositionOffset < 0 }
      for (line, sample) in zip(lines, track.samples) {
        guard line.count > 3 else { continue }
        // ffprobe calculates the duration of audio itself.
        #expect(track.handler != "vide" || line[1] == "\(sample.duration)", "track \(track.id) \(line)")
        #expect(line[2] == "\(sample.payload.count)", "track \(track.id) \(line)")
        #expect(line[3].hasPrefix("K") == sample.isSync, "track \(track.id) \(line)")
        // ffprobe shifts tracks with negative composition offsets.
        if profile == "apple", !hasNegative { #expect(line[0] == "\(sample.decodeTime)", "track \(track.id) \(line)") }
      }
    }
  }

  @Test(
    "ffmpeg decodes everything without a warning",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: CLIPacketTests.inputs, profiles)
  func ffmpeg(input: CLIPacketTests.Input, profile: String) throws {
    let shell = try fragmented(input, profile)
    let result = try shell("ffmpeg -nostdin -v warning -xerror \(input.options) -i out.mp4 -map 0 -f null -")
    #expect(result.exitCode == 0 && result.output == [] && result.ffmpegMessages == [], "\(result)")
  }

  @Test(
    "GStreamer reads the bytes of every sample",
    .enabled(if: isGStreamerThere, "needs MP4TOOL_TESTS=all and gst-launch-1.0 with qtdemux"),
    arguments: CLIPacketTests.inputs,
    profiles)
  func gstreamer(input: CLIPacketTests.Input, profile: String) throws {
    let shell = try fragmented(input, profile)
    let tracks = try SampleReader.read(shell.bytes("out.mp4")).tracks
    var numbers: [String: Int] = [:]
    // Unknown samples arrive one by one: `ipcm` would fill a queue of the default size before the video begins.
    let queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
    let branches = tracks.map { track in
      let kind = track.handler == "vide" ? "video" : "audio"
      defer { numbers[kind, default: 0] += 1 }
      return "demux.\(kind)_\(numbers[kind, default: 0]) ! \(queue) ! filesink location=track\(track.id)"
    }
    let result = try shell(
      "GST_DEBUG=1 gst-launch-1.0 -q filesrc location=out.mp4 ! qtdemux name=demux \(branches.joined(separator: " "))")
    #expect(result.description == "exit code 0\n\n")
    for track in tracks {
      let bytes = try shell.bytes("track\(track.id)")
      let samples = track.samples.map(\.payload)
      // Audio that an edit hides may be omitted.
      let isThere = (0...2).contains { samples.dropFirst($0).joined().elementsEqual(bytes) }
      #expect(isThere, "track \(track.id): \(bytes.count) of \(samples.joined().count) bytes")
    }
  }
}

/// Whether GStreamer can read MP4 files on this machine.
private let isGStreamerThere =
  Effort.has("gst-launch-1.0", "gst-inspect-1.0")
  && (try? run("gst-inspect-1.0", ["--exists", "qtdemux"]).exitCode) == 0
