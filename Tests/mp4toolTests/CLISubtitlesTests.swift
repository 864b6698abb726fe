import Support
import Testing

@Suite("subtitles, end to end")
struct CLISubtitlesTests {
  static let webVTT = """
    WEBVTT

    intro
    00:01.000 --> 00:03.500 line:0
    <i>Hello</i> & welcome

    00:03.000 --> 00:06.500
    Second cue
    in two <b>lines</b>

    00:00:11.000 --> 00:00:12.000
    Third
    """
  static let subRip =
    "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color=\"#ffff00\">Un</font>\n\nDeux\n\n2\n00:00:03,000 --> "
    + "00:00:04,000\nTrois\n"

  /// A presentation of 24 seconds in `movie`, and subtitles.
  static func prepared(_ options: String = "", of vector: String = "progressive.mp4") throws -> EndToEnd {
    let shell = try EndToEnd()
    try shell.folder.write("en.vtt", Array(webVTT.utf8))
    try shell.folder.write("fr.srt", Array(subRip.utf8))
    let result = try shell("mp4tool hls -q --segment-duration 2 \(options) \"$V\"/\(vector) -o movie")
    #expect(result.exitCode == 0, "\(result)")
    return shell
  }

  @Test("Wrong usage exits with 64 and writes nothing")
  func usage() throws {
    let shell = try Self.prepared()
    let lines = [
      ("movie/master.m3u8 -o out", "option '--subtitles' is missing: add '--subtitles LANG=FILE'"),
      (
        "--subtitles en=en.vtt movie/master.m3u8",
        "option '--output' is missing: add '-o DIR' or '--in-place'"
      ),
      (
        "--subtitles en=en.vtt -o out",
        "PLAYLIST is missing: 'mp4tool subtitles [OPTION]... {-o DIR | --in-place} --subtitles LANG=FILE PLAYLIST'"
      ),
      (
        "--subtitles en.vtt movie/master.m3u8 -o out",
        "'en.vtt' needs a language, as in '--subtitles en=en.vtt'"
      ),
      (
        "--subtitles en=en.vtt movie/master.m3u8 -o -",
        "option '--output' writes a folder, which cannot go to standard output"
      ),
      (
        "--subtitles en=en.vtt --in-place movie/master.m3u8 -o out",
        "options '--in-place' and '--output' contradict each other"
      ),
      (
        "--subtitles en=en.vtt --in-place https://example.com/a.m3u8",
        "a playlist on a server or in a pipe cannot be changed in place; use '-o DIR'"
      ),
      (
        "--subtitles English=en.vtt movie/master.m3u8 -o out",
        "'English' is not a language tag (BCP 47); use '--subtitles en=en.vtt'"
      ),
      (
        "--subtitles Klingon=en.vtt movie/master.m3u8 -o out",
        "'Klingon' is not a language tag (BCP 47), such as en or pt-BR"
      ),
      (
        "--subtitles en=en.vtt --encoding koi8-r movie/master.m3u8 -o out",
        "unknown encoding 'koi8-r'; convert the file first: iconv -f koi8-r -t UTF-8 en.vtt > utf8-en.vtt"
      ),
      (
        "--subtitles 'en=en.vtt,encoding=cp437' movie/master.m3u8 -o out",
        "unknown encoding 'cp437'; convert the file first: iconv -f cp437 -t UTF-8 en.vtt > utf8-en.vtt"
      ),
      (
        "--subtitles en=en.vtt,name= movie/master.m3u8 -o out",
        "option '--subtitles' takes [LANG=]FILE and optional settings, such as en=subs.vtt,name=English,default, not "
          + "'en=en.vtt,name='"
      ),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool subtitles \(arguments)")
      #expect(result.exitCode == 64 && result.errorLines.first == "mp4tool subtitles: \(message)", "\(result)")
    }
    #expect(shell.folder.names == ["en.vtt", "fr.srt", "in.mp4", "movie"])
  }

  @Test("For a media playlist alone, the multivariant playlist is written")
  func mediaPlaylist() throws {
    let shell = try Self.prepared("--muxed")
    let result = try shell(
      """
      media=$(ls movie/*/index.m3u8) && mp4tool subtitles $media --subtitles en=en.vtt -o out || exit
      grep -o 'BANDWIDTH=[0-9]*,AVERAGE-BANDWIDTH=[0-9]*' movie/master.m3u8
      grep -o '^#EXT-X-STREAM-INF:.*' out/master.m3u8; ls out
      mp4tool check --allow-outside --level error out/master.m3u8 | tail -n 1
      """)
    let lines = result.lines
    try #require(lines.count >= 4, "\(result)")
    #expect(lines[1].hasPrefix("#EXT-X-STREAM-INF:BANDWIDTH=") && lines[1].contains("AVERAGE-BANDWIDTH="), "\(result)")
    #expect(
      lines[1].contains("CODECS=\"avc1.64000B,mp4a.40.2\"") && lines[1].contains("RESOLUTION=160x90"), "\(result)")
    #expect(
      lines[1].contains("SUBTITLES=") && lines.contains("master.m3u8") && lines.contains("subtitles"), "\(result)")
    #expect(lines.last?.hasPrefix("no findings") == true, "\(result)")
    #expect(result.errorText.contains("master.m3u8 is its multivariant playlist"), "\(result)")
  }

  @Test("Unusable inputs exit with 65, missing ones with 66, and a folder that is not empty with 73")
  func failures() throws {
    let shell = try Self.prepared()
    func failed(_ arguments: String, _ code: Int32, _ message: String) throws {
      let result = try shell("mp4tool subtitles \(arguments)")
      #expect(result.exitCode == code && result.errorText.hasPrefix("mp4tool: \(message)"), "\(result)")
      #expect(!shell.folder.names.contains("out"))
    }
    try failed(
      "movie/video-90/index.m3u8 --subtitles en=en.vtt --in-place", 65,
      "movie/video-90/index.m3u8: this is a media playlist, to which subtitles cannot be added; use the multivariant "
        + "playlist"
    )
    try failed(
      "in.mp4 --subtitles en=en.vtt -o out", 65,
      "in.mp4: this is an MP4 file, not a playlist; 'mp4tool hls' creates a playlist from it")
    try shell.folder.write("bad.vtt", Array("1\n00:00:01,000 --> 00:00:02,000\na\n".utf8))
    try failed(
      "movie/master.m3u8 --subtitles en=bad.vtt -o out", 65,
      "bad.vtt: line 1: a WebVTT file must begin with WEBVTT, not \"1\"")
    try failed(
      "movie/master.m3u8 --subtitles en=in.mp4 -o out", 65, "in.mp4: this is an MP4 file, not WebVTT or SubRip")
    try failed("movie/master.m3u8 --subtitles en=none.vtt -o out", 66, "none.vtt: ")
    try failed("none.m3u8 --subtitles en=en.vtt -o out", 66, "none.m3u8: ")
    try failed(
      "movie/master.m3u8 --subtitles en=en.vtt,default --subtitles fr=fr.srt,default -o out", 65,
      "movie/master.m3u8: the sub")
    try failed("movie/master.m3u8 --subtitles en=en.vtt -o none/out", 73, "none/out: ")
    let full = try shell("mkdir out; touch out/file; mp4tool subtitles movie/master.m3u8 --subtitles en=en.vtt -o out")
    #expect(full.exitCode == 73 && namesInFolder(shell.folder("out")) == ["file"], "\(full)")
  }

  @Test("The edited playlist refers to the presentation from any location, and lists the subtitles")
  func wholeFile() throws {
    let shell = try Self.prepared()
    let result = try shell(
      """
      mkdir deep 'mo vie'; mv movie 'mo vie/a#b'
      mp4tool subtitles 'mo vie/a#b/master.m3u8' --subtitles en=en.vtt --subtitles fra=fr.srt,name=Français,default -o deep/out
      cat deep/out/master.m3u8; (cd deep/out; find . -type f | sort); cat deep/out/subtitles/fr/*
      """)
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    let lines = result.lines.prefix(7).dropFirst(2).map { String($0.prefix(150)) }
    let expected = """
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-1",NAME="English",URI="../../mo%20vie/a%23b/audio-en/index.m3u8",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHAN
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English",URI="subtitles/en/index.m3u8",LANGUAGE="en",AUTOSELECT=YES
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Français",URI="subtitles/fr/index.m3u8",LANGUAGE="fr",DEFAULT=YES,AUTOSELECT=YES
      #EXT-X-STREAM-INF:BANDWIDTH=63883,AVERAGE-BANDWIDTH=56142,CODECS="avc1.64000B,mp4a.40.2",AUDIO="audio-1",RESOLUTION=160x90,FRAME-RATE=25.000,VIDEO-RAN
      ../../mo%20vie/a%23b/video-90/index.m3u8
      """
    #expect(lines.joined(separator: "\n") == expected, "\(result)")
    #expect(
      result.text.hasSuffix(
        """
        ./master.m3u8
        ./subtitles/en/index.m3u8
        ./subtitles/en/subtitles.vtt
        ./subtitles/fr/index.m3u8
        ./subtitles/fr/subtitles.vtt
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:24
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:24.000000,
        subtitles.vtt
        #EXT-X-ENDLIST
        WEBVTT
        X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

        00:00:01.000 --> 00:00:02.000 line:0
        <c.yellow>Un</c>
        \u{a0}
        Deux

        00:00:03.000 --> 00:00:04.000
        Trois


        """), "\(result)")
  }

  @Test("In place, only necessary lines change, and the subtitles are in a new folder")
  func inPlace() throws {
    let shell = try Self.prepared("--profile apple")
    let result = try shell(
      """
      cp movie/master.m3u8 before; mkdir movie/subtitles
      mp4tool subtitles --in-place --segment-duration 8 movie/master.m3u8 --subtitles en=en.vtt
      diff before movie/master.m3u8; cd movie/subtitles-2/en; ls; cat segment1.vtt
      """)
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    let changed = result.lines.filter { $0.hasPrefix("< #") || $0.hasPrefix("> #") }
    #expect(changed.count == 3 && changed[1].hasPrefix("> #EXT-X-MEDIA:TYPE=SUBTITLES"), "\(changed)")
    let codecs = changed.map { $0.drop { $0 != "C" } }
    #expect(codecs[2] == codecs[0] + ",SUBTITLES=\"subtitles\"")
    #expect(
      result.text.hasSuffix(
        """
        index.m3u8
        segment1.vtt
        segment2.vtt
        segment3.vtt
        WEBVTT
        X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

        intro
        00:00:01.000 --> 00:00:03.500 line:0
        <i>Hello</i> & welcome

        00:00:03.000 --> 00:00:06.500
        Second cue
        in two <b>lines</b>


        """), "\(result)")
    let again = try shell(
      """
      cp movie/master.m3u8 before; mp4tool subtitles --in-place movie/master.m3u8 --subtitles en=en.vtt; echo $?
      cmp before movie/master.m3u8 && ls movie
      mp4tool subtitles --in-place movie/master.m3u8 --subtitles en=en.vtt,name=Other; echo $?; ls movie
      """)
    #expect(
      again.lines == [
        "65", "audio-en", "master.m3u8", "subtitles", "subtitles-2", "video-90", "0", "audio-en", "master.m3u8",
        "subtitles", "subtitles-2", "subtitles-3", "video-90",
      ], "\(again)")
    #expect(
      again.errorLines == [
        "mp4tool: movie/master.m3u8: subtitles with the name \"English\" already exist; names must differ; choose "
          + "another with name=…"
      ])
  }

  @Test("Subtitle features that a track cannot express are reported")
  func unsaid() throws {
    let result = try EndToEnd()(
      """
      printf '1\\n00:00:01,000 --> 00:00:02,000\\na\\n' > a.srt
      for format in wvtt tx3g; do
        mp4tool defrag in.mp4 --text-format $format --subtitles en=a.srt,forced,sdh -o out.mp4; echo $?
      done
      """)
    let sound =
      "mp4tool: note: a.srt: tracks cannot be marked as SDH; use the track name"
    let forced =
      "mp4tool: warning: a.srt: WebVTT tracks (wvtt) cannot be marked as forced; tx3g tracks can"
    #expect(result.lines == ["0", "0"])
    #expect(
      result.errorLines.filter { $0.contains("cannot be marked") } == [forced, sound, sound].map { $0[...] },
      "\(result)")
  }

  @Test("Subtitles that are not UTF-8 need the name of their encoding, for each file or for all")
  func encodings() throws {
    let shell = try Self.prepared()
    let times = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8)
    try shell.folder.write("ja.srt", times + [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0a])
    try shell.folder.write("pl.srt", times + [0xbf, 0xf3, 0xb3, 0x77, 0x0a])
    let none = try shell("mp4tool subtitles movie/master.m3u8 --subtitles ja=ja.srt -o out")
    #expect(none.exitCode == 65, "\(none)")
    #expect(
      none.errorLines == [
        "mp4tool: ja.srt: line 3: some bytes are not UTF-8, and no encoding is given; use for example '--encoding "
          + "windows-1252' or '--encoding shift_jis'"
      ])
    let foreign = try shell(
      """
      cp "$V"/progressive.mp4 film.mp4; : > empty.vtt
      for file in film.mp4 empty.vtt; do mp4tool subtitles movie/master.m3u8 --subtitles ja=$file -o out; echo $?; done
      """)
    #expect(
      foreign.lines == ["65", "65"]
        && foreign.errorLines == [
          "mp4tool: film.mp4: this is an MP4 file, not WebVTT or SubRip", "mp4tool: empty.vtt: the file is empty",
        ], "\(foreign)")
    let both = try shell(
      """
      mp4tool subtitles movie/master.m3u8 --encoding iso-8859-2 --subtitles ja=ja.srt,encoding=Shift_JIS --subtitles pl=pl.srt -o out
      grep -h . out/subtitles/*/*.vtt | grep -v 00:
      """)
    #expect(both.exitCode == 0 && both.lines == ["WEBVTT", "日本語", "WEBVTT", "żółw"], "\(both)")
    let wrong = try shell("mp4tool subtitles movie/master.m3u8 --encoding utf-8 --subtitles pl=pl.srt -o wrong")
    #expect(wrong.exitCode == 1 && wrong.errorText.contains("line 3: some bytes have no character in utf-8"))
    let defrag = try shell(
      """
      mp4tool defrag "$V"/progressive.mp4 --subtitles ja=ja.srt,encoding=sjis -o text.mp4 && grep -c 日本語 text.mp4
      mp4tool defrag "$V"/progressive.mp4 --subtitles ja.srt -o bad.mp4; echo $?
      mp4tool defrag "$V"/progressive.mp4 --subtitles Japanese=ja.srt -o bad.mp4; echo $?
      mp4tool defrag "$V"/progressive.mp4 --encoding sjis -o bad.mp4; echo $?
      """)
    #expect(defrag.lines == ["1", "65", "64", "64"], "\(defrag)")
    #expect(defrag.errorText.contains("'Japanese' is not a language tag (BCP 47); use '--subtitles ja=ja.srt'"))
  }

  @Test("Subtitles that defrag added are in the package that hls creates from its output")
  func packaged() throws {
    let shell = try Self.prepared()
    let result = try shell(
      """
      mp4tool defrag -q "$V"/progressive.mp4 --subtitles en=en.vtt -o text.mp4
      mp4tool hls --report report.json text.mp4 -o out && cat out/text-en/*.m3u8 out/text-en/segment1.vtt
      grep -c 'TYPE=SUBTITLES.*NAME="English",URI="text-en/index.m3u8",LANGUAGE="en"' out/master.m3u8
      grep -c '"folder": *"text-en"' report.json
      """)
    #expect(
      result.text == """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:1
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:6.000000,
        segment1.vtt
        #EXTINF:6.000000,
        segment2.vtt
        #EXTINF:6.000000,
        segment3.vtt
        #EXTINF:6.000000,
        segment4.vtt
        #EXT-X-ENDLIST
        WEBVTT
        X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

        00:00:01.000 --> 00:00:03.000
        <i>Hello</i> &amp; welcome

        00:00:03.000 --> 00:00:03.500
        <i>Hello</i> &amp; welcome
        Second cue
        in two <b>lines</b>

        00:00:03.500 --> 00:00:06.500
        Second cue
        in two <b>lines</b>

        1
        1

        """, "\(result)")
    #expect(
      result.exitCode == 0 && result.errorText.contains("3GPP timed text (tx3g) is converted to WebVTT"), "\(result)")
  }

  @Test("A loss is reported with its line and exits with 1; with --strict nothing is written, nor by a dry run")
  func findings() throws {
    let shell = try Self.prepared()
    try shell.folder.write(
      "odd.vtt", Array((Self.webVTT + "\n\n1 --> 2\nlost\n\n00:30.000 --> 00:31.000 a\nlate\n").utf8))
    let command = "mp4tool subtitles movie/master.m3u8 --subtitles en=odd.vtt"
    let result = try shell("\(command) -o out")
    #expect(
      result.errorLines == [
        "mp4tool: odd.vtt: line 14: the times are \"1 --> 2\" but must look like 00:01.000 --> 00:02.500; cue omitted",
        "mp4tool: note: odd.vtt: line 17: players ignore the setting \"a\"",
        "mp4tool: warning: odd.vtt: 1 cue starts after the end of the presentation at 00:00:24.000 and cannot be shown",
      ] && result.exitCode == 1, "\(result)")
    #expect(try shell("\(command) --strict -o strict").exitCode == 65)
    #expect(try shell("\(command) --dry-run").exitCode == 1)
    #expect(shell.folder.names == ["en.vtt", "fr.srt", "in.mp4", "movie", "odd.vtt", "out"])
  }

  @Test(
    "A presentation on a server is not copied", .enabled(if: WebServer.isPossible, "needs curl and python3"),
    arguments: ["", "--segment-duration 4", "--text-format wvtt"], ["", "--single-file"])
  func remote(options: String, storage: String) throws {
    let shell = try Self.prepared("--profile apple \(storage)")
    let server = try WebServer(shell.folder.path)
    let result = try shell(
      "mp4tool subtitles \(server.address)/movie/master.m3u8 \(options) --subtitles en=en.vtt -o out; cat "
        + "out/master.m3u8"
    )
    #expect(result.exitCode == 0 && result.errorText == "", "\(result)")
    #expect(result.lines.contains { $0 == "\(server.address)/movie/video-90/index.m3u8" })
    #expect(result.text.contains("URI=\"\(server.address)/movie/audio-en/index.m3u8\""))
    #expect(result.text.contains("URI=\"subtitles/en/index.m3u8\""))
    if !options.contains("wvtt") {
      let map = try shell("cat out/subtitles/en/*.vtt | grep TIMESTAMP | sort -u")
      #expect(map.text == "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n")
    }
    let place = server.address.dropFirst("http://".count)
    let secret = try shell(
      "mp4tool subtitles http://user:secret@\(place)/movie/master.m3u8 \(options) --subtitles en=en.vtt -o other; diff "
        + "-r out other"
    )
    #expect(secret.exitCode == 0 && secret.text == "", "\(secret)")
    #expect(
      secret.errorLines == [
        "mp4tool: warning: \(server.address)/movie/master.m3u8: its user name and password are not written to the "
          + "playlist; players need them"
      ])
    let missing = try shell("mp4tool subtitles \(server.address)/none.m3u8 --subtitles en=en.vtt -o none")
    #expect(missing.exitCode != 0 && missing.errorText.contains("404"), "\(missing)")
  }
}
