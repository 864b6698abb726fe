import Support
import Testing

@Suite("edit --color and --range, end to end")
struct CLIColorTests {
  @Test("Colors are declared everywhere, and the media stays the same")
  func declared() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for f in progressive.mp4 fragmented.mp4 hevc-fragmented.mp4 progressive.mov; do
        mp4tool edit --color bt2020-pq $V/$f -o out.mp4; echo $?
        mp4tool info --format json out.mp4 | grep -o '"colors":{[^}]*}'
        mp4tool hash $V/$f | cut -c 1-64 > a; mp4tool hash out.mp4 | cut -c 1-64 > b; cmp a b
      done
      mp4tool edit --color 1=bt709 --range full out.mp4 --in-place; echo $?
      mp4tool info --format json out.mp4 | grep -o '"name":"BT.709","primaries.*"full_range":[a-z]*'
      grep -ac nclc out.mp4
      """)
    let pq = #"""
      "colors":{"name":"BT.2020/PQ/BT.2020 non-constant","primaries":"BT.2020","primaries_code":9,
      """#
    #expect(result.lines.count == 11, "\(result)")
    #expect(result.lines.count { $0.hasPrefix(pq) } == 4, "\(result)")
    #expect(result.lines.count { $0 == "0" } == 6, "\(result)")
    #expect(result.lines.suffix(2).first?.hasSuffix("\"full_range\":true") == true)
  }

  @Test("Of several changes of a track, each counts, also in samples; MP4 has nclx")
  func repeated() throws {
    let shell = try EndToEnd()
    // VP9 with a key frame of profile 0: BT.709 and the limited range.
    let result = try shell(
      """
      mp4tool edit -q --color bt709 --color 1=bt2020-hlg --range full $V/hevc-fragmented.mp4 -o a.mp4; echo $?
      mp4tool edit -q --color bt2020-hlg --range full $V/hevc-fragmented.mp4 -o b.mp4; cmp a.mp4 b.mp4
      mp4tool edit -q --to mp4 --color bt709 $V/progressive.mov -o c.mp4; grep -ac nclc c.mp4
      mp4tool edit -q --color bt709 $V/progressive.mov -o d.mov; grep -ac nclc d.mov
      """)
    #expect(result.lines == ["0", "0", "1"], "\(result)")
  }

  @Test("Wrong values, tracks and codecs are errors, and nothing is written")
  func refused() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for option in --color=bt2100 --color=1/2 --color=1/2/256 --color=1/13/0 --color=audio=bt709 --color=9=bt709 --range=wide; do
        mp4tool edit $option $V/progressive.mp4 -o out.mp4 2>> messages; echo $?
      done
      mp4tool edit --color bt709 $V/encrypted-cenc.mp4 -o out.mp4 2>> messages; echo $?
      ls out.mp4 2> /dev/null; cat messages | grep -c 'did you mean'; tail -n 1 messages
      """)
    #expect(
      result.lines.dropLast() == ["64", "64", "64", "64", "65", "65", "64", "65", "1"], "\(result)")
    #expect(result.lines.last?.contains("is encrypted; decrypt it first") == true)
  }

  @Test(
    "Other decoders read the new colors from the stream, and decode the same pictures",
    .enabled(if: Effort.has("ffmpeg") && Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-c:v libx264 -pix_fmt yuv420p", "-c:v libx264 -flags +ildct+ilme -pix_fmt yuv420p",
      "-c:v libx264 -pix_fmt yuv420p -x264-params repeat-headers=1:colorprim=bt709:transfer=bt709:colormatrix=bt709",
      "-c:v libx265 -pix_fmt yuv420p10le -tag:v hvc1 -x265-params log-level=error",
      "-c:v libvpx-vp9 -pix_fmt yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709",
      "-c:v prores_ks -profile:v 3 -f mov",
    ])
  func decoded(encoder: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=1 \(encoder) a.mp4 || exit 9
      mp4tool edit -q --color bt2020-hlg --range limited a.mp4 -o b.mp4 || exit 8
      for f in a b; do ffmpeg -v error -i $f.mp4 -f framemd5 - | grep -v '^#' > $f.md5; done
      cmp a.md5 b.md5 || exit 7
      # Without the box, only the stream declares colors.
      mp4tool edit -q --remove '//colr' b.mp4 -o c.mp4 || cp b.mp4 c.mp4
      ffprobe -v error -show_frames -read_intervals '%+#1' -show_entries frame=color_space,color_primaries \\
        -of csv=p=0 c.mp4 | head -n 1 | cut -d , -f 1-2
      mp4tool check --deep --level error b.mp4 > /dev/null; echo $?
      """)
    // The headers of VP9 have one code for all.
    #expect(result.lines.first?.hasPrefix("bt2020nc") == true && result.lines.last == "0", "\(result)")
  }
}
