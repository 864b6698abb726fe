import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Serving
import Support
import Testing

/// A server that runs until the last reference is gone.
final class Running: Sendable {
  let server: Server
  var port: UInt16 { server.address.port }

  init(
    _ change: (inout Server.Options) -> Void = { _ in },
    answering respond: @escaping Server.Handler = { Running.answer($0) }
  ) throws {
    var options = Server.Options()
    change(&options)
    server = try Server(.loopback(port: 0), options, answering: respond)
    try server.start()
  }

  convenience init(folder: String, _ change: (inout Server.Options) -> Void = { _ in }) throws {
    let path = try #require(Pathname(folder))
    let folder = try SourceFolder(path)
    try self.init(
      change,
      answering: { request in
        request.names.map(folder.response) ?? Server.Response(400, "invalid path")
      })
  }

  deinit { server.stop() }

  func client(receiveBuffer: Int32? = nil) throws -> Client { try Client(port: port, receiveBuffer: receiveBuffer) }

  /// The response to one request on a new connection.
  func get(_ path: String, _ fields: String...) throws -> Client.Answer {
    try request("GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }
  func request(_ text: String) throws -> Client.Answer {
    let client = try client()
    client.send(text)
    return try #require(client.answer(withoutBody: text.hasPrefix("HEAD")), "\(text)")
  }

  /// The bytes of `/letters`.
  static let letters = ascii("abcdefghijklmnopqrstuvwxyz")

  static func answer(_ request: Server.Request) -> Server.Response {
    switch request.path {
    case "/letters":
      Server.Response(
        Server.Resource(Server.MemoryContent(letters), mediaType: "text/plain", entityTag: "tag", modified: 784_111_777)
      )
    case "/empty": .bytes([], mediaType: "text/plain")
    case "/broken": Server.Response(Server.Resource(Broken(isLate: false), mediaType: "video/mp4"))
    case "/late": Server.Response(Server.Resource(Broken(isLate: true), mediaType: "video/mp4"))
    case "/endless": Server.Response(Server.Resource(Endless(), mediaType: "video/mp4"))
    default: .notFound
    }
  }
}

/// Content that cannot be read, either immediately or after some bytes.
struct Broken: Server.Content {
  let isLate: Bool
  var byteCount: Int { 1 << 20 }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    if isLate { try sink.write([UInt8](repeating: 0, count: range.count / 2)) }
    throw IOError(.read, file: "broken", reason: "it is a test")
  }
}

/// Content that takes longer than any client waits.
struct Endless: Server.Content {
  var byteCount: Int { 1 << 40 }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    let piece = [UInt8](repeating: 0x61, count: 1 << 16)
    var rest = range.count
    while rest > 0 {
      try sink.write(piece)
      rest -= piece.count
    }
  }
}
