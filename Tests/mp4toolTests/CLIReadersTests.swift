import Support
import Testing

/// Reads the defrag output for every vector with other programs.
@Suite("Other readers accept the output without complaints")
struct CLIReadersTests {
  private func defragmented(_ input: CLIPacketTests.Input, movie: String = "first") throws -> EndToEnd {
    let shell = try EndToEnd()
    let result = try shell("mp4tool defrag -q --moov \(movie) \(input.words) -o out.mp4")
    #expect(result.description == "exit code 0\n\n")
    return shell
  }

  @Test(
    "ffmpeg reads and decodes every sample",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: CLIPacketTests.inputs)
  func ffmpeg(input: CLIPacketTests.Input) throws {
    let shell = try defragmented(input)
    let result = try shell(
      """
      ffprobe -v error -count_packets -show_entries stream=index,nb_read_packets \(input.options) -of csv=p=0 out.mp4
      ffmpeg -nostdin -v error -xerror \(input.options) -i out.mp4 -map 0 -f null - || echo "ended with $?"
      """)
    #expect(result.errorText == "")
    let samples = try SampleReader.read(shell.bytes("out.mp4")).tracks.map(\.samples)
    // Uncompressed audio is read in packets of many samples.
    let counts = samples.enumerated().map { "\($0),\($1.count)" }
    if input.name == "pcm.mov" {
      #expect(result.lines.count == 2 && result.lines.first.map(String.init) == counts.first)
    } else {
      #expect(result.lines.map(String.init) == counts)
    }
  }

  @Test(
    "GStreamer reads the bytes of every sample for any position of the movie box",
    .enabled(if: isGStreamerThere, "needs MP4TOOL_TESTS=all and gst-launch-1.0 with qtdemux"),
    arguments: CLIPacketTests.inputs)
  func gstreamer(input: CLIPacketTests.Input) throws {
    for movie in ["first", "last"] {
      let shell = try defragmented(input, movie: movie)
      let tracks = try SampleReader.read(shell.bytes("out.mp4")).tracks
      #expect(!tracks.isEmpty)
      var numbers: [String: Int] = [:]
      let branches = tracks.map { track in
        let kind = track.handler == "vide" ? "video" : "audio"
        defer { numbers[kind, default: 0] += 1 }
        return "demux.\(kind)_\(numbers[kind, default: 0]) ! queue ! filesink location=track\(track.id)"
      }
      // Level 1 is errors; other messages to the application are printed at any level.
      let result = try shell(
        "GST_DEBUG=1 gst-launch-1.0 -q filesrc location=out.mp4 ! qtdemux name=demux \(branches.joined(separator: " "))"
      )
      #expect(result.description == "exit code 0\n\n")
      for track in tracks { try checkPayload(shell.bytes("track\(track.id)"), track) }
    }
  }

  /// GStreamer returns presented samples: without the few audio samples at both ends that an edit cuts off, and, if no
  /// edit declares the duration of a track, without the last pictures whose composition time is after the duration of
  /// the media.
  private func checkPayload(_ bytes: [UInt8], _ track: TrackReading) throws {
    let isWhole = track.edits.isEmpty
    let samples = track.samples.filter { !isWhole || $0.compositionTime < track.duration }.map(\.payload)
    let cuts = isWhole ? [(0, 0)] : (0...2).flatMap { first in (0...1).map { (first, $0) } }
    let isThere = cuts.contains { samples.dropFirst($0).dropLast($1).joined().elementsEqual(bytes) }
    #expect(isThere, "track \(track.id): \(bytes.count) of \(samples.joined().count) bytes")
  }
}

/// Whether GStreamer can read MP4 files on this machine.
private let isGStreamerThere =
  Effort.has("gst-launch-1.0", "gst-inspect-1.0")
  && (try? run("gst-inspect-1.0", ["--exists", "qtdemux"]).exitCode) == 0
