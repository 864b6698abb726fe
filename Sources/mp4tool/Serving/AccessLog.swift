import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import MP4Serving

/// The access log on standard output. Each line is written in one call, so that lines of several threads do not mix.
struct AccessLog: Sendable {
  let format: OutputFormat

  func write(_ entry: AccessLogEntry) {
    let bytes = format == .json ? json(entry) : Array((entry.commonLogLine + "\n").utf8)
    // If the log is no longer read, clients are still served.
    try? StandardStream(1).write(bytes)
  }

  private func json(_ entry: AccessLogEntry) -> [UInt8] {
    let line = MemorySink()
    var json = JSONWriter(line)
    json.beginObject()
    json.key("time")
    json.value(entry.timeText)
    json.key("client")
    json.value(entry.peer.hostText)
    if let request = entry.request {
      json.key("request")
      json.value(request.line)
      if let range = request["range"] {
        json.key("range")
        json.value(range)
      }
    }
    json.key("status")
    json.value(entry.status)
    json.key("bytes")
    json.value(entry.byteCount)
    json.key("milliseconds")
    json.value(entry.milliseconds)
    if let failure = entry.failure {
      json.key("error")
      json.value(failure)
    }
    json.endObject()
    json.finish()
    return line.bytes
  }
}
