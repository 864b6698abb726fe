import Support
import Testing

@Suite(
  "Packets before and after defrag", .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg")
)
struct CLIPacketTests {
  /// The inputs of one defrag.
  struct Input: Sendable, CustomTestStringConvertible {
    let name: String
    var words: String
    var streams = ["0", "1"]
    /// Options for ffprobe.
    var options = ""
    /// Whether times count from the first packet of the stream.
    var isRelative = false
    var testDescription: String { name }

    init(_ name: String) {
      self.name = name
      words = "\"$V\"/\(name)"
      switch name {
      case "hls": words = "\"$V\"/hls/init.mp4 \"$V\"/hls/segment*.m4s"
      case "video", "audio":
        words = "\"$V\"/\(name)/init.mp4 \"$V\"/\(name)/segment*.m4s"
        streams = ["0"]
      case "hevc-fragmented.mp4": streams = ["0"]
      case "encrypted-cenc.mp4", "encrypted-cbcs.mp4": options = "-decryption_key 00112233445566778899aabbccddeeff"
      // For fragments with signed composition offsets, ffmpeg's times are late by the largest negative offset.
      case "negative-cts.mp4", "ismv.ismv": isRelative = true
      default: break
      }
    }
  }

  static let inputs = [
    "base-data-offset.mp4", "encrypted-cenc.mp4", "fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4",
    "hybrid.mp4", "ismv.ismv", "negative-cts.mp4", "omit-tfhd-offset.mp4", "pcm.mov", "prft.mp4",
    "progressive-moov-last.mp4", "progressive.mov", "progressive.mp4", "separate-moof.mp4", "hls", "video", "audio",
  ].map(Input.init)

  @Test(
    "Every packet keeps its times, size and sync flag, and ffprobe prints no message", arguments: inputs)
  func packets(input: Input) throws {
    let shell = try EndToEnd()
    let made = try shell("cat $(ls \(input.words) | sort -V) > before; mp4tool defrag -q \(input.words) -o after.mp4")
    #expect(made.exitCode == 0)
    for stream in input.streams {
      let result = try shell(
        """
        # Of the flags only K, a sync sample: D is set where ffmpeg applies an edit, which it does not to fragments.
        show() {
          ffprobe -v error \(input.options) -select_streams \(stream) -show_entries packet=pts_time,dts_time,size,flags \\
            -of csv=p=0 "$1" | awk -F, 'NF > 3 {
              if (NR == 1 && \(input.isRelative ? 1 : 0)) start = $1
              printf "%.6f %.6f %d %s\\n", $1 - start, $2 - start, $3, substr($4, 1, 1)
            }'
        }
        show before > packets.before 2>/dev/null; show after.mp4 > packets.after
        wc -l < packets.after; diff packets.before packets.after | head -n 10
        """)
      #expect(result.errorText == "")
      #expect(result.lines.count == 1, "stream \(stream): \(result.text)")
      #expect(result.lines.first?.filter { $0 != " " } != "0")
    }
  }

  @Test(
    "An encrypted file stays encrypted and plays with its key",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func encrypted() throws {
    let result = try EndToEnd()(
      """
      mp4tool defrag -q "$V"/encrypted-cenc.mp4 -o after.mp4
      mp4tool defrag -q --moov last after.mp4 -o last.mp4
      for file in "$V"/encrypted-cenc.mp4 after.mp4 last.mp4; do
        ffmpeg -nostdin -v error -decryption_key 00112233445566778899aabbccddeeff -i "$file" -f framemd5 - | tee frames | cksum
      done | uniq | wc -l
      grep -c '^[01]' frames
      """)
    #expect(result.errorText == "")
    let counts = result.lines.compactMap { Int($0.drop { $0 == " " }) }
    #expect(counts.first == 1)
    #expect(counts.last.map { $0 > 200 } == true)
  }
}
