import Support
import Testing

@Suite("concat, end to end")
struct CLIConcatTests {
  @Test("Files are concatenated with all samples")
  func samples() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool concat \"$V\"/progressive.mp4 in.mp4 \"$V\"/progressive.mp4 -o out.mp4 -q")
    #expect(result.exitCode == 0 && result.text == "" && result.errorText == "")
    let whole = try SampleReader.read(readFile(vectorPath("files/progressive.mp4")))
    let middle = try SampleReader.read(shell.bytes("in.mp4"))
    let found = try SampleReader.read(shell.bytes("out.mp4"))
    for track in whole.tracks {
      let own = track.samples.map(\.payload)
      let expected = own + (middle.samples[track.id] ?? []).map(\.payload) + own
      #expect(found.samples[track.id]?.map(\.payload) == expected)
    }
  }

  @Test("Differences are named, and allowed on request")
  func differences() throws {
    let shell = try EndToEnd()
    let lines = "mp4tool concat in.mp4 \"$V\"/hevc-fragmented.mp4 -o out.mp4"
    let refused = try shell(lines)
    #expect(refused.exitCode == 65)
    #expect(refused.errorText.hasSuffix("; --allow-different concatenates them anyway\n"))
    #expect(refused.errorText.hasPrefix("mp4tool: "))
    #expect(refused.errorText.split(separator: " ").contains("hvc1;"))
    #expect(try shell("test -e out.mp4").exitCode == 1)
    #expect(try shell(lines + " --allow-different -q && mp4tool info out.mp4 | grep -c hvc1").text == "1\n")
    #expect(try shell(lines + " --allow-different --strict").exitCode == 65)
  }

  @Test("Wrong usage and unusable inputs are errors, and the output is not changed")
  func errors() throws {
    let shell = try EndToEnd()
    let cases: [(String, Int32)] = [
      ("concat in.mp4 -o out.mp4", 64), ("concat in.mp4 in.mp4", 64), ("concat in.mp4 none.mp4 -o out.mp4", 66),
      ("concat in.mp4 text -o out.mp4", 65), ("concat in.mp4 in.mp4 -o none/out.mp4", 73),
      ("concat in.mp4 in.mp4 -o in.mp4", 73), ("concat in.mp4 cut.mp4 -o out.mp4", 65),
      ("concat --chapters some in.mp4 in.mp4 -o out.mp4", 64), ("concat in.mp4 in.mp4 -o out.mp4 --no-clobber", 73),
    ]
    for (words, code) in cases {
      let result = try shell(
        "echo old > out.mp4; echo text > text; head -c 9 in.mp4 > cut.mp4; mp4tool \(words); c=$?; cat out.mp4; exit $c"
      )
      #expect(result.exitCode == code, "\(words): \(result.errorText)")
      #expect(result.text == "old\n", "\(words)")
    }
    let segment = try shell("mp4tool concat in.mp4 \"$V\"/hls/segment1.m4s -o out.mp4")
    #expect(
      segment.errorText.hasSuffix("use 'mp4tool join' or 'mp4tool defrag' for segments\n"), "\(segment.errorText)")
  }

  @Test("join refers to concat for movies")
  func advice() throws {
    let result = try EndToEnd()("mp4tool join \"$V\"/progressive.mp4 \"$V\"/progressive.mov -o out.mp4")
    #expect(result.exitCode == 65)
    #expect(result.errorText.hasSuffix("'mp4tool concat' concatenates movies\n"), "\(result.errorText)")
  }

  @Test("Chapters are those of the files, one for each file, or none")
  func chapters() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf '00:00:00.000 First\\n00:00:02.000 Second\\n' > list
      mp4tool edit -q --chapters list "$V"/progressive.mp4 -o one.mp4
      mp4tool concat -q one.mp4 "$V"/progressive.mp4 one.mp4 -o kept.mp4
      mp4tool concat -q one.mp4 "$V"/progressive.mp4 --chapters files -o files.mp4
      mp4tool concat -q one.mp4 one.mp4 --chapters none -o none.mp4
      for file in kept files none; do mp4tool events --format csv $file.mp4 | grep -c chapter; done
      """)
    #expect(result.lines == ["4", "2", "0"], "\(result.text) \(result.errorText)")
  }

  @Test(
    "ffmpeg decodes the pictures of the files in order",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: [
      ("-bf 0 -c:a aac -aac_pns 0", "mov"), ("-bf 2 -c:a aac -aac_pns 0", "mov"), ("-bf 2 -c:a flac -strict -2", "mp4"),
      ("-bf 3 -an", "mov"),
    ])
  func pictures(options: String, third: String) throws {
    let result = try EndToEnd()(
      """
      make() {
        ffmpeg -nostdin -v error -f lavfi -i testsrc=s=160x120:r=$2:d=$3 -f lavfi -i sine=$4:d=$5 -c:v libx264 -g 12 \
          -pix_fmt yuv420p \(options) $6 -y $1
      }
      frames() { ffmpeg -nostdin -v error -i $1 -map 0:$2 -vsync passthrough -f framemd5 - | grep -v '^#' | cut -d, -f 6; }
      make a.mp4 25 2 440 2.1 && make b.mp4 25 1.5 880 1.3 && make c.\(third) 30 1 300 1
      make d.mp4 24 1 500 1.2 '-movflags +frag_keyframe+empty_moov'
      mp4tool concat -q a.mp4 b.mp4 c.\(third) d.mp4 a.mp4 -o out.mp4 || exit
      for kind in v a; do
        for file in a.mp4 b.mp4 c.\(third) d.mp4 a.mp4; do frames $file $kind; done 2> /dev/null > expected
        frames out.mp4 $kind 2> /dev/null > found
        echo $(diff expected found | grep -c '^[<>]') $(wc -l < found)
      done
      """)
    #expect(result.lines.count == 2, "\(result.text) \(result.errorText)")
    #expect(result.lines.first == "0 192")
    // The fragmented file does not hide its priming: its first AAC frame overlaps with earlier audio.
    let audio = result.lines.last ?? ""
    #expect(audio.hasPrefix("0 ") || audio.hasPrefix("2 "), "\(audio)")
  }

  @Test(
    "ffmpeg decodes the pictures of corpus files twice",
    .enabled(if: Effort.has("ffmpeg") && corpusFolder != nil, "needs MP4TOOL_TESTS=all, MP4TOOL_CORPUS and ffmpeg"))
  func corpusFiles() throws {
    let shell = try EndToEnd()
    let folders: Set<Substring> = ["progressive", "quicktime", "fragmented-whole"]
    var (same, others) = (0, [String]())
    for path in corpus() where !folders.isDisjoint(with: path.split(separator: "/")) {
      let result = try shell(
        """
        f='\(path)'
        frames() { timeout 60 ffmpeg -nostdin -v error -i "$1" -map 0:V:0 -vsync passthrough -f framemd5 - 2> /dev/null | grep -v '^#' | cut -d, -f 6; }
        test $(stat -c %s "$f") -lt 4000000 || exit 3
        frames "$f" > once; test -s once || exit 3
        mp4tool concat -q "$f" "$f" -o out.mp4 2> /dev/null; test -e out.mp4 || exit 3
        frames out.mp4 > found; rm out.mp4
        cat once once | cmp -s - found
        """)
      if result.exitCode == 0 { same += 1 } else if result.exitCode != 3 { others.append(path) }
    }
    // The edit of one file ends less than a tick before its last picture, and another does not start with an IDR
    // picture.
    #expect(same >= 40 && others.count <= 2, "\(same), but not \(others.joined(separator: ", "))")
  }
}
