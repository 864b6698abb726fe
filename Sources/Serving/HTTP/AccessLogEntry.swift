/// A request and its response, for a log.
public struct AccessLogEntry: Sendable {
  /// The client.
  public let peer: SocketAddress
  /// The request; `nil` if it was malformed.
  public let request: Server.Request?
  /// The status of the response.
  public let status: Int
  /// The number of content bytes sent.
  public let byteCount: Int
  /// When the request arrived, in seconds since 1970.
  package let time: Int
  /// The duration of the response, in milliseconds.
  package let milliseconds: Int
  /// Why the response was aborted, if it was.
  public let failure: String?
}

extension AccessLogEntry {
  /// When the request arrived, since the start of 1970 in UTC.
  public var sinceEpoch: Duration { .seconds(time) }
  /// The duration of the response.
  public var duration: Duration { .milliseconds(milliseconds) }

  /// A line of the Common Log Format: `127.0.0.1 - - [06/Nov/1994:08:49:37 +0000] "GET / HTTP/1.1" 200 5213`.
  public var commonLogLine: String {
    let line = request.map { Self.escaped($0.line) } ?? "-"
    return "\(peer.hostText) - - [\(HTTPDate.logText(time))] \"\(line)\" \(status) \(byteCount)"
  }

  /// When the request arrived, such as `1994-11-06T08:49:37Z`.
  public var timeText: String { HTTPDate.isoText(time) }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c || $0 >= 0x7f }) else { return text }
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5c: result += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7f: result.unicodeScalars.append(UnicodeScalar(byte))
      default: result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return result
  }
}
