import Support
import Testing

@testable import mp4tool

@Suite(
  "serve relays files of another server",
  .enabled(if: ServedOrigin.isPossible, "curl or python3 is not installed"))
struct CLIServeOriginTests {
  /// A date is a strong validator only for a resource older than a second.
  private static let big = """
    mkdir -p site/film site/other; head -c 3000000 /dev/urandom > site/film/big.bin; cp in.mp4 site/other
    touch -t 202001010000 site/*/*
    """

  private static func prepared() throws -> EndToEnd {
    let shell = try EndToEnd()
    #expect(try shell(big).exitCode == 0)
    return shell
  }

  @Test(
    "All forms of ranges return the right bytes, even if the origin has no ranges", arguments: ServedOrigin.allCases)
  func ranges(origin: ServedOrigin) throws {
    let shell = try Self.prepared()
    let result = try origin(
      """
      serve --origin ${there}film/
      file=site/film/big.bin; big=${url}film/big.bin
      part() {
        curl -sS --fail -r $1 $big -o got || echo "$1 failed"
        tail -c +$(($2 + 1)) $file | head -c $3 | cmp - got || echo "$1 differs"
      }
      part 0-0 0 1; part 2999999- 2999999 1; part 5- 5 2999995; part -7 2999993 7; part 0-99999999 0 3000000
      part 1000000-2000000 1000000 1000001; part 65535-65536 65535 2
      for i in 1 2 3 4 5 6; do curl -sS $big | cmp - $file & parts="$parts $!"; done; wait $parts
      curl -sS -r 0-1,2000000-2000003 $big | tr -d '\\r' | grep -a Content-Range
      status -r 3000000- $big
      curl -sSI $big | tr -d '\\r' | grep -iE '^(HTTP|Content-Length|Accept-Ranges|Cache-Control)'
      tag=$(curl -sSI $big | tr -d '\\r' | sed -n 's/^ETag: //p')
      status -H "If-None-Match: $tag" $big; status -r 0-9 -H "If-Range: $tag" $big; status -r 0-9 -H 'If-Range: "x"' $big
      status ${big}?a=b; status ${url}film/none
      ended; grep -c 'big.bin HTTP[^ ]* 20[06]' asked; grep -c 'a=b' asked
      """, in: shell)
    #expect(
      result.text == """
        Content-Range: bytes 0-1/3000000
        Content-Range: bytes 2000000-2000003/3000000
        416
        HTTP/1.1 200 OK
        Content-Length: 3000000
        Accept-Ranges: bytes
        Cache-Control: no-cache
        304
        206
        200
        200
        404
        ended with 0
        1
        1

        """, "\(result)")
  }

  @Test("Cached data is available after a restart, and is only revalidated at the origin")
  func restart() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      for i in 1 2; do
        serve --origin ${there}film/big.bin --cache-dir kept --cache-size 10M
        curl -sS ${url}film/big.bin | cmp - site/film/big.bin
        ended; asked
      done
      serve --origin ${there}film/big.bin --cache-dir kept
      mp4tool serve --port 0 --origin ${there}film/big.bin --cache-dir kept; echo $?
      ended; ls | grep -c '^mp4tool-cache'
      """, in: shell)
    let answers = ["200", "304"].map { "ended with 0\n\"GET /film/big.bin HTTP/1.1\" \($0) -\n" }
    #expect(result.text == answers.joined() + "73\nended with 0\n0\n", "\(result)")
    #expect(result.errorText.hasSuffix(": it is in use by another program\n"), "\(result)")
  }

  @Test("Without a cache folder, cached data is removed with the server")
  func temporary() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      serve --origin ${there}film/big.bin; status ${url}film/big.bin; ls -A > during; ended
      ls -A > after; diff during after | grep -c '^<'
      """, in: shell)
    #expect(result.text == "200\nended with 0\n1\n", "\(result)")
  }

  @Test(
    "No old bytes are served for a file that has changed, or that cannot be revalidated",
    arguments: ServedOrigin.allCases)
  func changes(origin: ServedOrigin) throws {
    let shell = try Self.prepared()
    let result = try origin(
      """
      serve --origin ${there}film/big.bin
      sum() { curl -sS ${url}film/big.bin | cksum; }
      curl -sS ${url}film/big.bin | cmp - site/film/big.bin
      head -c 2000000 /dev/urandom > new; touch -t 202101010000 new; mv new site/film/big.bin
      until_it_is "$(cksum < site/film/big.bin)" sum > changed
      down; until_it_is 502 status ${url}film/big.bin; up
      until_it_is 206 status -r 5-9 ${url}film/big.bin
      tail -c +6 site/film/big.bin | head -c 5 | cmp - got
      ended > end; head -n 1 end
      """, in: shell)
    #expect(result.text == "502\n206\nended with 0\n", "\(result)")
  }

  @Test("Only resources in the folder are served, or on request those of the whole host")
  func outside() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      for option in -q --allow-outside; do
        serve --origin ${there}film/big.bin $option
        for path in film/big.bin other/in.mp4 'film/../other/in.mp4' 'film/%2e%2e/other/in.mp4' 'film%2f..%2fother/in.mp4' \\
          'film/..;/other/in.mp4' 'film/..%5cother/in.mp4' 'film/%zz' //other/in.mp4 filmed/x; do
          status --path-as-is "${url}$path" | tr '\\n' ' '
        done
        cat got; ended; asked
      done
      """, in: shell)
    let get = "\"GET /film/big.bin HTTP/1.1\" 200 -\n"
    #expect(
      result.text == """
        200 403 400 400 400 400 400 400 403 403 \
        403 Forbidden: this path is outside the served folder; --allow-outside serves everything on its host
        ended with 0
        \(get)200 200 400 400 400 400 400 400 200 404 404 Not Found: no such file
        ended with 0
        \(get)"GET /other/in.mp4 HTTP/1.1" 200 -
        "GET ///other/in.mp4 HTTP/1.1" 200 -
        code 404, message File not found
        "GET /filmed/x HTTP/1.1" 404 -

        """, "\(result)")
  }

  @Test("The page plays the given resource, or explains how to name one, and the password is not shown")
  func page() throws {
    let shell = try Self.prepared()
    let result = try ServedOrigin.withoutRanges(
      """
      down; export NEED=$(printf user:secret | base64); up
      as() { echo "http://$1@${there#http://}"; }
      serve --origin "$(as user:secret)film/b%69g.bin?a=1&b=2"; curl -sS $url > page; grep -o '<a href="[^"]*"' page
      status ${url}film/big.bin; curl -sSi ${url}film/none > none; ended
      serve --origin "$(as user:secret)film/"; curl -sS $url > page2; grep -o '<p>To play.*' page2; ended
      serve --origin "$(as user:wrong)film/big.bin"; status ${url}film/big.bin; ended
      grep -l secret page page2 log notes none got
      """, in: shell)
    #expect(
      result.text == """
        <a href="./film/b%69g.bin?a=1&amp;b=2"
        200
        ended with 0
        <p>To play a playlist or movie of the origin, append its path to the address of this page, such as \
        <code>/film/master.m3u8</code>, and open it in a player.</p>
        ended with 0
        403
        ended with 0

        """, "\(result)")
  }

  @Test("On a stop request, slow responses of the origin are completed; a second one leaves nothing")
  func stopping() throws {
    let shell = try EndToEnd()
    let server = try WebServer(shell.folder.path)
    let result = try shell(
      """
      head -c 150000 /dev/urandom > big.bin; mkdir temporary; export TMPDIR=$PWD/temporary
      mp4tool serve --port 0 --log-format json --origin \(server.address)/drip20/ > log 2> notes & server=$!
      until test -s log; do sleep 0.02; done
      url=$(sed -n 's/^{"url":"\\([^"]*\\)".*/\\1/p' log)
      curl -sS -N -o got ${url}drip20/big.bin & client=$!
      until test -s got; do sleep 0.02; done
      ls temporary | wc -l
      kill -TERM $server; wait $client; wait $server; echo $?; cmp big.bin got; ls temporary
      rm log; mp4tool serve -q --port 0 --origin \(server.address)/drip2000/ > log 2> notes & server=$!
      until test -s log; do sleep 0.02; done
      curl -sS -N -o half $(cat log)drip2000/big.bin 2> /dev/null & client=$!
      until test -s half; do sleep 0.02; done
      kill -TERM $server; until_refused $(cat log); kill -TERM $server; wait $server; echo $?; wait $client; ls temporary
      """)
    #expect(result.lines.map { $0.filter { $0 != " " } } == ["1", "0", "143"], "\(result)")
  }

  @Test("URIs in a playlist to which the origin redirects are adapted so that they resolve")
  func redirections() throws {
    let shell = try EndToEnd()
    let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv/index.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\n/x/a.m3u8?t=1\n"
    let media = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:1,\n../s.mp4\n"
    for (name, text) in [("film/master.m3u8", main), ("film/v/index.m3u8", media), ("film/s.mp4", "segment")] {
      #expect(try shell("mkdir -p site/film/v").exitCode == 0)
      try shell.folder.write("site/" + name, ascii(text))
    }
    let far = try WebServer(shell.folder("site"))
    let lines = """
      curl -sS ${url}hop1/film/master.m3u8 | grep -v EXT; curl -sS ${url}hop1/film/v/index.m3u8 | grep -v TARGET
      curl -sS -o got -w '%{http_code}\\n' ${url}film/s.mp4
      """
    let there = far.address
    let inside = try serving("--quiet --origin \(there)/hop1/film/master.m3u8", lines, in: shell)
    #expect(
      inside.text == """
        \(there)/film/v/index.m3u8
        \(there)/x/a.m3u8?t=1
        #EXTM3U
        #EXT-X-MAP:URI="\(there)/film/v/init.mp4"
        #EXTINF:1,
        \(there)/film/s.mp4
        403
        ended with 0

        """, "\(inside)")
    let all = try serving("--quiet --allow-outside --origin \(there)/hop1/film/master.m3u8", lines, in: shell)
    #expect(
      all.text == """
        /film/v/index.m3u8
        /x/a.m3u8?t=1
        #EXTM3U
        #EXT-X-MAP:URI="/film/v/init.mp4"
        #EXTINF:1,
        /film/s.mp4
        200
        ended with 0

        """, "\(all)")
  }

  @Test("Invalid combinations exit with 64, and without curl the exit code is 66")
  func usage() throws {
    let shell = try EndToEnd()
    let about = "needs '--origin URL'"
    let lines = [
      ("", "INPUT is missing: 'mp4tool serve [OPTION]... {INPUT... | --origin URL}'"),
      ("--cache-dir c in.mp4", "option '--cache-dir' \(about)"),
      ("--cache-size 1G in.mp4", "option '--cache-size' \(about)"),
      ("--subtitles en=en.vtt in.mp4", "option '--subtitles' \(about) or '--ladder'"),
      ("--allow-outside in.mp4", "option '--allow-outside' \(about)"),
      ("--origin http://h/a in.mp4", "'in.mp4' cannot be combined with '--origin'"),
      (
        "--origin ftp://user:secret@h/a",
        "option '--origin' takes an http or https URL, not 'h/a'"
      ),
      ("--origin http:///a", "option '--origin' takes an http or https URL, not 'http:///a'"),
      (
        "--origin http://a:99999/x",
        "option '--origin' takes an http or https URL, not 'http://a:99999/x'"
      ),
      ("--origin 'http://u:x@a b/'", "option '--origin' takes an http or https URL, not 'a b/'"),
      ("--origin http://h/%2fa", "option '--origin': the path of 'http://h/%2fa' is not valid"),
      (
        "--origin http://h/a/ --subtitles en=en.vtt",
        "option '--subtitles' needs the URL of a multivariant playlist, and 'http://h/a/' is a folder"
      ),
      (
        "--origin http://h/a.m3u8 --subtitles en.vtt",
        "'en.vtt' needs a language, as in '--subtitles en=en.vtt'"
      ),
      (
        "--origin http://h/a.m3u8 --subtitles x_y=en.vtt",
        "'x_y' is not a language tag (BCP 47), such as en or pt-BR"
      ),
      (
        "--origin http://h/a --media-start 3",
        "option '--media-start' needs '--subtitles LANG=FILE'"
      ),
      (
        "--origin http://h/a --cache-size 1.5G",
        "option '--cache-size' takes a positive number of bytes, optionally followed by K, M, G or T (powers of 1024), "
          + "such as 500M, not '1.5G'"
      ),
    ]
    for (arguments, message) in lines {
      let result = try shell("mp4tool serve \(arguments)")
      #expect(result.exitCode == 64 && result.errorLines.first == "mp4tool serve: \(message)", "\(result)")
    }
    let without = try shell("tool=$(command -v mp4tool); PATH=/nowhere $tool serve --origin http://user:secret@h/a")
    #expect(
      without.exitCode == 66 && without.errorText.hasPrefix("mp4tool: http://h/a: the program curl is not installed"))
  }

  @Test("A size is a number followed by a unit, which is a power of 1024")
  func sizes() {
    func read(_ text: String) -> Int? { ByteSize(text)?.byteCount }
    #expect(read("1") == 1 && read("500M") == 500 << 20 && read("20g") == 20 << 30 && read("3k") == 3072)
    #expect(read("8388607T") == 8_388_607 << 40 && read("8388608T") == nil)
    for text in ["", "0", "0G", "G", "-1", "+1", "1.5G", "1GB", "1 G", "99999999999999999999"] {
      #expect(read(text) == nil)
    }
  }
}
