import Support
import Testing

@Suite("info, check and hash of many files, end to end")
struct CLIManyFilesTests {
  /// A tree with movies, segments, other files, an unreadable list, links and a broken movie.
  private func tree() throws -> EndToEnd {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir -p a/b/c 'a/d e' empty
      for n in 1 2 3 4 5 6 7 8 9; do cp $V/progressive.mp4 a/b/$n.mp4; cp $V/fragmented.mp4 a/b/c/$n.mp4; done
      cp $V/pcm.mov 'a/d e/x.mov'; cp $V/hls/segment1.m4s a/b; echo text > a/b/readme.txt; : > a/b/zero.mp4
      head -c 3000 $V/progressive-moov-last.mp4 > a/b/c/5.mp4
      ln -s ../.. a/b/loop; ln -s b/1.mp4 a/link.mp4; ln -s ../list a/b/outside.mp4
      """)
    #expect(result.description == "exit code 0\n\n")
    return shell
  }

  @Test("Folders are walked; results are in order with any number of jobs; one bad file does not stop the others")
  func recursive() throws {
    let shell = try tree()
    let names = try shell("mp4tool info --recursive --format csv a | cut -d, -f1,3 | tail -n +2")
    #expect(
      names.description == """
        exit code 0
        a/link.mp4,24.000000
        \((1...9).map { "a/b/\($0).mp4,24.000000" }.joined(separator: "\n"))
        \([1, 2, 3, 4, 6, 7, 8, 9].map { "a/b/c/\($0).mp4,6.240000" }.joined(separator: "\n"))
        a/d e/x.mov,2.160000

        mp4tool: a/b/zero.mp4: the file is empty; copy or download it again
        mp4tool: a/b/c/5.mp4: the file is cut off before its moov box, which is needed to locate samples; copy or download it again, or if the recording was interrupted, rebuild moov with 'mp4tool recover'
        \("")
        """)
    let same = try shell(
      """
      for format in text jsonl json csv; do
        for command in info check; do
          for jobs in 1 3 64; do
            mp4tool $command --recursive --format $format -j $jobs a > $command.$format.$jobs 2>&1
            echo $command $format $jobs $? >> statuses
            cmp $command.$format.1 $command.$format.$jobs
          done
        done
      done
      sort statuses | awk '{ print $4 }' | uniq -c
      """)
    #expect(same.description.split(separator: " ").joined(separator: " ") == "exit code 0\n 12 1\n 12 65\n\n")
  }

  @Test("A run that was interrupted continues after the files that are done")
  func resumes() throws {
    let shell = try tree()
    let result = try shell(
      """
      mp4tool check --recursive a --format jsonl > whole.jsonl 2> whole.messages; echo $?
      find a -name '*.mp4' ! -name 5.mp4 | sort | head -n 9 > list
      mp4tool check --files-from list --format jsonl --resume log > part.jsonl; echo $?
      printf '0 99 1' >> log
      mp4tool check --recursive a --format jsonl --resume log >> part.jsonl 2> messages; echo $?
      sort whole.jsonl > a.sorted; sort part.jsonl > b.sorted; cmp a.sorted b.sorted
      grep -c . log; grep done messages
      mp4tool check --recursive a --format jsonl --resume log -j 1 > again.jsonl 2> /dev/null; echo $?; wc -c < again.jsonl
      touch -d 2001-01-01 a/b/c/1.mp4; mp4tool check a/b/c/1.mp4 --format jsonl --resume log | cut -c 1-20
      for other in "check --deep a/b/1.mp4 --resume log" "hash a/b/1.mp4 --resume log" \
        "check a/b/1.mp4 --resume a/b/1.mp4" "check a/b/1.mp4 --resume list" "check a/b/1.mp4 --resume a" \
        "check a/b/1.mp4 --resume -" "check a/b/1.mp4 --format json --resume log" "hash a/b/1.mp4 -o x --resume new"; do
        mp4tool $other > /dev/null 2>> errors; echo $?
      done
      cmp a/b/1.mp4 $V/progressive.mp4; ls x new 2> /dev/null
      # Other requirements are other work, and CSV has one first line.
      echo 'video.width = 160' > spec; mp4tool check --spec spec a/b/1.mp4 --format csv --resume s > r.csv; echo $?
      mp4tool check --spec spec a/b/1.mp4 a/b/c/1.mp4 --format csv --resume s >> r.csv 2> /dev/null; grep -c ^file r.csv
      echo 'video.width = 161' > spec; mp4tool check --spec spec a/b/1.mp4 --format csv --resume s 2> /dev/null; echo $?
      """)
    #expect(
      result.lines.joined(separator: " ") == """
        1 0 1 22 mp4tool: note: 9 files are done already 1 0 {"file":"a/b/c/1.mp4 73 73 73 73 73 64 64 64 0 1 73
        """, "\(result)")
  }

  @Test("Samples, GOPs and stalls of several files have the names of their files")
  func samples() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir a; cp $V/progressive.mp4 a/1.mp4; cp $V/prft.mp4 a/2.mp4; head -c 3000 $V/progressive-moov-last.mp4 > a/0.mp4
      mp4tool samples -q --recursive a --number 1 --tracks video --format csv 2> /dev/null | cut -d, -f1,2,11,17-; echo $?
      mp4tool samples -q --recursive a --gops --format jsonl 2> /dev/null | tail -n 1
      mp4tool samples -q --recursive a --stalls 2> messages; echo $?; grep -c 'cut off' messages
      mp4tool samples a/1.mp4 --jobs 2 2> /dev/null; echo $?
      """)
    #expect(
      result.lines == [
        "track,number,offset,file", "1,1,15231,a/1.mp4", "1,1,2105,a/2.mp4", "0",
        #"{"track":1,"first_sample":151,"samples":2,"decode_seconds":6.000000,"presentation_seconds":6.000000,"#
          + #""duration_seconds":0.080000,"bytes":1505,"leading_samples":0,"starts_with_keyframe":true,"#
          + #""file":"a/2.mp4"}"#,
        "a/1.mp4:", "a/2.mp4:", "0:06.000: track 1: sample 151 lasts 0.120 s", "65", "1", "64",
      ], "\(result)")
  }

  @Test("Lists of files: lines, NUL, and with operands")
  func lists() throws {
    let shell = try tree()
    let result = try shell(
      """
      find a -name '[12].mp4' | sort > list; printf 'a/d e/x.mov\\r\\n\\nmissing.mp4\\n' >> list
      mp4tool info --files-from list --format csv | cut -d, -f1
      echo "status ${PIPESTATUS[0]}"
      find a -name '3.mp4' -print0 | sort -z | mp4tool info --files-from - --format csv a/b/9.mp4 | cut -d, -f1
      mkfifo pipe; echo pipe > pipes; mp4tool info --files-from pipes
      mp4tool check --files-from nowhere
      """)
    #expect(
      result.description == """
        exit code 66
        name
        a/b/1.mp4
        a/b/2.mp4
        a/b/c/1.mp4
        a/b/c/2.mp4
        a/d e/x.mov
        status 66
        name
        a/b/9.mp4
        a/b/3.mp4
        a/b/c/3.mp4

        mp4tool: missing.mp4: cannot open: no such file or directory
        mp4tool: pipe: cannot open: this is not a file; give a pipe or a device as an operand
        mp4tool: nowhere: cannot open: no such file or directory
        \("")
        """)
  }

  @Test("The hashes of an archive are checked with any number of jobs; a changed and a missing file are found")
  func hashes() throws {
    let shell = try tree()
    let result = try shell(
      """
      rm a/b/c/5.mp4 a/b/zero.mp4
      mp4tool hash --recursive --format sidecar a -o archive.hash
      for jobs in 1 5; do mp4tool hash --check -j $jobs archive.hash > checked.$jobs; echo $?; done
      cmp checked.1 checked.5; tail -n 1 checked.1; grep -c ': OK$' checked.1
      printf x | dd of=a/b/2.mp4 bs=1 seek=100000 conv=notrunc 2> /dev/null; rm a/b/c/1.mp4
      mp4tool hash -q --check archive.hash
      """)
    #expect(
      result.description == """
        exit code 1
        0
        0
        38 tracks OK
        38
        a/b/2.mp4: track 2: FAILED
        a/b/c/1.mp4: FAILED (cannot be read)
        35 tracks OK, 1 FAILED, 2 in files that cannot be read

        mp4tool: a/b/c/1.mp4: cannot open: no such file or directory
        \("")
        """)
  }

  @Test("A file that is hashed is never replaced, however it was found; a deep file is examined in a thread too")
  func inputs() throws {
    let shell = try tree()
    let result = try shell(
      """
      cp a/b/1.mp4 before
      mp4tool hash --recursive --format sidecar a -o a/b/1.mp4; echo $?
      mkdir flat; cp a/b/1.mp4 a/b/2.mp4 flat; mp4tool hash flat -o flat/2.mp4; echo $?
      echo a/b/1.mp4 > list; mp4tool hash --files-from list a/b/2.mp4 -o a/link.mp4; echo $?
      cmp before a/b/1.mp4; cmp before flat/2.mp4
      python3 - <<'END'
      data = b""
      for depth in range(3000):
          data = (len(data) + 8).to_bytes(4, "big") + (b"udta" if depth < 2999 else b"moov") + data
      open("deep.mp4", "wb").write(data)
      END
      for command in info check hash; do mp4tool $command deep.mp4 deep.mp4 a/b/2.mp4 > out 2>&1; echo $?; done
      """)
    let statuses = result.text.split(separator: "\n").map(String.init)
    #expect(statuses.prefix(3) == ["73", "73", "73"] && statuses.dropFirst(3) == ["65", "1", "65"], "\(result)")
  }

  @Test("Folders without movies, and wrong numbers of jobs, are errors")
  func errors() throws {
    let shell = try tree()
    let result = try shell(
      """
      mp4tool info --recursive empty; echo $?
      mp4tool info --recursive -j 257 a; echo $?
      mp4tool check; echo $?
      """)
    #expect(result.description.contains("\n66\n64\n64\n") || result.description.contains("\n65\n64\n64\n"), "\(result)")
  }
}
