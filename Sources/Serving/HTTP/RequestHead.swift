/// Why a request is rejected; the connection is then closed.
struct Refusal: Error {
  let status: Int
  /// The problem, as a sentence.
  let reason: String

  static func malformed(_ reason: String) -> Refusal { Refusal(status: 400, reason: reason) }
}

/// The grammar of the request header (RFC 9112), without its optional leniency, which would let two servers interpret
/// the same request differently.
struct RequestHead {
  private let bytes: [UInt8]
  private let lines: [Range<Int>]
  private let peer: SocketAddress

  /// A header with these lines, which contain no line feeds.
  init(_ bytes: [UInt8], lines: [Range<Int>], from peer: SocketAddress) {
    (self.bytes, self.lines, self.peer) = (bytes, lines, peer)
  }

  func request() throws(Refusal) -> Server.Request {
    guard let line = lines.first else { throw .malformed("there is no request line") }
    guard let first = bytes[line].firstIndex(of: 0x20), let last = bytes[line].lastIndex(of: 0x20), first < last,
      first > line.lowerBound, bytes[line.lowerBound..<first].allSatisfy(\.isTokenByte)
    else { throw .malformed("the request line is not: METHOD TARGET HTTP/1.1") }
    let isModern = try version(bytes[last + 1..<line.upperBound])
    let word = bytes[line.lowerBound..<first]
    let method: Server.Request.Method =
      if word.elementsEqual("GET".utf8) {
        .get
      } else if word.elementsEqual("HEAD".utf8) {
        .head
      } else if word.elementsEqual("OPTIONS".utf8) {
        .options
      } else {
        .other
      }
    var fields: [Server.Request.Field] = []
    fields.reserveCapacity(lines.count - 1)
    for line in lines.dropFirst() { fields.append(try field(line)) }
    let target = try target(bytes[first + 1..<last], method)
    let request = Server.Request(
      method: method, peer: peer, isModern: isModern, head: bytes, requestLine: line, pathRange: target.path,
      queryRange: target.query, hostRange: target.host, fields: fields)
    guard request.count(of: "host") <= 1, !isModern || request.count(of: "host") == 1 else {
      throw .malformed("there must be exactly one Host field")
    }
    return request
  }

  private func version(_ text: ArraySlice<UInt8>) throws(Refusal) -> Bool {
    guard text.starts(with: "HTTP/".utf8), text.count == 8 else { throw .malformed("there is no HTTP version") }
    let (major, point, minor) = (text[text.endIndex - 3], text[text.endIndex - 2], text[text.endIndex - 1])
    guard major.isDigit, point == UInt8(ascii: "."), minor.isDigit else { throw .malformed("there is no HTTP version") }
    guard major == UInt8(ascii: "1") else { throw Refusal(status: 505, reason: "only HTTP/1.1 is supported") }
    return minor != UInt8(ascii: "0")
  }

  private func field(_ line: Range<Int>) throws(Refusal) -> Server.Request.Field {
    // A line that starts with a space would continue the previous one; clients no longer send such lines.
    guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
      bytes[line.lowerBound..<colon].allSatisfy(\.isTokenByte)
    else { throw .malformed("a header line has no field name") }
    let value = bytes[colon + 1..<line.upperBound]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
      throw .malformed("a field contains control characters")
    }
    let trimmed = value.trimmingSpace
    return Server.Request.Field(name: line.lowerBound..<colon, value: trimmed.startIndex..<trimmed.endIndex)
  }

  private typealias Target = (path: Range<Int>, query: Range<Int>?, host: Range<Int>?)

  private func target(_ text: ArraySlice<UInt8>, _ method: Server.Request.Method) throws(Refusal) -> Target {
    // Bytes that are not ASCII should be percent-encoded, but playlists contain such file names, and the bytes are
    // harmless.
    guard !text.isEmpty, text.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "#") }) else {
      throw .malformed("the target contains invalid characters")
    }
    var (start, host) = (text.startIndex, Range<Int>?.none)
    if text.first != UInt8(ascii: "/") {
      // `*` and `host:port` are for methods that are refused anyway.
      if method == .other || method == .options { return (start..<start, nil, nil) }
      guard let authority = authorityStart(text) else {
        throw .malformed("the target is neither a path nor an http URL")
      }
      start = text[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? text.endIndex
      host = authority..<start
      guard start > authority else { throw .malformed("the target is a URL without a host") }
    }
    guard let question = text[start...].firstIndex(of: UInt8(ascii: "?")) else {
      return (start..<text.endIndex, nil, host)
    }
    return (start..<question, question + 1..<text.endIndex, host)
  }

  private func authorityStart(_ text: ArraySlice<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] {
      let start = text.prefix(scheme.utf8.count)
      if start.map(\.lowercased) == Array(scheme.utf8) { return start.endIndex }
    }
    return nil
  }
}

extension Server.Request {
  /// The length of the request content; other ways to delimit it are rejected.
  func contentLength() throws(Refusal) -> Int {
    let (lengths, codings) = (count(of: "content-length"), count(of: "transfer-encoding"))
    if codings > 0 {
      guard lengths == 0, isModern else { throw .malformed("the content length is given twice") }
      throw Refusal(status: 411, reason: "request content needs a Content-Length")
    }
    guard lengths > 0, let text = self["content-length"] else { return 0 }
    guard lengths == 1, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
      throw .malformed("Content-Length is not one number")
    }
    return Int(text) ?? .max
  }

  /// Whether the connection may stay open.
  var keepsConnection: Bool {
    if has("close", in: "connection") { return false }
    return isModern || has("keep-alive", in: "connection")
  }
}

extension UInt8 {
  /// Whether it is allowed in field names and methods (RFC 9110, 5.6.2).
  var isTokenByte: Bool {
    if isLetter || isDigit { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"),
      UInt8(ascii: "~"):
      return true
    default: return false
    }
  }
}
