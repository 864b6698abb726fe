import Support
import Testing

@Suite("diff, end to end")
struct CLIDiffTests {
  @Test("Files with the same samples are equal, regardless of their layout")
  func same() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet in.mp4 -o movie.mp4 && mp4tool fragment --quiet movie.mp4 -o again.mp4
      mp4tool diff --samples in.mp4 movie.mp4 && mp4tool diff --samples movie.mp4 again.mp4
      """)
    #expect(
      result.description == """
        exit code 0
        track 1: 152 samples, the same
        track 2: 131 samples, the same
        track 1: 152 samples, the same
        track 2: 131 samples, the same


        """)
  }

  @Test("Playlists and folders are refused")
  func presentations() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf '#EXTM3U\\n' > a.m3u8; mkdir folder
      mp4tool diff --summary a.m3u8 in.mp4; mp4tool diff in.mp4 folder
      """)
    let advice =
      "not an MP4 file; compare the outputs of `mp4tool info`, or the files that `mp4tool join` writes from playlists"
    #expect(
      result.exitCode == 65
        && result.errorLines == [
          "mp4tool: a.m3u8: this is an HLS playlist, \(advice)", "mp4tool: folder: this is a folder, \(advice)",
        ], "\(result)")
  }

  @Test("A difference is described, with exit code 1")
  func different() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet in.mp4 -o movie.mp4 && cp movie.mp4 other.mp4
      offset=$(mp4tool samples --tracks 2 --number 100 --format csv movie.mp4 | tail -1 | cut -d, -f11)
      printf XYZ | dd of=other.mp4 bs=1 seek=$offset conv=notrunc status=none
      mp4tool diff --samples --format csv movie.mp4 other.mp4 | cut -d, -f1-11,14,15; exit ${PIPESTATUS[0]}
      """)
    #expect(
      result.description == """
        exit code 1
        track,other_track,same,samples,other_samples,changed,codecs_only,decoder_starts_only,removed,added,\
        first_sample,first_property,\
        presented_alike
        1,1,1,152,152,0,0,0,0,0,,,1
        2,2,0,131,131,1,0,0,0,0,100,bytes,1


        """)
  }

  @Test("A truncated recording has lost samples, and a missing track is a loss")
  func lost() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet --tracks video in.mp4 -o video.mp4; mp4tool diff --samples in.mp4 video.mp4
      """)
    #expect(
      result.description == """
        exit code 1
        track 1: 152 samples, the same
        track 2 (soun, 131 samples) is only in in.mp4


        """)
    let cut = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool diff --samples in.mp4 cut.mp4")
    #expect(cut.exitCode == 1)
    #expect(cut.lines.count == 2 && cut.lines.allSatisfy { $0.contains(" only in in.mp4; the first is sample ") })
  }

  @Test("Boxes that are equal, moved, or have changed fields")
  func boxes() throws {
    let shell = try EndToEnd()
    let same = try shell("cp in.mp4 other.mp4; mp4tool diff in.mp4 other.mp4; mp4tool diff - other.mp4 < in.mp4")
    #expect(same.description == "exit code 0\n\n")
    let moved = try shell(
      """
      cp $V/progressive-moov-last.mp4 last.mp4; mp4tool defrag --quiet last.mp4 -o first.mp4
      mp4tool diff last.mp4 first.mp4
      """)
    #expect(
      moved.description == """
        exit code 1
        --- last.mp4
        +++ first.mp4
        moov
         moved: after mdat, now after ftyp
        moov/trak/mdia/minf/stbl/stco
         chunk_offset is 4847 larger in all 131 rows
        moov/trak[2]/mdia/minf/stbl/stco
         chunk_offset is 4847 larger in all 131 rows


        """)
    #expect(try shell("mp4tool diff --quiet --ignore moov last.mp4 first.mp4").exitCode == 0)
  }

  @Test("The same PCM under another codec has no other difference")
  func uncompressed() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "cp $V/pcm.mov .; mp4tool defrag --quiet pcm.mov -o pcm.mp4; mp4tool diff --samples pcm.mov pcm.mp4")
    #expect(
      result.description == """
        exit code 1
        track 1: 52 samples, the same
        track 2: 44100 of 44100 samples differ only in codecs; the first is sample 1 at 0:00.000: sowt, ipcm


        """)
  }

  @Test("Differences for programs, and in color")
  func formats() throws {
    let shell = try EndToEnd()
    // The language of the first track.
    var bytes = try shell.bytes("in.mp4")
    let header = try #require(bytes.indices.dropLast(40).first { Array(bytes[$0..<$0 + 4]) == Array("mdhd".utf8) })
    bytes.replaceSubrange(header + 24..<header + 26, with: [0x10, 0xb5])
    try shell.folder.write("other.mp4", bytes)
    let result = try shell(
      """
      mp4tool diff --color always in.mp4 other.mp4
      for format in csv json; do mp4tool diff --format $format in.mp4 other.mp4; done
      mp4tool diff --ignore //mdhd/language in.mp4 other.mp4; echo $?
      """)
    let esc = "\u{1b}["
    #expect(
      result.description == """
        exit code 0
        \(esc)1m--- in.mp4\(esc)0m
        \(esc)1m+++ other.mp4\(esc)0m
        \(esc)1;36mmoov/trak/mdia/mdhd\(esc)0m
        \(esc)31m-language und\(esc)0m
        \(esc)32m+language deu\(esc)0m
        change,path,other_path,offset,other_offset,size,other_size,field,value,other_value,rows,first_row,in_other,shift,\
        first_byte,description
        field,moov/trak/mdia/mdhd,moov/trak/mdia/mdhd,252,252,32,32,language,und,deu,,,,,,moov/trak/mdia/mdhd: \
        -language und +language deu
        [
        {"change":"field","path":"moov/trak/mdia/mdhd","other_path":"moov/trak/mdia/mdhd","offset":252,\
        "other_offset":252,"size":32,"other_size":32,"field":"language","value":"und","other_value":"deu",\
        "description":"moov/trak/mdia/mdhd: -language und +language deu"}]
        0


        """)
  }

  @Test("Summaries are compared side by side")
  func summaries() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag --quiet in.mp4 -o movie.mp4; mp4tool defrag --quiet --tracks video in.mp4 -o video.mp4
      mp4tool diff --summary movie.mp4 movie.mp4 && mp4tool diff --summary movie.mp4 video.mp4
      """)
    #expect(
      result.description == """
        exit code 1
                  movie.mp4          video.mp4
        size      45476 B (45.5 kB)  32073 B (32.1 kB)  -29.5 %
        bit rate  58.3 kb/s          41.1 kb/s          -29.5 %
        track 2 (only in movie.mp4), audio
          track   AAC LC             -
        the same: duration, layout, brands, chapters, covers
        the same in track 1: size, bit rate, highest bit rate, codec, codec string, resolution, shown as, frame rate, \
        rotation, dynamic range, scan, bit depth, chroma, keyframes, GOP, open GOPs, duration, frames, starts at, \
        keyframe times


        """)
    let encodes = try shell(
      "mp4tool diff --summary --format csv $V/progressive.mp4 $V/hevc-fragmented.mp4 | grep ',1,1,video,0,'")
    #expect(
      encodes.text == """
        size,1,1,video,0,109747 B (110 kB),10729 B (10.7 kB),109747,10729,-90.2
        bit rate,1,1,video,0,36.6 kb/s,21.5 kb/s,36582,21458,-41.3
        highest bit rate,1,1,video,0,49.1 kb/s,26.3 kb/s,49072,26328,-46.3
        codec,1,1,video,0,H.264 High@1.1,H.265 Main@1,,,
        codec string,1,1,video,0,avc1.64000B,hvc1.1.6.L30.90,,,
        keyframes,1,1,video,0,12,2,12,2,-83.3
        GOP,1,1,video,0,50 (2.000 s),48 (1.920 s),,,
        open GOPs,1,1,video,0,0,1,0,1,
        duration,1,1,video,0,0:24.000,0:04.000,24,4,-83.3
        frames,1,1,video,0,600,100,600,100,-83.3
        edit list,1,1,video,0,from 0.080 s to the end,,,,
        starts at,1,1,video,0,0:00.000,0:00.080,,,
        keyframe times,1,1,video,0,"12 others, from 0:00.000","2 others, from 0:00.080",,,

        """)
  }

  @Test("An ignored path that matches nothing has a warning")
  func unusedPaths() throws {
    let shell = try EndToEnd()
    let result = try shell("cp in.mp4 b.mp4; mp4tool diff --ignore //tkhd/modified,//mdhd/language in.mp4 b.mp4")
    #expect(result.exitCode == 0 && result.text == "")
    #expect(
      result.errorText
        == "mp4tool: warning: --ignore //tkhd/modified: no box or field has this path\n")
  }

  @Test("User-defined boxes are compared by their fields")
  func ownBoxes() throws {
    let shell = try EndToEnd()
    try shell.folder.write("own.boxes", Array("box acme \"Sensor\" in file\n  mode  uint(32)\n".utf8))
    for (name, mode) in [("a.mp4", UInt32(7)), ("b.mp4", 9)] { try shell.folder.write(name, box("acme", big(mode))) }
    #expect(try shell("mp4tool diff a.mp4 b.mp4").lines.last == " differs at byte 3 of the payload")
    #expect(try shell("mp4tool diff --boxes own.boxes a.mp4 b.mp4").lines.suffix(2) == ["-mode 7", "+mode 9"])
  }

  @Test("Files that cannot be compared")
  func failures() throws {
    let shell = try EndToEnd()
    #expect(try shell("mp4tool diff --samples in.mp4 missing.mp4").exitCode == 66)
    #expect(try shell("echo text > text.mp4; mp4tool diff --samples text.mp4 in.mp4").exitCode == 65)
    #expect(try shell("mp4tool diff --samples in.mp4").exitCode == 64)
    #expect(try shell("mp4tool diff text.mp4 in.mp4").exitCode == 65)
    #expect(try shell("mp4tool diff in.mp4").exitCode == 64)
    #expect(try shell("mp4tool diff --samples --ignore free in.mp4 in.mp4").exitCode == 64)
    for options in ["--samples", "--ignore free", "--color always"] {
      #expect(try shell("mp4tool diff --summary \(options) in.mp4 in.mp4").exitCode == 64)
    }
    #expect(try shell("mp4tool diff --summary text.mp4 in.mp4").exitCode == 65)
    #expect(try shell("mp4tool diff --ignore 'modification time' in.mp4 in.mp4").exitCode == 64)
    let schemas = try ["", "--samples", "--summary"].map { try shell("mp4tool diff --print-schema \($0)") }
    #expect(schemas.allSatisfy { $0.exitCode == 0 } && Set(schemas.map(\.text)).count == 3)
  }
}
