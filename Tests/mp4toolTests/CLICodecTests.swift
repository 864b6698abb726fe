import Support
import Testing

/// Compares the values that dump derives from sample entries with those of ffprobe and of ffmpeg's manifests.
@Suite(
  "Codecs strings compared with ffmpeg",
  .enabled(if: Effort.has("ffmpeg", "ffprobe", "jq"), "needs MP4TOOL_TESTS=all, ffmpeg and jq"))
struct CLICodecTests {
  struct Encoding: Sendable, CustomStringConvertible {
    let options: String
    /// The expected string if the manifest of ffmpeg 5.1 is incomplete.
    var codecs: String?
    var description: String { options }
  }
  private static let hdr = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc"

  static let pictures: [Encoding] = [
    Encoding(options: "-c:v libx264 -pix_fmt yuv420p -color_range pc"),
    Encoding(options: "-c:v libx264 -pix_fmt yuv420p -profile:v baseline"),
    Encoding(options: "-c:v libx264 -pix_fmt yuv422p10le -x264-params cqm=jvt"),
    Encoding(options: "-c:v libx264 -pix_fmt yuv444p -flags +ilme+ildct -x264-params tff=1:transfer=arib-std-b67"),
    Encoding(
      options: "-c:v libx265 -pix_fmt yuv420p -x265-params log-level=0:bframes=8:ref=5", codecs: "hev1.1.6.L30.90"),
    Encoding(
      options: "-c:v libx265 -tag:v hvc1 -pix_fmt yuv420p10le \(hdr) -x265-params log-level=0:scaling-list=default",
      codecs: "hvc1.2.4.L30.90"),
    Encoding(options: "-c:v libvpx-vp9 -deadline realtime"),
    Encoding(
      options: "-c:v libvpx-vp9 -deadline realtime -pix_fmt yuv420p10le \(hdr)",
      codecs: "vp09.02.10.10.01.09.16.09.00"),
    Encoding(options: "-c:v libaom-av1 -cpu-used 8 -pix_fmt yuv420p"),
    Encoding(options: "-c:v libaom-av1 -cpu-used 8 -pix_fmt yuv420p10le \(hdr)"),
    Encoding(options: "-c:v mpeg4", codecs: "mp4v.20.1"),
  ]

  @Test("Picture size, transfer characteristics and codecs strings", arguments: pictures)
  func comparesPictures(_ encoding: Encoding) throws {
    let shell = try EndToEnd()
    let result = try shell(
      #"""
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=162x90:rate=25:duration=0.12 \#(encoding.options) out.mp4
      ffmpeg -nostdin -v quiet -i out.mp4 -c copy -strict -2 -f dash out.mpd
      grep -o 'codecs="[^"]*' out.mpd | cut -c9-
      ffprobe -v error -show_entries stream=width,height,color_transfer -of csv=p=0 out.mp4
      mp4tool dump --format jsonl out.mp4 |
        jq -r '.derived | select(.codecs) | "\(.codecs),\(.picture_width),\(.picture_height),\(.video_range)"'
      """#)
    let lines = try #require(result.lines.count == 3 ? result.lines.map(String.init) : nil, "\(result)")
    // ffmpeg writes lowercase letters for AVC.
    let named =
      encoding.codecs ?? (lines[0].hasPrefix("avc1.") ? "avc1." + lines[0].dropFirst(5).uppercased() : lines[0])
    let ranges = ["smpte2084": "PQ", "arib-std-b67": "HLG"]
    let probed = lines[1].split(separator: ",").map(String.init)
    let wanted = [named, probed[0], probed[1], ranges[probed[2]] ?? (probed[2] == "unknown" ? "null" : "SDR")]
    #expect(lines[2].split(separator: ",").map(String.init) == wanted)
  }

  static let sounds: [(options: String, name: String)] = [
    ("aac -ac 1", "out.mp4"), ("aac -ac 6", "out.mp4"), ("aac -ac 8", "out.mp4"), ("aac -ar 22050", "out.mp4"),
    ("ac3 -ac 6", "out.mp4"), ("eac3 -ac 6 -ar 44100", "out.mp4"), ("libopus -ac 6", "out.mp4"),
    ("flac -ar 96000", "out.mp4"), ("alac -ar 96000 -ac 6", "out.m4a"), ("truehd -ac 6", "out.mp4"),
    ("pcm_s24le -ar 192000 -ac 6", "out.mov"), ("pcm_s16be", "out.mov"),
  ]

  @Test("Channels and sample rate of audio", arguments: sounds)
  func comparesSounds(_ options: String, _ name: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      #"""
      ffmpeg -nostdin -v error -f lavfi -i anoisesrc=r=48000:d=0.2 -strict -2 -c:a \#(options) \#(name)
      ffprobe -v error -show_entries stream=channels,sample_rate -of csv=p=0 \#(name)
      mp4tool dump --format jsonl \#(name) | jq -r '.derived | select(.codecs) | "\(.sample_rate),\(.channels)"'
      """#)
    let lines = try #require(result.lines.count == 2 ? result.lines : nil, "\(result)")
    // ffprobe ends some lines with a comma.
    #expect(lines[0].split(separator: ",") == lines[1].split(separator: ","))
  }

  @Test(
    "Picture size, transfer characteristics, channels and sample rate of corpus files equal those of ffprobe",
    .enabled(if: !corpus().isEmpty, "needs MP4TOOL_CORPUS"))
  func corpusFiles() throws {
    let shell = try EndToEnd()
    // ffprobe reports 46 channels for one encrypted track, and does not know one codec.
    let exceptions = ["46-ar-1280x720-a_frag-cenc-key_rotation.mp4", "07-sample_iamf.mp4"]
    var compared = 0
    for path in corpus() where !path.contains("fuzz") && !path.contains("/broken/") && !path.hasSuffix(".tsv") {
      let result = try shell(
        #"""
        file=\#(EndToEnd.quoted(path))
        ffprobe -v quiet -show_streams -of json "$file" | jq -c '.streams[]? | select(.disposition.attached_pic == 0) |
          if .codec_type == "video" then
            [.width, .height, ({"smpte2084": "PQ", "arib-std-b67": "HLG"}[.color_transfer // ""] // "SDR")]
          elif .codec_type == "audio" then [(.channels | tostring), (.sample_rate | tonumber)] else empty end'
        echo ---
        mp4tool dump -q --format jsonl "$file" 2> errors | jq -c '.derived | select(.codecs) |
          if .picture_width then [.picture_width, .picture_height, .video_range // "SDR"] else [.channels, .sample_rate] end'
        """#)
      let parts = result.text.split(separator: "---\n", omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let ours = Set(parts[1].split(separator: "\n"))
      // Images are not in tracks.
      if ours.isEmpty || exceptions.contains(where: { path.hasSuffix($0) }) { continue }
      for line in parts[0].split(separator: "\n") {
        compared += 1
        // We do not report a channel count that only the sample entry declares.
        #expect(ours.contains(line) || ours.contains { $0.hasPrefix("[null,") }, "\(path): \(line) \(ours)")
      }
    }
    #expect(compared > 150)
  }
}
