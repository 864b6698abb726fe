import MP4Bytes
import MP4FileIO
import MP4Platform

/// The connection with one client, in its own thread.
struct Connection {
  let socket: Socket
  let peer: SocketAddress
  let options: Server.Options
  let respond: Server.Handler
  /// Reports whether it waits for a request or has received one.
  let becameIdle: () -> Void
  let becameBusy: () -> Void
  /// Whether another request may follow.
  let mayContinue: () -> Bool

  /// What happens to the connection after a response.
  private enum Next {
    case request
    case end
    case abort
  }

  func run() {
    socket.prepareConnection(
      idleTimeout: options.idleTimeout.milliseconds, sendTimeout: min(5000, options.progressTimeout.milliseconds))
    var reader = RequestReader(socket, from: peer, headTimeout: options.headTimeout.milliseconds)
    var dates = DateTexts()
    while true {
      becameIdle()
      guard reader.waitForBytes() else { return }
      switch answerNext(&reader, &dates) {
      case .request: continue
      case .end: return socket.finish()
      case .abort: return socket.abort()
      }
    }
  }

  private func answerNext(_ reader: inout RequestReader, _ dates: inout DateTexts) -> Next {
    var start = SystemClock.milliseconds
    do throws(Refusal) {
      guard let request = try reader.next() else { return .end }
      start = SystemClock.milliseconds
      becameBusy()
      let length = try request.contentLength()
      if let expectation = request["expect"], expectation.utf8.map(\.lowercased) != Array("100-continue".utf8) {
        throw Refusal(status: 417, reason: "only the expectation 100-continue is supported")
      }
      if length > RequestReader.Limit.contentByteCount {
        throw Refusal(status: 413, reason: "request content is not accepted")
      }
      if length > 0 {
        if request["expect"] != nil, !sendContinue() { return .abort }
        guard reader.skip(length) else { return .end }
      }
      let response = response(to: request)
      return send(response, to: request, keeps: request.keepsConnection && mayContinue(), since: start, &dates)
    } catch {
      return send(Server.Response(error.status, error.reason), to: nil, keeps: false, since: start, &dates)
    }
  }

  private func response(to request: Server.Request) -> Server.Response {
    switch request.method {
    case .get, .head: return respond(request)
    case .options where options.allowsOrigins && request["origin"] != nil:
      var response = Server.Response(204, Server.Resource(Server.MemoryContent([]), mediaType: ""))
      // The server ignores unknown fields, so every field that a page asks for is allowed.
      let names = request["access-control-request-headers"] ?? ""
      let isList = !names.isEmpty && names.utf8.allSatisfy { $0.isTokenByte || $0.isSpace || $0 == UInt8(ascii: ",") }
      response.fields = [
        (name: "Access-Control-Allow-Methods", value: "GET, HEAD"),
        (
          name: "Access-Control-Allow-Headers",
          value: isList ? names : "Range, If-Range, If-None-Match, If-Modified-Since, Cache-Control"
        ),
        (name: "Access-Control-Max-Age", value: "86400"),
        (name: "Vary", value: "Access-Control-Request-Headers"),
      ]
      return response
    case .options, .other:
      var response = Server.Response(405, "only GET and HEAD are supported")
      response.fields = [(name: "Allow", value: "GET, HEAD")]
      return response
    }
  }

  private func sendContinue() -> Bool {
    let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    return (try? socket.send(bytes, moreFollows: false)) == bytes.count
  }

  /// Sends a response that was started at `start`.
  private func send(
    _ response: Server.Response, to request: Server.Request?, keeps: Bool, since start: Int, _ dates: inout DateTexts
  ) -> Next {
    let now = SystemClock.now
    let sink = SocketSink(socket, to: peer, timeout: options.progressTimeout.milliseconds)
    var writer = HTTPResponseWriter(
      response, to: request, allowsOrigins: options.allowsOrigins, keepsConnection: keeps, now: now, &dates)
    var failure: IOError?
    var framingCount = writer.head.count
    var isWhole = false
    do throws(IOError) {
      framingCount = try writer.write(to: sink)
      isWhole = true
    } catch {
      failure = error
      // Nothing was sent yet, so the client can still get an error response.
      if error.operation != .write, sink.discardUnsent() {
        writer = HTTPResponseWriter(
          response.resource.content.response(to: error), to: request, allowsOrigins: options.allowsOrigins,
          keepsConnection: keeps, now: now, &dates)
        do throws(IOError) {
          framingCount = try writer.write(to: sink)
          isWhole = true
        } catch { failure = error }
      }
    }
    if let onAccess = options.onAccess {
      onAccess(
        AccessLogEntry(
          peer: peer, request: request, status: writer.status, byteCount: max(0, sink.sentCount - framingCount),
          time: now, milliseconds: SystemClock.milliseconds - start, failure: failure?.description))
    }
    if !isWhole { return .abort }
    return writer.keepsConnection ? .request : .end
  }
}

extension Duration {
  /// The duration in whole milliseconds, clamped to the range of timeouts.
  package var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: min(max(seconds, 0), 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
