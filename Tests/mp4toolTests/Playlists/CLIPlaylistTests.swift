import Support
import Testing

@Suite("A playlist as input, end to end")
struct CLIPlaylistTests {
  /// The packaging options for the vector, and the files of the package in track order.
  static let packages = [
    ("", "out/video-90/init.mp4 out/video-90/segment?.m4s out/audio*/init.mp4 out/audio*/segment?.m4s"),
    ("--single-file", "out/video-90/*.mp4 out/audio*/*.mp4"),
    ("--muxed", "out/video-90/init.mp4 out/video-90/segment?.m4s"),
    ("--profile apple", "out/video-90/init.mp4 out/video-90/segment?.m4s out/audio*/init.mp4 out/audio*/segment?.m4s"),
  ]

  @Test("A package of any form gives the same output as its files", arguments: packages)
  func packaged(options: String, files: String) throws {
    let shell = try EndToEnd()
    let single = options == "--single-file"
    let result = try shell(
      """
      mp4tool hls \(options) "$V"/progressive.mp4 -o out || exit
      rm -f out/video-90/iframes.mp4
      mp4tool defrag out/master.m3u8 -o one.mp4; echo $?
      mp4tool defrag -q \(single ? "out/video-90/*.mp4 out/audio*/*.mp4" : files) -o two.mp4; echo $?
      cmp one.mp4 two.mp4 && echo same
      """)
    #expect(result.lines == ["0", "0", "same"], "\(result)")
    let samples = try SampleReader.read(shell.bytes("one.mp4")).tracks.map(\.samples)
    let source = try SampleReader.read(readFile(vectorPath("files/progressive.mp4"))).tracks.map(\.samples)
    #expect(samples.map { $0.map(\.payload) } == source.map { $0.map(\.payload) })
    #expect(samples.map { $0.map(\.decodeTime) } == source.map { $0.map(\.decodeTime) })
    #expect(shell.folder.names == ["in.mp4", "one.mp4", "out", "two.mp4"])
  }

  @Test("A media playlist is joined to the bytes of its files, optionally limited to some seconds")
  func join() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q "$V"/progressive.mp4 -o out; cd out/video-90
      mp4tool join index.m3u8 -o ../../one.mp4; echo $?
      cat init.mp4 segment?.m4s | cmp - ../../one.mp4 && echo same
      mp4tool join --limit 7 index.m3u8 -o ../../two.mp4; echo $?
      cat init.mp4 segment[12].m4s | cmp - ../../two.mp4 && echo same
      cd ..; mp4tool join master.m3u8 -o ../three.mp4; echo $?
      """)
    #expect(result.lines == ["0", "same", "0", "same", "65"], "\(result)")
    #expect(
      result.errorText.contains("its tracks are in a different media playlist than the preceding ones"), "\(result)")
    #expect(!shell.folder.names.contains("three.mp4"))
  }

  @Test("Segments that do not fit the EXT-X-MAP are omitted as after an init segment, unless --force-init is given")
  func otherInit() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      cp -r "$V"/video "$V"/audio .
      { printf '#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXT-X-PLAYLIST-TYPE:VOD\\n#EXT-X-MAP:URI="video/init.mp4"\\n'
      for s in video/segment1 audio/segment2 video/segment2; do echo '#EXTINF:6.0,'; echo $s.m4s; done
      echo '#EXT-X-ENDLIST'; } > mixed.m3u8
      mp4tool defrag mixed.m3u8 -o a.mp4; echo $?
      mp4tool defrag -q video/init.mp4 video/segment1.m4s video/segment2.m4s -o b.mp4; cmp a.mp4 b.mp4 && echo same
      mp4tool join mixed.m3u8 -o c.mp4; echo $?
      cat video/init.mp4 video/segment1.m4s video/segment2.m4s | cmp - c.mp4 && echo same
      mp4tool join -q --force-init mixed.m3u8 -o d.mp4; echo $?
      mp4tool defrag --force-init mixed.m3u8 -o e.mp4 2> forced; echo $?; grep -c 'no segment of' forced
      """)
    #expect(result.lines == ["1", "same", "1", "same", "0", "1", "0"], "\(result)")
    let told =
      "mp4tool: audio/segment2.m4s: it does not match the init segment video/init.mp4: its timescale is 22050, not "
      + "12800; omitted"
    #expect(result.errorText.split(separator: "\n").filter { $0 == told }.count == 2, "\(result)")
  }

  /// A playlist with three periods: one codec, another codec, and the first codec again.
  static let takes = """
    mp4tool hls -q --muxed "$V"/progressive.mp4 -o a; mp4tool hls -q --muxed "$V"/hevc-fragmented.mp4 -o b
    part() { echo "#EXT-X-MAP:URI=\\"$1/video-90/init.mp4\\""
      for s in "$1"/video-90/segment?.m4s; do echo '#EXTINF:6.0,'; echo "$s"; done; }
    head() { printf '#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXT-X-PLAYLIST-TYPE:VOD\\n'; }
    cut() { echo '#EXT-X-DISCONTINUITY'; }
    { head; part a; cut; part b; cut; part a; echo '#EXT-X-ENDLIST'; } > aba.m3u8

    """

  @Test("After a discontinuity times continue, and another codec is another sample description of the same track")
  func discontinuity() throws {
    let shell = try EndToEnd()
    let result = try shell(Self.takes + "mp4tool defrag aba.m3u8 -o out.mp4; echo $?")
    #expect(result.lines == ["0"], "\(result)")
    #expect(
      result.errorText
        == "mp4tool: note: b/video-90/segment1.m4s: 2 discontinuities; each part continues after the longest track "
        + "before it, at 24.000 s, 28.126 s\n",
      "\(result)")
    let movie = try SampleReader.read(shell.bytes("out.mp4"))
    let a = try SampleReader.read(readFile(vectorPath("files/progressive.mp4"))).tracks
    let b = try SampleReader.read(readFile(vectorPath("files/hevc-fragmented.mp4"))).tracks
    #expect(movie.tracks.map(\.sampleEntries.count) == [2, 1])
    let video = movie.tracks[0].samples
    #expect(video.map(\.payload) == (a[0].samples + b[0].samples + a[0].samples).map(\.payload))
    #expect(
      video.map(\.descriptionIndex)
        == [1, 2, 1].enumerated().flatMap {
          Array(repeating: $0.element, count: $0.offset == 1 ? b[0].samples.count : a[0].samples.count)
        })
    #expect(movie.tracks[1].samples.map(\.payload) == (a[1].samples + a[1].samples).map(\.payload))
  }

  @Test("With --split each part is a separate file, as if it were alone; join requires it")
  func split() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.takes + """
        mp4tool defrag --split aba.m3u8 -o out.mp4; echo $?
        mp4tool defrag -q a/video-90/init.mp4 a/video-90/segment?.m4s -o a.mp4
        mp4tool defrag -q b/video-90/init.mp4 b/video-90/segment?.m4s -o b.mp4
        cmp out-1.mp4 a.mp4; cmp out-2.mp4 b.mp4; cmp out-3.mp4 a.mp4; ls out*
        mp4tool join aba.m3u8 -o joined.mp4; echo $?
        mp4tool join --split aba.m3u8 -o joined.mp4; echo $?
        cat b/video-90/init.mp4 b/video-90/segment?.m4s | cmp - joined-2.mp4 && ls joined*
        """)
    #expect(
      result.lines == [
        "0", "out-1.mp4", "out-2.mp4", "out-3.mp4", "65", "0", "joined-1.mp4", "joined-2.mp4",
        "joined-3.mp4",
      ], "\(result)")
  }

  @Test("A segment declared as missing is a gap and a warning; a missing file is a finding")
  func gaps() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q --muxed "$V"/progressive.mp4 -o out; cd out/video-90
      sed 's/^segment2/#EXT-X-GAP\\nsegment2/' index.m3u8 > gap.m3u8
      mp4tool defrag gap.m3u8 -o ../../gap.mp4; echo $?
      mp4tool defrag --strict gap.m3u8 -o ../../strict.mp4; echo $?
      rm segment3.m4s; mp4tool defrag -q index.m3u8 -o ../../lost.mp4; echo $?
      rm init.mp4; mp4tool defrag -q index.m3u8 -o ../../none.mp4; echo $?
      """)
    #expect(result.lines == ["0", "65", "1", "66"], "\(result)")
    let lines = result.errorLines
    #expect(
      lines[0]
        == "mp4tool: warning: gap.m3u8: line 12: a segment is marked as missing (EXT-X-GAP); 6.0 s are missing",
      "\(result)")
    #expect(
      result.errorText.contains(
        "mp4tool: index.m3u8: line 13: the segment is missing: segment3.m4s: cannot open: no such file or directory\n"),
      "\(result)")
    #expect(shell.folder.names == ["gap.mp4", "in.mp4", "lost.mp4", "out"])
    let gap = try SampleReader.read(shell.bytes("gap.mp4")).tracks[0].samples
    let all = try SampleReader.read(readFile(vectorPath("files/progressive.mp4"))).tracks[0].samples
    #expect(gap.map(\.payload) == all.enumerated().filter { !(150..<300).contains($0.offset) }.map(\.element.payload))
    #expect(gap[150].decodeTime == all[300].decodeTime)
  }

  @Test("Options select the variant and the languages")
  func choosing() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q "$V"/progressive.mp4 -o a; mp4tool hls -q "$V"/hevc-fragmented.mp4 -o a/b
      { cat a/master.m3u8 | grep -v I-FRAME
        printf '#EXT-X-STREAM-INF:BANDWIDTH=1500,RESOLUTION=16x9\\nb/video-90/index.m3u8\\n'; } > a/all.m3u8
      codecs() { mp4tool dump --format jsonl "$1" | grep -o '"codecs":"[^"]*' | cut -d'"' -f4 | tr '\\n' ' '; echo; }
      for options in '' '--variant worst' '--variant 16x9' '--variant 2' '--variant 2000' '--language en'; do
        mp4tool defrag -q $options a/all.m3u8 -o out.mp4 && codecs out.mp4
      done
      mp4tool defrag --variant 3 a/all.m3u8 -o none.mp4; echo $?
      mp4tool defrag --language fr a/all.m3u8 -o none.mp4; echo $?
      """)
    let both = "avc1.64000B mp4a.40.2 "
    let one = "hvc1.1.6.L30.90 "
    #expect(result.lines == [both, one, one, one, one, both, "65", "65"].map { $0[...] }, "\(result)")
    #expect(
      result.errorLines[0].hasPrefix("mp4tool: a/all.m3u8: no such variant; it has variants 1 (160x90, "))
    #expect(
      result.errorLines[1] == "mp4tool: a/all.m3u8: no rendition in the language \"fr\"; there is only en")
  }

  @Test("An I-frame playlist as the input gives a movie of keyframes")
  func iFrames() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q "$V"/progressive.mp4 -o out
      mp4tool defrag -q out/video-90/iframes.m3u8 -o out.mp4; echo $?
      """)
    #expect(result.lines == ["0"], "\(result)")
    let movie = try SampleReader.read(shell.bytes("out.mp4"))
    #expect(movie.tracks.count == 1 && movie.tracks[0].samples.allSatisfy(\.isSync))
  }

  @Test("References elsewhere are refused with their line, also through links; --allow-outside allows them")
  func confined() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q --muxed "$V"/progressive.mp4 -o out; cd out; cp -r video-90 ../beside
      sed 's/^segment2/..\\/..\\/beside\\/segment2/' video-90/index.m3u8 > video-90/up.m3u8
      sed "s|^segment2|$PWD/video-90/segment2|" video-90/index.m3u8 > video-90/absolute.m3u8
      sed "s|^segment2|file://$PWD/video-90/segment2|" video-90/index.m3u8 > video-90/file.m3u8
      sed "s|^segment2|http://127.0.0.1:1/segment2|" video-90/index.m3u8 > video-90/http.m3u8
      sed "s|^segment2|linked/segment2|" video-90/index.m3u8 > video-90/link.m3u8; ln -s ../../beside video-90/linked
      sed "s|^segment2|inside/segment2|" video-90/index.m3u8 > video-90/inside.m3u8; ln -s . video-90/inside
      sed 's|video-90/index|../beside/index|' master.m3u8 > up.m3u8
      for f in video-90/{up,absolute,file,http,link,inside}.m3u8 up.m3u8; do
        mp4tool defrag $f -o ../out.mp4; echo $?
      done
      for f in video-90/{up,absolute,link}.m3u8 up.m3u8; do mp4tool defrag -q --allow-outside $f -o ../out.mp4; echo $?; done
      """)
    #expect(result.lines == ["65", "65", "65", "65", "65", "0", "65", "0", "0", "0", "0"], "\(result)")
    let start = "mp4tool: video-90/"
    #expect(result.errorLines.count == 6)
    #expect(
      result.errorLines[0]
        == "\(start)up.m3u8: line 11: \"../../beside/segment2.m4s\" is not allowed: it is outside the folder of the "
        + "first playlist; --allow-outside allows it", "\(result)")
    #expect(result.errorLines[2].hasSuffix("the scheme \"file:\" is not supported here"))
    #expect(
      result.errorLines[4].hasPrefix(
        "\(start)link.m3u8: line 11: video-90/linked/segment2.m4s: a symbolic link leads out"))
    #expect(result.errorLines[5].hasPrefix("mp4tool: up.m3u8: line "))
  }

  @Test("Anything but a readable file is refused, without waiting for the writer of a pipe")
  func noFile() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkfifo pipe; mkdir folder; head='#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXT-X-MAP:URI="i.mp4"\\n'; : > i.mp4
      for f in pipe folder /dev/zero; do
        printf "$head"'#EXTINF:6,\\n'$f'\\n#EXT-X-ENDLIST\\n' > a.m3u8
        for command in defrag join; do mp4tool $command --allow-outside a.m3u8 -o out.mp4; echo $?; done
      done
      """)
    #expect(result.lines == ["66", "66", "66", "66", "66", "66"], "\(result)")
    #expect(result.errorLines.count == 6 && result.errorLines.allSatisfy { $0.hasPrefix("mp4tool: a.m3u8: line 5: ") })
    #expect(
      result.errorLines[0]
        == "mp4tool: a.m3u8: line 5: pipe: cannot open: random access is not possible")
  }

  @Test("Segments that are not fragmented MP4 or cannot be combined are refused with a message")
  func refused() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      head='#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n'
      printf "$head"'#EXTINF:6,\\na.bin\\n#EXT-X-ENDLIST\\n' > ts.m3u8; printf 'no media' > a.bin
      printf "$head"'#EXT-X-KEY:METHOD=AES-128,URI="k"\\n#EXT-X-MAP:URI="i"\\n#EXTINF:6,\\na.m4s\\n#EXT-X-ENDLIST\\n' > aes.m3u8
      printf '#EXTM3U\\n#EXT-X-STREAM-INF:BANDWIDTH=1\\nloop.m3u8\\n' > loop.m3u8
      printf "$head"'#EXT-X-ENDLIST\\n' > empty.m3u8
      for f in ts aes loop empty; do mp4tool defrag $f.m3u8 -o out.mp4; echo $?; done
      mp4tool defrag --in-place ts.m3u8; echo $?
      mp4tool defrag ts.m3u8 in.mp4 -o out.mp4; echo $?
      mp4tool defrag --variant best in.mp4 -o out.mp4; echo $?
      mp4tool defrag --split ts.m3u8 -o -; echo $?
      mp4tool defrag --variant x ts.m3u8 -o out.mp4; echo $?
      """)
    #expect(result.lines == ["65", "66", "65", "65", "64", "64", "64", "64", "64"], "\(result)")
    let messages = result.errorLines.filter { !$0.hasPrefix("Try ") }
    #expect(messages.count == 9)
    #expect(messages[0].contains("(EXT-X-MAP), so it is not MP4; only") && messages[1].contains("cannot be read: k: "))
    #expect(messages[2] == "mp4tool: loop.m3u8: line 2: it has EXT-X-STREAM-INF, so it is not a media playlist")
    #expect(messages[3] == "mp4tool: empty.m3u8: it has no readable segments")
    #expect(!shell.folder.names.contains("out.mp4"))
  }
}
