import Support
import Testing

@Suite("hash, end to end")
struct CLIHashTests {
  @Test("The same samples have the same hash in every layout, with and without times")
  func layouts() throws {
    let result = try EndToEnd()(
      """
      mp4tool defrag -q in.mp4 -o movie.mp4; mp4tool fragment -q movie.mp4 --segments seg
      mp4tool edit -q movie.mp4 --timescale 90000 -o scaled.mp4 || cp movie.mp4 scaled.mp4
      cat in.mp4 | mp4tool hash - in.mp4 movie.mp4 seg/init.mp4 seg/*.m4s | cut -d' ' -f1 | sort | uniq -c
      for file in in.mp4 movie.mp4 scaled.mp4; do mp4tool hash --times --algorithm md5 $file; done | cut -c-32 | sort | uniq -c
      """)
    #expect(
      result.description == """
        exit code 0
              4 3e815b475149c6074143ef7288540c5534d3f425809966244426ae7020d96643
              4 a8abec9415da5a59a3b06034fa72d4a76839cbfc8ef916951ac287f9d74aced5
              3 5d939289103f80645c507a97ebd8cd8b
              3 81fa364eebd297917c0d75766b2c58fd


        """)
  }

  @Test("The formats")
  func formats() throws {
    let result = try EndToEnd()(
      """
      mp4tool hash --algorithm xxh64 in.mp4; mp4tool hash --algorithm xxh64 --format csv --times in.mp4 -o out.csv
      cat out.csv; mp4tool hash --algorithm md5 --format sidecar in.mp4
      mp4tool hash --print-schema | grep -c '"required"'
      """)
    #expect(
      result.description == """
        exit code 0
        7308bdb9a3ab4d49  in.mp4: track 1 (vide, 152 samples)
        527cc64900859c2f  in.mp4: track 2 (soun, 131 samples)
        file,track,handler,samples,bytes,algorithm,kind,hash
        in.mp4,1,vide,152,29731,xxh64,samples+times,723a71d127f9f626
        in.mp4,2,soun,131,12280,xxh64,samples+times,e445958fde5f5dd8
        MD5 track 1 samples (in.mp4) = 9a29ba3b0113af7698d63c5207fec063
        MD5 track 2 samples (in.mp4) = 4a2eda03325dd7af5b390b6a04c1309c
        1


        """)
  }

  @Test("A sidecar is checked: right, different, missing tracks and files")
  func check() throws {
    let result = try EndToEnd()(
      #"""
      name=$(printf 'a\\b\nc (1) = 2.mp4'); cp in.mp4 "$name"; mp4tool defrag -q in.mp4 -o movie.mp4
      mp4tool hash --format sidecar "$name" movie.mp4 -o side; mp4tool hash --times --format sidecar in.mp4 >> side
      head -1 side | cut -c-47; mp4tool hash --check side; echo $?
      offset=$(mp4tool samples --tracks 2 --number 100 --format csv movie.mp4 | tail -1 | cut -d, -f11)
      printf XYZ | dd of=movie.mp4 bs=1 seek=$offset conv=notrunc status=none; rm in.mp4
      sed -i 's/track 1 samples (movie/track 4294967295 samples (movie/' side; echo 'SHA256 track 9' >> side
      mp4tool hash --check --quiet side
      """#)
    #expect(
      result.description == #"""
        exit code 1
        \SHA256 track 1 samples (a\\b\nc (1) = 2.mp4) =
        a\b\nc (1) = 2.mp4: track 1: OK
        a\b\nc (1) = 2.mp4: track 2: OK
        movie.mp4: track 1: OK
        movie.mp4: track 2: OK
        in.mp4: track 1: OK
        in.mp4: track 2: OK
        6 tracks OK
        0
        movie.mp4: track 4294967295: FAILED (there is no such track)
        movie.mp4: track 2: FAILED
        in.mp4: FAILED (cannot be read)
        2 tracks OK, 1 FAILED, 1 missing, 2 in files that cannot be read

        mp4tool: side: line 7 is not a line of a sidecar
        mp4tool: in.mp4: cannot open: no such file or directory

        """#)
  }

  @Test("A track with lost samples has no hash; the others have one")
  func lost() throws {
    let result = try EndToEnd()(
      """
      mp4tool defrag -q --tracks video in.mp4 -o a.mp4; mp4tool defrag -q --interleave 100 in.mp4 -o movie.mp4
      size=$(wc -c < movie.mp4); head -c $((size - 100)) movie.mp4 > cut.mp4
      mp4tool hash cut.mp4; echo $?; mp4tool hash --strict cut.mp4 -o out; echo $?; ls out
      """)
    #expect(
      result.lines == [
        "a8abec9415da5a59a3b06034fa72d4a76839cbfc8ef916951ac287f9d74aced5  cut.mp4: track 1 (vide, 152 samples)",
        "1", "65",
      ])
    let lost = "mp4tool: cut.mp4: track 2: no data for 2 samples from 6.024 s to 6.117 s, from sample 130 on; the data "
    #expect(result.errorLines.contains { $0 == lost + "before it ends at byte 45071; not hashed" }, "\(result)")
    #expect(result.errorLines.contains("mp4tool: out: not written because of 2 errors (--strict)"))
  }

  @Test("Inputs that are not movies, and sidecars that are not sidecars")
  func unusable() throws {
    let result = try EndToEnd()(
      """
      echo text > text; : > empty; mkdir folder; printf '#EXTM3U\\n' > a.m3u8; head -c 600 in.mp4 > short.mp4
      printf 'SHA256 track 99999999999999999999 samples (a) = 00\\nSHA256 track 1 samples () = \\n\\\\\\n=\\n(' > odd
      printf 'SHA256 (in.mp4) = %064d\\n' 0 > plain; head -c 3000 in.mp4 > bytes
      for file in text empty folder a.m3u8 short.mp4 missing; do mp4tool hash $file; echo $?; done
      for file in text empty folder odd plain bytes missing; do mp4tool hash --check $file; echo $?; done
      mp4tool hash text in.mp4 | wc -l; mp4tool hash in.mp4 -o none/out; echo $?
      mp4tool hash --check --times odd; echo $?; mp4tool hash -q in.mp4 > /dev/full; echo $?
      mp4tool hash --format sidecar "$V"/hls/init.mp4 "$V"/hls/seg*; echo $?
      """)
    let statuses = "65 65 65 65 65 66 65 65 66 65 65 65 66 2 73 64 74 65"
    #expect(result.lines.map(String.init).joined(separator: " ") == statuses, "\(result)")
    #expect(result.errorLines.filter { $0.hasSuffix("this is not a sidecar of 'mp4tool hash'") }.count == 5)
  }

  @Test(
    "The hashes are those of ffmpeg",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let result = try EndToEnd()(
      """
      source=(-f lavfi -i testsrc2=size=160x90:rate=30000/1001:duration=3 -f lavfi -i sine=duration=3)
      make() { ffmpeg -nostdin -v error "${source[@]}" "${@:2}" $1; }
      make b.mp4 -c:v libx264 -bf 3 -g 30 -c:a aac; ffmpeg -nostdin -v error -ss 1.3 -i b.mp4 -c copy cut.mp4
      make pcm.mov -c:v mpeg4 -c:a pcm_s24le
      make av1.mp4 -c:v libaom-av1 -cpu-used 8 -usage realtime -c:a libopus
      make h265.mp4 -c:v libx265 -x265-params log-level=none -c:a libmp3lame
      cat "$V"/hls/init.mp4 "$V"/hls/segment?.m4s > hls.mp4
      for file in *.mp4 *.mov "$V"/*.*; do
        for algorithm in md5 sha256; do
          ffmpeg -nostdin -v error -ignore_editlist 1 -i "$file" -map 0 -c copy -copyinkf -f streamhash \\
            -hash $algorithm - 2> /dev/null | cut -d= -f2 > theirs
          mp4tool hash -q --algorithm $algorithm "$file" | cut -d' ' -f1 > ours
          test -s ours && cmp -s ours theirs && echo same || echo "$file"
        done
      done | sort | uniq -c
      """)
    // ffmpeg 5.1 does not read the constant initialization vectors of cbcs in fragments.
    #expect(result.lines.count == 2 && result.lines[0].hasSuffix("/encrypted-cbcs.mp4"), "\(result)")
    #expect(result.lines.last.map { $0.hasSuffix(" 44 same") } == true, "\(result)")
  }

  /// Video and audio tracks are compared, in files that `mp4tool` reads without a message and ffmpeg opens.
  @Test(
    "The hashes of the corpus are those of ffmpeg",
    .enabled(if: Effort.has("ffmpeg") && corpus != nil, "needs MP4TOOL_TESTS=all, ffmpeg and MP4TOOL_CORPUS"))
  func corpusFiles() throws {
    let folder = EndToEnd.quoted(try #require(corpus))
    let result = try EndToEnd()(
      """
      find \(folder) -type f | while read -r file; do
        mp4tool hash --algorithm md5 --format csv "$file" 2> messages | grep -E ',(vide|soun),' | sed 's/.*,//' > ours
        test -s ours && ! test -s messages || continue
        ffmpeg -nostdin -v fatal -ignore_editlist 1 -i "$file" -map 0 -c copy -copyinkf -f streamhash -hash md5 - \\
          2> /dev/null | cut -d= -f2 > theirs && test -s theirs || continue
        grep -vxFf theirs ours > others && echo "$file" || echo same
      done | sort | uniq -c
      """)
    #expect(result.lines.count == 1 && result.lines[0].hasSuffix(" same"), "\(result)")
  }
}

private let corpus = environment("MP4TOOL_CORPUS")
