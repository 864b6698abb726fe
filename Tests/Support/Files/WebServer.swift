import MP4FileIO
import MP4Processes

/// A small local server that misbehaves on request; it ends when the last reference is gone.
///
/// The path of a request may start with components that determine the response: `plain` (no range support), `503x2`
/// (fails the first two times), `drop1000x2` (disconnects after 1000 bytes, twice), `notags` (no ETag, no
/// Last-Modified), `changing` (a different ETag each time), `slow20` (20 ms before each response), `drip20` (20 ms
/// before each 1000 bytes), `short500` (at most 500 bytes of a range), `chunked` (no length), `gzip` (compressed),
/// `hop3` (three redirects), `to-URL` (a redirect to an encoded URL). `/log` is the list of requests so far.
public final class WebServer {
  private let process: ChildProcess
  /// Its address, without a trailing slash.
  public let address: String

  /// Whether all required programs are installed.
  public static var isPossible: Bool { which("python3") != nil && which("curl") != nil }

  /// Serves the files in `folder`, encrypted if there is a file with a key and its certificate.
  public init(_ folder: String, certificate: String? = nil) throws {
    process = try ChildProcess("python3", ["-c", WebServer.script, folder] + (certificate.map { [$0] } ?? []))
    var line: [UInt8] = []
    while line.last != 0x0A {
      switch try process.read() {
      case .bytes(let bytes): line += bytes
      case .nothing: ChildProcess.wait(for: [process], milliseconds: 1000)
      case .ended: throw DiskError("python3: " + String(decoding: process.errorOutput, as: UTF8.self))
      }
    }
    let scheme = certificate == nil ? "http" : "https"
    address = "\(scheme)://127.0.0.1:" + String(decoding: line.dropLast(), as: UTF8.self)
  }

  private static let script = #"""
    import gzip, hashlib, os, re, ssl, sys, threading, time, urllib.parse
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    folder, counts, log, lock = sys.argv[1], {}, [], threading.Lock()
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *a): pass
        def answer(self, status, body=b"", **fields):
            self.send_response(status)
            for name, value in fields.items(): self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            path = urllib.parse.unquote(self.path.split("?")[0]).lstrip("/")
            if path == "log": return self.answer(200, "\n".join(log).encode())
            with lock:
                log.append(" ".join([self.path, self.headers.get("Range") or "-", self.headers.get("If-Range") or "-"]))
                count = counts[self.path] = counts.get(self.path, 0) + 1
            drip = 0
            ranges, tags, drop, chunked, zipped, tag, most = True, True, None, False, False, None, 1 << 60
            while "/" in path:
                word, rest = path.split("/", 1)
                fail = re.fullmatch(r"(\d\d\d)x(\d+)", word)
                cut = re.fullmatch(r"drop(\d+)x(\d+)", word)
                slow = re.fullmatch(r"slow(\d+)", word)
                drips = re.fullmatch(r"drip(\d+)", word)
                hop = re.fullmatch(r"hop(\d+)", word)
                short = re.fullmatch(r"short(\d+)", word)
                if fail:
                    if count <= int(fail[2]): return self.answer(int(fail[1]), b"no")
                elif cut: drop = int(cut[1]) if count <= int(cut[2]) else None
                elif short: most = int(short[1])
                elif drips: drip = int(drips[1])
                elif slow: time.sleep(int(slow[1]) / 1000)
                elif hop:
                    left = int(hop[1])
                    where = "/hop%d/%s" % (left - 1, rest) if left > 1 else "/" + rest
                    return self.answer(302, b"there", Location=where)
                elif word.startswith("to-"): return self.answer(301, b"", Location=urllib.parse.unquote(word[3:]))
                elif word == "plain": ranges = False
                elif word == "notags": tags = False
                elif word == "changing": tag = '"%d"' % count
                elif word == "chunked": chunked = True
                elif word == "gzip": zipped = True
                else: break
                path = rest
            try: body = open(os.path.join(folder, path), "rb").read()
            except OSError: return self.answer(404, b"not here")
            tag = tag or '"%s"' % hashlib.md5(body).hexdigest()
            status, fields, total = 200, {}, len(body)
            if tags: fields["ETag"] = tag
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
            condition = self.headers.get("If-Range")
            if ranges: fields["Accept-Ranges"] = "bytes"
            if wanted and ranges and (condition is None or condition == tag):
                first = int(wanted[1])
                last = min(int(wanted[2]) if wanted[2] else total - 1, total - 1, first + most - 1)
                if first > last: return self.answer(416, b"", Content_Range="bytes */%d" % total)
                body, status = body[first:last + 1], 206
                fields["Content-Range"] = "bytes %d-%d/%d" % (first, last, total)
            if zipped: body, fields["Content-Encoding"] = gzip.compress(body), "gzip"
            self.send_response(status)
            for name, value in fields.items(): self.send_header(name, value)
            if chunked: self.send_header("Transfer-Encoding", "chunked")
            else: self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if chunked:
                for start in range(0, len(body), 1000):
                    part = body[start:start + 1000]
                    self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
                return self.wfile.write(b"0\r\n\r\n")
            if drop is not None and drop < len(body):
                self.wfile.write(body[:drop])
                self.wfile.flush()
                self.close_connection = True
                return self.connection.shutdown(2)
            for start in range(0, len(body), 1000 if drip else len(body) + 1):
                time.sleep(drip / 1000)
                self.wfile.write(body[start:start + 1000] if drip else body)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#
}
