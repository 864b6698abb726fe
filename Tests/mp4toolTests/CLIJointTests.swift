import Support
import Testing

@Suite("Joints in a track, end to end")
struct CLIJointTests {
  /// The second GOP of this file starts with a CRA picture, at 2.08 s.
  @Test("A CRA picture after a cut becomes a BLA picture; nothing else in the samples changes")
  func brokenLink() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool cut --range 0..1 --range 2.08..3 "$V"/hevc-fragmented.mp4 -o out.mp4 && mp4tool check -q out.mp4
      """)
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.errorText.contains("1 CRA picture after a splice became a BLA picture"), "\(result)")
    let source = try SampleReader.read(readFile(vectorPath("files/hevc-fragmented.mp4"))).samples[1] ?? []
    let found = try SampleReader.read(shell.bytes("out.mp4")).samples[1] ?? []
    let joint = try #require(found.firstIndex { sample in !source.contains { $0.payload == sample.payload } })
    #expect(source[48].payload[4] >> 1 & 63 == 21 && found[joint].payload[4] >> 1 & 63 == 16)
    #expect(found[joint].payload.count == source[48].payload.count)
    #expect(zip(found[joint].payload, source[48].payload).count { $0 != $1 } == 1)
    let expected =
      source[..<joint].map(\.payload) + [found[joint].payload]
      + source[49..<49 + found.count - joint - 1].map(\.payload)
    #expect(found.map(\.payload) == expected)
  }

  @Test("diff counts the pictures at which decoding starts again apart from other changes")
  func difference() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q "$V"/hevc-fragmented.mp4 -o flat.mp4
      at=$(mp4tool samples -q --number 49 --format csv flat.mp4 | tail -1 | cut -d, -f11)
      cp flat.mp4 other.mp4; printf '\\040' | dd of=other.mp4 bs=1 seek=$((at + 4)) conv=notrunc status=none
      mp4tool diff --samples flat.mp4 other.mp4
      printf 'X' | dd of=other.mp4 bs=1 seek=$((at + 40)) conv=notrunc status=none
      mp4tool diff --samples flat.mp4 other.mp4
      """)
    #expect(
      result.lines.first?.contains("1 of 100 samples differs only in whether decoding starts again there") == true)
    #expect(result.lines.last?.contains("differs; ") == true, "\(result)")
  }

  @Test(
    "Files that were cut from one file continue as in that file",
    arguments: ["hevc-fragmented.mp4", "progressive.mp4"], ["2.5,3.5", "0.52", "0.2,0.52,2.5", "0.8,0.84,0.88"])
  func repetition(name: String, times: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q --tracks video "$V"/\(name) -o all.mp4
      mp4tool cut -q --split-at \(times) all.mp4 -o 'part%d.mp4'
      mp4tool concat part?.mp4 -o out.mp4
      mp4tool diff --samples all.mp4 out.mp4
      """)
    #expect(result.exitCode == 0 && result.text.hasSuffix(" samples, the same\n"), "\(result)")
    #expect(result.errorText.contains("that the next file repeats were omitted"), "\(result)")
  }

  /// The second segment starts 0.08 s after the first one ends, or at its end, with the same movie again.
  @Test("A live source that restarts without a discontinuity starts decoding again", arguments: [25600, 24576])
  func live(time: Int) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -q --segment-duration 2 "$V"/hevc-fragmented.mp4 --segments d
      mp4tool edit -q --set 'moof/traf/tfdt/base media decode time=\(time)' d/segment2.m4s -o late.m4s
      cat d/init.mp4 d/segment1.m4s d/init.mp4 late.m4s | mp4tool live --segment-duration 2 - -o out
      grep -c DISCONTINUITY$ out/index.m3u8; mp4tool diff --samples d/segment2.m4s out/segment2.m4s 2> /dev/null
      cat out/init.mp4 out/segment*.m4s > out.mp4; cat d/init.mp4 d/segment*.m4s > in.mp4
      mp4tool extract -q --tracks video out.mp4 -o out.265; mp4tool extract -q --tracks video in.mp4 -o in.265
      cmp out.265 in.265 | wc -l; cmp -l out.265 in.265 | wc -l
      """)
    let isJoint = time != 24576
    #expect(result.errorText.contains("1 CRA picture after a splice became a BLA picture") == isJoint, "\(result)")
    #expect(result.lines.first == "0" && result.lines.suffix(2) == (isJoint ? ["1", "1"] : ["0", "0"]), "\(result)")
  }

  /// The CRA picture is at 1.92 s. Its leading pictures refer to pictures that cannot be decoded after the gap.
  @Test("A live stream starts decoding again after a lost fragment", arguments: [2, 4, 5])
  func lost(fragment: Int) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool fragment -q --segment-duration 2 --fragment-duration 0.4 "$V"/hevc-fragmented.mp4 -o all.mp4
      mp4tool edit -q --remove 'moof[\(fragment)]' all.mp4 -o lost.mp4
      mp4tool live --dvr --segment-duration 2 --no-follow lost.mp4 -o out; echo $?
      cat out/init.mp4 out/segment*.m4s > out.mp4
      """)
    let text = "1 CRA picture after a splice became a BLA picture"
    #expect(result.lines == ["1"] && result.errorText.contains(text), "\(result)")
    let source = try SampleReader.read(readFile(vectorPath("files/hevc-fragmented.mp4"))).samples[1] ?? []
    let found = try SampleReader.read(shell.bytes("out.mp4")).samples[1] ?? []
    let changed = found.filter { sample in !source.contains { $0.payload == sample.payload } }
    #expect(changed.map { $0.payload[4] >> 1 & 63 } == [16])
    #expect(changed.map(\.payload.count) == [source[48].payload.count])
  }

  @Test("Files whose sample entries have different names are refused with the command that renames them")
  func names() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q "$V"/hevc-fragmented.mp4 -o a.mp4; mp4tool edit -q --sample-entry hev1 a.mp4 -o b.mp4
      mp4tool concat a.mp4 b.mp4 -o out.mp4
      """)
    #expect(result.exitCode == 65)
    #expect(
      result.errorText
        == "mp4tool: b.mp4: video: a.mp4 hvc1, b.mp4 hev1; 'mp4tool edit --sample-entry hvc1' renames them\n")
  }
}

/// The presented pictures in ffmpeg and GStreamer, compared with those of the source by their hashes.
@Suite(
  "Pictures at joints are those of the source",
  .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct CLIJointReadersTests {
  /// `check NAME FILE RANGES`: whether FILE has the pictures of in.mp4 in these ranges. GStreamer reads the elementary
  /// stream, because version 1.22 ends early where an edit list has several entries; so it also returns hidden
  /// pictures, and the presented ones must be among them in their order.
  private static let functions = """
    pictures() {
      ffmpeg -nostdin -v error -i "$1" -map 0:v:0 -fps_mode passthrough -f framemd5 - 2> /dev/null \\
        | grep -v '^#' | awk -F, '{print $NF}'
    }
    decoded() {
      mp4tool extract -q --tracks video "$1" -o stream.es 2> /dev/null
      gst-launch-1.0 -q filesrc location=stream.es ! $parse ! $decode ! checksumsink hash=md5 2> /dev/null \\
        | awk '{print $2}'
      rm stream.es
    }
    expected() { for range in $2; do sed -n "${range}p" "$1"; done; }
    check() {
      if test "$(pictures "$2")" == "$(expected all "$3")"; then echo "$1 right"; else echo "$1 WRONG"; fi
      test -n "$decode" || return
      expected all.gst "$3" > wanted; decoded "$2" > found
      awk 'NR == FNR {wanted[++n] = $1; next} wanted[at + 1] == $1 {at++} END {exit at != n}' wanted found \\
        && echo "$1 right in GStreamer" || echo "$1 WRONG in GStreamer"
    }
    """

  private static let hasGStreamer =
    Effort.has("gst-launch-1.0", "gst-inspect-1.0")
    && ["h264parse", "avdec_h264", "h265parse", "avdec_h265", "checksumsink"].allSatisfy {
      (try? run("gst-inspect-1.0", ["--exists", $0]).exitCode) == 0
    }

  private static func decoder(_ codec: String) -> String {
    switch codec {
    case _ where !hasGStreamer: "parse= decode="
    case "libx264": "parse=h264parse decode=avdec_h264"
    case "libx265": "parse=h265parse decode=avdec_h265"
    default: "parse= decode="
    }
  }

  private static func hasEncoder(_ codec: String) -> Bool {
    (try? run("bash", ["-c", "ffmpeg -hide_banner -encoders | grep -q ' \(codec) '"]).exitCode) == 0
  }

  private static let encoders: [(codec: String, options: String)] = [
    ("libx264", "-g 25 -bf 3"), ("libx265", "-x265-params keyint=25:log-level=none"),
    ("libx265", "-x265-params keyint=25:open-gop=0:log-level=none"), ("libaom-av1", "-cpu-used 8 -g 25"),
    ("libsvtav1", "-preset 10 -g 25"), ("librav1e", "-speed 10 -g 25"), ("libvvenc", "-preset faster -g 25"),
  ]

  private static func make(_ codec: String, _ options: String, _ name: String = "in.mp4", source: String = "testsrc2")
    -> String
  {
    "ffmpeg -nostdin -v quiet -f lavfi -i \(source)=s=192x108:r=25 -t 6 -c:v \(codec) \(options) -pix_fmt "
      + "\(codec == "libvvenc" ? "yuv420p10le" : "yuv420p") -y \(name)"
  }

  @Test("cut, and concat of parts in and out of their order", arguments: encoders.indices)
  func joints(index: Int) throws {
    let (codec, options) = Self.encoders[index]
    // Without an encoder there is nothing to decode.
    guard Self.hasEncoder(codec) else { return }
    // ffmpeg 5.1 shows AV1 pictures that edit lists hide, so those parts start at keyframes.
    let isAV1 = codec != "libx264" && codec != "libx265" && codec != "libvvenc"
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        \(Self.decoder(codec)); \(Self.make(codec, options)) || exit
        pictures in.mp4 > all; test -n "$decode" && decoded in.mp4 > all.gst
        mp4tool cut -q --remove 2..4 in.mp4 -o out.mp4; check remove out.mp4 '1,50 101,150'
        mp4tool cut -q --split-at 2,4 in.mp4 -o 'part%d.mp4'
        mp4tool concat -q part1.mp4 part2.mp4 part3.mp4 -o out.mp4; check parts out.mp4 1,150
        mp4tool concat -q part1.mp4 part3.mp4 part2.mp4 -o out.mp4; check order out.mp4 '1,50 101,150 51,100'
        mp4tool concat -q part2.mp4 part2.mp4 part1.mp4 -o out.mp4; check twice out.mp4 '51,100 51,100 1,50'
        \(isAV1 ? "exit" : "")
        mp4tool cut -q --remove 1.52..4.6 in.mp4 -o out.mp4; check inside out.mp4 '1,38 116,150'
        mp4tool cut -q --remove 2.2..2.6 in.mp4 -o out.mp4; check group out.mp4 '1,55 66,150'
        mp4tool cut -q --remove 2.2..3 in.mp4 -o out.mp4; check group out.mp4 '1,55 76,150'
        mp4tool cut -q --split-at 1.52,3.2 in.mp4 -o 'part%d.mp4'
        mp4tool concat -q part1.mp4 part2.mp4 part3.mp4 -o out.mp4; check inside out.mp4 1,150
        mp4tool concat -q part3.mp4 part2.mp4 part1.mp4 -o out.mp4; check inside out.mp4 '81,150 39,80 1,38'
        mp4tool diff --samples in.mp4 out.mp4 > /dev/null; echo $?
        """)
    #expect(result.lines.count >= (isAV1 ? 4 : 10) && !result.text.contains("WRONG"), "\(codec) \(options): \(result)")
  }

  @Test("Files of different encodes follow each other", arguments: ["open-gop=1", "open-gop=0"])
  func unrelated(option: String) throws {
    let shell = try EndToEnd()
    let parameters = "-x265-params keyint=25:\(option):log-level=none"
    let result = try shell(
      Self.functions + """

        \(Self.decoder("libx265"))
        \(Self.make("libx265", parameters)) && \(Self.make("libx265", parameters, "b.mp4", source: "mandelbrot")) || exit
        pictures in.mp4 > all; pictures b.mp4 >> all
        test -n "$decode" && { decoded in.mp4; decoded b.mp4; } > all.gst
        mp4tool cut -q --from 2 --to 5 in.mp4 -o a1.mp4; mp4tool cut -q --from 3 --to 4 b.mp4 -o b1.mp4
        mp4tool concat -q a1.mp4 b1.mp4 a1.mp4 -o out.mp4; check unrelated out.mp4 '51,125 226,250 51,125'
        """)
    #expect(!result.lines.isEmpty && !result.text.contains("WRONG"), "\(result)")
  }

  /// H.264 cannot start again at an open GOP: its pictures keep their order, if necessary because more pictures are
  /// decoded before them.
  @Test("Open GOPs of H.264 are presented in their order")
  func order() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        \(Self.decoder("libx264"))
        \(Self.make("libx264", "-g 25 -bf 3 -x264-params open-gop=1:scenecut=0")) || exit
        pictures in.mp4 > all; test -n "$decode" && decoded in.mp4 > all.gst
        mp4tool cut -q --split-at 2,4 in.mp4 -o 'part%d.mp4'
        mp4tool concat -q part1.mp4 part2.mp4 part3.mp4 -o out.mp4; check parts out.mp4 1,150
        # At each keyframe: the low bits of the picture order count start again between them.
        for at in 1 2 3 4 5; do
          mp4tool cut -q --split-at $at in.mp4 -o 'half%d.mp4'
          mp4tool concat -q half1.mp4 half2.mp4 -o out.mp4; check split-$at out.mp4 1,150
        done
        for from in 1 2 3; do
          for to in 2 3 4 5; do
            test $to -gt $from || continue
            mp4tool cut --remove $from..$to in.mp4 -o out.mp4 2>> messages
            check $from..$to out.mp4 "1,$((from * 25)) $((to * 25 + 1)),150"
          done
        done
        grep -c 'splice is at an open GOP' messages
        """)
    #expect(!result.text.contains("WRONG"), "\(result)")
    #expect(result.lines.count { $0.hasSuffix("right") } == 15 && result.lines.last != "0", "\(result)")
  }

  /// Each of these cuts was accepted and showed other pictures: in all readers because of references or the order of
  /// pictures after the splice, or in ffmpeg, which goes back to a keyframe for each edit.
  @Test("Removals between and within open GOPs of H.264 present the pictures of the source")
  func removals() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        \(Self.decoder("libx264"))
        ffmpeg -nostdin -v quiet -y -f lavfi -i testsrc2=s=192x108:r=25:d=12 -c:v libx264 -preset medium -x264-params \
          keyint=50:min-keyint=25:open-gop=1:bframes=5:b-pyramid=normal in.mp4 || exit
        pictures in.mp4 > all; test -n "$decode" && decoded in.mp4 > all.gst
        for cut in 75,250 245,251 247,248 230,241 206,212 136,228 14,216 44,224 15,250; do
          mp4tool cut -q --remove ${cut%,*}f..${cut#*,}f in.mp4 -o out.mp4 || continue
          check $cut out.mp4 "1,${cut%,*} $((${cut#*,} + 1)),300"
        done
        """)
    #expect(!result.text.contains("WRONG"), "\(result)")
    #expect(result.lines.count { $0.hasSuffix("right") } == 9, "\(result)")
  }

  /// GStreamer 1.22 starts at the last keyframe that is decoded before an edit starts.
  @Test("GStreamer presents leading pictures at the start of an edit", arguments: [198, 199])
  func leading(start: Int) throws {
    guard Self.hasGStreamer, Self.hasEncoder("libx265") else { return }
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v quiet -y -f lavfi -i testsrc2=s=192x108:r=25:d=12 -c:v libx265 -x265-params \
        keyint=50:min-keyint=50:scenecut=0:log-level=none -pix_fmt yuv420p in.mp4 || exit
      pictures() {
        gst-launch-1.0 -q filesrc location=$1 ! qtdemux ! h265parse ! avdec_h265 ! checksumsink hash=md5 \
          | awk '{print $2}'
      }
      pictures in.mp4 > all
      mp4tool cut -q --remove 14f..\(start)f in.mp4 -o out.mp4; pictures out.mp4 > found
      { sed -n 1,14p all; sed -n \(start + 1),\(start + 21)p all; } | cmp - <(head -35 found) && echo right
      """)
    #expect(result.lines == ["right"], "\(result)")
  }

  /// A fragment is missing, so the pictures after it have other references.
  @Test("defrag starts decoding again after a gap")
  func gap() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        \(Self.decoder("libx265")); \(Self.make("libx265", "-x265-params keyint=25:log-level=none")) || exit
        pictures in.mp4 > all; test -n "$decode" && decoded in.mp4 > all.gst
        mp4tool fragment -q --segment-duration 1 in.mp4 --segments d 2> message || { cat message; exit; }
        rm d/*3.m4s
        mp4tool defrag d/*.mp4 d/*.m4s -o out.mp4 2> message; grep -c 'became a BLA picture' message
        ffmpeg -nostdin -v error -i out.mp4 -f null - 2>&1 | wc -l
        """)
    #expect(result.lines == ["1", "0"], "\(result)")
  }

  /// Fragments 5 and 6 of 12 are lost: pictures 101 to 150, and the leading pictures that refer to them.
  @Test("live starts decoding again after a gap")
  func liveGap() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        \(Self.decoder("libx265")); \(Self.make("libx265", "-x265-params keyint=25:scenecut=0:log-level=none")) || exit
        pictures in.mp4 > all
        mp4tool fragment -q --segment-duration 1 in.mp4 --segments d 2> message || { cat message; exit; }
        rm d/*3.m4s; cat d/*.mp4 d/*.m4s | mp4tool live --dvr --segment-duration 1 - -o out 2> message
        grep -c 'became a BLA picture' message; ffmpeg -nostdin -v error -i out/index.m3u8 -f null - 2>&1 | wc -l
        pictures out/index.m3u8 > found; grep -vxFf all found | wc -l; test $(wc -l < found) -ge 120 && echo enough
        """)
    #expect(result.lines == ["1", "0", "0", "enough"], "\(result)")
  }

  @Test("check accepts cuts at open GOPs, unless leading pictures are presented")
  func check() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      \(Self.make("libx264", "-g 25 -bf 3 -x264-params open-gop=1:scenecut=0")) || exit
      mp4tool cut -q --from 2 --to 5 in.mp4 -o out.mp4; mp4tool check -q out.mp4 > /dev/null; echo $?
      mp4tool edit -q --remove moov/trak/edts out.mp4 -o shown.mp4; mp4tool check -q --format csv shown.mp4 | grep -c nal-sync-sample
      """)
    #expect(result.lines == ["0", "1"], "\(result)")
  }

  @Test("Different frame rates are a warning, and edits of several tracks one note")
  func rates() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      make() { ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=192x108:r=$2 -f lavfi -i sine -t 2 -c:v libx264 -g 25 -c:a aac $1; }
      make a.mp4 25; make b.mp4 30000/1001
      mp4tool concat a.mp4 b.mp4 -o out.mp4 2>&1 | grep warning; mp4tool concat a.mp4 a.mp4 -o out.mp4
      mp4tool cut -q --from 0.52 a.mp4 -o c.mp4; mp4tool concat c.mp4 c.mp4 -o out.mp4 2>&1 | grep -c edit
      """)
    #expect(
      result.lines == [
        "mp4tool: warning: b.mp4: track 1: a.mp4 has 25 fps, b.mp4 29.97 fps; the frame rate of the output "
          + "varies, which "
          + "some players and editors do not support", "1",
      ], "\(result)")
    #expect(result.errorText.contains("(track 2)"), "\(result)")
  }
}
