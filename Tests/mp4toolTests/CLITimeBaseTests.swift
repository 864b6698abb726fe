import Support
import Testing

@Suite("Times of the presentation, end to end")
struct CLITimeBaseTests {
  /// The vectors, and files that start at 10 s or elsewhere.
  private static let files = """
    mp4tool fragment -q --profile apple $V/progressive.mp4 -o apple.mp4
    mp4tool fragment -q --profile apple --time-offset 3600.5 $V/progressive.mp4 -o hour.mp4
    mp4tool fragment -q --profile apple --tracks video $V/progressive.mp4 -o video.mp4
    cp $V/progressive.mp4 $V/hybrid.mp4 $V/negative-cts.mp4 $V/hevc-fragmented.mp4 .

    """

  @Test(
    "cut and extract accept the times that samples prints for keyframes",
    arguments: [
      "apple", "hour", "video", "in", "progressive", "hybrid", "negative-cts", "hevc-fragmented",
    ])
  func keyframes(name: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.files + """
        f=\(name).mp4
        list() { mp4tool samples -q --format csv --tracks video "$@" | tail -n +2; }
        list --keyframes $f | cut -d, -f2,7,10 | while IFS=, read -r number time size; do
          mp4tool cut --tracks video --from $time $f -o part.mp4 2> messages
          grep -c 'after a keyframe' messages
          test $size = $(list --number 1 part.mp4 | cut -d, -f10) && echo first
          mp4tool cut -q --from $time $f -o both.mp4
          test "$(list part.mp4 | cut -d, -f2-10)" = "$(list both.mp4 | cut -d, -f2-10)" && echo same
          mp4tool extract -q --raw --tracks video --frame $time $f -o picture
          test $size = $(wc -c < picture) && echo picture
          test $number = $(list --at $time $f | tail -n 1 | cut -d, -f2) && echo at
        done
        """)
    let keyframe = ["0", "first", "same", "picture", "at"]
    #expect(result.lines.count >= 5 && result.lines.count % 5 == 0, "\(result.text)")
    #expect(result.lines.map(String.init) == (0..<result.lines.count).map { keyframe[$0 % 5] }, "\(result.errorText)")
  }

  @Test("A file whose media starts at 10 s is listed like the file that starts at 0, and the start is reported once")
  func start() throws {
    let shell = try EndToEnd()
    func list(_ options: String, _ file: String) throws -> String {
      try shell(Self.files + "mp4tool samples -q --format csv \(options) \(file).mp4").text
    }
    for options in [
      "--tracks video", "--tracks audio", "--keyframes", "--tracks audio --range 3..4", "--gops", "--at 7",
    ] {
      let words = options == "--gops" ? "cut -d, -f1-3,5-" : "cut -d, -f1,2,7-10"
      let lines = try ["progressive", "apple"].map { name in
        try shell(Self.files + "mp4tool samples -q --format csv \(options) \(name).mp4 | \(words)").lines
      }
      // The duration of the last sample can differ.
      #expect(lines[0].count > 1 && lines[0].count == lines[1].count && lines[0].dropLast() == lines[1].dropLast())
    }
    let note = try shell(Self.files + "mp4tool samples --number 1 apple.mp4 > table; mp4tool samples --at 1 hour.mp4")
    #expect(
      note.errorLines == [
        "mp4tool: note: apple.mp4: the presentation starts with the first picture at 10.000 s, which becomes 0; the "
          + "audio before it is priming and hidden",
        "mp4tool: note: hour.mp4: the presentation starts at 3600.420 s; all tracks were moved to 0",
      ], "\(note.errorText)")
    let info = try shell(Self.files + "mp4tool info apple.mp4; mp4tool info --format json apple.mp4 | grep _seconds")
    #expect(info.lines.contains("  media starts at 0:10.000, which is 0 in all times"))
    #expect(info.text.contains("\"media_start_seconds\":10.000000"), "\(info.text)")
    #expect(info.text.contains("\"start_seconds\":0.000000"), "\(info.text)")
    let same = try shell(Self.files + "mp4tool diff --samples apple.mp4 progressive.mp4")
    #expect(same.exitCode == 0, "\(same.text)")
    let ends = try shell(Self.files + "mp4tool cut --from 30 apple.mp4 -o x; mp4tool samples --at 30 apple.mp4")
    #expect(ends.errorText.contains("the presentation ends at 24.000 s"), "\(ends.errorText)")
    #expect(ends.errorText.contains("the presentation is from 0:00.000 to 0:24.000"), "\(ends.errorText)")
  }

  @Test(
    "Sound that starts late keeps its time in every layout, also if only the sound is selected",
    .enabled(if: Effort.has("ffmpeg") && Effort.has("ffprobe"), "needs ffmpeg"))
  func lateSound() throws {
    let shell = try EndToEnd()
    let made = try shell(
      """
      make() {
        ffmpeg -v error -f lavfi -i testsrc2=s=192x108:r=25:d=10 -itsoffset 5 -f lavfi -i sine=d=5 \
          -c:v libx264 -g 50 -pix_fmt yuv420p -c:a aac "$@"
      }
      make late.mp4; make -movflags frag_keyframe+delay_moov edits.mp4
      mp4tool fragment -q late.mp4 -o cmaf.mp4; mp4tool fragment -q --profile apple late.mp4 -o apple.mp4
      """)
    #expect(made.exitCode == 0 && made.errorText == "", "\(made.errorText)")
    for name in ["late", "edits", "cmaf", "apple"] {
      // ffmpeg presents pictures with negative composition offsets too late.
      let reader = name == "cmaf" ? "late" : name
      // The times relative to the first picture: ours, and those of another reader.
      let times = try shell(
        """
        f=\(name).mp4
        list() { mp4tool samples -q --format csv --tracks $1 $f | tail -n +2 | cut -d, -f7 | grep . | sort -n; }
        probe() { ffprobe -v error -select_streams $1 -show_entries packet=pts_time -of csv=p=0 \(reader).mp4 | sort -n; }
        list video | head -n 1; list audio | head -n 3; probe v | head -n 1; probe a | head -n 3
        """
      ).lines.compactMap { Double($0) }
      try #require(times.count == 8)
      for index in 1..<4 {
        let (own, other) = (times[index] - times[0], times[4 + index] - times[4])
        #expect(abs(own - other) < 0.0001 && own > 4.9, "\(name): \(times)")
      }
      let cut = try shell(
        """
        f=\(name).mp4
        mp4tool cut -q --from 6 --to 8 $f -o both.mp4; mp4tool cut -q --tracks audio --from 6 --to 8 $f -o sound.mp4
        for g in both sound; do ffmpeg -v error -i $g.mp4 -map 0:a -f md5 -; done | uniq | wc -l
        mp4tool samples -q --tracks audio --range 6..6.01 --format csv $f | sed -n 2p | cut -d, -f2
        mp4tool samples -q --tracks audio --at 6 --format csv $f | tail -n +2 | cut -d, -f2
        mp4tool extract -q --raw --tracks audio --frame 6 $f -o at6 && wc -c < at6
        mp4tool samples -q --tracks audio --at 6 --format csv $f | tail -n +2 | cut -d, -f10
        """)
      #expect(cut.lines.count == 5 && cut.lines[0] == "1" && cut.lines[1] == cut.lines[2], "\(name): \(cut.text)")
      #expect(cut.lines.count == 5 && cut.lines[3] == cut.lines[4], "\(name): \(cut.errorText)")
    }
  }
}
