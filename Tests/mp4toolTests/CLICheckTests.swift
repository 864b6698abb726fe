import Support
import Testing

@Suite("check, end to end")
struct CLICheckTests {
  private static let copied = "cp $V/fragmented.mp4 movie.mp4; "

  @Test("Each finding has a line, and a summary follows")
  func text() throws {
    let result = try EndToEnd()(
      Self.copied + "mp4tool check movie.mp4; head -c 20000 movie.mp4 > cut.mp4; mp4tool check cut.mp4")
    let known = "moov/mvhd at byte 36: warning: next_track_ID is 2, but there is a track 2  [iso-next-track-id"
    #expect(
      result.lines.filter { !$0.contains(" rules of iso)") }.map {
        $0.split(separator: ", ISO/IEC 14496-12:2022]", omittingEmptySubsequences: false)[0]
      } == [
        "movie.mp4: \(known)", "cut.mp4: \(known)",
        "cut.mp4: mdat[2] at byte 15673: error: its size is 13712, but only 4327 bytes are left  [iso-box-size",
      ])
    #expect(result.lines.last?.hasPrefix("1 error, 1 warning in 1 file (") == true && result.exitCode == 1)
  }

  @Test("The exit code follows --fail-on; --level, --ignore and --baseline hide findings")
  func selections() throws {
    let shell = try EndToEnd()
    func run(_ options: String) throws -> String {
      try shell(Self.copied + "mp4tool check \(options) movie.mp4").description
    }
    let nothing = "exit code 0\nno findings in 1 file"
    // The exit status does not depend on what is printed.
    #expect(try run("--fail-on warning --level error").hasPrefix("exit code 1\n"))
    #expect(try run("--fail-on warning").hasPrefix("exit code 1\nmovie.mp4: moov/mvhd at byte 36: warning: "))
    #expect(try run("--level error").hasPrefix(nothing))
    #expect(try run("--ignore iso-next-track-id").hasPrefix(nothing))
    let baseline = try shell(
      Self.copied + "mp4tool check movie.mp4 > known.txt; mp4tool check --baseline known.txt --fail-on note movie.mp4")
    #expect(baseline.description.hasPrefix(nothing))
  }

  @Test("Files pass or fail a specification, and a first version of one is written")
  func specifications() throws {
    let shell = try EndToEnd()
    let files = "cp $V/progressive.mp4 good.mp4; head -c 90000 good.mp4 > cut.mp4; "
    let draft = try shell(
      files + "mp4tool check --spec-from good.mp4 > spec.txt; mp4tool check --spec spec.txt good.mp4")
    #expect(draft.exitCode == 0 && draft.lines.first == "good.mp4: passes spec.txt (22 requirements met)")
    let failing = try shell(
      files + "printf 'video.width = 1920\nwarn video.colors present\n' > spec.txt; "
        + "mp4tool check --spec spec.txt good.mp4 cut.mp4; echo $?")
    #expect(
      failing.lines.filter { !$0.hasPrefix("cut.mp4: error: mdat") }.dropLast(2) == [
        "good.mp4: error: video.width is 160, not 1920  [spec-video.width, spec.txt, line 1]",
        "good.mp4: warning: video.colors is missing  [spec-video.colors, spec.txt, line 2]",
        "good.mp4: fails spec.txt (1 of 2 requirements not met, 1 warning)",
        "cut.mp4: error: video.width is 160, not 1920  [spec-video.width, spec.txt, line 1]",
        "cut.mp4: warning: video.colors is missing  [spec-video.colors, spec.txt, line 2]",
        "cut.mp4: fails spec.txt (1 of 2 requirements not met, the file is damaged, 1 warning)",
      ])
    #expect(failing.lines.last == "1")
    let junit = try shell(
      files + "printf 'video.width = 160\nvideo.height = 91\n' > spec.txt; "
        + "mp4tool check --spec spec.txt --format junit good.mp4")
    #expect(junit.lines.count { $0.contains("<testcase ") } == 2 && junit.lines.count { $0.contains("<failure ") } == 1)
    let example = try shell(
      files + "mp4tool check --spec-example youtube > spec.txt; mp4tool check --spec spec.txt good.mp4")
    #expect(example.exitCode == 1 && example.text.contains("audio[1].sample_rate is 22050, not one of 48000, 96000"))
    for (text, message) in [
      ("video.codek = 1", "line 1: `video` has no property `codek`; did you mean `codec`?"),
      ("", "it has no requirement"),
    ] {
      let wrong = try shell(files + "printf '\(text)' > spec.txt; mp4tool check --spec spec.txt good.mp4 2>&1")
      #expect(wrong.exitCode == 65 && wrong.text.contains("mp4tool: spec.txt: \(message)"), "\(wrong)")
    }
    #expect(try shell(files + "mp4tool check --spec none.txt good.mp4").exitCode == 66)
    let zeros = try shell(
      files + "dd if=/dev/zero of=good.mp4 bs=1 seek=60000 count=4000 conv=notrunc 2> /dev/null; "
        + "echo 'video.width = 160' > spec.txt; mp4tool check --spec spec.txt --deep good.mp4")
    #expect(
      zeros.exitCode == 1 && zeros.text.contains("good.mp4: fails spec.txt (1 requirement met, the file is damaged"))
    #expect(try shell(files + "mp4tool check --spec-from none.mp4").exitCode == 66)
    #expect(try shell(files + "mp4tool check --spec-example netflix").exitCode == 64)
    let presentation = try shell("mp4tool check --spec-example youtube > s.txt; mp4tool check --spec s.txt $V/hls 2>&1")
    #expect(presentation.exitCode == 65 && presentation.text.contains("a specification is for files"))
  }

  @Test("Formats for build servers and for services")
  func formats() throws {
    let shell = try EndToEnd()
    let xml = try shell(Self.copied + "mp4tool check --format junit --fail-on warning movie.mp4")
    #expect(xml.exitCode == 1 && xml.text.contains("<failure type=\"warning\" message=\"next_track_ID is 2"))
    let sarif = try shell(Self.copied + "mp4tool check --format sarif movie.mp4")
    let result = try JSONValue(Array(sarif.text.utf8))["runs"]?[0]?["results"]?[0]
    #expect(result?["ruleId"]?.string == "iso-next-track-id" && result?["level"]?.string == "warning")
    let csv = try shell(Self.copied + "mp4tool check --format csv movie.mp4 | head -n 1")
    #expect(
      csv.text == "file,path,offset,line,severity,message,track,sample,presentation_seconds,byte,samples,"
        + "places,rule,profile,source,remedy\n")
  }

  @Test("Media is verified as deeply as requested, and the result says what was not looked for")
  func depths() throws {
    let shell = try EndToEnd()
    let plain = try shell(Self.copied + "mp4tool check movie.mp4")
    #expect(!plain.text.contains("not looked for"))
    let deep = try shell(Self.copied + "mp4tool check --deep movie.mp4; mp4tool check --deep=media movie.mp4")
    let limit = "not looked for: damage inside coded pictures (H.264) (`--deep=decode` looks for it in some codecs)"
    #expect(deep.lines.count { $0.hasSuffix(limit) } == 2, "\(deep)")
    let decoded = try shell(Self.copied + "mp4tool check --deep=decode --format json movie.mp4")
    let json = try JSONValue(Array(decoded.text.utf8))
    #expect(json["not_looked_for"] == .array([]) && json["samples"] == json["examined_samples"])
    #expect(try shell(Self.copied + "mp4tool check --deep=deeper movie.mp4").exitCode == 64)
    // A sample in the middle is damaged: the byte after its length is that of a NAL unit with the forbidden bit.
    let damaged = try shell(
      """
      cp $V/fragmented.mp4 movie.mp4
      offset=$(mp4tool samples --format jsonl movie.mp4 | sed -n 's/.*"track":1,"number":20,.*"offset":\\([0-9]*\\).*/\\1/p')
      printf '\\377' | dd of=movie.mp4 bs=1 seek=$((offset + 4)) conv=notrunc 2> /dev/null
      mp4tool check movie.mp4 > /dev/null; echo $?
      mp4tool check --deep --format jsonl movie.mp4
      """)
    #expect(damaged.lines.first == "0", "\(damaged)")
    let finding = try damaged.lines.dropFirst().map { try JSONValue(Array($0.utf8)) }.first {
      $0["rule"]?.string == "media-units"
    }
    #expect(
      finding?["track"]?.number == "1" && finding?["sample"]?.number == "20" && finding?["samples"]?.number == "1",
      "\(damaged)")
  }

  @Test("Presentations are checked together with their media; output of hls has no findings")
  func presentations() throws {
    let shell = try EndToEnd()
    let fine = try shell(
      "mp4tool hls -q $V/progressive.mp4 -o out && mp4tool check out && mp4tool check out/master.m3u8")
    #expect(fine.exitCode == 0 && fine.lines.allSatisfy { $0.hasPrefix("no findings in ") }, "\(fine)")
    let wrong = try shell(
      """
      sed -i 's/RESOLUTION=160x90/RESOLUTION=320x180/; s/BANDWIDTH=5[0-9]*/BANDWIDTH=1000/' out/master.m3u8
      rm out/audio-en/segment2.m4s
      mp4tool check out --level error | sed 's/^[^ ]*out.//'
      """)
    #expect(
      wrong.lines.map { $0.split(separator: ", draft")[0] } == [
        "master.m3u8: line 4: error: AVERAGE-BANDWIDTH is 56224, but BANDWIDTH, the peak, is only 1000  "
          + "[hls-average-bandwidth",
        "master.m3u8: line 4: error: BANDWIDTH is 1000 b/s, but the media has 58988 b/s  [hls-bandwidth-media",
        "audio-en/index.m3u8: line 11: error: out/audio-en/segment2.m4s: cannot open: no such file or directory  "
          + "[hls-missing",
        wrong.lines.last ?? "",
      ])
    #expect(wrong.lines.last?.hasPrefix("3 errors in 13 files (") == true)
  }

  @Test("An input that cannot be opened does not prevent checks of the others")
  func missing() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.copied + "mkdir none; mp4tool check --level error movie.mp4 missing.mp4 none missing.m3u8 $V/progressive.mp4"
    )
    #expect(result.exitCode == 66 && result.lines.count == 1, "\(result)")
    #expect(result.lines.first?.hasPrefix("no findings in 2 files (") == true)
    #expect(result.errorLines.count == 3 && result.errorLines[0].contains("missing.mp4: cannot open"), "\(result)")
    let none = try shell("mp4tool check missing.mp4")
    #expect(none.exitCode == 66 && none.text.isEmpty)
    let json = try shell("mp4tool check --format json missing.mp4 movie.mp4")
    #expect(try json.exitCode == 66 && JSONValue(Array(json.text.utf8))["findings"]?.elements.count == 1)
  }

  @Test("A file that is not a movie is an error, and a pipe has the findings of the file")
  func inputs() throws {
    let shell = try EndToEnd()
    let empty = try shell(": > empty.mp4; mp4tool check empty.mp4; echo $?; echo text | mp4tool check - --level error")
    #expect(
      empty.text.contains("empty.mp4: error: the content is empty, not media  ") && empty.text.contains("\n1\n")
        && empty.exitCode == 1, "\(empty)")
    let cut = try shell("head -c 5000 $V/progressive-moov-last.mp4 > cut.mp4; mp4tool check cut.mp4")
    #expect(cut.exitCode == 1 && cut.text.contains("[iso-movie") && !cut.text.contains("fixes"), "\(cut)")
    let pipe = try shell(
      "cat $V/base-data-offset.mp4 | mp4tool check - | grep -c warning:; mp4tool check $V/base-data-offset.mp4 | "
        + "grep -c warning:")
    #expect(pipe.lines == ["1", "1"])
  }

  @Test("The last line says what was examined, and a baseline still applies")
  func scope() throws {
    let shell = try EndToEnd()
    let fine = try shell("cp $V/progressive.mp4 a.mp4; mp4tool check a.mp4")
    #expect(fine.lines.count == 1 && fine.text.contains(" of iso); checked the structure, and "), "\(fine)")
    let json = try JSONValue(Array(try shell("mp4tool check --format json a.mp4").text.utf8))
    let (all, own) = (json["samples"]?.number ?? "", json["examined_samples"]?.number ?? "")
    // The text has separators between thousands.
    #expect(all == "1118" && fine.text.contains("and \(own) of 1,118 samples"), "\(fine)")
    let segment = try shell("mp4tool check $V/fragmented.mp4 | head -n 1 > known.txt; cat known.txt")
    #expect(segment.text.contains("[iso-next-track-id"))
    let known = try shell("mp4tool check --baseline known.txt --fail-on note $V/fragmented.mp4")
    #expect(known.exitCode == 0, "\(known)")
  }

  @Test("Zeros after the last box, and media data that claims too many bytes, are warnings in all commands")
  func harmless() throws {
    let shell = try EndToEnd()
    let files = try shell(
      """
      (cat $V/progressive.mp4; head -c 512 /dev/zero) > zeros.mp4
      (cat $V/separate-moof.mp4; head -c 512 /dev/zero) > zeros2.mp4
      for file in zeros zeros2; do
        mp4tool defrag $file.mp4 -o $file.out.mp4; echo defrag $?
        mp4tool fragment $file.mp4 -o $file.frag.mp4; echo fragment $?
        mp4tool cut --from 1 --to 3 $file.mp4 -o $file.cut.mp4; echo cut $?
        mp4tool info $file.mp4 > /dev/null; echo info $?
        mp4tool check --level error $file.mp4 > /dev/null; echo check $?
        mp4tool diff --samples $file.mp4 $file.out.mp4; echo diff $?
      done 2> messages.txt
      grep -c 'warning: zeros[2]*.mp4: 512 zeros from byte' messages.txt
      """)
    #expect(files.lines.filter { $0.hasSuffix(" 1") } == [], "\(files)")
    #expect(files.lines.count { $0.hasSuffix(" 0") } == 12 && Int(files.lines.last ?? "") ?? 0 >= 6, "\(files)")
    let lost = try shell("head -c -8 $V/progressive.mp4 > cut.mp4; mp4tool defrag -q cut.mp4 -o cut.out.mp4; echo $?")
    #expect(lost.lines.last == "1", "\(lost)")
  }

  @Test("Rules are listed and explained")
  func rules() throws {
    let shell = try EndToEnd()
    #expect(try shell("mp4tool check --rules").lines.contains { $0.hasPrefix("iso-track-id-zero ") })
    #expect(
      try shell("mp4tool check --explain iso-stts-count").description == """
        exit code 0
        iso-stts-count
          stts has as many samples as the track.
          Players present the affected samples at wrong times, or reject the track.
          severity  error
          profile   iso
          source    ISO/IEC 14496-12:2022
          looks at  stbl
          fixed by  mp4tool defrag


        """)
    let wrong = try shell("mp4tool check --explain iso-stts-counts 2>&1")
    #expect(wrong.exitCode == 64 && wrong.text.contains("did you mean 'iso-stts-count'"), "\(wrong)")
    let list = try shell("mp4tool check --ignore iso-box-rest,iso-stts-counts a.mp4 2>&1")
    #expect(list.exitCode == 64 && list.text.contains("did you mean 'iso-stts-count'"), "\(list)")
    let table = try shell("mp4tool check --rules --for mse --level error --format csv")
    #expect(table.lines.first == "rule,profile,severity,meaning,consequence,looks_at,standard,clause,remedy")
    #expect(table.lines.count > 4 && table.lines.dropFirst().allSatisfy { $0.contains(",mse,error,") }, "\(table)")
    #expect(try shell("mp4tool check --rules --format junit").exitCode == 64)
  }

  @Test("Several rules can be ignored at once, and baselines apply to files with the same name")
  func lists() throws {
    let shell = try EndToEnd()
    let ignored = try shell(
      Self.copied + "mp4tool check --fail-on note --for iso,web --ignore iso-next-track-id,web-priming movie.mp4")
    #expect(ignored.exitCode == 0, "\(ignored)")
    let known = try shell(
      """
      mkdir old new; cp $V/fragmented.mp4 old/movie.mp4; cp $V/fragmented.mp4 new/movie.mp4
      mp4tool check old/movie.mp4 > known.txt
      mp4tool check --baseline known.txt --fail-on note new/movie.mp4
      """)
    #expect(known.exitCode == 0 && known.text.hasPrefix("no findings"), "\(known)")
    let other = try shell(
      "cp new/movie.mp4 new/other.mp4; mp4tool check --baseline known.txt --fail-on note new/other.mp4")
    #expect(other.exitCode == 1, "\(other)")
    let none = try shell(
      "mp4tool check --format json new/movie.mp4 > a.json; mp4tool check --baseline a.json new/movie.mp4 2>&1")
    #expect(none.exitCode == 65 && none.text.contains("a.json: this is not the text output of"), "\(none)")
  }

  @Test("Unreadable parts of a playlist are findings, and the rest is checked; an empty one is reported as empty")
  func playlists() throws {
    let shell = try EndToEnd()
    let wrong = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out
      sed -i 's/RESOLUTION=160x90/RESOLUTION=160X90/; s/FRAME-RATE=25/FRAME-RATE=30/' out/master.m3u8
      sed -i 's/EXT-X-TARGETDURATION:/EXT-X-TARGETDURATION:x/' out/video-90/index.m3u8
      mp4tool check out --for hls,apple --level warning | grep -v I-FRAME | sed 's/^[^ ]*out.//; s/: [ew][a-z]*: .*\\[/ [/; s/, draft.*//'
      """)
    #expect(
      wrong.lines.dropLast() == [
        "master.m3u8: line 4 [hls-attribute-form", "master.m3u8: line 4 [hls-frame-rate-media",
        "video-90/index.m3u8: line 4 [hls-tag-value",
      ], "\(wrong)")
    let empty = try shell("mkdir none; printf '#EXTM3U\\n#EXT-X-VERSION:7\\n' > none/main.m3u8; mp4tool check none")
    #expect(empty.exitCode == 1 && empty.text.contains("error: it has neither variants nor segments"), "\(empty)")
  }

  @Test("File names are escaped in XML and URIs")
  func names() throws {
    let shell = try EndToEnd()
    let copied = "cp $V/fragmented.mp4 \"a & b%.mp4\"; "
    let xml = try shell(copied + "mp4tool check --format junit \"a & b%.mp4\"")
    #expect(xml.text.contains("<testsuite name=\"a &amp; b%.mp4\""), "\(xml)")
    let sarif = try shell(copied + "mp4tool check --format sarif \"a & b%.mp4\"")
    #expect(sarif.text.contains("\"a%20&%20b%25.mp4\""), "\(sarif)")
  }
}
