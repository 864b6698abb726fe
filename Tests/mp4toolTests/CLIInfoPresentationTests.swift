import Support
import Testing

@Suite("info of presentations, end to end")
struct CLIInfoPresentationTests {
  @Test("The values that a packager declares are those of the media")
  func right() throws {
    let shell = try EndToEnd()
    let result = try shell(
      "mp4tool hls -q $V/progressive.mp4 -o out; mp4tool info -q out/master.m3u8 out/video-90/index.m3u8")
    #expect(
      result.description == """
        exit code 0
        out/master.m3u8  multivariant playlist  0:24.000  VOD  version 1  1 variant, 1 rendition, 1 I-frame playlist
          1 variant  video-90/index.m3u8  59 kb/s, average 56.2 kb/s  avc1.64000B,mp4a.40.2  160x90  25 fps  SDR  audio "audio-1"
          1 audio  audio-en/index.m3u8  group "audio-1"  "English"  en  1 channel  mp4a.40.2  17.1 kb/s  default
          1 I-frames  video-90/iframes.m3u8  6.24 kb/s, average 5.11 kb/s  avc1.64000B  160x90  SDR

        out/video-90/index.m3u8  media playlist  0:24.000  VOD  version 6  4 segments (6.000 s)  target duration 6.000 s  39.1 kb/s
          out/video-90/init.mp4 and 4 more  118 kB  0:24.000  39.4 kb/s  fragmented, 4 fragments (6.000 s)  iso6
            brands: iso6, avc1 (H.264 extensions)
            media starts at 0:10.000, which is 0 in all times
            1 video  avc1.64000B  H.264 High@1.1  160x90  25 fps  SDR  36.6 kb/s  600 frames, 12 keyframes, GOP 50 (2.000 s)
                colors: 8 bits, 4:2:0, not declared
                reference frames: 4
                encoder: x264 core 164 r3095 baee400
                highest bit rate: 49.1 kb/s in one second


        """)
    // The largest rendition is in each variant, so the sum equals the value that the packager has calculated.
    for options in ["", "--single-file", "--segment-duration 2"] {
      let lines = try shell(
        """
        rm -r out; mp4tool hls -q \(options) $V/progressive.mp4 -o out; mp4tool info --format json out \\
          | python3 -c 'import json, sys; p = json.load(sys.stdin)[0]
        for v in p["variants"] + p["i_frame_variants"]:
          print(v["bandwidth"] == v["measured_bandwidth"], v["differences"], p["violations"], p["problems"])'
        """
      ).lines
      #expect(lines == ["True [] [] []", "True [] [] []"], "\(options)")
    }
  }

  @Test("Each wrong declaration is marked, with the actual value")
  func wrong() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out
      sed -e 's/RESOLUTION=160x90/RESOLUTION=1920x1080/; s/VIDEO-RANGE=SDR/VIDEO-RANGE=PQ/; s/avc1.64000B/avc1.640028/' \\
        -e 's/CHANNELS="1"/CHANNELS="6"/; s/LANGUAGE="en"/LANGUAGE="fr"/; s/FRAME-RATE=25/FRAME-RATE=30/' \\
        -e 's/:BANDWIDTH=58988,AVERAGE-BANDWIDTH=56224/:BANDWIDTH=50000,AVERAGE-BANDWIDTH=40000/' \\
        out/master.m3u8 > out/wrong.m3u8
      mp4tool info -q out/wrong.m3u8 | grep '!'
      """)
    #expect(
      result.description == """
        exit code 0
              ! bandwidth: 50000 b/s, but the media has 58988 b/s
              ! average bandwidth: 40000 b/s, but the media has 56224 b/s
              ! codecs: avc1.640028,mp4a.40.2, but the media has avc1.64000B,mp4a.40.2
              ! resolution: 1920x1080, but the media has 160x90
              ! frame rate: 30 fps, but the media has 25 fps
              ! dynamic range: PQ, but the media has SDR
              ! channels: 6, but the media has 1
              ! language: fr, but the media has en
              ! codecs: avc1.640028, but the media has avc1.64000B
              ! resolution: 1920x1080, but the media has 160x90
              ! dynamic range: PQ, but the media has SDR


        """)
  }

  @Test("Missing files are reported with their line, and the rest is shown")
  func missing() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out; rm out/video-90/segment2.m4s out/audio-en/init.mp4
      echo '#EXT-X-STREAM-INF:BANDWIDTH=1
      none.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=2
      /etc/hosts' >> out/master.m3u8
      mp4tool info out/master.m3u8 > /dev/null
      """)
    #expect(result.exitCode == 1)
    #expect(
      result.errorLines == [
        "mp4tool: out/video-90/index.m3u8: line 11: out/video-90/segment2.m4s: cannot open: no such file or directory",
        "mp4tool: out/master.m3u8: line 8: out/none.m3u8: cannot open: no such file or directory",
        "mp4tool: out/master.m3u8: line 10: \"/etc/hosts\" is not allowed: "
          + "it is outside the folder of the first playlist",
        "mp4tool: out/audio-en/index.m3u8: line 7: out/audio-en/init.mp4: cannot open: no such file or directory",
        "mp4tool: warning: out/video-90/segment3.m4s: track 1: gap of 6.000 s at 5.920 s; "
          + "the sample before it was extended",
      ])
    #expect(try shell("mp4tool info none.m3u8").exitCode == 66)
    #expect(try shell("printf '#EXTM3U\\n#EXTINF:six,\\na\\n' > a.m3u8; mp4tool info a.m3u8").exitCode == 1)
  }

  @Test("Segments that are not MP4, or are encrypted as a whole, are reported as such")
  func otherFormats() throws {
    let shell = try EndToEnd()
    let result = try shell(
      #"""
      for i in 1 2 3 4; do printf 'G%187s'; done > a.ts
      printf '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n' > a.m3u8
      sed 's/#EXTINF:2,/#EXT-X-KEY:METHOD=AES-128,URI="k"\n&/; /ENDLIST/d' a.m3u8 > b.m3u8
      mp4tool info a.m3u8 b.m3u8
      """#)
    #expect(
      result.description == """
        exit code 0
        a.m3u8  media playlist  0:03.000  VOD  version 1  2 segments (1.000 to 2.000 s)  target duration 2.000 s  4.01 kb/s
          segments: an MPEG transport stream, not MP4

        b.m3u8  media playlist  0:03.000  live  version 1  2 segments (1.000 to 2.000 s)  target duration 2.000 s  4.01 kb/s
          encryption: AES-128, full segments


        """)
  }

  @Test("A folder means its multivariant playlist, media playlists or MP4 files; files keep their order")
  func folders() throws {
    let shell = try EndToEnd()
    let lines = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out; mkdir plain; cp in.mp4 plain/b.mp4; cp in.mp4 plain/a.mp4; touch plain/c
      mp4tool info --format csv in.mp4 out out/audio-en plain $V/progressive.mp4 | cut -d, -f1,3,5,9,15 | sed "s|$V/||"
      """
    ).lines
    #expect(
      lines == [
        "name,duration_seconds,layout,video_codec,audio_codec",
        "in.mp4,6.240000,fragmented,avc1.64000B,mp4a.40.2",
        "out/master.m3u8,24.000000,multivariant playlist,avc1.64000B,mp4a.40.2",
        "out/audio-en/index.m3u8,24.000000,media playlist,,mp4a.40.2",
        "plain/a.mp4,6.240000,fragmented,avc1.64000B,mp4a.40.2",
        "plain/b.mp4,6.240000,fragmented,avc1.64000B,mp4a.40.2",
        "progressive.mp4,24.000000,progressive,avc1.64000B,mp4a.40.2",
      ])
    #expect(try shell("mkdir empty; mp4tool info empty").exitCode == 65)
  }

  @Test(
    "A presentation on a server is examined for a minute, or for the requested time",
    .enabled(if: WebServer.isPossible))
  func server() throws {
    let shell = try EndToEnd()
    _ = try shell("mp4tool hls -q --segment-duration 2 $V/progressive.mp4 -o out")
    let server = try WebServer(shell.folder.path)
    let start = try shell("mp4tool info --limit 3 \(server.address)/out/video-90/index.m3u8")
    #expect(start.exitCode == 0 && start.text.contains("\n  examined: the first 4.000 s\n"), "\(start)")
    #expect(!(try shell("curl -s \(server.address)/log").text.contains("segment3.m4s")))
    let all = try shell(
      "mp4tool info out/master.m3u8 | sed 1d; mp4tool info \(server.address)/out/master.m3u8 | sed 1d")
    #expect(all.exitCode == 0 && all.lines.count == 6 && Array(all.lines[..<3]) == Array(all.lines[3...]), "\(all)")
    let missing = try shell("rm out/video-90/segment2.m4s; mp4tool info \(server.address)/out/master.m3u8 > /dev/null")
    #expect(
      missing.errorLines.first
        == """
        mp4tool: \(server.address)/out/video-90/index.m3u8: line 11: \(server.address)/out/video-90/segment2.m4s: \
        the server returned status 404 (not found)
        """)
  }
}
