import Support
import Testing

@Suite("serve packages MP4 files on request", .enabled(if: which("curl") != nil, "curl is not installed"))
struct CLIServePackagesTests {
  private static let keys = "00112233445566778899aabbccddeeff:0123456789abcdef0123456789abcdef"

  /// Lines that compare all files of the folder `out` with those of the URL `movie`.
  private static let comparison = """
    for file in $(cd out && find . -type f); do
      curl -sS --fail "$movie/$file" -o got && cmp got out/$file || echo "$file differs"
      size=$(stat -c %s out/$file 2> /dev/null || stat -f %z out/$file)
      curl -sS --fail -r $((size / 3))-$((size / 2)) "$movie/$file" -o got
      tail -c +$((size / 3 + 1)) out/$file | head -c $((size / 2 - size / 3 + 1)) | cmp - got || echo "$file differs in parts"
    done
    """

  private static let inputs = [
    "cp \"$V\"/progressive.mp4 site/a.mp4", "cp \"$V\"/hevc-fragmented.mp4 site/a.mp4",
    "cp \"$V\"/negative-cts.mp4 site/a.mp4", "mp4tool cut -q --from 0.5 \"$V\"/progressive.mp4 -o site/a.mp4",
    """
    printf 'WEBVTT\\n\\n00:00.500 --> 00:01.000\\nText\\n' > a.vtt
    mp4tool defrag -q in.mp4 --subtitles en=a.vtt --subtitles fr=a.vtt -o site/a.mp4
    """,
    "mp4tool mux -q \"$V\"/progressive.mp4 in.mp4 -o site/a.mp4",
  ]

  @Test("Playlists, manifest and segments are those of hls", arguments: Effort.some(inputs, short: 3))
  func bytes(input: String) throws {
    let shell = try EndToEnd()
    let prepared = try shell("mkdir site; \(input); mp4tool hls -q --dash site/a.mp4 -o out")
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try serving("-q site", "movie=${url}a.mp4\n\(Self.comparison)", in: shell)
    #expect(result.text == "ended with 0\n", "\(result)")
  }

  @Test(
    "Encrypted packages are those of hls",
    arguments: [
      "cbcs --drm fairplay=skd://{kid},widevine,playready", "cenc --drm widevine --clear-lead 1", "aes-128",
      "cbcs --key-period 2 --drm fairplay=skd://a --encrypt-key 0123456789abcdef0123456789abcdef:\(keys.suffix(32))",
    ])
  func encrypted(options: String) throws {
    let shell = try EndToEnd()
    let words = "--encrypt \(options) --encrypt-key \(Self.keys)"
    let hasManifest = options != "aes-128" && !options.hasPrefix("cbcs --key-period")
    let dash = hasManifest ? "--dash" : ""
    let prepared = try shell(
      "mkdir site; cp \"$V\"/progressive.mp4 site/a.mp4; mp4tool hls -q \(dash) \(words) site/a.mp4 -o out")
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try serving(
      "\(words) site",
      """
      movie=${url}a.mp4
      \(Self.comparison)
      curl -sS -o got -w '%{http_code}\\n' $movie/manifest.mpd
      cat notes
      """, in: shell)
    let text = """
      \(hasManifest ? 200 : 404)
      mp4tool: note: packages are encrypted, but the files themselves are also served
      ended with 0

      """
    #expect(result.text == text, "\(result)")
  }

  @Test(
    "A ladder is one package at the root",
    arguments: [
      "a.mp4 in.mp4",
      "a.mp4,tracks=video in.mp4,tracks=audio,language=fr,name=A,role=description b.srt,sdh --subtitles de=a.ttml",
    ])
  func ladder(inputs: String) throws {
    let shell = try EndToEnd()
    let prepared = try shell(
      """
      cp "$V"/progressive.mp4 a.mp4
      printf '1\n00:00:00,500 --> 00:00:01,000\nText\n' > b.srt
      printf '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="0.5s" end="1s">Text</p></div></body></tt>' > a.ttml
      mp4tool package -q \(inputs) -o out
      """)
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try serving(
      "-q --ladder \(inputs)",
      """
      movie=${url%/}
      \(Self.comparison)
      curl -sS -o got -w '%{http_code}\\n' ${url}a.mp4
      curl -sS $url | sed -n 's/.*<a href="\\([^"]*\\)".*/\\1/p'
      """, in: shell)
    #expect(result.text == "404\nmaster.m3u8\nended with 0\n", "\(result)")
  }

  @Test("A small cache of plans and requests at the same time give the same bytes")
  func pressure() throws {
    let shell = try EndToEnd()
    let prepared = try shell(
      """
      mkdir site; cp "$V"/progressive.mp4 site/a.mp4; cp in.mp4 site/b.mp4; cp "$V"/negative-cts.mp4 site/c.mp4
      for name in a b c; do mp4tool hls -q --dash site/$name.mp4 -o $name; done
      """)
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try serving(
      "-q --plan-cache 1K site",
      """
      compare() {
        for file in $(cd $1 && find . -type f); do
          curl -sS --fail ${url}$1.mp4/$file | cmp - $1/$file || echo "$1 $file differs"
        done
      }
      for name in a b c a b c; do compare $name & jobs="$jobs $!"; done; wait $jobs
      """, in: shell)
    #expect(result.text == "ended with 0\n", "\(result)")
  }

  @Test("A file that cannot be packaged, and options that contradict each other")
  func mistakes() throws {
    let shell = try EndToEnd()
    let bad = try serving(
      "site",
      "curl -sS -w '%{http_code}\\n' ${url}bad.mp4/master.m3u8; curl -sS --fail ${url}bad.mp4 | cmp - site/bad.mp4",
      in: shell, before: "mkdir site; head -c 999 in.mp4 > site/bad.mp4; echo text > text.txt")
    #expect(
      bad.text == """
        422 Unprocessable Content: this file cannot be packaged: bad.mp4: the file is cut off inside its moov box, and \
        the rest of it locates no sample; copy or download it again
        422
        ended with 0

        """, "\(bad)")
    for (words, code, text) in [
      ("--ladder text.txt", 65, "text.txt: "), ("--ladder site", 66, "is a directory"),
      ("--ladder none.mp4", 66, "none.mp4"),
      ("--encrypt cbcs site", 64, "no key is specified"), ("--clear-lead 5 site", 64, "needs '--encrypt METHOD'"),
      ("--encrypt cenc --drm fairplay=skd://a --encrypt-key \(Self.keys) site", 64, "FairPlay"),
      ("--plan-cache 0 site", 64, "--plan-cache"), ("--max-age -1 site", 64, "--max-age"),
      ("--origin http://127.0.0.1:1/ --ladder", 64, "--ladder"), ("--stale-if-error 5 site", 64, "--origin URL"),
      ("--origin http://127.0.0.1:1/ --max-age 5", 64, "--max-age"),
    ] {
      let result = try shell("mp4tool serve --port 0 \(words)")
      #expect(result.exitCode == code && result.errorText.contains(text), "\(words): \(result)")
    }
  }

  @Test(
    "ffmpeg decodes the playlist and the manifest",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "-q site",
      """
      ffmpeg -nostdin -v error -i site/a.mp4 -map 0:v -f md5 - > expected
      for name in master.m3u8 manifest.mpd; do
        ffmpeg -nostdin -v warning -xerror -i ${url}a.mp4/$name -map 0:v -f md5 - | cmp - expected || echo "$name differs"
      done
      """, in: shell, before: "mkdir site; cp \"$V\"/progressive.mp4 site/a.mp4")
    #expect(result.text == "ended with 0\n" && result.errorText == "", "\(result)")
  }
}

@Suite("serve stays up for the clients of an origin that is down", .enabled(if: which("curl") != nil))
struct CLIServeStaleTests {
  @Test("Cached data is served for --stale-if-error seconds")
  func stale() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir site; mp4tool hls -q in.mp4 -o site/film
      begin() {
        rm -f $1.log; log=$1; shift
        mp4tool serve --port 0 "$@" > $log.log 2> $log.notes & server=$!
        until test -s $log.log || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
        url=$(head -n 1 $log.log)
      }
      begin far site; far=$server; there=$url
      begin strict --origin ${there}film/; strict=$server; strictly=$url
      begin near --origin ${there}film/ --stale-if-error 100000; near=$server; nearly=$url
      list=film/master.m3u8
      for url in $strictly $nearly; do curl -sS $url$list | cmp - site/$list; done
      kill $far; wait $far; until_refused $there
      # Until then, the last answer is valid.
      until test "$(curl -sS -o got -w '%{http_code}' $strictly$list)" = 502; do sleep 0.05; done
      until curl -sSI $nearly$list | grep -qi '^age:'; do sleep 0.05; done
      curl -sS $nearly$list -D fields | cmp - site/$list
      tr -d '\\r' < fields | sed -n 's/^HTTP.1.1 //p; s/^Age: [0-9]*$/Age/p; s/^Warning: //p'
      curl -sS -o got -w '%{http_code}\\n' ${nearly}film/none
      kill $near $strict; wait
      """)
    #expect(result.text == "200 OK\nAge\n110 - \"Response is Stale\"\n502\n", "\(result)")
  }
}

/// The same as `serving`, with preceding lines.
private func serving(
  _ words: String, _ lines: String, in shell: EndToEnd, before: String
) throws -> RunResult {
  let prepared = try shell(before)
  #expect(prepared.exitCode == 0, "\(prepared)")
  return try serving(words, lines, in: shell)
}
