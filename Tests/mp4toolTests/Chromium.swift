import Support
import Testing

/// Headless Chromium.
enum Chromium {
  /// Whether tests with Chromium, which run in real time, are requested and possible.
  static let isThere = Effort.has("chromium", "python3")

  /// Opens a page that is served with the files in the folder of `shell`; returns the events that it sends to
  /// `/report`: lines of words, up to the first one that starts with `ended`, `error` or `done`.
  static func events(of page: String, _ shell: EndToEnd) throws -> [[String]] {
    try shell.folder.write("page.html", ascii(page))
    try shell.folder.write("serve.py", ascii(server))
    let result = try shell(
      """
      python3 serve.py > events & server=$!
      until test -s events; do sleep 0.1; done
      chromium --headless=new --no-sandbox --disable-gpu --autoplay-policy=no-user-gesture-required \\
        --user-data-dir=profile http://127.0.0.1:$(head -n 1 events)/ > /dev/null 2>&1 & player=$!
      wait $server; kill $player; wait $player 2> /dev/null
      tail -n +2 events
      """)
    return result.lines.map { $0.split(separator: " ").map(String.init) }
  }

  /// A page that contains a server's player page, and plays the item after `#` in its own URL. `lines` can use the
  /// `player`, wait `until` a condition holds (optionally with a timeout in milliseconds), and `tell` words to the log
  /// of the server. If `isForced`, the player page is the one that `forced` writes.
  static func page(_ lines: String, isForced: Bool = false) -> String {
    """
    <iframe id=frame width=800 height=600></iframe><script>
    const frame = document.getElementById('frame')
    const tell = (...words) => fetch('/report?' + words.join('+'))
    const until = (claim, limit = Infinity) => new Promise(resolve => {
      const start = performance.now()
      const look = () => claim() || performance.now() - start > limit ? resolve() : setTimeout(look, 20)
      look()
    })
    frame.onload = async () => {
      const player = frame.contentDocument.getElementById('player')
      player.addEventListener('error', () => tell('error', escape(player.error.message)))
      try {
        \(lines)
      } catch (problem) { await tell('error', escape(problem)) }
      tell('done')
    }
    frame.src = '/\(isForced ? "forced.html" : "")' + location.hash
    </script>
    """
  }

  /// Lines that write the page of the server at `$url` to `forced.html` in a folder, so that the browser seems to have
  /// no HLS of its own.
  static func forced(_ folder: String) -> String {
    """
    own='HTMLMediaElement.prototype'
    curl -sS --fail ${url} | sed "s#<script>#<script>{ const can = $own.canPlayType; $own.canPlayType = \
      function (type) { return /mpegurl/.test(type) ? '' : can.call(this, type) } }#" > \(folder)/forced.html
    """
  }

  /// Lines that open `place` on the server at `$url`, wait until its `log` reports that the page is done, and print the
  /// events of the page. `meanwhile` runs repeatedly.
  static func lines(_ place: String, meanwhile: String = ":") -> String {
    """
    chromium --headless=new --no-sandbox --disable-gpu --autoplay-policy=no-user-gesture-required \\
      --user-data-dir=profile ${url}\(EndToEnd.quoted(place)) > chromium.log 2>&1 & player=$!
    for i in $(seq 6000); do
      if grep -qE 'GET /report.(done|error)' log || ! kill -0 $player 2> /dev/null; then break; fi
      \(meanwhile); sleep 0.1
    done
    kill $player; wait $player 2> /dev/null
    sed -n 's/.*"GET .report.\\([^ ]*\\) .*/\\1/p' log
    """
  }

  /// Opens `place` while a stream is packaged to `out` and served. A fragment of 2 s arrives whenever another 2 s have
  /// been played: the page reports `at` and its time twice per second of media. `before.m3u8` is the playlist at the
  /// time when the page was opened, and `FILES` are additional files.
  /// `movie` is the path of the source.
  static func playLive(
    _ place: String, with files: String, of movie: String = "$V/progressive.mp4", in shell: EndToEnd,
    isForced: Bool = false
  ) throws -> RunResult {
    #expect(try shell("mp4tool fragment -q --segment-duration 2 \"\(movie)\" -o source.mp4").exitCode == 0)
    let source = try shell.bytes("source.mp4")
    let starts = try [0] + MovieFragmentReading.all(in: source).map(\.offset) + [source.count]
    let parts = starts.count - 1
    for index in 0..<parts { try shell.folder.write("part\(index)", Array(source[starts[index]..<starts[index + 1]])) }
    return try shell(
      """
      mkfifo pipe
      mp4tool live pipe -o out --segment-duration 2 --window 3 --serve --port 0 > log & server=$!
      exec 5> pipe
      cat part0 part1 part2 part3 part4 >&5; next=5
      until test -e out/segment4.m4s; do sleep 0.05; done
      cp \(files) out; cp out/index.m3u8 before.m3u8; url=$(head -n 1 log)
      feed() {
        if test $next -lt \(parts) -a $(grep -c 'GET /report.at' log) -gt $(((next - 5) * 4)); then
          cat part$next >&5; next=$((next + 1))
        fi
      }
      \(isForced ? forced("out") : "")
      \(lines(place, meanwhile: "feed"))
      exec 5>&-; kill $server; wait $server; echo "ended with $?"
      sed -n 's/.*"GET .segment\\([0-9]*\\).m4s [^"]*" \\([0-9]*\\) .*/segment+\\1+\\2/p' log
      """)
  }

  /// The events of a page opened by `lines`, or of other output in this format: words, without the last event.
  static func events(_ result: RunResult) -> [[String]] {
    result.lines.map { $0.split(separator: "+").map(String.init) }.filter { $0.count > 1 }
  }

  /// Serves files and ranges of them, and prints the events of the page.
  private static let server = """
    import http.server, os, re, sys, threading, urllib.parse
    TYPES = {'.m3u8': 'application/vnd.apple.mpegurl', '.mp4': 'video/mp4', '.m4s': 'video/iso.segment',
        '.vtt': 'text/vtt', '.js': 'text/javascript'}
    reporting = threading.Lock()
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *arguments): pass
        def answer(self, code, kind, body, headers=()):
            self.send_response(code)
            for name, value in (('Content-Type', kind), ('Content-Length', str(len(body))), *headers):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            url = urllib.parse.urlparse(self.path)
            if url.path == '/': return self.answer(200, 'text/html', open('page.html', 'rb').read())
            if url.path == '/report':
                with reporting:
                    print(urllib.parse.unquote(url.query.replace('+', ' ')), flush=True)
                    self.answer(200, 'text/plain', b'')
                    if url.query.split('+')[0] in ('ended', 'error', 'done'): os._exit(0)
                return
            path = url.path.lstrip('/')
            if not os.path.isfile(path): return self.answer(404, 'text/plain', b'')
            data, kind = open(path, 'rb').read(), TYPES.get(os.path.splitext(path)[1], 'application/octet-stream')
            match = re.match(r'bytes=(\\d+)-(\\d*)', self.headers.get('Range') or '')
            if not match: return self.answer(200, kind, data, (('Accept-Ranges', 'bytes'),))
            start, end = int(match[1]), min(int(match[2] or len(data)), len(data) - 1)
            place = ('Content-Range', f'bytes {start}-{end}/{len(data)}')
            self.answer(206, kind, data[start:end + 1], (place,))
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Timer(600, os._exit, (1,)).start()
    server.serve_forever()
    """
}
