import Glibc
// The libFuzzer target of `Tests/Fuzzing/run --target requests`: bytes that a server receives from clients, and clients
// from servers.
import MP4Bytes
import MP4HLS
import MP4Platform

@testable import MP4Fetching
@testable import MP4Serving

private let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)

private func answer(_ request: Server.Request) -> Server.Response {
  guard let names = request.names else { return Server.Response(400, "invalid path") }
  for (index, name) in names.enumerated() {
    guard !name.contains(0), !name.contains(0x2f), name != [0x2e], name != [0x2e, 0x2e] else {
      fatalError("\(request.path) has the name \(name) in it")
    }
    guard !name.isEmpty || index == names.count - 1 else { fatalError("\(request.path) has an empty name") }
  }
  if request.path == "/letters" {
    return Server.Response(
      Server.Resource(Server.MemoryContent(letters), mediaType: "text/plain", entityTag: "tag", modified: 784_111_777))
  }
  return request.path == "/" ? .redirect(to: request.path + (request.query ?? "")) : .notFound
}

/// The response of the server to bytes on one connection; they arrive in pieces if `pieceSize` is given.
private func serve(_ bytes: [UInt8], pieceSize: Int?) -> (entries: [AccessLogEntry], answers: [UInt8]) {
  var ends: [Int32] = [-1, -1]
  let kind = pieceSize == nil ? SOCK_STREAM : SOCK_SEQPACKET
  guard unsafe socketpair(AF_UNIX, Int32(kind.rawValue), 0, &ends) == 0 else { fatalError("there are no sockets") }
  defer { close(ends[0]) }
  for start in stride(from: 0, to: bytes.count, by: pieceSize ?? max(bytes.count, 1)) {
    let piece = bytes[start..<min(bytes.count, start + (pieceSize ?? bytes.count))]
    let flags = Int32(MSG_DONTWAIT)
    let count = unsafe piece.withUnsafeBytes { unsafe send(ends[0], $0.baseAddress, $0.count, flags) }
    guard count == piece.count else { fatalError("the socket does not take \(piece.count) bytes") }
  }
  shutdown(ends[0], Int32(SHUT_WR))
  let entries = Monitor<[AccessLogEntry]>([])
  var options = Server.Options()
  options.allowsOrigins = bytes.count % 2 == 1
  // A client that reads only after it has written everything may receive no more than fits in the buffers.
  options.progressTimeout = .milliseconds(1)
  options.onAccess = { entry in
    guard !entry.commonLogLine.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7f }) else {
      fatalError("the log has a line \(entry.commonLogLine.debugDescription)")
    }
    entries { $0.append(entry) }
  }
  Connection(
    socket: Socket(owning: ends[1]), peer: .loopback(port: 80), options: options, respond: answer, becameIdle: {},
    becameBusy: {}, mayContinue: { true }
  ).run()
  var (answers, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 18))
  while true {
    let count = unsafe recv(ends[0], &buffer, buffer.count, 0)
    if count > 0 { answers += buffer[..<count] }
    // A connection that was closed with unread bytes reports that once, before the received bytes.
    if count == 0 || count < 0 && errno != ECONNRESET && errno != EINTR { break }
  }
  return (entries { $0 }, answers)
}

/// Parses the responses like a client: each has the bytes that its header declares, and they are the requested ones.
private func check(_ answers: [UInt8], of entries: [AccessLogEntry]) {
  var rest = answers[...]
  for entry in entries {
    if entry.failure != nil { return }
    var (head, body) = split(rest)
    if head.hasPrefix("HTTP/1.1 100 ") { (head, body) = split(body) }
    guard head.hasPrefix("HTTP/1.1 \(entry.status) ") else { fatalError("\(entry.status) became \(head)") }
    guard let response = FetchResponse(Array(head.utf8), from: address) else { fatalError("no answer: \(head)") }
    let hasBody = entry.request?.method != .head && response.status != 304 && response.status != 204
    let length = hasBody ? response.contentLength ?? -1 : 0
    guard (0...body.count).contains(length), length == entry.byteCount else {
      fatalError("\(body.count) bytes follow, \(entry.byteCount) are told of: \(head)")
    }
    let isLetters = hasBody && entry.request?.path == "/letters" && entry.request?.method == .get
    if isLetters, response.status == 200, !body.prefix(length).elementsEqual(letters) { fatalError("other letters") }
    if isLetters, response.status == 206, let range = response.contentRange {
      guard range.upperBound <= 26, body.prefix(length).elementsEqual(letters[range]) else { fatalError("\(head)") }
    }
    rest = body.dropFirst(length)
  }
  guard rest.isEmpty else { fatalError("\(rest.count) bytes are behind the last answer") }
}

private func split(_ bytes: ArraySlice<UInt8>) -> (head: String, body: ArraySlice<UInt8>) {
  for index in bytes.indices.dropLast(3) where bytes[index..<index + 4].elementsEqual("\r\n\r\n".utf8) {
    return (String(decoding: bytes[..<(index + 4)], as: UTF8.self), bytes[(index + 4)...])
  }
  fatalError("an answer has no end: \(String(decoding: bytes, as: UTF8.self))")
}

private func checkValues(_ text: String) {
  for byteCount in [0, 1, 26, .max] {
    guard case .ranges(let ranges) = RangeRequest("bytes=" + text, of: byteCount) else { continue }
    guard !ranges.isEmpty, ranges.allSatisfy({ !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= byteCount }),
      ranges.count == 1 || ranges.reduce(0, { min($0, .max - $1.count) + $1.count }) <= byteCount
    else { fatalError("\(ranges) of \(byteCount) bytes") }
  }
  if let seconds = HTTPDate.seconds(text), HTTPDate.text(seconds).utf8.count == 29 {
    guard HTTPDate.seconds(HTTPDate.text(seconds)) == seconds else { fatalError("\(text) is not read again") }
  }
}

private let address: WebAddress = {
  guard let address = WebAddress("http://example.com/") else { fatalError("that is an address") }
  return address
}()

/// The response header at the start of the bytes and the bytes after it; `nil` if there is none.
private func header(_ bytes: [UInt8], pieceSize: Int) -> (response: FetchResponse, rest: [UInt8])? {
  var reader = HeaderReader()
  for start in stride(from: 0, to: bytes.count, by: pieceSize) {
    let end = min(bytes.count, start + pieceSize)
    do throws(FetchError) {
      guard let (response, rest) = try reader.take(Array(bytes[start..<end]), from: address) else { continue }
      return (response, rest + bytes[end...])
    } catch { return nil }
  }
  return nil
}

private func checkHeader(_ bytes: [UInt8], pieceSize: Int) {
  let (whole, pieces) = (header(bytes, pieceSize: max(bytes.count, 1)), header(bytes, pieceSize: pieceSize))
  guard whole?.response == pieces?.response, whole?.rest == pieces?.rest else { fatalError("pieces differ") }
  guard let response = whole?.response else { return }
  guard (200...999).contains(response.status) else { fatalError("\(response.status)") }
  if let range = response.contentRange, range.lowerBound < 0 || range.isEmpty { fatalError("\(range)") }
  if let length = response.totalLength, length < 0 { fatalError("\(length)") }
  if let next = try? response.redirection, next.reference.scheme?.hasPrefix("http") != true { fatalError("\(next)") }
  _ = (response.validator, response.acceptsRanges, response.contentType)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let pieceSize = max(bytes.reduce(0, { $0 &+ Int($1) }) % 50 + 1, count / 64 + 1)
  if count < 100 { checkValues(String(decoding: bytes, as: UTF8.self)) }
  checkHeader(bytes, pieceSize: pieceSize)
  let (whole, pieces) = (serve(bytes, pieceSize: nil), serve(bytes, pieceSize: pieceSize))
  check(whole.answers, of: whole.entries)
  check(pieces.answers, of: pieces.entries)
  guard whole.entries.allSatisfy({ $0.failure == nil }), pieces.entries.allSatisfy({ $0.failure == nil }) else {
    return 0
  }
  guard whole.entries.map(\.status) == pieces.entries.map(\.status),
    whole.entries.map(\.request?.line) == pieces.entries.map(\.request?.line)
  else { fatalError("pieces are other requests") }
  return 0
}
