import Support
import Testing

@Suite("cut, end to end")
struct CLICutTests {
  /// The first picture of `in.mp4` is presented at 0.08 s.
  @Test("A part of every kind of input has the frames of its range, and hidden frames are reported")
  func parts() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool cut --from 31f --to 60f in.mp4 -o a.mp4
      mp4tool cut -q --from 1.32 --to 2.48 in.mp4 -o b.mp4; cmp a.mp4 b.mp4 && echo same
      mp4tool cut -q --range 0:01.32..0:02.48 - -o - < in.mp4 | cmp - a.mp4 && echo same
      mp4tool cut -q --from 1.3204 --to 2.4796 in.mp4 -o b.mp4; cmp a.mp4 b.mp4 && echo same
      mp4tool cut -q --tracks video --from 1.32 in.mp4 -o c.mp4; mp4tool samples -q --format csv c.mp4 | wc -l
      """)
    #expect(result.exitCode == 0)
    #expect(result.lines.prefix(3) == ["same", "same", "same"])
    #expect(
      result.errorText
        == "mp4tool: note: in.mp4: the cut starts 1.240 s after a keyframe; an edit list hides the pictures before it\n"
    )
  }

  @Test("Segments, encrypted files and QuickTime movies are cut like other inputs")
  func inputs() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool cut -q --from 2.5 --to 4 $V/video/init.mp4 $V/video/segment?.m4s -o a.mp4 && echo $?
      for f in encrypted-cenc.mp4 encrypted-cbcs.mp4 progressive.mov pcm.mov hybrid.mp4; do
        mp4tool cut --from 0.5 --to 1 $V/$f -o out.${f##*.} 2> /dev/null; echo $?
        mp4tool check -q --format tsv out.${f##*.} 2>&1 | grep -c error
      done
      """)
    #expect(result.lines == ["0"] + Array(repeating: ["0", "0"], count: 5).flatMap(\.self), "\(result.errorText)")
  }

  @Test("--keyframes reports where parts start, and for several parts what players show")
  func notes() throws {
    let shell = try EndToEnd()
    let key = try shell("mp4tool cut --keyframes --from 3.4 in.mp4 -o out.mp4")
    #expect(key.errorText == "mp4tool: note: in.mp4: starts at the keyframe at 0:02.080 instead of 0:03.400\n")
    let exact = try shell("mp4tool cut --keyframes --from 2.08 in.mp4 -o out.mp4")
    #expect(exact.errorText == "mp4tool: note: in.mp4: starts at the keyframe at 0:02.080\n")
    let parts = try shell("mp4tool cut --keyframes --split-at 2.08,5 in.mp4 -o part%d.mp4")
    #expect(
      parts.errorLines == [
        "mp4tool: note: in.mp4: part 1 starts at 0:00.000",
        "mp4tool: note: in.mp4: part 2 starts at the keyframe at 0:02.080",
        "mp4tool: note: in.mp4: part 3 starts at the keyframe at 0:04.080 instead of 0:05.000",
      ], "\(parts.errorText)")
    let rest = try shell("mp4tool cut --keyframes --remove 1..3 in.mp4 -o out.mp4")
    #expect(
      rest.errorLines.prefix(2) == [
        "mp4tool: note: in.mp4: part 1 starts at 0:00.000",
        "mp4tool: note: in.mp4: part 2 starts at the keyframe at 0:02.080 instead of 0:03.000",
      ], "\(rest.errorText)")
    let several = try shell("mp4tool cut --range 0:00.4..1 --range 2.4..2.8 --range 2.9..100 in.mp4 -o out.mp4")
    #expect(several.exitCode == 0)
    #expect(several.errorText.contains("the presentation ends at "))
    #expect(several.errorText.contains("ranges start after a keyframe, up to 0.820 s; edit lists hide the"))
    let removed = try shell("mp4tool cut --remove 1..2 --remove 3..4 in.mp4 -o out.mp4")
    #expect(removed.exitCode == 0)
  }

  @Test("--split-at writes a file for each part; together they have every frame")
  func split() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir d; mp4tool cut -q --split-at 1,60f,3.5 in.mp4 -o 'd/part%02d.mp4'; echo $?; ls d
      for p in d/*; do mp4tool info -q --format json $p | tr ',' '\\n' | grep -m 1 -o '"duration": *[0-9.]*'; done
      mp4tool cut -q --split-at 1,60f,3.5 --dry-run in.mp4; echo $?
      """)
    #expect(
      result.lines.filter { !$0.hasPrefix("\"duration") }
        == ["0", "part01.mp4", "part02.mp4", "part03.mp4", "part04.mp4", "0"], "\(result.text) \(result.errorText)")
  }

  @Test(
    "A cue ends where it ended before the cut, in another reader",
    .enabled(if: Effort.has("ffmpeg"), "needs ffmpeg"))
  func lastCue() throws {
    let result = try EndToEnd()(
      """
      printf '1\n00:00:01,000 --> 00:00:02,000\nHello\n' > s.srt
      ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=10 -i s.srt -c:v mpeg4 -c:s mov_text in9.mp4
      mp4tool fragment -q in9.mp4 -o f.mp4
      for f in in9 f; do
        mp4tool cut -q --to 9 $f.mp4 -o out.mp4; ffmpeg -v error -i out.mp4 -f srt - | grep -e --
        mp4tool cut -q --range 0..1.5 --range 1.6..9 $f.mp4 -o out.mp4; ffmpeg -v error -i out.mp4 -f srt - | grep -e --
      done
      """)
    #expect(
      result.lines
        == Array(
          repeating: [
            "00:00:01,000 --> 00:00:02,000", "00:00:01,000 --> 00:00:01,500", "00:00:01,500 --> 00:00:01,900",
          ], count: 2
        ).flatMap(\.self), "\(result.text) \(result.errorText)")
  }

  @Test("Impossible cuts are refused with a clear message, and nothing is written")
  func refusals() throws {
    let shell = try EndToEnd()
    for (line, code, message) in [
      ("in.mp4 -o out", 64, "no part is specified; use for example '--from 10 --to 20' or '--range 10..20'"),
      ("--from 1 --range 2..3 in.mp4 -o out", 64, "options '--from' and '--range' contradict each other"),
      ("--from 2 --to 1 in.mp4 -o out", 64, "a part ends before it starts, or has no length"),
      ("--from x in.mp4 -o out", 64, "takes a time such as 62.5, 1:02.5, 250f (a frame) or 01:00:10:00 (a timecode)"),
      ("--range 2 in.mp4 -o out", 64, "takes two times such as 10..1:02.5"),
      ("--range 2..3 --range 1..2 in.mp4 -o out", 64, "the parts must be in order and cannot overlap"),
      ("--remove 2..3 --remove 1..2 in.mp4 -o out", 64, "the parts must be in order and cannot overlap"),
      (
        "--split-at 2 in.mp4 -o out", 64,
        "the name of the output must contain %d, %0Nd, %t or %c, such as part%d.mp4, and %% for each other percent sign"
      ),
      ("--split-at 2,1 in.mp4 -o 'out%d'", 64, "the times of '--split-at' must be after the start, and in order"),
      ("--split-at 0,1 in.mp4 -o 'out%d'", 64, "the times of '--split-at' must be after the start, and in order"),
      ("--remove 0..1:00:00 in.mp4 -o out", 65, "would be removed"),
      ("--from 1:00:00 in.mp4 -o out", 65, "in.mp4: the presentation ends at "),
      ("--from 100000f in.mp4 -o out", 65, "in.mp4: frame 100000 does not exist; the video has "),
      ("--from 01:00:00:00 in.mp4 -o out", 65, "in.mp4: there is no timecode track"),
      ("--from 1 in.mp4 -o in.mp4", 73, ""), ("--from 1 none.mp4 -o out", 66, ""),
      ("--from 1 in.mp4 -o none/out", 73, ""),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool cut \(line)")
      #expect(result.exitCode == code, "\(line): \(result.errorText)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }
}

@Suite("Files without usable samples")
struct CLINothingLeftTests {
  @Test(
    "Every command reports the missing samples of each track",
    arguments: ["cut --from 1", "defrag", "fragment"])
  func missing(command: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q in.mp4 -o flat.mp4
      at=$(mp4tool dump --path mdat --format json flat.mp4 | grep -o '"offset": *[0-9]*' | grep -o '[0-9]*')
      head -c $at flat.mp4 > none.mp4; rm flat.mp4
      mp4tool \(command) none.mp4 -o out; echo $?
      mp4tool \(command) --tracks audio none.mp4 -o out; echo $?
      """)
    #expect(result.lines == ["65", "65"])
    let expected: [Substring] = [
      "mp4tool: none.mp4: the data of all its 283 samples is missing (track 1: 152, track 2: 131); copy or download it "
        + "again",
      "mp4tool: none.mp4: the data of all its 131 samples is missing (track 2); copy or download it again",
    ]
    #expect(result.errorLines == expected, "\(result.errorText)")
    #expect(shell.folder.names == ["in.mp4", "none.mp4"])
  }
}

@Suite(
  "Parts have the frames of their range in ffmpeg",
  .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct CLICutReadersTests {
  private static let functions = """
    frames() { ffmpeg -nostdin -v error -i "$1" -map 0:v:0 -fps_mode passthrough -f framemd5 - 2> /dev/null \\
      | grep -v '^#' | awk -F, '{print $NF}'; }
    """

  @Test(
    "Both boundaries at every position of a GOP",
    arguments: ["progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4", "progressive.mov", "negative-cts.mp4"])
  func positions(name: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.functions + """

        frames $V/\(name) > all
        for ((i = 0; i < 52; i++)); do
          mp4tool cut -q --from ${i}f --to $((i + 9))f $V/\(name) -o a.mp4
          cmp <(sed -n "$((i + 1)),$((i + 9))p" all) <(frames a.mp4) || echo "from $i"
          if ((i % 3 == 0)); then
            mp4tool cut -q --from 3f --to $((i + 4))f $V/\(name) -o a.mp4
            cmp <(sed -n "4,$((i + 4))p" all) <(frames a.mp4) || echo "to $i"
          fi
        done
        mp4tool cut -q --range 3f..7f --range 20f..31f --range 55f..70f $V/\(name) -o a.mp4
        cmp <(sed -n '4,7p;21,31p;56,70p' all) <(frames a.mp4) || echo several
        wc -l < all
        """)
    #expect(result.lines.count == 1 && result.errorText == "", "\(result.text) \(result.errorText)")
  }

  @Test("Open GOPs of x264 and x265, and streams with several B-frames", arguments: ["libx264", "libx265"])
  func openGOPs(codec: String) throws {
    let shell = try EndToEnd()
    let parameters =
      codec == "libx264"
      ? "-x264-params open-gop=1:keyint=12:min-keyint=12:bframes=3:b-pyramid=normal:scenecut=0"
      : "-x265-params open-gop=1:keyint=12:min-keyint=12:bframes=3:scenecut=0:log-level=none"
    let result = try shell(
      Self.functions + """

        ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=192x108:r=25:d=3 -c:v \(codec) \(parameters) open.mp4
        frames open.mp4 > all
        for ((i = 0; i < 40; i++)); do
          mp4tool cut -q --from ${i}f --to $((i + 9))f open.mp4 -o a.mp4
          cmp <(sed -n "$((i + 1)),$((i + 9))p" all) <(frames a.mp4) || echo "from $i"
        done
        wc -l < all
        """)
    #expect(result.lines == ["75"] && result.errorText == "", "\(result.text) \(result.errorText)")
  }

  @Test("Audio without dependencies is the same to the sample", arguments: ["flac", "alac", "pcm_s16le"])
  func audio(codec: String) throws {
    let shell = try EndToEnd()
    let name = codec == "pcm_s16le" ? "sound.mov" : "sound.mp4"
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i "aevalsrc=sin(t*t*3000)/3:s=48000:d=4" -c:a \(codec) -strict -2 \(name)
      ffmpeg -nostdin -v error -i \(name) -f s16le all
      for ((i = 1; i < 20; i++)); do
        mp4tool cut -q --from 0.$((1000 + i * 37)) --to 2.$((1000 + i * 91)) \(name) -o a.mov || echo failed
        ffmpeg -nostdin -v error -y -i a.mov -f s16le part
        start=$(((1000 + i * 37) * 48000 / 10000)) end=$((96000 + (1000 + i * 91) * 48000 / 10000))
        cmp -n $(((end - start - 2) * 2)) -i $((start * 2)):0 all part > /dev/null ||
          cmp -n $(((end - start - 2) * 2)) -i $((start * 2 + 2)):0 all part || echo $i
      done
      """)
    #expect(result.text == "" && result.errorText == "", "\(result.text) \(result.errorText)")
  }

  /// The AAC noise differs each time it is decoded.
  @Test("Audio has enough pre-roll for identical output", arguments: ["aac -aac_pns 0", "libmp3lame"])
  func preRoll(codec: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i "aevalsrc=sin(t*t*3000)/3:s=48000:d=4" -c:a \(codec) -b:a 96k sound.mp4
      ffmpeg -nostdin -v error -i sound.mp4 -f f32le all
      for from in 25 26 27 28 29 30; do
        mp4tool cut -q --from 1.$from --to 2.25 sound.mp4 -o a.mp4
        ffmpeg -nostdin -v error -y -i a.mp4 -f f32le part
        cmp -n $((40000 * 4)) -i $(((48000 + from * 480) * 4)):0 all part && echo same
      done
      """)
    #expect(result.lines == Array(repeating: "same", count: 6) && result.errorText == "", "\(result.errorText)")
  }

  /// ffmpeg shows AV1 frames that edit lists hide, because its decoder ignores the discard flag of packets.
  private static let exceptions: Set<Substring> = ["16-av1-aac.mp4", "15-av1-clearkey-cbcs-video.mp4"]

  @Test("Parts of the corpus", .enabled(if: corpusFolder != nil, "needs MP4TOOL_CORPUS"))
  func corpusFiles() throws {
    let shell = try EndToEnd()
    let folders = ["progressive", "quicktime", "fragmented-whole"]
    let files = filesBelow(try #require(corpusFolder)).filter { file in folders.contains { file.contains("/\($0)/") } }
    try shell.folder.write("files", Array(files.joined(separator: "\n").utf8) + [10])
    let result = try shell(
      Self.functions + """

        while IFS= read -r file; do
          frames "$file" > all < /dev/null
          count=$(wc -l < all)
          test $count -ge 12 || continue
          for from in $((count * 2 / 5 + 1)) 1 $((count / 2)); do
            to=$((from + 10 < count ? from + 10 : count - 1))
            mp4tool cut -q --from ${from}f --to ${to}f "$file" -o a.mp4 2> /dev/null < /dev/null
            test $? -le 1 || continue
            cmp -s <(sed -n "$((from + 1)),${to}p" all) <(frames a.mp4 < /dev/null) && echo same || echo "${file##*/}"
          done
        done < files
        """)
    #expect(result.lines.filter { $0 == "same" }.count > 80)
    let different = Set(result.lines.filter { $0 != "same" })
    #expect(different.subtracting(Self.exceptions).isEmpty, "\(different)")
  }
}

@Suite(
  "Parts have the frames of their range in GStreamer",
  .enabled(
    if: Effort.has("ffmpeg", "gst-launch-1.0", "gst-inspect-1.0")
      && ["qtdemux", "avdec_h264", "checksumsink"].allSatisfy {
        (try? run("gst-inspect-1.0", ["--exists", $0]).exitCode) == 0
      },
    "needs MP4TOOL_TESTS=all, ffmpeg, and gst-launch-1.0 with qtdemux, avdec_h264 and checksumsink"))
struct CLICutGStreamerTests {
  /// Version 1.22 ends at a keyframe whose media time exceeds the duration of the part, also in parts that ffmpeg cuts:
  /// it shows nothing if the hidden pictures are longer than the part.
  @Test("Both boundaries at every position of a GOP: no other frame, and all frames unless playback ends early")
  func positions() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      frames() {
        gst-launch-1.0 -q filesrc location="$1" ! qtdemux ! h264parse ! avdec_h264 ! videoconvert \\
          ! video/x-raw,format=I420 ! checksumsink hash=md5 sync=false 2> /dev/null | awk '{print $2}'
      }
      part() { # the first frame and the one after the last: whether there are all of them, or none after a wrong one
        mp4tool cut -q --from ${1}f --to ${2}f in.mp4 -o a.mp4
        sed -n "$(($1 + 1)),${2}p" all > wanted
        frames a.mp4 > found
        if cmp -s found wanted; then echo all
        elif cmp -s found <(head -n "$(wc -l < found)" wanted); then echo early
        else echo "other frames from $1 to $2"; fi
      }
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=192x108:r=25 -t 3 -c:v libx264 -preset veryfast -g 12 \\
        -keyint_min 12 -sc_threshold 0 -bf 2 -y in.mp4
      frames in.mp4 > all
      wc -l < all
      for ((i = 0; i < 12; i++)); do part $((12 + i)) 24; part 24 $((25 + i)); done
      """)
    #expect(result.lines.first == "75" && result.lines.count == 25, "\(result)")
    #expect(result.lines.filter { $0 == "all" }.count >= 14, "\(result)")
    #expect(result.lines.allSatisfy { $0 == "75" || $0 == "all" || $0 == "early" }, "\(result)")
  }
}
