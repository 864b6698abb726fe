import MP4Bytes

extension Server {
  /// A well-formed HTTP request header.
  public struct Request: Sendable {
    /// The method.
    public enum Method: Hashable, Sendable {
      /// GET.
      case get
      /// HEAD.
      case head
      /// OPTIONS, which browsers send before cross-origin requests.
      case options
      /// Any other method.
      case other
    }

    /// The method.
    public let method: Method
    /// The client.
    public let peer: SocketAddress
    /// Whether the client uses HTTP/1.1, not 1.0.
    public let isModern: Bool
    /// The lines of the header without line endings.
    let head: [UInt8]
    let requestLine: Range<Int>
    /// The path of the target: between the optional authority and the query.
    let pathRange: Range<Int>
    let queryRange: Range<Int>?
    let hostRange: Range<Int>?
    let fields: [Field]

    /// A header field.
    struct Field: Sendable {
      var name: Range<Int>
      var value: Range<Int>
    }

    /// The request line as sent, such as `GET /movie.mp4 HTTP/1.1`.
    public var line: String { text(requestLine) }
    /// The path as sent, such as `/a%20b.mp4`.
    public var path: String { text(pathRange) }
    /// The query after `?` in the target.
    public var query: String? { queryRange.map(text) }
    /// The host and port that the client wants to reach.
    public var host: String? { hostRange.map(text) ?? self["host"] }

    /// Whether the host is an address of this machine or a name that only this machine can have. A page of another site
    /// can point its own host name to this machine (DNS rebinding): then this is `false`.
    public var isForThisMachine: Bool {
      guard let name = hostName else { return hostValue == nil }
      if name.first == UInt8(ascii: "[") { return true }
      // A name without a period cannot be registered, and neither can one that ends in digits, as addresses do.
      guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
      let last = name[(point + 1)...]
      return !last.isEmpty && last.allSatisfy(\.isDigit) || isEqual(last, "localhost")
    }

    /// Whether the host is an address, a name that only this machine can have, or one of `names`, which
    /// are in lower case and can be addresses.
    ///
    /// A target that is a URL decides the host, whatever the field `Host` says: RFC 9112, 3.2.2. Clients send such
    /// targets to proxies, so they may mean any host, and other addresses than those of this machine and `names` are
    /// refused.
    public func isFor(_ names: Set<String>) -> Bool {
      guard var name = hostName else { return hostValue == nil }
      if name.last == UInt8(ascii: ".") { name.removeLast() }
      let text = String(decoding: name.map(\.lowercased), as: UTF8.self)
      if names.contains(text) { return true }
      guard hostRange != nil else { return isForThisMachine }
      if text == "localhost" || text.hasSuffix(".localhost") || text == "[::1]" { return true }
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host and port as sent.
    private var hostValue: ArraySlice<UInt8>? {
      (hostRange ?? fields.first { isNamed($0, "host") }?.value).map { head[$0] }
    }

    /// The host without its port; `nil` if it is missing, or is not a host and optionally a port.
    private var hostName: ArraySlice<UInt8>? {
      guard let host = hostValue else { return nil }
      let name: ArraySlice<UInt8>
      if host.first == UInt8(ascii: "[") {
        guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        name = host[...end]
      } else {
        name = host.prefix { $0 != UInt8(ascii: ":") }
      }
      let port = host[name.endIndex...]
      let isPort = port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(\.isDigit)
      return isPort && !name.contains(UInt8(ascii: "@")) ? name : nil
    }

    /// The value of the field `name`, in lower case; several values are joined by commas.
    public subscript(name: StaticString) -> String? {
      var result: String?
      for field in fields where isNamed(field, name) {
        result = result.map { $0 + ", " + text(field.value) } ?? text(field.value)
      }
      return result
    }

    /// Whether the comma-separated field `name` contains `word`, ignoring case.
    func has(_ word: StaticString, in name: StaticString) -> Bool {
      fields.contains { field in
        guard isNamed(field, name) else { return false }
        return head[field.value].split(separator: UInt8(ascii: ",")).contains { isEqual($0.trimmingSpace, word) }
      }
    }

    func count(of name: StaticString) -> Int { fields.count { isNamed($0, name) } }

    func text(_ range: Range<Int>) -> String { String(decoding: head[range], as: UTF8.self) }

    private func isNamed(_ field: Field, _ name: StaticString) -> Bool {
      field.name.count == name.utf8CodeUnitCount && isEqual(head[field.name], name)
    }

    /// Whether the bytes are those of `word`, which is in lower case.
    private func isEqual(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
      guard bytes.count == word.utf8CodeUnitCount else { return false }
      return word.withUTF8Buffer { letters in unsafe bytes.elementsEqual(letters) { $0.lowercased == $1 } }
    }
  }
}

extension Server.Request {
  /// The percent-decoded components of the path; that of a folder ends with an empty one.
  ///
  /// - Returns: `nil` if it is not valid: an encoding is broken, or a component is `.` or `..`, or contains a slash or
  ///   NUL. Repeated slashes count as one.
  public var names: [[UInt8]]? { Server.Request.names(inPath: head[pathRange]) }

  /// The same for the path of a URL.
  package static func names(inPath path: ArraySlice<UInt8>) -> [[UInt8]]? {
    var names: [[UInt8]] = []
    for part in path.split(separator: UInt8(ascii: "/")) {
      guard let name = PercentEncoding.decoded(part) else { return nil }
      let isPlain = !name.contains(0) && !name.contains(UInt8(ascii: "/"))
      guard isPlain, name != [0x2e], name != [0x2e, 0x2e] else { return nil }
      names.append(name)
    }
    if path.last == UInt8(ascii: "/") { names.append([]) }
    return names
  }
}

extension UInt8 {
  /// The lower-case letter.
  package var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
  /// Space and tab.
  package var isSpace: Bool { self == 0x20 || self == 0x09 }
}

extension ArraySlice<UInt8> {
  /// Without spaces and tabs at either end.
  var trimmingSpace: ArraySlice<UInt8> {
    var result = self.drop { $0.isSpace }
    while let last = result.last, last.isSpace { result.removeLast() }
    return result
  }
}
