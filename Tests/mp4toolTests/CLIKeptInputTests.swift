import Support
import Testing

@Suite("No output replaces an input, end to end")
struct CLIKeptInputTests {
  /// The tested command lines, by topic. `prepare` creates the files and packages.
  static let refused = [
    // The operands, by all their names.
    "defrag in.mp4 -o in.mp4", "defrag in.mp4 -o hard.mp4", "defrag in.mp4 -o soft.mp4", "defrag hard.mp4 -o in.mp4",
    "defrag soft.mp4 -o hard.mp4", "defrag in.mp4 -o new.mp4 --report in.mp4",
    "defrag --dry-run in.mp4 --report hard.mp4",
    "defrag - -o in.mp4 < in.mp4", "defrag in.mp4 -o /dev/fd/3 3>> in.mp4",
    "defrag --in-place in.mp4 --report hard.mp4",
    "defrag --no-clobber in.mp4 -o in.mp4",
    "fragment movie.mp4 -o movie.mp4", "fragment movie.mp4 -o new.mp4 --report movie.mp4",
    "fragment movie.mp4 --segments new --report movie.mp4", "fragment movie.mp4 --segments .",
    "hls movie.mp4 -o .", "hls movie.mp4 -o new --report movie.mp4", "hls --reference in.mp4 -o new --report soft.mp4",
    "join s/video-90/init.mp4 s/video-90/segment1.m4s -o s/video-90/segment1.m4s",
    "extract --tracks 1 in.mp4 -o hard.mp4", "extract --box moov in.mp4 -o hard.mp4",
    "extract --raw --sizes s/video-90/init.mp4 s/video-90/segment1.m4s "
      + "-o s/video-90/init.mp4",
    "live in.mp4 -o .",
    // Subtitles.
    "defrag in.mp4 --subtitles en=x.srt -o x.srt", "defrag in.mp4 --subtitles en=x.srt -o new.mp4 --report y.srt",
    "subtitles s/master.m3u8 --subtitles en=x.srt -o s",
    // Files in playlists, even if they are not read.
    "defrag one/master.m3u8 -o one/video-90/media.mp4", "defrag one/master.m3u8 -o one/video-90/iframes.mp4",
    "defrag one/master.m3u8 -o one/master.m3u8", "defrag s/master.m3u8 -o s/audio-en/index.m3u8",
    "defrag s/master.m3u8 -o new.mp4 --report s/video-90/init.mp4",
    "defrag s/master.m3u8 -o new.mp4 --report s/video-90/iframes.m3u8",
    "defrag two.m3u8 --variant 1 -o one/video-90/media.mp4",
    "join s/video-90/index.m3u8 -o s/video-90/segment2.m4s", "join s/video-90/index.m3u8 -o s/video-90/index.m3u8",
    "join --limit 6 s/video-90/index.m3u8 -o s/video-90/segment4.m4s",
    "join --allow-outside linked.m3u8 -o s/video-90/segment1.m4s",
    "join --split cut.m3u8 -o part.m4s",
  ]

  /// Files, links to them, and packages; `cut.m3u8` has a discontinuity before `part-2.m4s`.
  static let prepare = """
    cp "$V"/progressive.mp4 movie.mp4; ln in.mp4 hard.mp4; ln -s in.mp4 soft.mp4
    printf '1\\n00:00:01,000 --> 00:00:02,000\\nHello\\n' > x.srt; ln x.srt y.srt
    mp4tool hls -q movie.mp4 -o s; mp4tool hls -q --single-file movie.mp4 -o one
    sed 's,"\\(audio-en/\\),"s/\\1,; s,^video-90/,s/video-90/,' s/master.m3u8 > two.m3u8
    printf '#EXT-X-STREAM-INF:BANDWIDTH=9\\none/video-90/index.m3u8\\n' >> two.m3u8
    ln -s s/video-90/segment1.m4s linked.m4s; cp s/video-90/segment2.m4s part-2.m4s
    head='#EXTM3U\\n#EXT-X-TARGETDURATION:6\\n#EXT-X-MAP:URI="s/video-90/init.mp4"\\n#EXTINF:6,\\n'
    printf "$head"'linked.m4s\\n#EXT-X-ENDLIST\\n' > linked.m3u8
    printf "$head"'s/video-90/segment1.m4s\\n#EXT-X-DISCONTINUITY\\n' > cut.m3u8
    printf '#EXTINF:6,\\npart-2.m4s\\n#EXT-X-ENDLIST\\n' >> cut.m3u8
    state() { find . -type f -o -type l | sort | xargs cksum; }

    """

  @Test("Every command refuses every kind of input as its output, and no file changes")
  func refuses() throws {
    let shell = try EndToEnd()
    let lines = Self.refused.map { line in
      // A folder that is not empty is refused for that reason.
      let reason = [" .", " s"].contains { line.hasSuffix($0) } ? "the directory is not empty" : "it is also an input"
      return "mp4tool \(line) > ../printed 2> ../said; code=$?; state | cmp - ../state || code=changed; "
        + "grep -q '\(reason)' ../said || cat ../said; echo $code"
    }
    let result = try shell(
      "mkdir box; mv in.mp4 box; cd box; " + Self.prepare + "state > ../state\n" + lines.joined(separator: "\n"))
    let codes = result.lines
    #expect(codes.count == Self.refused.count, "\(result)")
    for (line, code) in zip(Self.refused, codes) { #expect(code == "73", "\(line): \(result)") }
  }

  @Test("A file: URL in a playlist is not followed, and its file is kept")
  func fileURL() throws {
    let shell = try EndToEnd()
    let result = try shell(
      Self.prepare + """
        sed "s,^segment1,file://$PWD/s/video-90/segment1," s/video-90/index.m3u8 > s/video-90/url.m3u8; state > ../state
        mp4tool join --allow-outside s/video-90/url.m3u8 -o s/video-90/segment1.m4s; echo $?
        state | cmp - ../state && echo same
        """)
    #expect(result.lines == ["65", "same"], "\(result)")
  }

  @Test("A folder of subtitles is not a cache", .enabled(if: ServedOrigin.isPossible, "needs python3 and curl"))
  func cache() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir -p c/mp4tool-cache; printf 'WEBVTT\\n' > c/mp4tool-cache/0123456789abcdef
      mp4tool serve --port 0 --origin http://127.0.0.1:1/a.m3u8 --cache-dir c --subtitles en=c/mp4tool-cache/0123456789abcdef
      echo $?; cat c/mp4tool-cache/0123456789abcdef
      """)
    #expect(result.lines == ["73", "WEBVTT"], "\(result)")
    #expect(result.errorText.contains("it is also an input"), "\(result)")
  }
}
