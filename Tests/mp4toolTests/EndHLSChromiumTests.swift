import Support
import Testing

/// Takes as long as the media lasts, and so runs only when `MP4TOOL_CHROMIUM` is set.
@Suite(
  "Chromium plays packages", .serialized,
  .enabled(
    if: environment("MP4TOOL_CHROMIUM") != nil && which("chromium") != nil && which("python3") != nil,
    "needs MP4TOOL_CHROMIUM, chromium and python3"))
struct EndHLSChromiumTests {
  @Test(
    "It shows them to the end, with their duration, their size and their sound",
    arguments: ["fragmented.mp4", "hybrid.mp4", "progressive.mov"], ["", "--single-file", "--muxed"])
  func plays(name: String, options: String) throws {
    let shell = try EndToEnd()
    try shell.folder.write("serve.py", ascii(Self.server(Self.page)))
    let result = try shell(
      """
      mp4tool hls -q --duration 2 \(options) "$V"/\(name) -o out
      python3 serve.py > events & server=$!
      until test -s events; do sleep 0.1; done
      chromium --headless=new --no-sandbox --disable-gpu --autoplay-policy=no-user-gesture-required \\
        --user-data-dir=profile http://127.0.0.1:$(head -n 1 events)/ > /dev/null 2>&1 & player=$!
      wait $server; kill $player; wait $player 2> /dev/null
      tail -n +2 events
      """)
    let events = result.lines.map { $0.split(separator: " ").map(String.init) }
    let ready = try #require(events.first, "\(result)")
    let end = try #require(events.first { $0[0] == "ended" }, "\(events)")
    let source = try SampleReader.read(readFile(vectorPath("files/\(name)")))
    let ends = source.presented.values.compactMap { $0.map(\.end).max() }
    let last = try #require(ends.max())
    let length = Double(last.numerator) / Double(last.denominator)
    #expect(ready[0] == "loadedmetadata" && ready[1] == "160x90", "\(events)")
    let ended = [ready[2], end[2], end[3]].compactMap(Double.init)
    #expect(ended.count == 3 && ended.allSatisfy { abs($0 - length) < 0.1 }, "\(ended), not \(length)")
    let times = events.compactMap { Double($0[3]) }
    #expect(times == times.sorted() && Set(times.map { Int($0 * 2) }).count > Int(length), "\(times)")
    // Bytes of sound and of pictures that were decoded.
    #expect(Int(end[4]).map { $0 > 10_000 } == true && Int(end[5]).map { $0 > 20_000 } == true, "\(end)")
  }

  private static let page = """
    <video id=v></video><script>
    const v = document.getElementById('v')
    for (const e of ['loadedmetadata', 'timeupdate', 'error', 'ended']) v.addEventListener(e, () => fetch('/report?' +
      [e, v.videoWidth + 'x' + v.videoHeight, v.duration, v.currentTime, v.webkitAudioDecodedByteCount,
        v.webkitVideoDecodedByteCount].join('+')))
    v.src = '/out/master.m3u8'
    v.play()
    </script>
    """

  /// Gives out a page, files and ranges of them, prints what the page tells, and ends with the media.
  static func server(_ page: String) -> String {
    """
    import http.server, os, re, sys, threading, urllib.parse
    PAGE = b'''\(page)'''
    TYPES = {'.m3u8': 'application/vnd.apple.mpegurl', '.mp4': 'video/mp4', '.m4s': 'video/iso.segment',
        '.vtt': 'text/vtt'}
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
            if url.path == '/': return self.answer(200, 'text/html', PAGE)
            if url.path == '/report':
                print(url.query.replace('+', ' '), flush=True)
                self.answer(200, 'text/plain', b'')
                if url.query.split('+')[0] in ('ended', 'error'): os._exit(0)
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
    threading.Timer(45, os._exit, (1,)).start()
    server.serve_forever()
    """
  }
}
