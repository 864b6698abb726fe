import Support
import Testing

@Suite("report, end to end")
struct CLIFileReportTests {
  @Test("The page has the same summary as info, and appears only when it is complete")
  func page() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool report in.mp4 -o report.html; mp4tool info --format jsonl in.mp4")
    #expect(result.exitCode == 0 && result.errorText == "")
    let page = String(decoding: try shell.bytes("report.html"), as: UTF8.self)
    #expect(page.hasPrefix("<!doctype html>\n") && page.hasSuffix("</html>\n"))
    let summary = try #require(result.lines.first)
    #expect(page.contains("{\"summary\":\(summary),\"axis\":"))
    #expect(!page.contains("://"))
    #expect(try shell("mp4tool report in.mp4 -o - | cmp - report.html").exitCode == 0)
  }

  @Test("The page shows the findings of check with their rules, or reports that there are none")
  func findings() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool check --format jsonl in.mp4 | grep -o '"rule":"[^"]*"'
      mp4tool report in.mp4 -o - | grep -o '"rule":"[^"]*"'
      mp4tool report $V/progressive.mp4 -o - | grep -c 'No problems found'
      """)
    #expect(result.lines.count > 2 && result.lines.last == "1", "\(result)")
    let rules = result.lines.dropLast()
    #expect(rules.prefix(rules.count / 2) == rules.suffix(rules.count / 2), "\(result)")
  }

  @Test("The page has the results of a deep check and of a specification")
  func deepAndSpecified() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf 'video.width = 160\nvideo.height = 91\nwarn metadata.title present\n' > spec.txt
      mp4tool report --deep --spec spec.txt $V/progressive.mp4 -o page.html; echo $?
      grep -c '>met<' page.html; grep -c '>not met<' page.html; grep -c 'This file fails spec.txt (1 of 3' page.html
      grep -c 'Checked the structure, and 1,118 of 1,118 samples' page.html
      grep -c 'Not looked for: damage inside coded pictures (H.264)' page.html
      grep -c '"not_looked_for":."damage' page.html
      mp4tool report --spec spec.txt $V/hls -o p.html 2> /dev/null; echo $?; ls p.html 2> /dev/null
      """)
    #expect(result.lines.joined(separator: " ") == "1 1 2 1 1 1 1 64", "\(result)")
  }

  @Test("Two movies are compared on one timeline")
  func comparison() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp $V/progressive.mp4 a.mp4; cp $V/prft.mp4 b.mp4; mkdir f; cp $V/hls/init.mp4 $V/hls/seg*.m4s f
      mp4tool report a.mp4 b.mp4 -o page.html; echo $?
      grep -o '<b>[AB]: track [^<]*</b>' page.html | head -n 4
      grep -o 'data-chart="timeline" data-track="[0-9]*"' page.html | wc -l
      mp4tool report a.mp4 a.mp4 -o - | grep -c 'All properties are equal'
      mp4tool report f/init.mp4 f/seg*.m4s a.mp4 -o - | grep -c 'data-chart="rate"'
      mp4tool report a.mp4 b.mp4 a.mp4 -o x.html 2> message; echo $?; cut -d, -f1 message
      mp4tool report a.mp4 b.mp4 -o b.mp4 2> /dev/null; echo $?; cmp b.mp4 $V/prft.mp4
      """)
    #expect(
      result.lines.map(String.init) == [
        "0", "<b>A: track 1, video</b>", "<b>B: track 1, video</b>", "<b>A: track 2, audio</b>",
        "<b>B: track 2, audio</b>", "4", "1", "4", "65", "mp4tool: a.mp4: a page is about one movie or two", "73",
      ], "\(result)")
  }

  @Test("Each of several files gets a page")
  func pages() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir -p a/b; cp $V/progressive.mp4 a/1.mp4; cp $V/prft.mp4 a/b/1.mp4; cp $V/pcm.mov a-b-1.mp4; echo x > a/2.mp4
      mp4tool report --recursive a ./a-b-1.mp4 -o pages 2> messages | sort; echo "${PIPESTATUS[0]}"
      mp4tool report a/1.mp4 -o one.html; cmp one.html pages/a/1.mp4.html; cat messages
      mp4tool report --recursive a -o - 2> /dev/null; echo $?; mp4tool report a/1.mp4 -j 2 -o x.html 2> /dev/null; echo $?
      mp4tool report --recursive a --no-clobber -o pages 2> /dev/null; echo $?
      """)
    #expect(
      result.lines.map { $0.split(separator: ":")[0] } == [
        "pages/a-b-1.mp4.html", "pages/a/1.mp4.html", "pages/a/b/1.mp4.html", "65", "mp4tool", "64", "64", "73",
      ], "\(result)")
  }

  @Test("The samples in its data equal those of samples")
  func samples() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool report in.mp4 -o - | grep -o '"decode_seconds":[^]]*' | head -1 | tr -d '"a-z_:[' | tr , '\\n' > page
      mp4tool samples --tracks 1 --format csv in.mp4 | tail -n +2 | cut -d, -f5 > list
      cmp page list && wc -l < list
      """)
    let count = result.lines.first.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    #expect(result.exitCode == 0 && count > 50, "\(result)")
  }

  @Test("Segments with their init segment are one page; a gap is a warning, and lost media exits with 1")
  func segments() throws {
    let shell = try EndToEnd()
    let whole = try shell("mp4tool report $V/hls/init.mp4 $V/hls/segment[1-3].m4s -o - | grep -c 'Inputs'")
    #expect(whole.text == "1\n" && whole.errorText == "")
    let gap = try shell(
      """
      mp4tool report $V/hls/init.mp4 $V/hls/segment1.m4s $V/hls/segment3.m4s -o gap.html
      echo $?; grep -o '"severity":"warning"' gap.html | head -1
      """)
    #expect(gap.lines == ["0", "\"severity\":\"warning\""] && gap.errorText.contains("warning: "), "\(gap)")
    let cut = try shell(
      """
      head -c 30000 in.mp4 > cut.mp4; mp4tool report cut.mp4 -o cut.html; echo $?
      grep -c '"severity":"error"' cut.html
      """)
    #expect(cut.lines == ["1", "1"], "\(cut)")
  }

  @Test("Inputs and, on request, existing files are not overwritten; a failure leaves nothing")
  func refused() throws {
    let shell = try EndToEnd()
    #expect(try shell("cp in.mp4 copy; mp4tool report in.mp4 -o in.mp4").exitCode == 73)
    #expect(try shell("echo text > old; mp4tool report --no-clobber in.mp4 -o old").exitCode == 73)
    #expect(try shell("mp4tool report in.mp4").exitCode == 64)
    #expect(try shell("mp4tool report old -o new.html").exitCode == 65)
    #expect(try shell("cmp in.mp4 copy; cat old; ls").lines == ["text", "copy", "in.mp4", "old"])
  }

  @Test("A playlist, its folder and its URL give a page of the presentation with the same summary as info")
  func presentation() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out; mp4tool report out/master.m3u8 -o page.html
      mp4tool report out -o - | cmp - page.html; mp4tool info --format jsonl out
      """)
    let page = String(decoding: try shell.bytes("page.html"), as: UTF8.self)
    #expect(result.exitCode == 0 && page.hasPrefix("<!doctype html>\n") && !page.contains("://"))
    #expect(page.contains("{\"summary\":\(try #require(result.lines.first)),\"axis\":"))
    for id in ["summary", "timeline", "rates", "buffers"] { #expect(page.contains("<section id=\"\(id)\"")) }
    let media = try shell("mp4tool report out/video-90/index.m3u8 -o - | grep -o '<section id=\"[a-z]*'")
    #expect(media.lines == ["summary", "timeline", "rates"].map { "<section id=\"\($0)" })
    #expect(try shell("mp4tool report out in.mp4 -o b.html").exitCode == 64)
    guard WebServer.isPossible else { return }
    let server = try WebServer(shell.folder.path)
    let remote = try shell("mp4tool report \(server.address)/out/master.m3u8 -o - | grep -o '\"bit_rates\":[^]]*'")
    #expect(remote.lines == (try shell("grep -o '\"bit_rates\":[^]]*' page.html").lines) && !remote.lines.isEmpty)
  }

  @Test("Unusable segments have a line each, or one with a count, and the exit code is 1")
  func unusable() throws {
    let shell = try EndToEnd()
    let missing = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out; rm out/audio-en/segment2.m4s out/video-90/init.mp4
      mp4tool report out -o page.html; echo $?; grep -c 'cannot be played' page.html
      """)
    #expect(missing.lines.first == "1" && missing.lines.count == 2, "\(missing)")
    let reason = "cannot open: no such file or directory"
    #expect(
      missing.errorLines == [
        "mp4tool: out/video-90/index.m3u8: line 9: out/video-90/init.mp4: \(reason) (4 segments)",
        "mp4tool: out/audio-en/index.m3u8: line 11: out/audio-en/segment2.m4s: \(reason)",
      ])
  }

  @Test("Neither playlists nor segments of the input are overwritten")
  func protected() throws {
    let shell = try EndToEnd()
    _ = try shell("mp4tool hls -q $V/progressive.mp4 -o out; cp -r out copy")
    for file in ["master.m3u8", "video-90/index.m3u8", "video-90/init.mp4", "audio-en/segment2.m4s"] {
      for input in ["out", "out/master.m3u8"] {
        #expect(try shell("mp4tool report \(input) -o out/\(file)").exitCode == 73, "\(file)")
      }
    }
    #expect(try shell("mkdir plain; cp in.mp4 plain; mp4tool report plain -o plain/in.mp4").exitCode == 73)
    #expect(try shell("diff -r out copy && cmp in.mp4 plain/in.mp4").exitCode == 0)
  }
}
