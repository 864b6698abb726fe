import Support
import Testing

/// Compares the samples of transport streams with what ffmpeg reads from them.
@Suite("Transport streams of ffmpeg", .serialized)
struct CLITransportPeersTests {
  @Test(
    "Frames are decoded to the same, and shown at the same times",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-c:v libx264 -bf 3 -g 25 -c:a aac -ar 48000",
      "-c:v libx264 -x264-params open-gop=1:keyint=25:bframes=3 -c:a ac3",
      "-c:v libx265 -x265-params log-level=none:keyint=25 -c:a eac3", "-c:v libx264 -c:a mp2",
      "-c:v mpeg2video -bf 2 -q:v 5 -c:a libmp3lame", "-c:v libx264 -c:a aac -ar 48000 -mpegts_m2ts_mode 1",
      "-c:v libx264 -bf 2 -c:a aac -ar 48000 -output_ts_offset 95440",
      "-c:v libx264 -c:a aac -ar 48000 -pes_payload_size 0",
    ])
  func frames(options: String) throws {
    let shell = try EndToEnd()
    // ffmpeg decodes MPEG audio in MP4 with another decoder.
    let copy = options.contains("-c:a mp2") ? "$(test $kind = a && echo -c copy)" : ""
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=6 -f lavfi -i sine=440:duration=6 -pix_fmt yuv420p \\
        -preset ultrafast \(options) in.ts
      mp4tool defrag -q in.ts -o out.mp4; echo "status $?"
      mp4tool check -q --level error out.mp4
      for f in in.ts out.mp4; do
        for kind in v a; do
          ffmpeg -nostdin -v error -i $f -map 0:$kind -fps_mode passthrough \(copy) -f framehash -hash md5 - | grep -v '^#' \\
            | awk -F, '{ print $6 }' > $f.$kind
          ffprobe -v error -select_streams $kind -show_entries packet=pts_time -of csv=p=0 $f | tr -d , | grep . | sort -n > $f.$kind.pts
        done
        # Relative to the first picture, in milliseconds. The last 33-bit times may have wrapped.
        first=$(head -n 1 $f.v.pts)
        for kind in v a; do awk -v f="$first" '{ printf "%d\\n", ($1 - f) * 1000 + 0.5 }' $f.$kind.pts > $f.$kind.times; done
      done
      for kind in v a; do
        cmp in.ts.$kind out.mp4.$kind && wc -l < out.mp4.$kind
        paste in.ts.$kind.times out.mp4.$kind.times | awk '{ d = $1 - $2; if (d > 1 || d < -1) n++ } END { print n + 0 }'
      done
      """)
    #expect(result.lines.first == "status 0" && result.errorText.isEmpty, "\(result)")
    #expect(result.lines.filter { $0 == "0" }.count == 2 && !result.text.contains("differ"), "\(result)")
  }
}
