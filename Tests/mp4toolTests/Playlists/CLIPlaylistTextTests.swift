import Support
import Testing

@Suite("Text in a playlist, end to end")
struct CLIPlaylistTextTests {
  @Test("Text renditions in MP4 and WebVTT are included on request, otherwise reported")
  func text() throws {
    let shell = try EndToEnd()
    var text = FragmentedFileBuilder([TrackSpec.text()])
    text.addFragments(3)
    let built = text.build()
    try shell.folder.write("init.mp4", built.initialization)
    for (index, bytes) in built.segments.enumerated() { try shell.folder.write("\(index).m4s", bytes) }
    let result = try shell(
      """
      mp4tool hls -q "$V"/progressive.mp4 -o out; mkdir out/text; mv init.mp4 ?.m4s out/text
      { printf '#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXT-X-MAP:URI="init.mp4"\\n'
        for i in 0 1 2; do printf '#EXTINF:2,\\n%d.m4s\\n' $i; done; echo '#EXT-X-ENDLIST'; } > out/text/index.m3u8
      printf '#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXTINF:6,\\na.vtt\\n#EXT-X-ENDLIST\\n' > out/text/vtt.m3u8
      media() { echo "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\\"t\\",NAME=\\"$1\\",LANGUAGE=\\"$2\\",URI=\\"text/$3\\""; }
      { head -n 2 out/master.m3u8; media A en index.m3u8; media B de vtt.m3u8
        tail -n +3 out/master.m3u8 | sed 's/^#EXT-X-STREAM-INF:/&SUBTITLES="t",/'; } > out/text.m3u8
      printf 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n' > out/text/a.vtt
      mp4tool defrag out/text.m3u8 -o none.mp4; echo $?
      mp4tool defrag --with-subtitles --language en out/text.m3u8 -o one.mp4; echo $?
      mp4tool defrag --with-subtitles out/text.m3u8 -o two.mp4; echo $?
      """)
    #expect(result.lines == ["0", "0", "0"], "\(result)")
    #expect(
      result.errorText.contains("out/text.m3u8: its subtitles (A, B) are not used; --with-subtitles adds them"),
      "\(result)")
    let handlers = try ["none.mp4", "one.mp4", "two.mp4"].map {
      try SampleReader.read(shell.bytes($0)).tracks.map(\.handler)
    }
    let texts = built.samples.first?.value.map(\.payload)
    #expect(handlers == [["vide", "soun"], ["vide", "soun", "text"], ["vide", "soun", "text", "sbtl"]])
    #expect(try SampleReader.read(shell.bytes("one.mp4")).tracks.last?.samples.map(\.payload) == texts)
  }

  @Test("Segments of WebVTT become one track whose cues are where players show them, each once")
  func segments() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf 'WEBVTT\\n\\n00:01.000 --> 00:03.500\\nOne\\n\\n00:04.000 --> 00:05.000\\nTwo\\n' > en.vtt
      for profile in hls apple; do
        mp4tool hls -q --profile $profile --segment-duration 2 "$V"/progressive.mp4 -o $profile
        mp4tool subtitles -q --in-place --segment-duration 2 --subtitles en=en.vtt $profile/master.m3u8
        ls $profile/subtitles/en | grep -c vtt$
        mp4tool defrag -q --with-subtitles $profile/master.m3u8 -o $profile.mp4; echo $?
        mp4tool defrag -q $profile/master.m3u8 -o plain.mp4
        # Sound and pictures are as without subtitles, and cues as in the file, relative to the first picture.
        for f in $profile plain; do mp4tool samples --format csv --tracks 1 $f.mp4 | cut -d , -f 1-7 > $f.csv; done
        cmp $profile.csv plain.csv; wc -l < plain.csv
        mp4tool extract -q --tracks text $profile.mp4 -o $profile.vtt; grep -A 1 -e '-->' $profile.vtt | grep -v '^--$'
      done
      printf 'not text' > apple/subtitles/en/segment1.vtt
      mp4tool defrag -q --with-subtitles apple/master.m3u8 -o broken.mp4; echo $?
      """)
    let each = [
      "12", "0", "601", "00:00:01.000 --> 00:00:03.500", "One", "00:00:04.000 --> 00:00:05.000", "Two",
    ]
    #expect(result.lines.map(String.init) == each + each + ["1"], "\(result)")
    #expect(result.errorText.contains("segment1.vtt: line 1: a WebVTT file must begin with WEBVTT"), "\(result)")
  }

  @Test("Cues count from the first picture, also if it is presented later than decoded, and lost ones are errors")
  func times() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\nOne\\n\\n00:08.000 --> 00:09.000\\nTwo\\n' > en.vtt
      mp4tool defrag -q --tracks video "$V"/progressive.mp4 -o video.mp4
      mp4tool hls -q --segment-duration 2 video.mp4 -o out
      mp4tool subtitles -q --in-place --subtitles en=en.vtt out/master.m3u8
      mp4tool defrag -q --with-subtitles out/master.m3u8 -o all.mp4; echo $?
      first() { mp4tool samples --format csv --tracks $1 $2 | awk -F , 'NR > 1 { print $7 }' | sort -n | head -n 1; }
      first video all.mp4; mp4tool extract -q --tracks text all.mp4 -o - | grep -e '-->'
      mp4tool defrag -q --with-subtitles --limit 4 out/master.m3u8 -o part.mp4
      mp4tool extract -q --tracks text part.mp4 -o - | grep -ce '-->'; mp4tool info part.mp4 | head -n 1 | grep -c 0:04
      sed -i /TIMESTAMP/d out/subtitles/en/*.vtt; mp4tool defrag -q --with-subtitles out/master.m3u8 -o lost.mp4; echo $?
      """)
    let lines = result.lines.map(String.init)
    #expect(lines.first == "0" && lines.suffix(3) == ["1", "1", "1"], "\(result)")
    // The distance to the first picture is that of the file.
    let start = lines.count > 2 ? Double(lines[1]) : nil
    #expect(lines.dropFirst(2).first?.hasPrefix("00:00:0\(1 + (start ?? 9))".prefix(10)) == true, "\(result)")
    #expect(result.errorText.contains("2 cues end before the presentation starts"), "\(result)")
  }
}
