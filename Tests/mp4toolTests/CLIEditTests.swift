import MP4Bytes
import Support
import Testing

@Suite("edit, end to end")
struct CLIEditTests {
  @Test("A number that a fixed-point field cannot have is rounded with a note")
  func rounding() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit --set moov/mvhd/rate=1.1 $V/progressive.mp4 -o a.mp4
      mp4tool edit --set moov/mvhd/rate=1.5 --set moov/mvhd/volume=0.25 $V/progressive.mp4 -o b.mp4
      """)
    #expect(result.exitCode == 0 && result.errorLines.count == 1)
    #expect(
      result.errorText.hasSuffix("moov/mvhd/rate is 1.100006103515625, the nearest number that the field can have\n"))
  }

  private static let canMount =
    (try? EndToEnd()("mkdir disk && mount -t tmpfs -o size=64k none disk && umount disk"))?.exitCode == 0

  @Test("A dry run notices that the disk is too small", .enabled(if: canMount, "needs root, to mount a small disk"))
  func smallDisk() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir disk && mount -t tmpfs -o size=64k none disk
      mp4tool edit --dry-run --title a $V/progressive.mp4 -o disk/out.mp4 > /dev/null; echo $?
      mp4tool edit --title a $V/progressive.mp4 -o disk/out.mp4 > /dev/null; echo $?
      ls disk; umount disk
      """)
    #expect(result.lines.prefix(2) == ["73", "73"], "\(result)")
    #expect(result.errorLines.prefix(2).allSatisfy { $0.contains("bytes are needed, but ") }, "\(result)")
  }

  @Test("A copy has the changes and the same samples; the input is not changed")
  func copies() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4; cp a.mp4 before.mp4
      mp4tool edit --title Täst --tag track=3/12 --language 2=de --rotate 90 a.mp4 -o b.mp4; echo $?
      cmp a.mp4 before.mp4 && mp4tool diff --samples a.mp4 b.mp4; mp4tool check -q b.mp4 > check.txt; echo $?
      mp4tool info --format json b.mp4 | grep -o -e '"title":"Täst"' -e '"language":"de"' -e '"rotation":90'
      mp4tool edit b.mp4 -o b.mp4 --title x; echo $?; mp4tool info b.mp4 | grep -c 'title "Täst"'
      """)
    #expect(
      result.lines.map(String.init) == [
        "0", "track 1: 600 samples, the same", "track 2: 518 samples, the same", "0", #""title":"Täst""#,
        #""rotation":90"#, #""language":"de""#, "73", "1",
      ])
  }

  @Test("Files are changed in place: all of them, keeping inodes, and links to them")
  func inPlace() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive-moov-last.mp4 a.mp4; cp $V/progressive.mov b.mov; ln a.mp4 hard; chmod 640 a.mp4
      inode=$(ls -i a.mp4)
      mp4tool edit --in-place --title One --rotate 90 a.mp4 missing.mp4 in.mp4 b.mov; echo $?
      test "$inode" = "$(ls -i a.mp4)" && cmp a.mp4 hard && ls -l a.mp4 | cut -c1-10
      mp4tool diff --samples $V/progressive-moov-last.mp4 a.mp4; mp4tool diff --samples $V/progressive.mov b.mov
      cmp in.mp4 $V/fragmented.mp4 && echo untouched
      mp4tool info a.mp4 b.mov | grep -c 'title "One"'
      """)
    #expect(
      result.lines.map(String.init) == [
        "66", "-rw-r-----", "track 1: 152 samples, the same", "track 2: 131 samples, the same",
        "track 1: 152 samples, the same", "track 2: 131 samples, the same", "untouched", "2",
      ])
    #expect(
      result.errorLines.map(String.init) == [
        "mp4tool: missing.mp4: cannot open: no such file or directory",
        "mp4tool: in.mp4: there is no free space for the edited moov, and it cannot be at the end of the file; use -o "
          + "to write another file",
      ])
  }

  @Test("A dry run prints the differences and writes nothing")
  func dryRun() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4
      mp4tool edit --dry-run --set 'moov/trak[2]/mdia/mdhd/language=deu' a.mp4; echo $?
      mp4tool edit --dry-run --in-place --remove //edts a.mp4 | head -4; cmp a.mp4 $V/progressive.mp4 && ls
      """)
    #expect(
      result.text == """
        --- a.mp4
        +++ a.mp4
        moov/trak[2]/mdia/mdhd
        -language eng
        +language deu
        0
        --- a.mp4
        +++ a.mp4
        -moov/trak/edts: 36 bytes
        -  elst: 28 bytes
        a.mp4
        in.mp4

        """)
  }

  @Test("Boxes come from files, hexadecimal digits, text, and user definitions")
  func boxes() throws {
    let shell = try EndToEnd()
    try shell.folder.write(
      "own.txt", Array("box myb1 \"Own Box\" in udta, \"1\"\n  level  uint(16)\n".utf8))
    try shell.folder.write("new.bin", box("udta", box("myb1", [0, 5])))
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4
      mp4tool edit --insert moov=new.bin --insert '=hex:00000008 66726565' a.mp4 -o b.mp4; echo $?
      mp4tool edit --boxes own.txt --set //myb1/level=77 --insert 'moov/udta=myb1{level=3}' b.mp4 -o c.mp4; echo $?
      mp4tool dump --boxes own.txt --path //myb1 c.mp4
      mp4tool edit --boxes own.txt --replace '//myb1=myb1{level=70000}' c.mp4 -o d.mp4; echo $?
      mp4tool edit --insert '=hex:00000009 66726565' a.mp4 -o d.mp4; echo $?
      mp4tool edit --insert moov=a.mp4x a.mp4 -o d.mp4; echo $?; ls
      """)
    #expect(
      result.text == """
        0
        0
        [myb1] size=8+2
          level = 77
        [myb1] size=8+2
          level = 77
        [myb1] size=8+2
          level = 77
        65
        65
        66
        a.mp4
        b.mp4
        c.mp4
        in.mp4
        new.bin
        own.txt

        """)
  }

  @Test("Chapters, frame rate and timescale")
  func times() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4; printf '0:00 First\n0:12.5 Second\n' > chapters.txt
      mp4tool edit --in-place --chapters chapters.txt a.mp4; echo $?
      mp4tool info --format json a.mp4 | grep -o -e '"title":"[A-Z][a-z]*"'
      mp4tool edit --chapters none a.mp4 -o b.mp4; mp4tool info b.mp4 | grep -c chapters
      mp4tool diff --samples $V/progressive.mp4 b.mp4
      mp4tool edit --frame-rate 24000/1001 --timescale 90000 a.mp4 -o c.mp4 2> notes.txt; echo $?; cat notes.txt
      mp4tool check -q c.mp4 > check.txt; echo $?
      mp4tool samples --tracks 1 c.mp4 | head -1; mp4tool dump --path moov/mvhd c.mp4 | grep timescale
      mp4tool edit --frame-rate 23.976 a.mp4 -o d.mp4 2>&1 | head -1
      """)
    #expect(
      result.lines.map(String.init) == [
        "0", #""title":"First""#, #""title":"Second""#, "0", "track 1: 600 samples, the same",
        "track 2: 518 samples, the same", "0",
        "mp4tool: note: a.mp4: track 1: each frame lasts 1001/24000 s; the video is 1.025 s longer", "0",
        "track 1, avc1.64000B, 600 samples, timescale 24000", "  timescale = 90000",
        "mp4tool edit: option '--frame-rate' takes frames per second such as 25 or 24000/1001, optionally after "
          + "TRACK=, not '23.976'; did you mean '24000/1001'?",
      ], "\(result.text)")
  }

  @Test("Other programs read the chapters", .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffprobe"))
  func chapterReaders() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf '0:00 First\n0:02.5 Zwölf\n' > chapters.txt
      mp4tool edit --chapters chapters.txt $V/progressive.mp4 -o a.mp4
      mp4tool edit --remove //chpl a.mp4 -o track.mp4; mp4tool edit --remove 'moov/trak[3]' a.mp4 -o list.mp4
      mp4tool edit --chapters chapters.txt --to mp4 $V/progressive.mov -o c.mp4 2> notes.txt
      mp4tool edit --chapters chapters.txt $V/progressive.mov -o x.mov; mp4tool edit --remove //chpl x.mov -o d.mov
      mp4tool edit --remove //chpl c.mp4 -o e.mp4
      for file in a.mp4 track.mp4 list.mp4 d.mov e.mp4; do
        ffprobe -v error -show_chapters -of compact=nk=1 $file | cut -d'|' -f 5,8
      done
      """)
    let expected = [["0.000000|First", "2.500000|Zwölf"]]
    #expect(
      result.lines.map(String.init) == (0..<5).flatMap { _ in expected.joined() }, "\(result.text)\(result.errorText)")
  }

  @Test("A QuickTime movie becomes an MP4 file with the same samples")
  func quickTime() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mov a.mov
      mp4tool edit --to mp4 --tag artist=One --tag artist=Two a.mov -o b.mp4; echo $?
      mp4tool diff --samples a.mov b.mp4; mp4tool check -q b.mp4 > check.txt; echo $?
      mp4tool info --format json b.mp4 | grep -o -e '"major_brand":"[a-z0-9]*"'
      mp4tool edit --to mp4 --in-place a.mov; echo $?; mp4tool diff --samples a.mov $V/progressive.mov
      mp4tool check -q a.mov > check.txt; echo $?; mp4tool info --format json a.mov | grep -o '"major_brand":"isom"'
      mp4tool edit --to mp4 --in-place b.mp4; echo $?
      cp $V/progressive.mov c.mov; mp4tool edit --replace ftyp=ftyp{major_brand=qt} --remove wide c.mov -o d.mov
      cp d.mov e.mov; mp4tool edit --to mp4 --in-place d.mov; echo $?; cmp d.mov e.mov
      """)
    #expect(
      result.lines.map(String.init) == [
        "0", "track 1: 152 samples, the same", "track 2: 131 samples, the same", "0", #""major_brand":"isom""#, "0",
        "track 1: 152 samples, the same", "track 2: 131 samples, the same", "0", #""major_brand":"isom""#, "0", "65",
      ], "\(result.text)")
    #expect(
      result.errorLines.map(String.init) == [
        "mp4tool: note: a.mov: this is a QuickTime movie; the output is an MP4 file, with ISO brands and sample "
          + "descriptions",
        "mp4tool: note: a.mov: this is a QuickTime movie; the output is an MP4 file, with ISO brands and sample "
          + "descriptions",
        "mp4tool: d.mov: the edits change ftyp and moov, which cannot be written in one step; use -o to write another "
          + "file",
      ], "\(result.errorText)")
  }

  @Test(
    "Every QuickTime file of the corpus becomes an MP4 file that decodes identically, or its codec is refused",
    .enabled(
      if: environment("MP4TOOL_CORPUS") != nil && Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all, a corpus and ffmpeg"))
  func quickTimeCorpus() throws {
    let shell = try EndToEnd()
    let corpus = try #require(environment("MP4TOOL_CORPUS")) + "/quicktime"
    try shell.folder.write("files", Array((filesBelow(corpus).joined(separator: "\n") + "\n").utf8))
    let result = try shell(
      """
      decoded() { ffmpeg -nostdin -v quiet -i "$1" -map '0:v?' -map '0:a?' -f framemd5 - | grep -v '^#'; }
      errors() { mp4tool check --level error "$1" 2> /dev/null | grep -o '\\[[a-z0-9-]*, ' | sort -u; }
      while IFS= read -r file; do
        rm -f out.mp4; mp4tool edit --to mp4 "$file" -o out.mp4 2> messages; code=$?
        if test $code = 65; then grep -q 'is defined only for QuickTime' messages || echo "$file: $(cat messages)"; continue; fi
        test $code = 0 || echo "$file: exit code $code"
        mp4tool diff --samples "$file" out.mp4 2> /dev/null | grep -v -e 'the same$' -e 'differ only in codecs'
        test "$(decoded "$file")" = "$(decoded out.mp4)" || echo "$file: decoded differently"
        errors out.mp4 > after; errors "$file" | comm -13 - after
        echo done >> count
      done < files
      test $(wc -l < count) -gt 5 || echo 'only a few files were converted'
      """)
    #expect(result.text == "", "\(result)")
  }

  @Test(
    "exiftool finds no location and no damage in pictures and movies",
    .enabled(
      if: environment("MP4TOOL_CORPUS") != nil && Effort.has("exiftool"),
      "needs MP4TOOL_TESTS=all, a corpus and exiftool"))
  func noLocation() throws {
    let shell = try EndToEnd()
    let corpus = try #require(environment("MP4TOOL_CORPUS"))
    let result = try shell(
      """
      for file in heif/02-exif.avif heif/05-Issue_649.avif heif/09-IMG2.HEIC other/02-CanonRaw.cr3 broken/03-canon-r6.cr3 \\
        quicktime/04-meta.mov; do
        exiftool -m -q -s3 '-*gps*' "\(corpus)/$file" 2> /dev/null | grep -q . || echo "$file has no location"
        exiftool -validate -s3 "\(corpus)/$file" > before 2> /dev/null
        cp "\(corpus)/$file" a; chmod u+w a; rm -f b
        mp4tool edit --strip location a -o b || echo "$file: $?"
        mp4tool edit --in-place --strip location a || echo "$file: $? in place"
        for stripped in a b; do
          exiftool -m -q -s '-*gps*' $stripped 2> /dev/null
          exiftool -validate -s3 $stripped 2> /dev/null | cmp - before
        done
        case $file in *.mov) ;; *) cmp a b;; esac
      done
      """)
    #expect(result.text == "", "\(result)")
    #expect(result.errorLines.allSatisfy { $0.hasSuffix("; the file may be cut off") }, "\(result)")
  }

  @Test(
    "Mutagen reads several values of a tag",
    .enabled(if: Effort.has("python3") && hasMutagen, "needs MP4TOOL_TESTS=all, python3 and mutagen"))
  func mutagen() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit --tag artist=One --tag track=1 --tag artist=Zwölf --tag track=3/12 --tag com.example:LABEL=A \\
        --tag com.example:LABEL=B --tag compilation=yes --title T $V/progressive.mp4 -o a.m4a
      python3 -c '
      from mutagen.mp4 import MP4
      tags = MP4("a.m4a").tags
      for key in ["\\xa9ART", "trkn", "----:com.example:LABEL", "cpil", "\\xa9nam"]: print(ascii(tags[key]))'
      """)
    #expect(
      result.text == """
        ['One', 'Zw\\xf6lf']
        [(3, 12)]
        [MP4FreeForm(b'A', <AtomDataType.UTF8: 1>), MP4FreeForm(b'B', <AtomDataType.UTF8: 1>)]
        True
        ['T']

        """, "\(result)")
  }

  @Test("A field is set by its standard name, or by its label in dump if both have the same value")
  func labels() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4
      mp4tool edit --set '//elst/entries[1].segment duration=77' --set '//mehd/x=1' a.mp4 -o x.mp4; echo $?
      for field in 'entries[1].segment duration' 'entries[1].segment_duration' 'entries[1].edit_duration'; do
        mp4tool edit --set "//elst/$field=77" a.mp4 -o b.mp4; mp4tool dump b.mp4 --path //elst | grep -c 'duration = 77'
      done
      mp4tool edit --set 'moov/trak[1]/tkhd/id=7' --set '//stts/entries[1].sample_duration=5' a.mp4 -o b.mp4; echo $?
      mp4tool edit --set '//avcC/NALU Length Size=2' a.mp4 -o b.mp4; echo $?
      """)
    #expect(result.lines.filter { $0 != "2" } == ["65", "0", "65"], "\(result)")
    #expect(result.lines.count { $0 == "2" } == 3, "\(result)")
    #expect(result.errorText.contains("//avcC: NALU Length Size is not a field of this box, which has "))
  }

  @Test(
    "Impossible edits are reported, and nothing is written",
    arguments: [
      (
        "a.mp4 -o x.mp4", 64,
        "mp4tool edit: no change is specified; use for example '--title TEXT' or '--set PATH/FIELD=VALUE'"
      ),
      ("--title x a.mp4", 64, "mp4tool edit: option '--output' is missing: add '-o OUT' or '--in-place'"),
      (
        "--title x a.mp4 in.mp4 -o x.mp4", 64,
        "mp4tool edit: option '--output' needs exactly one FILE, not 2; use '--in-place'"
      ),
      (
        "--title x --in-place a.mp4 -o x.mp4", 64,
        "mp4tool edit: options '--in-place' and '--output' contradict each other"
      ),
      ("--dry-run --title x a.mp4 -o missing/x.mp4", 73, "mp4tool: missing/x.mp4: "),
      ("--dry-run --title x a.mp4 -o a.mp4", 73, "mp4tool: a.mp4: "),
      ("--in-place --title x -", 64, "mp4tool edit: option '--in-place' needs a regular file, and '-' is not one"),
      ("--set //mdhd/duratoin=5 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: //mdhd: duratoin is not a field of this box"),
      ("--set //stsz/sample_count=5 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: //stsz: sample_count follows from other"),
      ("--set //mdhd/language=xyz1 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: //mdhd: language must be a three-letter"),
      ("--remove //nope a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: no box at '//nope'"),
      ("--remove moov a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: these edits would remove the moov box"),
      ("--remove mdat a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: samples or items refer to byte 15231, which"),
      ("--language 9=de a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: track 9 does not exist; it has track 1 (vide), track 2"),
      ("--language 1=german a.mp4 -o x.mp4", 64, "mp4tool edit: 'german' is not a language tag such as 'en', 'pt-BR'"),
      (
        "--tag cover=c.jpg a.mp4 -o x.mp4", 64,
        "mp4tool edit: cover must be a picture in JPEG, PNG or BMP, not 'c.jpg';"
      ),
      ("--tag track=abc a.mp4 -o x.mp4", 64, "mp4tool edit: track must be a number, or a number and a count such as"),
      ("--tag foo=1 a.mp4 -o x.mp4", 64, "mp4tool edit: option '--tag' takes NAME=VALUE"),
      ("--creation-time 2024-02-30 a.mp4 -o x.mp4", 64, "mp4tool edit: option '--creation-time' takes a date"),
      ("--cover in.mp4 a.mp4 -o x.mp4", 65, "mp4tool: in.mp4: cover must be a picture in JPEG, PNG or BMP"),
      ("--tag titel=x a.mp4 -o x.mp4", 64, "mp4tool edit: option '--tag' takes NAME=VALUE"),
      ("--sample-entry hvc2 a.mp4 -o x.mp4", 64, "mp4tool edit: option '--sample-entry' takes avc1, avc3, hvc1, hev1"),
      ("--sample-entry hvc1 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: no track has a sample entry hev1 that can"),
      ("--timescale 0 a.mp4 -o x.mp4", 64, "mp4tool edit: option '--timescale' takes a number of units per second"),
      ("--timescale 1=90 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: a timescale of 90 cannot express 512/12800 s: the dur"),
      ("--frame-rate 25/0 a.mp4 -o x.mp4", 64, "mp4tool edit: option '--frame-rate' takes frames per second such as"),
      ("--frame-rate 2=25 a.mp4 -o x.mp4", 65, "mp4tool: a.mp4: track 2 is not video, so it has no frame rate"),
      ("--frame-rate 25 in.mp4 -o x.mp4", 65, "mp4tool: in.mp4: it has movie fragments, whose times cannot be edited"),
      ("--chapters text.txt a.mp4 -o x.mp4", 65, "mp4tool: text.txt: line 1 must be a time and a title, such as"),
      ("--chapters none.txt a.mp4 -o x.mp4", 66, "mp4tool: none.txt: cannot open: no such file or directory"),
      ("--to mov a.mp4 -o x.mp4", 64, "mp4tool edit: option '--to' takes 'mp4', not 'mov'"),
      ("--to mp4 text.txt -o x.mp4", 65, "mp4tool: text.txt: "),
      ("--title x text.txt -o x.mp4", 65, "mp4tool: text.txt: "),
    ])
  func refusals(arguments: String, code: Int, message: String) throws {
    let shell = try EndToEnd()
    let result = try shell("cp $V/progressive.mp4 a.mp4; echo text > text.txt; mp4tool edit \(arguments); echo $?; ls")
    #expect(result.text == "\(code)\na.mp4\nin.mp4\ntext.txt\n")
    #expect(result.errorText.hasPrefix(message), "\(result.errorText)")
  }

  @Test(
    "Other programs read the tags",
    .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffprobe"),
    arguments: ["progressive.mp4", "progressive.mov", "fragmented.mp4"])
  func readers(file: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit --title Täst --artist Me --comment 'Two words' $V/\(file) -o out.\(file.hasSuffix("v") ? "mov" : "mp4")
      ffprobe -v error -show_entries format_tags -of compact out.* | tr '|' '\\n' |
        grep -a -i -e title -e artist -e comment
      """)
    let values = result.lines.map { String($0.split(separator: "=").last ?? "") }
    #expect(Set(values) == ["Täst", "Me", "Two words"])
  }
}

/// Whether Python can read tags.
private let hasMutagen = Effort.all && ((try? run("python3", ["-c", "import mutagen"]).exitCode) ?? 1) == 0
