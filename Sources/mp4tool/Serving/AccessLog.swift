import Bytes
import FileIO
import ISOBMFF
import Serving

/// A line on standard output for every answer. Lines of several threads do not mix: each is one call.
struct AccessLog: Sendable {
  let format: OutputFormat

  func write(_ exchange: Exchange) {
    let bytes = format == .json ? json(exchange) : Array((exchange.commonLogLine + "\n").utf8)
    // Who does not read the log any more is still served.
    _ = unsafe SystemCalls.write(bytes.span.bytes, to: 1)
  }

  private func json(_ exchange: Exchange) -> [UInt8] {
    let line = MemorySink()
    var json = JSONWriter(line)
    json.beginObject()
    json.key("time")
    json.value(exchange.timeText)
    json.key("client")
    json.value(exchange.peer.hostText)
    if let request = exchange.request {
      json.key("request")
      json.value(request.line)
      if let range = request["range"] {
        json.key("range")
        json.value(range)
      }
    }
    json.key("status")
    json.value(exchange.status)
    json.key("bytes")
    json.value(exchange.byteCount)
    json.key("milliseconds")
    json.value(exchange.milliseconds)
    if let failure = exchange.failure {
      json.key("error")
      json.value(failure)
    }
    json.endObject()
    json.finish()
    return line.bytes
  }
}
