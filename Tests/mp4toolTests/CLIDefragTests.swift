import Support
import Testing

@Suite("defrag, end to end")
struct CLIDefragTests {
  @Test(
    "Separately downloaded video and audio become one file with all samples",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func groups() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag "$V"/video/init.mp4 "$V"/video/segment*.m4s "$V"/audio/init.mp4 "$V"/audio/segment*.m4s -o out.mp4
      echo $?
      ffprobe -v error -show_entries stream=id,codec_name -of compact=p=0 out.mp4
      for kind in v a; do
        folder=$([ $kind = v ] && echo video || echo audio)
        cat "$V"/$folder/init.mp4 $(ls "$V"/$folder/segment*.m4s | sort -V) > $folder.mp4
        ffmpeg -nostdin -v error -i $folder.mp4 -map 0:$kind -c copy -f framehash - | grep -v '^#' | cut -d, -f 5,6 > want
        ffmpeg -nostdin -v error -i out.mp4 -map 0:$kind -c copy -f framehash - | grep -v '^#' | cut -d, -f 5,6 > got
        test -s want && cmp want got && echo same
      done
      """)
    #expect(result.lines.first == "0")
    #expect(result.lines.suffix(2) == ["same", "same"])
    #expect(result.lines.dropFirst().prefix(2).map { $0.contains("id=0x1") || $0.contains("id=0x2") } == [true, true])
    #expect(result.errorLines.last?.contains("has its own moov") == true)
  }

  @Test("Tracks are selected by ID and kind; an invalid list is a usage error, a missing track is named")
  func tracks() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --tracks audio in.mp4 -o audio.mp4; echo $?
      mp4tool dump audio.mp4 | grep -c '\\[trak\\]'
      mp4tool defrag --tracks 2 in.mp4 -o two.mp4; cmp audio.mp4 two.mp4 && echo same
      for list in '' 0 1, nothing; do mp4tool defrag --tracks "$list" in.mp4 -o no.mp4 2> /dev/null; echo $?; done
      mp4tool defrag --tracks 9 in.mp4 -o no.mp4; echo $?
      ls no.mp4 2> /dev/null
      """)
    #expect(result.text == "0\n1\nsame\n64\n64\n64\n64\n65\n")
    #expect(
      result.errorText == "mp4tool: in.mp4: track 9 does not exist; it has track 1 (vide), track 2 (soun)\n")
  }

  @Test("The movie box can be moved to the end and back, with the same samples each time")
  func movieLast() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag in.mp4 -o first.mp4
      mp4tool defrag --moov last in.mp4 -o last.mp4; echo $?
      mp4tool dump last.mp4 | grep '^\\[' | cut -d' ' -f1 | tr -d '\\n'; echo
      mp4tool defrag -q last.mp4 -o back.mp4; cmp first.mp4 back.mp4 && echo same
      mp4tool defrag --moov behind in.mp4 -o no.mp4 2> /dev/null; echo $?
      """)
    #expect(result.text == "0\n[ftyp][mdat][moov]\nsame\n64\n")
  }

  @Test("The start can be kept, and edit lists omitted with a warning that --strict refuses")
  func edits() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool join -q --order given "$V"/hls/init.mp4 "$V"/hls/segment3.m4s "$V"/hls/segment4.m4s -o late.mp4
      mp4tool defrag --keep-start late.mp4 -o kept.mp4; echo $?
      mp4tool dump --verbosity 1 kept.mp4 | grep -c 'media time = -1'
      mp4tool defrag --no-edits "$V"/hls/init.mp4 "$V"/hls/segment1.m4s -o none.mp4; echo $?
      mp4tool dump none.mp4 | grep -c elst
      mp4tool defrag --no-edits --strict late.mp4 -o no.mp4 2> /dev/null; echo $?; ls no.mp4 2> /dev/null
      """)
    #expect(result.text == "0\n2\n0\n0\n65\n")
    #expect(result.errorLines.count == 2)
    #expect(result.errorLines.allSatisfy { $0.contains("without an edit list, it is presented at a different time") })
  }

  @Test(
    "Events between segments are omitted with a note, or become a track that other readers find",
    .enabled(if: Effort.has("ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func events() throws {
    let shell = try EndToEnd()
    // emsg version 0: urn:x, 1, timescale 1000, 500 after the start of the segment, duration 1000.
    let result = try shell(
      """
      emsg() { printf "\\0\\0\\0\\051emsg\\0\\0\\0\\0urn:x\\0001\\0\\0\\0\\003\\350\\0\\0\\001\\364\\0\\0\\003\\350\\0\\0\\0\\00$1hello"; }
      cd "$V"/video && (cat init.mp4 segment1.m4s; emsg 1; cat segment2.m4s; emsg 1; emsg 2; cat segment3.m4s) > "$OLDPWD"/events.mp4
      cd "$OLDPWD"
      mp4tool defrag events.mp4 -o none.mp4; echo $?
      mp4tool defrag --keep-events --strict events.mp4 -o kept.mp4; echo $?
      mp4tool dump kept.mp4 | grep -c '\\[evte\\]'
      ffprobe -v error -select_streams d -show_entries packet=pts_time,duration_time,size -of csv=p=0 kept.mp4
      grep -o -a emib kept.mp4 | wc -l
      """)
    #expect(
      result.lines == [
        "0", "0", "1", "0.000000,2.500000,8", "2.500000,1.000000,45", "3.500000,1.000000,8", "4.500000,1.000000,45",
        "5.500000,0.500000,8", "2",
      ])
    #expect(result.errorLines.filter { $0.contains("emsg") }.count == 1)
  }

  @Test(
    "A fragment with times inside another one replaces only these; a repeated one has no effect")
  func overlap() throws {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.audio()])
    file.addFragment { $0.addTraf(2, .samples(50)) }
    file.addFragment {
      $0.addTraf(2) {
        $0.decodeTime = 10 * 1024
        $0.addRun(.samples(5, size: 99))
      }
    }
    let built = file.build()
    try shell.folder.write("overlap.mp4", built.bytes)
    try shell.folder.write("twice.mp4", built.initialization + built.segments[0] + built.segments[0])
    let result = try shell(
      """
      mp4tool defrag overlap.mp4 -o out.mp4; echo $?
      mp4tool defrag twice.mp4 -o once.mp4; echo $?
      mp4tool defrag --dry-run --report - overlap.mp4 2> /dev/null | grep -c '"kind":"replaced".*"samples":5'
      """)
    #expect(result.lines == ["1", "0", "1"])
    #expect(
      result.errorLines == [
        "mp4tool: overlap.mp4: track 2: later fragments replace 5 samples from 0.213 s on with different ones",
        "mp4tool: warning: twice.mp4: track 2: 50 samples from 0.000 s on are repeated; used once",
      ])
    let all = try #require(built.samples[2])
    let expected = Array(all[0..<10] + all[50..<55] + all[15..<50])
    #expect(difference(expected.withSyncOnly(), try SampleReader.samples(shell.bytes("out.mp4"))[2] ?? []) == nil)
    #expect(try SampleReader.samples(shell.bytes("once.mp4"))[2]?.map(\.payload) == all[..<50].map(\.payload))
  }
}
