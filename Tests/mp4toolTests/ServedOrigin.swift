import Support

/// Runs lines with an origin that serves the folder `site`, either with or without ranges: `there` is its URL.
///
/// In the lines, `serve WORDS...` starts `mp4tool serve`; `url` is its URL, and `log` and `notes` are its outputs.
/// `ended` stops it. `down` stops the origin, `up` restarts it at the same address, and `asked` prints the requests to
/// the origin since the last `asked`.
enum ServedOrigin: CaseIterable {
  case withRanges
  case withoutRanges

  static var isPossible: Bool { which("curl") != nil && which("python3") != nil }

  func callAsFunction(_ lines: String, in shell: EndToEnd) throws -> RunResult {
    try shell.folder.write("origin.py", Array(Self.script.utf8))
    let start =
      switch self {
      case .withRanges: "mp4tool serve --port ${port:-0} site"
      case .withoutRanges: "python3 origin.py ${port:-0} site"
      }
    return try shell(
      """
      trap 'kill -9 $origin $server 2> /dev/null' EXIT
      up() {
        : > asked; counted=1
        # Any program may have got the port of one that has ended, for a while.
        until grep -q http: asked; do
          \(start) > asked 2> origin.notes & origin=$!
          until grep -q http: asked || ! kill -0 $origin 2> /dev/null; do sleep 0.02; done
        done
        there=$(head -n 1 asked); port=${there%/}; port=${port##*:}
      }
      down() { kill $origin; wait $origin 2> /dev/null; }
      asked() { tail -n +$((counted + 1)) asked | sed 's/.*] //'; counted=$(wc -l < asked); }
      serve() {
        rm -f log; mp4tool serve --port 0 "$@" > log 2> notes & server=$!
        until test -s log || ! kill -0 $server 2> /dev/null; do sleep 0.02; done
        url=$(head -n 1 log)
      }
      ended() { kill $server; wait $server; echo "ended with $?"; cat notes; }
      status() { curl -sS -o got -w '%{http_code}\\n' "$@"; }
      # Waits until a command writes this word.
      until_it_is() { local word=$1; shift; until test "$("$@")" = "$word"; do sleep 0.1; done; echo "$word"; }
      up
      \(lines)
      """)
  }

  /// Python's server without range support. Requests are logged immediately, and NEED is the required authorization.
  private static let script = """
    import http.server, os, sys
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            need = os.environ.get('NEED')
            if need and self.headers.get('Authorization') != 'Basic ' + need: return self.send_error(401)
            super().do_GET()
        def log_message(self, format, *arguments):
            print('] ' + format % arguments, flush=True)
    os.chdir(sys.argv[2])
    server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
    print('http://127.0.0.1:%d/' % server.server_address[1], flush=True)
    server.serve_forever()

    """
}
