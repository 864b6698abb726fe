import ISOBMFF

/// An answer as it goes over the wire: its head, and the parts of its content.
struct Reply {
  /// What is written behind the head.
  enum Part {
    case bytes([UInt8])
    case content(Range<Int>)
  }

  let status: Int
  private(set) var head: [UInt8] = []
  private(set) var parts: [Part] = []
  let content: any Content
  /// The number of bytes of head and parts.
  var byteCount: Int {
    parts.reduce(head.count) { sum, part in
      switch part {
      case .bytes(let bytes): sum + bytes.count
      case .content(let range): sum + range.count
      }
    }
  }

  /// The answer to `request`, or to what is no request.
  init(_ response: Response, to request: Request?, allowsOrigins: Bool, keepsConnection: Bool, now: Int) {
    let resource = response.resource
    content = resource.content
    let byteCount = content.byteCount
    var (status, wanted) = (response.status, RangeRequest.all)
    if status == 200, let request {
      let conditions = Conditions(request, resource, now: now)
      if let own = conditions.status {
        status = own
      } else if request.method == .get, let text = request["range"], conditions.allowsRange {
        wanted = RangeRequest(text, of: byteCount)
      }
    }
    var fields = [("Date", HTTPDate.text(now))]
    var mediaType = resource.mediaType
    var length = byteCount
    switch wanted {
    case .all:
      if status == 412 { length = 0 }
      parts = status == 412 ? [] : [.content(0..<byteCount)]
    case .unsatisfiable:
      status = 416
      fields.append(("Content-Range", "bytes */\(byteCount)"))
      length = 0
    case .ranges(let ranges) where ranges.count == 1:
      status = 206
      fields.append(("Content-Range", "bytes \(ranges[0].lowerBound)-\(ranges[0].upperBound - 1)/\(byteCount)"))
      length = ranges[0].count
      parts = [.content(ranges[0])]
    case .ranges(let ranges):
      status = 206
      let boundary = "part" + String(UInt64.random(in: .min ... .max), radix: 36)
      (parts, length) = Self.multipart(ranges, of: byteCount, resource.mediaType, boundary)
      mediaType = "multipart/byteranges; boundary=\(boundary)"
    }
    self.status = status
    if status != 304 && status != 204 {
      if length > 0 || request?.method == .head { fields.append(("Content-Type", mediaType)) }
      fields.append(("Content-Length", "\(length)"))
    } else {
      parts = []
    }
    if [200, 206, 304, 412, 416].contains(status) {
      if response.status == 200 { fields.append(("Accept-Ranges", "bytes")) }
      if let tag = resource.entityTag { fields.append(("ETag", "\"\(tag)\"")) }
      if let modified = resource.modified { fields.append(("Last-Modified", HTTPDate.text(min(modified, now)))) }
    }
    fields += response.fields.map { ($0.name, $0.value) }
    fields.append(("X-Content-Type-Options", "nosniff"))
    if allowsOrigins { fields += Self.originFields }
    if !keepsConnection {
      fields.append(("Connection", "close"))
    } else if request?.isModern == false {
      fields.append(("Connection", "keep-alive"))
    }
    write(fields)
    if request?.method == .head { parts = [] }
  }

  /// What lets pages of other origins read everything, and ask for ranges.
  private static let originFields = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "Content-Length, Content-Range, Accept-Ranges, ETag, Date"),
  ]

  private mutating func write(_ fields: [(String, String)]) {
    head.reserveCapacity(512)
    head += "HTTP/1.1 \(status) \(Response.phrase(status))\r\n".utf8
    for (name, value) in fields {
      head += name.utf8
      head += ": ".utf8
      // No field that is made of what a client sent ends before its end.
      head += value.utf8.lazy.filter { $0 >= 0x20 && $0 != 0x7f }
      head += "\r\n".utf8
    }
    head += "\r\n".utf8
  }

  /// The parts of an answer with several ranges (RFC 9110, 14.6), and their length.
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

  /// Writes everything; after an error the connection is of no use any more, unless nothing was sent.
  func write(to sink: SocketSink) throws(IOError) {
    try sink.write(head)
    for part in parts {
      switch part {
      case .bytes(let bytes): try sink.write(bytes)
      case .content(let range):
        let start = sink.position
        try content.write(range, to: sink)
        guard sink.position - start == range.count else {
          throw IOError(.read, file: sink.name, reason: "the content has another length than it said")
        }
      }
    }
    try sink.flush()
  }
}
