import Support
import Testing

@Suite("samples and events of presentations, end to end")
struct CLIPresentationListTests {
  /// A folder with a package of a file.
  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    _ = try shell("mp4tool hls -q --segment-duration 2 $V/progressive.mp4 -o out")
    return shell
  }

  @Test("Samples of a presentation are those of its file, each with its segment and line")
  func samples() throws {
    let shell = try shell()
    let result = try shell(
      """
      for f in $V/progressive.mp4 out; do
        mp4tool -q samples --format csv $f | tail -n +2 | cut -d, -f1,2,7,9,10,12 > $(basename $f).csv
      done
      cmp progressive.mp4.csv out.csv && wc -l out.csv
      mp4tool samples --format csv out 2> note | sed -n '1p;2p;$p' | cut -d, -f1,2,17-
      cat note
      """)
    #expect(
      result.text == """
        1118 out.csv
        track,number,file,playlist,line
        1,1,out/video-90/segment1.m4s,out/video-90/index.m3u8,9
        2,518,out/audio-en/segment12.m4s,out/audio-en/index.m3u8,31
        mp4tool: note: out/master.m3u8: the first variant is used (video-90/index.m3u8, audio-en/index.m3u8); \
        1 other playlist is not

        """)
  }

  @Test("A variant and languages are selected as for join; times outside the presentation name its duration")
  func choices() throws {
    let shell = try shell()
    let result = try shell(
      """
      mp4tool samples --language en --range 100.. out
      mp4tool samples --stalls --at 50 out
      mp4tool -q samples --at 50 out
      mp4tool events --variant 2 out
      mp4tool events --language de out
      mp4tool samples --variant worst --number 1 --format csv out 2> /dev/null | tail -n +2 | cut -d, -f1,17
      """)
    #expect(
      result.errorLines.filter { !$0.contains("Try '") } == [
        "mp4tool: note: out/master.m3u8: used: video-90/index.m3u8, audio-en/index.m3u8; 1 other playlist is not",
        "mp4tool: note: out/master.m3u8: nothing is presented from 1:40.000 on; the presentation is from 0:00.000 to "
          + "0:24.000",
        "mp4tool samples: options '--stalls' and '--at' contradict each other: only one of them lists samples",
        "mp4tool: out/master.m3u8: nothing is presented at 0:50.000; the presentation is from 0:00.000 to 0:24.000",
        "mp4tool: out/master.m3u8: no such variant; it has only variant 1 (160x90, 63808 bit/s)",
        "mp4tool: out/master.m3u8: no rendition in the language \"de\"; there is only en",
      ], "\(result)")
    #expect(result.lines == ["1,out/video-90/segment1.m4s", "2,out/audio-en/segment1.m4s"], "\(result)")
  }

  @Test("Times are presentation times, also if media starts late and after a discontinuity")
  func times() throws {
    let shell = try shell()
    let result = try shell(
      """
      cd out/video-90
      head -8 index.m3u8 | sed 's/^#EXT-X-MEDIA-SEQUENCE.*//' > part.m3u8
      printf '#EXTINF:2,\\nsegment6.m4s\\n#EXTINF:2,\\nsegment7.m4s\\n#EXT-X-DISCONTINUITY\\n' >> part.m3u8
      printf '#EXTINF:2,\\nsegment2.m4s\\n#EXT-X-ENDLIST\\n' >> part.m3u8
      mp4tool samples --keyframes --format csv part.m3u8 | cut -d, -f5,7,17
      mp4tool samples --at 4.5 part.m3u8 | head -1
      mp4tool samples --gops --range 2..3 --format jsonl part.m3u8 | grep -o '"presentation_seconds":[0-9.]*'
      """)
    #expect(
      result.lines == [
        "decode_seconds,presentation_seconds,file", "-0.080000,0.000000,segment6.m4s",
        "1.920000,2.000000,segment7.m4s", "3.920000,4.000000,segment2.m4s",
        "part.m3u8, part 2: track 1, avc1.64000B, 50 samples, timescale 12800", "\"presentation_seconds\":2.000000",
      ], "\(result)")
  }

  @Test("Gaps between segments, and media that is not presented at its playlist times, are stalls")
  func stalls() throws {
    let shell = try shell()
    #expect(try shell("mp4tool samples --stalls out 2> /dev/null").description == "exit code 0\n\n")
    let result = try shell(
      """
      sed -i -z 's/#EXTINF:[0-9.]*,\\nsegment3.m4s\\n//' out/audio-en/index.m3u8
      mp4tool -q samples --stalls out
      mp4tool -q samples --stalls --format jsonl out | grep -o '"kind":"[a-z_]*"'
      """)
    #expect(
      result.text == """
        audio-en/index.m3u8: line 11: 0:03.993: track 2: sample 88, the last of its segment, lasts 2.043 s
        audio-en/index.m3u8: line 17: 0:10.031: track 2: this segment starts 1.996 s later than its playlist declares, \
        the longest of 9 such places
        audio-en/index.m3u8: line 29: 0:22.003: track 2: its playlist ends 1.996 s before the longest one
        "kind":"segment_gap"
        "kind":"late_segment"
        "kind":"short_playlist"

        """)
  }

  @Test("Missing segments at the start, at the end or beside a discontinuity are stalls; nothing is moved")
  func missingSegments() throws {
    let shell = try shell()
    let result = try shell(
      """
      cd out/video-90
      sed -i 's/^segment1.m4s/#EXT-X-GAP\\n&/; s/^#EXTINF.*/&\\n/' index.m3u8
      sed -z -i 's/\\n\\n/\\n/g; s/segment5.m4s\\n/&#EXT-X-DISCONTINUITY\\n#EXT-X-GAP\\n/' index.m3u8
      sed -i 's/^segment12.m4s/#EXT-X-GAP\\n&/' index.m3u8
      mp4tool samples --stalls index.m3u8
      mp4tool samples --keyframes --format csv index.m3u8 | sed -n 2p | cut -d, -f7,17
      mp4tool samples --at 1 index.m3u8
      """)
    #expect(
      result.lines == [
        "index.m3u8, part 1: line 10: 0:00.000: track 1: segments with a duration of 2.000 s are missing",
        "index.m3u8, part 2: line 22: 0:10.000: track 1: segments with a duration of 2.000 s are missing",
        "index.m3u8, part 2: line 35: 0:22.000: track 1: segments with a duration of 2.000 s are missing",
        "2.000000,segment2.m4s",
      ], "\(result)")
    #expect(
      result.errorLines == [
        "mp4tool: index.m3u8: nothing is presented at 0:01.000; the presentation is from 0:02.000 to 0:22.000"
      ], "\(result)")
  }

  @Test("Date ranges of a playlist with another format are listed; an end before the start is not a duration")
  func otherFormat() throws {
    let shell = try EndToEnd()
    try shell.folder.write("1.ts", [UInt8](repeating: 0x47, count: 188 * 4))
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
    let range = "#EXT-X-DATERANGE:ID=\"a\",START-DATE=\"2026-01-01T00:00:03Z\",END-DATE=\"2026-01-01T00:00:01Z\"\n"
    try shell.folder.write("a.m3u8", ascii(head + range + "#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST\n"))
    try shell.folder.write("b.m3u8", ascii(head + "#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST\n"))
    let result = try shell("mp4tool events a.m3u8 | head -1; mp4tool events b.m3u8; echo $?")
    #expect(
      result.lines == ["unknown  date_range  date range \"a\" [a.m3u8 line 3]", "no events", "0"], "\(result)")
    #expect(
      result.errorLines
        == ["a", "b"].map {
          "mp4tool: note: \($0).m3u8: its segments are an MPEG transport stream, not MP4; skipped"
        }, "\(result)")
  }

  @Test("Date ranges with SCTE-35, dates that jump and discontinuities are events with their lines")
  func events() throws {
    let shell = try shell()
    let splice =
      "0xFC302F000000000000FFFFF014054800008F7FEFFE7369C02EFE0052CC"
      + "F500000000000A0008435545490000013562DBA30A"
    try shell.folder.write(
      "out/video-90/live.m3u8",
      ascii(
        """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:2
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z
        #EXTINF:2,
        segment1.m4s
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:02.001Z
        #EXT-X-DATERANGE:ID="ad",CLASS="x",START-DATE="2026-01-01T00:00:03Z",DURATION=1.5,SCTE35-OUT=\(splice)
        #EXTINF:2,
        segment2.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-PROGRAM-DATE-TIME:2026-01-01T01:00:00Z
        #EXTINF:2,
        segment3.m4s
        #EXT-X-DATERANGE:ID="ad",START-DATE="2026-01-01T00:00:03Z",DURATION=1.5,SCTE35-IN=\(splice)
        #EXT-X-ENDLIST

        """))
    let result = try shell("mp4tool events out/video-90/live.m3u8 | grep -v '^    '")
    let file = "out/video-90/live.m3u8"
    let insert = "splice_insert: event 1207959695 leaves the network at 21514.559 s for 60.293 s"
    #expect(
      result.description == """
        exit code 0
        0:00.000  program_date_time  date 2026-01-01T00:00:00.000Z [\(file) line 5]
        0:02.999  date_range         date range "ad" of class x; SCTE35-OUT: \(insert) [lasts 1.500 s, \(file) line 9]
        0:04.000  discontinuity      discontinuity [\(file) line 12]
        0:04.000  program_date_time  date 2026-01-01T01:00:00.000Z (3595.999 s later than the duration of the preceding segments)\
         [\(file) line 13]
        0:04.499  date_range         date range "ad"; SCTE35-IN: \(insert) [\(file) line 16]


        """)
    let details = try shell("mp4tool events --format jsonl \(file) | grep -c 'SCTE35-OUT.splice_event_id'")
    #expect(details.text == "1\n")
    let header = try shell("mp4tool events --format csv \(file) | head -1")
    #expect(header.text.hasSuffix(",summary,payload,playlist,line\n"), "\(header)")
  }

  @Test("An event message is listed once, at its presentation time, with the line of its segment")
  func messages() throws {
    let shell = try shell()
    // The media starts at 10 s.
    let message = fullBox(
      "emsg", version: 1, big(UInt32(1000)), big(UInt64(17000)), big(UInt32(500)), big(UInt32(8)), ascii("urn:x\0v\0"),
      [0, 27, 255])
    for kind in ["video-90", "audio-en"] {
      for number in [3, 4] {
        let name = "out/\(kind)/segment\(number).m4s"
        let bytes = try shell.bytes(name)
        // After the segment type box, if there is one.
        let start = bytes.dropFirst(4).starts(with: ascii("styp")) ? Int(bytes[3]) : 0
        try shell.folder.write(name, Array(bytes[..<start]) + message + Array(bytes[start...]))
      }
    }
    let result = try shell("mp4tool events out 2> /dev/null")
    #expect(
      result.lines == [
        "0:07.000  event  urn:x: 3 unknown bytes [id 8, lasts 0.500 s, out/video-90/index.m3u8 line 13]",
        "    payload: 001bff",
      ], "\(result)")
  }

  @Test("A presentation must be the only input, and one without MP4 is refused")
  func refused() throws {
    let shell = try shell()
    #expect(try shell("mp4tool samples out in.mp4").exitCode == 64)
    #expect(try shell("mp4tool events out in.mp4").exitCode == 64)
    let result = try shell(
      """
      printf '#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\na.ts\\n#EXT-X-ENDLIST\\n' > a.m3u8
      for i in 1 2 3 4; do printf 'G%187s'; done > a.ts; mp4tool samples a.m3u8
      """)
    #expect(result.exitCode == 65 && result.text == "", "\(result)")
    #expect(try shell("mp4tool events none").exitCode == 66)
    #expect(try shell("mp4tool -q samples --tracks 9 out").exitCode == 1)
  }
}
