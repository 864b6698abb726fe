import Support
import Testing

/// Runs lines while `mp4tool serve` is running; `$url` is the URL that it prints, and `log` and `notes` are its
/// outputs.
func serving(_ words: String, _ lines: String, in shell: EndToEnd) throws -> RunResult {
  try shell(
    """
    rm -f log
    mp4tool serve --port 0 \(words) > log 2> notes & server=$!
    until test -s log || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
    url=$(head -n 1 log)
    \(lines)
    kill $server 2> /dev/null
    wait $server
    echo "ended with $?"
    """)
}

@Suite("serve gives clients access to folders and movies", .enabled(if: which("curl") != nil, "curl is not installed"))
struct CLIServeTests {
  @Test("A folder is served unchanged, and a server that is stopped exits with 0")
  func folder() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "out",
      """
      for file in $(cd out && find . -type f); do
        curl -sS --fail $url$file -o got && cmp got out/$file || echo "$file differs"
      done
      curl -sSI ${url}master.m3u8 | tr -d '\\r' | grep -iE '^(HTTP|content-(type|length)|accept|cache)'
      curl -sS -r 0-1,5-6 ${url}video-90/init.mp4 | tr -d '\\r' | grep -a Content-Range
      cat log notes | sed 's/ - - .*]//' | sort | uniq -c | sort -n | tail -n 1 | wc -l
      """, in: shell, before: "mp4tool hls -q --segment-duration 2 in.mp4 -o out")
    let size = try shell.bytes("out/master.m3u8").count
    let initialization = try shell.bytes("out/video-90/init.mp4").count
    #expect(
      result.text == """
        HTTP/1.1 200 OK
        Content-Type: application/vnd.apple.mpegurl
        Content-Length: \(size)
        Accept-Ranges: bytes
        Cache-Control: no-cache
        Content-Range: bytes 0-1/\(initialization)
        Content-Range: bytes 5-6/\(initialization)
        1
        ended with 0

        """)
    #expect(try String(decoding: shell.bytes("notes"), as: UTF8.self) == "")
  }

  @Test(
    "A movie is served as a file and as the output of hls, byte for byte, also in ranges",
    arguments: Effort.some(
      [
        "progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4", "progressive.mov", "encrypted-cenc.mp4",
        "negative-cts.mp4", "pcm.mov",
      ], short: 2))
  func movie(name: String) throws {
    let shell = try EndToEnd()
    let result = try serving(
      "-q \"$V\"/\(name)",
      """
      curl -sS --fail ${url}\(name) -o got && cmp got "$V"/\(name)
      movie=${url}\(name.split(separator: ".")[0])
      for file in $(cd out && find . -type f); do
        curl -sS --fail $movie/$file -o got && cmp got out/$file || echo "$file differs"
        size=$(stat -c %s out/$file 2> /dev/null || stat -f %z out/$file)
        for start in 0 1 $((size / 3)) $((size / 2)) $((size - 1)); do
          for count in 1 $((size / 5 + 1)) $size; do
            curl -sS --fail -r $start-$((start + count - 1)) $movie/$file -o got
            tail -c +$((start + 1)) out/$file | head -c $count | cmp - got || echo "$file differs in $start+$count"
          done
        done
      done
      tag=$(curl -sSI $movie/master.m3u8 | tr -d '\\r' | sed -n 's/^ETag: //p')
      curl -sS -o got -w '%{http_code}\\n' -H "If-None-Match: $tag" $movie/master.m3u8
      curl -sS -o got -w '%{http_code}\\n' $movie/nothing.m4s
      wc -l < log
      """, in: shell, before: "mp4tool hls -q \"$V\"/\(name) -o out")
    #expect(result.text == "304\n404\n1\nended with 0\n", "\(result)")
  }

  @Test("A movie that is written again is packaged again; a missing and a broken one have different errors")
  func changed() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "movie.mp4",
      """
      for change in 'cp "$V"/fragmented.mp4 movie.mp4' 'head -c 999 in.mp4 > movie.mp4' 'rm movie.mp4' 'cp in.mp4 movie.mp4'; do
        eval "$change"
        curl -sS -o got -w '%{http_code} ' ${url}movie/master.m3u8
        curl -sS -o got2 -w '%{http_code}\\n' ${url}movie.mp4
      done
      mp4tool hls -q in.mp4 -o out && cmp got out/master.m3u8
      """, in: shell, before: "cp \"$V\"/progressive.mp4 movie.mp4")
    #expect(result.text == "200 200\n422 200\n404 404\n200 200\nended with 0\n", "\(result)")
  }

  @Test("Several inputs have their names as prefixes, and a duplicate name is changed, which is reported")
  func several() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "a/movie.mp4 b/movie.mp4 b text.txt",
      """
      for path in movie.mp4 movie/master.m3u8 movie-2.mp4 movie-2/master.m3u8 b/movie.mp4 text.txt a/movie.mp4 movie.mp4/x; do
        curl -sS -o got -w "%{http_code} $path\\n" $url$path
      done
      curl -sS $url | sed -n 's/.*<a href="\\([^"]*\\)".*/\\1/p'
      cat notes
      """, in: shell,
      before: "mkdir a b; cp in.mp4 a/movie.mp4; cp \"$V\"/progressive.mp4 b/movie.mp4; echo text > text.txt")
    #expect(
      result.text == """
        200 movie.mp4
        200 movie/master.m3u8
        200 movie-2.mp4
        200 movie-2/master.m3u8
        200 b/movie.mp4
        200 text.txt
        404 a/movie.mp4
        404 movie.mp4/x
        movie.mp4
        movie/master.m3u8
        movie-2.mp4
        movie-2/master.m3u8
        b/movie.mp4
        mp4tool: note: b/movie.mp4: another input has this name; served as /movie-2.mp4
        mp4tool: note: b/movie.mp4: another input has this name; served as /movie-2
        ended with 0

        """, "\(result)")
  }

  @Test("The page lists main playlists and movies, regardless of their names, which cannot become markup")
  func page() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "site",
      """
      curl -sS $url > page
      sed -n 's/.*<a href="\\([^"]*\\)".*/\\1/p' page
      for link in $(sed -n 's/.*<a href="\\([^"]*\\)".*/\\1/p' page); do curl -sS -o got -w '%{http_code} ' $url$link; done
      grep -c '<script>alert' page
      curl -sSI $url | tr -d '\\r' | grep -c '^Content-Security-Policy: default-src .none'
      """, in: shell,
      before: """
        mkdir -p site/deep/er site/.git; mp4tool hls -q in.mp4 -o site/stream; cp -r site/stream/video-90 site/alone
        cp in.mp4 'site/<script>alert(1)"&.mp4'; cp in.mp4 'site/50% ä?#.m4a'; cp in.mp4 site/deep/er/b.mp4; echo > site/a.txt
        cp in.mp4 site/.git/c.mp4; ln -s ../in.mp4 site/link.mp4
        """)
    #expect(
      result.text == """
        50%25%20%C3%A4%3F%23.m4a
        %3Cscript%3Ealert%281%29%22%26.mp4
        alone/index.m3u8
        stream/master.m3u8
        deep/er/b.mp4
        200 200 200 200 200 0
        1
        ended with 0

        """, "\(result)")
  }

  @Test("Requests are logged in the common format, as JSON, or not at all")
  func logs() throws {
    let shell = try EndToEnd()
    let ask = "for path in in.mp4 'no\"thing'; do curl -sS -g -r 0-9 -o got \"$url$path\"; done"
    _ = try serving("in.mp4", ask, in: shell)
    var lines = String(decoding: try shell.bytes("log"), as: UTF8.self).split(separator: "\n")
    let time = #/\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000/#
    #expect(lines.count == 3 && lines[0].starts(with: "http://127.0.0.1:"))
    #expect(
      lines.dropFirst().map { $0.replacing(time, with: "T") } == [
        "127.0.0.1 - - [T] \"GET /in.mp4 HTTP/1.1\" 206 10", "127.0.0.1 - - [T] \"GET /no\\\"thing HTTP/1.1\" 404 28",
      ], "\(lines)")
    _ = try serving(
      "--log-format json in.mp4",
      "url=$(sed -n 's/^{\"url\":\"\\([^\"]*\\)\".*/\\1/p' log); \(ask)", in: shell)
    lines = String(decoding: try shell.bytes("log"), as: UTF8.self).split(separator: "\n")
    let values = try lines.map { try JSONValue(Array($0.utf8)) }
    try #require(values.count == 3 && values[0]["port"] != nil, "\(lines)")
    #expect(
      values[1]["status"]?.number == "206" && values[1]["bytes"]?.number == "10"
        && values[1]["range"]?.string == "bytes=0-9")
    #expect(values[2]["request"]?.string == "GET /no\"thing HTTP/1.1")
  }

  @Test("A used port is 73 with advice, and an unusable input has the same exit code as elsewhere")
  func mistakes() throws {
    let shell = try EndToEnd()
    let taken = try serving(
      "in.mp4",
      "port=${url%/}; port=${port##*:}; mp4tool serve --port $port in.mp4 2>&1 | sed \"s/$port/PORT/g\"; echo "
        + "${PIPESTATUS[0]}",
      in: shell)
    #expect(
      taken.text == """
        mp4tool: 127.0.0.1:PORT: cannot listen: the port is in use; choose another with --port, or any free one \
        with --port 0
        73
        ended with 0

        """, "\(taken)")
    for (words, code) in [
      ("nothing.mp4", 66), ("--port 70000 in.mp4", 64), ("--bind example.com in.mp4", 64), ("", 64), ("list.m3u8", 66),
    ] {
      #expect(try shell("touch list.m3u8; mp4tool serve \(words)").exitCode == code, "\(words)")
    }
  }

  @Test("Requests with a foreign host name are refused, unless everybody has access")
  func names() throws {
    let shell = try EndToEnd()
    let ask = """
      for host in 127.0.0.1:1 localhost a a.localhost:80 '[::1]:1' example.com evil.example:80 127.0.0.1.nip.io; do
        curl -sS -o got -w '%{http_code} ' -H "Host: $host" ${url}in.mp4
      done
      curl -sS -o got -w '%{http_code}\n' --proxy ${url%/} http://example.com/in.mp4
      """
    #expect(try serving("in.mp4", ask, in: shell).text == "200 200 200 200 200 421 421 421 421\nended with 0\n")
    #expect(try serving("--cors in.mp4", ask, in: shell).text == "200 200 200 200 200 200 200 200 200\nended with 0\n")
  }

  @Test("A target that is a URL decides the host, whatever the field Host says")
  func targets() throws {
    let shell = try EndToEnd()
    let ask = """
      ask() { curl -sS -o got -w '%{http_code} ' --request-target "$1" -H "Host: $2" http://127.0.0.1:${url##*:}in.mp4; }
      own=127.0.0.1:${url##*:}
      for target in http://${own}in.mp4 http://localhost/in.mp4 http://a.localhost:1/in.mp4 'http://[::1]/in.mp4'; do
        ask $target example.com
      done
      for host in example.com example.com:80 192.0.2.1 nas '[::2]' '[::1].example.com' 127.0.0.1@example.com \
        127.0.0.1.example.com 1.127.0.0.1; do
        ask "http://$host/in.mp4" 127.0.0.1
      done
      """
    let refused = String(repeating: "421 ", count: 9)
    #expect(try serving("in.mp4", ask, in: shell).text == "200 200 200 200 \(refused)ended with 0\n")
    let wide = "--bind 0.0.0.0 --host media.example.com in.mp4"
    let more = """
      \(ask)
      ask "http://$(hostname)/in.mp4" 127.0.0.1
      ask http://media.example.com:80/in.mp4 127.0.0.1
      """
    #expect(try serving(wide, more, in: shell).text == "200 200 200 200 \(refused)200 200 ended with 0\n")
  }

  @Test("A server for other machines responds to addresses, its own name and given names")
  func hosts() throws {
    let shell = try EndToEnd()
    let ask = """
      for host in 127.0.0.1:1 10.1.2.3 '[fe80::1]:8080' nas "$(hostname).local" Media.Example.com:8080 media.example.com. \\
        example.com evil.example:80; do
        curl -sS -o got -w '%{http_code} ' -H "Host: $host" http://127.0.0.1:${url##*:}in.mp4
      done
      echo
      """
    let text = try serving("--bind 0.0.0.0 --host media.example.com in.mp4", ask, in: shell).text
    #expect(text.hasPrefix("200 200 200 200 200 200 200 421 421 "), "\(text)")
  }

  @Test("Other machines have access only on request, which is reported")
  func everybody() throws {
    let shell = try EndToEnd()
    let result = try serving(
      "--bind 0.0.0.0 --cors in.mp4", "curl -sSI $url | grep -ci '^access-control-allow-origin: .'", in: shell)
    #expect(result.text == "1\nended with 0\n")
    let notes = String(decoding: try shell.bytes("notes"), as: UTF8.self)
    #expect(notes.contains("other machines can read the content"), "\(notes)")
  }

  @Test("On a stop request, started responses are completed; a second one ends the server immediately")
  func stopping() throws {
    let shell = try EndToEnd()
    let big = "head -c 60000000 /dev/zero > big.bin"
    let kind = try serving(
      "big.bin",
      "curl -sS --limit-rate 30M ${url}big.bin -o got & until test -s got; do sleep 0.02; done; kill $server; wait $!; "
        + "cmp big.bin got",
      in: shell,
      before: big)
    #expect(kind.text == "ended with 0\n", "\(kind)")
    let hurried = try serving(
      "big.bin",
      """
      rm got; curl -sS --limit-rate 100K ${url}big.bin -o got & until test -s got; do sleep 0.02; done
      kill $server; until_refused $url; kill -TERM $server; wait $server; echo $?
      """,
      in: shell, before: big)
    #expect(hurried.text.hasPrefix("143\n"), "\(hurried)")
  }
}

/// The same, with preceding lines.
private func serving(
  _ words: String, _ lines: String, in shell: EndToEnd, before: String
) throws -> RunResult {
  let prepared = try shell(before)
  #expect(prepared.exitCode == 0, "\(prepared)")
  return try serving(words, lines, in: shell)
}
