import MP4Platform
import Support

@testable import MP4Serving
@testable import MP4Streaming

/// An origin in this process that misbehaves as tests require, without depending on time.
final class TestOrigin: Sendable {
  /// The resource under a path, and how it is served.
  struct Behaviour: Sendable {
    var bytes: [UInt8] = []
    var hasRanges = false
    /// Whether it declares range support.
    var saysRanges = true
    var coding: String?
    var hasLength = true
    var saidLength: String?
    var tag: String? = "\"a\""
    var modified: String?
    var date: String?
    var mediaType: String? = "video/mp4"
    var ignoresConditions = false
    /// The status to return instead of the bytes.
    var status: Int?
    /// The target of a redirect.
    var location: String?
    /// The range of bytes that is held back while this is set.
    var held: Range<Int>?
    /// Whether responses that started with another tag are held back.
    var holdsOthers = false
    /// The offset at which responses that start before it are cut off.
    var cut: Int?
  }
  struct State {
    var behaviours: [String: Behaviour] = [:]
    /// For example `/a bytes=5- "tag" -`: path, Range, If-Range, and If-None-Match or If-Modified-Since.
    var requests: [String] = []
    /// The number of body bytes sent.
    var sent = 0
    /// The number of responses in progress.
    var answering = 0
    var isAccepting = true
    var isEnding = false
    fileprivate var sockets: [Int: Socket] = [:]
  }

  let state = Monitor(State())
  private let listener: Listener
  var address: String { "http://\(listener.endpoint)" }

  init() throws {
    listener = try Listener(IPEndpoint(.loopback, port: 0))
    guard Thread.start({ [self] in accept() }) else { throw Client.Problem(text: "there is no thread") }
  }

  /// Ends all responses, and accepts no more requests.
  func kill() {
    listener.stop()
    state.change { $0.isAccepting = false }
    end()
  }

  /// Ends all responses in progress.
  func end() {
    state.change { state in
      state.isEnding = true
      for socket in state.sockets.values { socket.stopReceiving() }
    }
    state.wait { $0.sockets.isEmpty ? () : nil }
    state.change { $0.isEnding = false }
  }

  subscript(path: String) -> Behaviour {
    get { state { $0.behaviours[path] ?? Behaviour() } }
    set { state.change { $0.behaviours[path] = newValue } }
  }
  var requests: [String] { state { $0.requests } }
  var sent: Int { state { $0.sent } }

  private func accept() {
    var number = 0
    while let (socket, _) = try? listener.accept() {
      number += 1
      let own = number
      let isAccepting = state { state in
        if state.isAccepting { state.sockets[own] = socket }
        return state.isAccepting
      }
      guard isAccepting else { return }
      _ = Thread.start { [self] in
        answer(socket)
        state.change { $0.sockets[own] = nil }
      }
    }
  }

  private func answer(_ socket: Socket) {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe socket.receive(into: $0) }
      if count <= 0 { return }
      bytes += buffer[..<count]
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
    }
    let path = lines[0].split(separator: " ")[1]
    let known = fields["if-none-match"] ?? fields["if-modified-since"]
    let behaviour = state.change { state in
      state.requests.append(
        [String(path), fields["range"] ?? "-", fields["if-range"] ?? "-", known ?? "-"].joined(separator: " "))
      return state.behaviours[String(path)] ?? Behaviour(status: 404)
    }
    send(String(path), behaviour, fields, to: socket)
  }

  private func send(_ path: String, _ behaviour: Behaviour, _ fields: [String: String], to socket: Socket) {
    var head = ["Connection: close"]
    if let tag = behaviour.tag { head.append("ETag: \(tag)") }
    if let modified = behaviour.modified { head.append("Last-Modified: \(modified)") }
    if let date = behaviour.date { head.append("Date: \(date)") }
    if let type = behaviour.mediaType { head.append("Content-Type: \(type)") }
    if let coding = behaviour.coding { head.append("Content-Encoding: \(coding)") }
    if behaviour.hasRanges && behaviour.saysRanges { head.append("Accept-Ranges: bytes") }
    if let location = behaviour.location { head.append("Location: \(location)") }
    if let status = behaviour.status { return finish(socket, status, head + ["Content-Length: 0"]) }
    let validator = behaviour.tag ?? behaviour.modified
    let known = fields["if-none-match"] ?? fields["if-modified-since"]
    if !behaviour.ignoresConditions, let known, known == validator { return finish(socket, 304, head) }
    var start = 0
    if behaviour.hasRanges, let range = fields["range"], fields["if-range"].map({ $0 == validator }) ?? true {
      start = Int(range.dropFirst(6).prefix { $0 != "-" }) ?? 0
      head.append("Content-Range: bytes \(start)-\(behaviour.bytes.count - 1)/\(behaviour.bytes.count)")
    }
    if behaviour.hasLength {
      head.append("Content-Length: \(behaviour.saidLength ?? "\(behaviour.bytes.count - start)")")
    }
    if !send(socket, Array("HTTP/1.1 \(start > 0 ? 206 : 200) Fine\r\n\(head.joined(separator: "\r\n"))\r\n\r\n".utf8))
    {
      return
    }
    state.change { $0.answering += 1 }
    defer { state.change { $0.answering -= 1 } }
    // Sent bytes arrive, even if the response is cut off afterwards.
    if sendContent(path, behaviour, from: start, to: socket) != nil { socket.finish(milliseconds: 100) }
  }

  private func finish(_ socket: Socket, _ status: Int, _ head: [String]) {
    _ = send(socket, Array("HTTP/1.1 \(status) Words\r\n\(head.joined(separator: "\r\n"))\r\n\r\n".utf8))
    socket.finish(milliseconds: 100)
  }

  /// Sends the bytes as far as the test allows; `nil` if the client is gone.
  private func sendContent(_ path: String, _ first: Behaviour, from start: Int, to socket: Socket) -> Void? {
    var position = start
    while position < first.bytes.count {
      let end = state.wait { state -> Int? in
        if !state.isAccepting || state.isEnding { return -1 }
        let now = state.behaviours[path] ?? first
        // Without a length, a client could not detect that the response was cut off.
        if first.hasLength, let cut = now.cut, start < cut, position >= cut { return -1 }
        if now.holdsOthers && now.tag != first.tag { return nil }
        if let held = now.held, held.contains(position) { return nil }
        let bounds = [position + 8192, first.bytes.count, now.cut, now.held?.lowerBound].compactMap(\.self)
        return bounds.filter { $0 > position }.min()
      }
      if end < 0 { return () }
      if !send(socket, Array(first.bytes[position..<end])) { return nil }
      state.change { $0.sent += end - position }
      position = end
    }
    return ()
  }

  private func send(_ socket: Socket, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let count = try? socket.send(Array(rest), moreFollows: false), count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
