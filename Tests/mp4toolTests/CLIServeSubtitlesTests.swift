import Support
import Testing

@Suite(
  "serve adds subtitles to a presentation of another server",
  .enabled(if: ServedOrigin.isPossible, "curl or python3 is not installed"))
struct CLIServeSubtitlesTests {
  /// A presentation in the folder of an origin.
  private static func prepared(
    _ options: String = "--profile apple", of vector: String = "progressive.mp4"
  ) throws -> EndToEnd {
    let shell = try CLISubtitlesTests.prepared(options, of: vector)
    #expect(try shell("mkdir -p site; mv movie site/film; touch -t 202001010000 site/film/*").exitCode == 0)
    return shell
  }

  @Test(
    "The served playlist and files are those of mp4tool subtitles, and the rest is that of the origin",
    arguments: ServedOrigin.allCases, ["", "--single-file"])
  func files(origin: ServedOrigin, storage: String) throws {
    let shell = try Self.prepared("--profile apple \(storage)")
    let result = try origin(
      """
      cp -r site/film own; mp4tool subtitles -q --in-place own/master.m3u8 --subtitles en=en.vtt --subtitles fr=fr.srt,default
      serve --origin ${there}film/master.m3u8 --subtitles en=en.vtt --subtitles fr=fr.srt,default
      asked > start
      for file in $(cd own && find . -type f | cut -c 3- | sort); do
        curl -sS --fail ${url}film/$file -o got && cmp got own/$file || echo "$file differs"
      done
      tag=$(curl -sSI ${url}film/master.m3u8 | tr -d '\\r' | sed -n 's/^ETag: //p')
      status -H "If-None-Match: $tag" ${url}film/master.m3u8
      curl -sSI ${url}film/subtitles/en/subtitles.vtt | tr -d '\\r' | grep ^Content-Type
      status ${url}film/subtitles/de/index.m3u8
      ended; cut -d ' ' -f 2 start | sort | uniq -d
      """, in: shell)
    #expect(
      result.text == "304\nContent-Type: text/vtt; charset=utf-8\n404\nended with 0\n", "\(result)")
    let cut = try shell("ls own/subtitles/en")
    #expect(cut.lines == ["index.m3u8", "subtitles.vtt"])
  }

  @Test("A changed playlist of the origin is edited again; if that is impossible, 502 is returned and reported")
  func changes() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      serve --origin ${there}film/master.m3u8 --subtitles en=en.vtt
      count() { curl -sS ${url}film/master.m3u8 | grep -c "$1"; }
      count SUBTITLES=; cp site/film/master.m3u8 old
      put() { touch -t $1 new; mv new site/film/master.m3u8; }
      (cat old; echo '# another') > new; put 202101010000
      until_it_is 1 count another; count SUBTITLES=
      cat site/film/video-90/index.m3u8 > new; put 202201010000
      until_it_is 502 status ${url}film/master.m3u8
      cp old new; put 202301010000
      until_it_is 1 count SUBTITLES=; status ${url}film/subtitles/en/index.m3u8
      ended > end; sed "s|$there|THERE/|" end
      """, in: shell)
    #expect(
      result.text == """
        1
        1
        1
        502
        1
        200
        ended with 0
        mp4tool: warning: THERE/film/master.m3u8: this is a media playlist, to which subtitles cannot be added; use \
        the multivariant playlist that refers to it, or create one with #EXT-X-STREAM-INF:BANDWIDTH=… before its URI; \
        the subtitles cannot be added

        """, "\(result)")
  }

  @Test("An unsuitable presentation is an error at the start, and the origin's subtitles folder is kept")
  func refused() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      try() { mp4tool serve --port 0 --origin ${there}$1 --subtitles $2 2>&1 | sed "s|$there|THERE/|"; echo ${PIPESTATUS[0]}; }
      sed '/ENDLIST/d; /PLAYLIST-TYPE/d' site/film/video-90/index.m3u8 > site/film/video-90/live.m3u8
      sed 's|video-90/index|video-90/live|' site/film/master.m3u8 > site/film/live.m3u8
      sed 's|^video-90|ftp://h|' site/film/master.m3u8 > site/film/ftp.m3u8
      (echo '#EXTM3U'; grep TYPE=AUDIO site/film/master.m3u8) > site/film/none.m3u8
      for name in video-90/index live none ftp missing; do try film/$name.m3u8 en=en.vtt; done; try film/master.m3u8 en=no.vtt
      mp4tool subtitles -q --in-place site/film/master.m3u8 --subtitles en=en.vtt
      serve --origin ${there}film/master.m3u8 --subtitles fr=fr.srt
      curl -sS ${url}film/master.m3u8 | grep -o 'subtitles[-2]*/../index.m3u8'
      for path in subtitles/en subtitles-2/fr; do status ${url}film/$path/index.m3u8; done
      ended > end; head -n 1 end; ls -A | grep mp4tool-cache
      """, in: shell)
    let lines = result.lines
    #expect(lines.count == 17, "\(result)")
    #expect(lines[0].hasPrefix("mp4tool: THERE/film/video-90/index.m3u8: this is a media playlist") && lines[1] == "65")
    #expect(lines[2].hasPrefix("mp4tool: THERE/film/live.m3u8: ") && lines[3] == "65", "\(result)")
    #expect(lines[4].hasPrefix("mp4tool: THERE/film/none.m3u8: ") && lines[5] == "65", "\(result)")
    #expect(lines[6].hasPrefix("mp4tool: THERE/film/ftp.m3u8: line 5: \"ftp://h/") && lines[7] == "65", "\(result)")
    #expect(lines[8].hasSuffix("the server returned status 404 (not found)") && lines[9] == "66", "\(result)")
    #expect(lines[10].hasPrefix("mp4tool: no.vtt: ") && lines[11] == "66", "\(result)")
    #expect(
      lines[12...] == ["subtitles/en/index.m3u8", "subtitles-2/fr/index.m3u8", "200", "200", "ended with 0"][...],
      "\(result)")
  }

  @Test("The start of the media can be given if it cannot be read")
  func mediaStart() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withRanges(
      """
      rm site/film/video-90/segment1.m4s
      for option in '--allow-outside' '--media-start 3'; do
        serve --origin ${there}film/master.m3u8 --subtitles en=en.vtt $option
        curl -sS ${url}film/subtitles/en/subtitles.vtt | sed -n 2p; ended > end; sed "s|$there|THERE/|g" end
      done
      """, in: shell)
    #expect(
      result.text == """
        X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0
        ended with 0
        mp4tool: warning: THERE/film/video-90/index.m3u8: the start time of segment segment1.m4s is unknown \
        (THERE/film/video-90/segment1.m4s: the server returned status 404 (not found)); 0 is used; --media-start sets it
        X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:270000
        ended with 0

        """, "\(result)")
  }

  @Test("A media playlist to which the origin redirects is read and served from the target")
  func redirected() throws {
    let shell = try Self.prepared()
    let far = try WebServer(shell.folder("site"))
    let there = far.address.replacing("/", with: "%252F")
    try shell.folder.write(
      "lines",
      ascii(
        """
        curl -sS ${url}film/subtitles/en/subtitles.vtt ${url}subtitles/en/subtitles.vtt | grep TIMESTAMP
        list=$(curl -sS ${url}$1 | grep index.m3u8$); curl -sS ${url}$list > list
        for uri in $(sed -n 's/.*MAP:URI="\\(.*\\)".*/\\1/p; t; /^[^#]/p' list | head -n 3); do
          case $uri in /*) curl -sS ${url%/}$uri;; *) curl -sS ${url}${list%/*}/$uri;; esac
        done | cmp - expected && echo same; cat notes
        """))
    #expect(
      try shell(
        """
        cd site/film/video-90; cat init.mp4 segment1.m4s segment2.m4s > ../../../expected; cd ../..
        sed 's|^video-90/|./to-\(there)%252Ffilm%252Fvideo-90%252Findex.m3u8/x/|' film/master.m3u8 > elsewhere.m3u8
        sed 's|^video-90/|hop2/film/video-90/|' film/master.m3u8 > hop.m3u8
        """
      ).exitCode == 0)
    for name in ["elsewhere.m3u8", "hop.m3u8"] {
      let result = try serving(
        "--quiet --origin \(far.address)/\(name) --subtitles en=en.vtt", "set -- \(name); . ./lines", in: shell)
      #expect(
        result.text == "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\nsame\nended with 0\n", "\(name): \(result)")
    }
  }

  @Test("On a stop request while an origin does not respond, the server ends and leaves nothing")
  func stopped() throws {
    let shell = try Self.prepared()
    let result = try shell(
      """
      python3 -c 'import socket, time
      s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(300)' > port &
      silent=$!; until test -s port; do sleep 0.02; done
      mp4tool serve --port 0 --origin http://127.0.0.1:$(cat port)/a.m3u8 --subtitles en=en.vtt & server=$!
      until ls -A | grep -q mp4tool-cache; do sleep 0.02; done
      kill $server; wait $server; echo $?; kill $silent; ls -A | grep mp4tool-cache
      """)
    #expect(result.text == "143\n", "\(result)")
  }

  @Test(
    "GStreamer plays it, and every cue has the right time",
    .enabled(
      if: CLISubtitleReadersTests.isPlayerThere,
      "needs MP4TOOL_TESTS=all and gst-launch-1.0 with hlsdemux2, souphttpsrc, subparse and avdec_h264"))
  func played() throws {
    let shell = try Self.prepared(of: "progressive.mov")
    let result = try ServedOrigin.withoutRanges(
      """
      serve --origin ${there}film/master.m3u8 --subtitles en=en.vtt
      \(CLISubtitleReadersTests.texts("${url}film/master.m3u8")); ended >&2
      """, in: shell)
    let texts = CLISubtitleReadersTests.cues(result.lines, from: 60_080)
    #expect(texts == [[1000, 26], [3000, 30]], "\(result)")
  }

  @Test(
    "ffmpeg finds every picture of the origin, and every cue at its time",
    .enabled(if: Effort.has("ffmpeg", "ffprobe"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func read() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      serve --origin ${there}film/master.m3u8 --subtitles en=en.vtt
      for place in $url $there; do ffmpeg -v error -i ${place}film/master.m3u8 -map 0:v -f framemd5 - | cksum; done | uniq | wc -l
      ffprobe -v error -show_entries stream=codec_name:packet=pts_time,duration_time -of csv=p=0 \
        ${url}film/subtitles/en/subtitles.vtt | sed 's/,*$//'
      ended
      """, in: shell)
    #expect(
      result.lines.map(String.init).filter { !$0.isEmpty } == [
        "1", "1.000000,2.500000", "3.000000,3.500000", "11.000000,1.000000", "webvtt", "ended with 0",
      ], "\(result)")
  }
}
