import MP4Bytes

/// Writes a response: its header, and the parts of its content.
struct HTTPResponseWriter {
  /// What is written after the header.
  enum Part {
    case bytes([UInt8])
    case content(Range<Int>)
    /// Content of unknown length, in chunks unless the client does not support them.
    case unbounded(isChunked: Bool)
  }

  let status: Int
  private(set) var head: [UInt8] = []
  private(set) var parts: [Part] = []
  let content: any Server.Content
  /// Whether another response can follow on the connection.
  let keepsConnection: Bool

  /// The response to `request`, or to a malformed request.
  init(
    _ response: Server.Response, to request: Server.Request?, allowsOrigins: Bool, keepsConnection: Bool, now: Int,
    _ dates: inout DateTexts
  ) {
    let resource = response.resource
    content = resource.content
    let byteCount = content.byteCount
    let isUnbounded = content is any UnboundedContent
    let isChunked = request?.isModern != false
    // Without chunks, the end of the connection marks the end of the content.
    let keepsConnection = keepsConnection && (isChunked || !isUnbounded || request?.method == .head)
    self.keepsConnection = keepsConnection
    var (status, wanted) = (response.status, RangeRequest.all)
    if status == 200, let request {
      let conditions = Conditions(request, resource, now: now)
      if let own = conditions.status {
        status = own
      } else if !isUnbounded, request.method == .get, let text = request["range"], conditions.allowsRange {
        wanted = RangeRequest(text, of: byteCount)
      }
    }
    var place = ""
    var mediaType = resource.mediaType
    var length = byteCount
    switch wanted {
    case .all:
      if status == 412 { length = 0 }
      parts = status == 412 ? [] : [isUnbounded ? .unbounded(isChunked: isChunked) : .content(0..<byteCount)]
    case .unsatisfiable:
      status = 416
      place = "bytes */\(byteCount)"
      length = 0
    case .ranges(let ranges) where ranges.count == 1:
      status = 206
      place = "bytes \(ranges[0].lowerBound)-\(ranges[0].upperBound - 1)/\(byteCount)"
      length = ranges[0].count
      parts = [.content(ranges[0])]
    case .ranges(let ranges):
      status = 206
      let boundary = "part" + String(UInt64.random(in: .min ... .max), radix: 36)
      (parts, length) = Self.multipart(ranges, of: byteCount, resource.mediaType, boundary)
      mediaType = "multipart/byteranges; boundary=\(boundary)"
    }
    self.status = status
    begin(now, &dates)
    if !place.isEmpty { add("Content-Range", place) }
    if status != 304 && status != 204 {
      if length > 0 || isUnbounded || request?.method == .head { add("Content-Type", mediaType) }
      if !isUnbounded || status == 412 {
        add("Content-Length", "\(length)")
      } else if isChunked {
        add("Transfer-Encoding", "chunked")
      }
    } else {
      parts = []
    }
    switch status {
    case 200, 206, 304, 412, 416:
      if response.status == 200 { add("Accept-Ranges", isUnbounded ? "none" : "bytes") }
      if let tag = resource.entityTag { add("ETag", "\"" + tag + "\"") }
      if let modified = resource.modified { add("Last-Modified", dates.text(min(modified, now))) }
    default: break
    }
    for field in response.fields { add(field.name, field.value) }
    add("X-Content-Type-Options", "nosniff")
    if allowsOrigins { addOrigins() }
    if !keepsConnection {
      add("Connection", "close")
    } else if request?.isModern == false {
      add("Connection", "keep-alive")
    }
    head += "\r\n".utf8
    if request?.method == .head { parts = [] }
  }

  private mutating func begin(_ now: Int, _ dates: inout DateTexts) {
    head.reserveCapacity(512)
    head += "HTTP/1.1 ".utf8
    head += "\(status) ".utf8
    head += Server.Response.phrase(status).utf8
    head += "\r\nDate: ".utf8
    head += dates.text(now).utf8
    head += "\r\n".utf8
  }

  private mutating func add(_ name: String, _ value: String) {
    head += name.utf8
    head += ": ".utf8
    let start = head.count
    head += value.utf8
    // A field derived from client input must not contain a line ending.
    if head[start...].contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      head.removeSubrange(start...)
      head += value.utf8.filter { $0 >= 0x20 && $0 != 0x7f }
    }
    head += "\r\n".utf8
  }

  /// The CORS headers that let pages of other sites read everything and request ranges.
  private mutating func addOrigins() {
    add("Access-Control-Allow-Origin", "*")
    add("Cross-Origin-Resource-Policy", "cross-origin")
    add("Access-Control-Expose-Headers", "Content-Length, Content-Range, Accept-Ranges, ETag, Date")
  }

  /// The parts of a multipart range response (RFC 9110, 14.6), and their length.
  private static func multipart(
    _ ranges: [Range<Int>], of byteCount: Int, _ mediaType: String, _ boundary: String
  ) -> ([Part], Int) {
    var (parts, length) = ([Part](), 0)
    func add(_ text: String) {
      parts.append(.bytes(Array(text.utf8)))
      length += text.utf8.count
    }
    for range in ranges {
      let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
      add("\r\n--\(boundary)\r\nContent-Type: \(mediaType)\r\nContent-Range: \(place)\r\n\r\n")
      parts.append(.content(range))
      length += range.count
    }
    add("\r\n--\(boundary)--\r\n")
    return (parts, length)
  }

  /// Writes everything, and returns the number of bytes that are not content. After an error the connection cannot be
  /// used any more, unless nothing was sent.
  func write(to sink: SocketSink) throws(IOError) -> Int {
    var framingCount = head.count
    try sink.write(head)
    for part in parts {
      switch part {
      case .bytes(let bytes): try sink.write(bytes)
      case .content(let range):
        let start = sink.position
        try content.write(range, to: sink)
        guard sink.position - start == range.count else {
          throw IOError(.read, file: sink.name, reason: "the content does not have its declared length")
        }
      case .unbounded(let isChunked):
        guard let content = content as? any UnboundedContent else { continue }
        guard isChunked else {
          try content.write(to: sink)
          continue
        }
        let chunks = ChunkedSink(sink)
        try content.write(to: chunks)
        try chunks.finish()
        framingCount += chunks.framingCount
      }
    }
    try sink.flush()
    return framingCount
  }
}
