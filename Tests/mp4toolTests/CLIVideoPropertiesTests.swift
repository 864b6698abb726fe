import Support
import Testing

@Suite("Declared properties of video, end to end")
struct CLIVideoPropertiesTests {
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

  @Test("Properties are in boxes and streams, media moves where samples grow, and every other sample stays")
  func properties() throws {
    let shell = try EndToEnd()
    let options = "--mastering p3-d65,1000,0.0001 --max-cll 1000,400 --sample-aspect 16:11 --level 5.1"
    let result = try shell(
      """
      for f in progressive.mp4 fragmented.mp4 hevc-fragmented.mp4 progressive.mov; do
        mp4tool edit -q \(options) $V/$f -o out.mp4; echo $?
        mp4tool check --deep -q --level error out.mp4 > /dev/null; echo $?
        mp4tool info --format json out.mp4 | grep -o '"pixel_aspect":"[^"]*"\\|"luminance_cd_m2":{[^}]*}\\|"max_cll[^}]*' | sort -u
        mp4tool samples --format csv $V/$f | cut -d , -f 1-4 > a; mp4tool samples --format csv out.mp4 | cut -d , -f 1-4 > b
        cmp a b; cp $V/$f in.mp4; mp4tool edit -q --in-place \(options) in.mp4 2> message; echo $?; cmp in.mp4 $V/$f
        mp4tool edit -q \(options) out.mp4 -o again.mp4; cmp out.mp4 again.mp4
      done
      grep -c 'media after them would have to move' message
      mp4tool edit -q --level 5.1 --in-place out.mp4; echo $?
      """)
    #expect(!result.lines.contains { $0.contains("differ") || $0.contains("EOF") }, "\(result)")
    #expect(result.lines.count { $0 == "65" } == 4 && result.lines.count { $0 == "0" } == 9, "\(result)")
    #expect(result.lines.count { $0.hasPrefix("\"pixel_aspect\":\"16:11") } == 4, "\(result)")
  }

  @Test("What an encoder says about itself is removed, and nothing else")
  func encoder() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit -q --tag encoder=Me --tag title=Film $V/progressive.mp4 -o a.mp4
      mp4tool edit -q --strip encoder a.mp4 -o b.mp4; echo $?
      grep -ac 'x264' $V/progressive.mp4 b.mp4 | cut -d : -f 2
      mp4tool info b.mp4 | grep -c 'Film'; mp4tool info b.mp4 | grep -c 'Me$'
      mp4tool check --deep -q --level error b.mp4 > /dev/null; echo $?
      """)
    #expect(result.lines.first == "0" && result.lines.suffix(3) == ["1", "0", "0"], "\(result)")
    #expect(result.lines.dropFirst().first != "0" && result.lines.dropFirst(2).first == "0", "\(result)")
  }

  @Test("Impossible and wrong properties are errors, and nothing is written")
  func refusedProperties() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for option in --mastering=p3,1000,0.1 --mastering=p3-d65,1,2 --mastering=p3-d65,1000 --max-cll=400,1000 \\
        --max-cll=1000 --sample-aspect=16 --sample-aspect=0:1 --level=9 --field-order=top --level=audio=4.1 \\
        --field-order=tff --strip=encoders; do
        mp4tool edit $option $V/progressive.mp4 -o out.mp4 2>> messages; echo $?
      done
      grep -c "did you mean 'p3-d65,1" messages
      mp4tool edit --field-order tff $V/hevc-fragmented.mp4 -o out.mp4 2>> messages; echo $?
      head -c 20000 $V/progressive-moov-last.mp4 > cut.mp4; mp4tool edit --fast-start cut.mp4 -o out.mp4 2>> messages; echo $?
      mp4tool edit --level 4.1 $V/encrypted-cenc.mp4 -o out.mp4 2>> messages; echo $?
      ls out.mp4 2> /dev/null; grep -c 'did you mean' messages; tail -n 1 messages
      """)
    let statuses = Array(repeating: "64", count: 9) + ["65", "65", "64", "1", "65", "65", "65"]
    #expect(result.lines.prefix(16).map(String.init) == statuses, "\(result)")
    #expect(result.lines.last?.contains("is encrypted; decrypt it first") == true, "\(result)")
  }

  @Test("--fast-start places moov first, in place only where there is room")
  func fastStart() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      f=$V/progressive-moov-last.mp4
      mp4tool edit -q --fast-start $f -o a.mp4; echo $?; mp4tool info a.mp4 | grep -c 'moov last'
      cp $f b.mp4; mp4tool edit --fast-start --in-place b.mp4 2> message; echo $?; cmp b.mp4 $f
      grep -c 'cannot change: moov needs [0-9]* bytes of free space .* [0-9]* bytes more would be needed' message
      """)
    #expect(result.lines == ["0", "0", "73", "1"], "\(result)")
  }

  @Test(
    "RGB stays RGB", .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func rgb() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=1 -c:v libx264rgb a.mp4 || exit 9
      mp4tool edit --color bt709 a.mp4 -o b.mp4 2> /dev/null; echo $?
      """)
    #expect(result.lines == ["65"], "\(result)")
  }

  @Test("Names of values in boxes need no exact spelling")
  func names() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit -q --color bt709 $V/progressive.mp4 -o a.mp4
      for name in bt2020 BT.2020 'bt-2020' 9; do
        mp4tool edit -q --set "//colr/colour_primaries=$name" a.mp4 -o b.mp4
        mp4tool dump --path //colr b.mp4 | grep Primaries
      done | sort -u | wc -l
      mp4tool edit -q --set //colr/colour_primaries=bt a.mp4 -o c.mp4 2> /dev/null; echo $?
      """)
    #expect(result.lines.map { $0.filter { $0 != " " } } == ["1", "65"], "\(result)")
  }

  @Test(
    "Other decoders read the new values from the stream, and decode the same pictures, where samples grow",
    .enabled(if: Effort.has("ffmpeg") && Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      "-c:v libx264 -pix_fmt yuv420p -x264-params repeat-headers=1:keyint=10:open-gop=1",
      "-c:v libx264 -pix_fmt yuv420p -g 10 -x264-params repeat-headers=1 -movflags +frag_keyframe+empty_moov",
      "-c:v libx264 -pix_fmt yuv420p -g 10 -movflags +frag_every_frame+empty_moov+default_base_moof",
      "-c:v libx264 -pix_fmt yuv420p -g 10 -movflags +frag_every_frame+empty_moov",
      "-c:v libx265 -pix_fmt yuv420p10le -tag:v hvc1 -x265-params log-level=error:keyint=10",
      """
      -c:v libx265 -pix_fmt yuv420p10le -tag:v hev1 -x265-params \
      log-level=error:keyint=10:repeat-headers=1:hdr10=1:master-display=\
      'G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(1,0)':max-cll=1,1
      """,
      "-c:v libaom-av1 -cpu-used 8 -pix_fmt yuv420p -g 10",
    ])
  func grown(encoder: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25:duration=1 -f lavfi -i sine=duration=1 \
        \(encoder) -c:a aac a.mp4 || exit 9
      mp4tool edit -q --color bt2020-pq --sample-aspect 16:11 --mastering p3-d65,1000,0.0001 --max-cll 1000,400 \
        --strip encoder a.mp4 -o b.mp4 || exit 8
      # The times of the first picture too, and all of the sound.
      for f in a b; do ffmpeg -v error -i $f.mp4 -map 0 -f framemd5 - | grep -v '^#' > $f.md5; done
      cmp a.md5 b.md5 || exit 7
      mp4tool check --deep=decode --level error b.mp4 > /dev/null || exit 6
      # Without boxes, only the stream declares values.
      mp4tool edit -q --remove //colr --remove //mdcv --remove //clli b.mp4 -o c.mp4 || exit 5
      ffprobe -v error -select_streams v -show_frames -read_intervals '%+#1' \
        -show_entries frame=color_space,sample_aspect_ratio:side_data=red_x,max_luminance,max_content c.mp4
      """)
    #expect(result.lines.contains("color_space=bt2020nc"), "\(result)")
    guard !encoder.contains("264") else { return }
    #expect(result.lines.contains("max_content=1000"), "\(result)")
    #expect(
      result.lines.contains("red_x=34000/50000") || result.lines.contains("red_x=44564/65536"), "\(result)")
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
