import Bytes

extension Server {
  /// What a client asks for: the head of an HTTP request, which was found to be well formed.
  public struct Request: Sendable {
    /// What is to be done.
    public enum Method: Hashable, Sendable {
      /// The content is asked for.
      case get
      /// The same without the content.
      case head
      /// What may be asked for; browsers do that before they ask across origins.
      case options
      /// Something else.
      case other
    }

    /// What is to be done.
    public let method: Method
    /// Who asks.
    public let peer: SocketAddress
    /// Whether the client speaks HTTP/1.1, not 1.0.
    public let isModern: Bool
    /// The lines of the head without what ends them.
    let head: [UInt8]
    let requestLine: Range<Int>
    /// The path of the target: between the authority, if there is one, and the query.
    let pathRange: Range<Int>
    let queryRange: Range<Int>?
    let hostRange: Range<Int>?
    let fields: [Field]

    /// A field of the head.
    struct Field: Sendable {
      var name: Range<Int>
      var value: Range<Int>
    }

    /// The first line as it was sent, such as `GET /movie.mp4 HTTP/1.1`.
    public var line: String { text(requestLine) }
    /// The path as it was sent, such as `/a%20b.mp4`.
    public var path: String { text(pathRange) }
    /// What follows the `?` of the target.
    public var query: String? { queryRange.map(text) }
    /// The host, with its port, that the client thinks it speaks with.
    public var host: String? { hostRange.map(text) ?? self["host"] }

    /// Whether the client calls this machine by an address or by a name that no one else can give it. A page from elsewhere
    /// can ask for anything under a name of its own that its owner lets stand for this machine: then this is `false`.
    public var isForThisMachine: Bool {
      guard let range = hostRange ?? fields.first(where: { isNamed($0, "host") })?.value else { return true }
      let host = head[range]
      if host.first == UInt8(ascii: "[") { return true }
      let name = host.prefix { $0 != UInt8(ascii: ":") }
      // Names without a point are not given to anybody, nor are names that end in digits, as addresses do.
      guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
      let last = name[(point + 1)...]
      return !last.isEmpty && last.allSatisfy(\.isDigit) || isEqual(last, "localhost")
    }

    /// Whether the client calls the server by an address, by a name that no one else can give it, or by one of `names`, which
    /// are in lower case.
    public func isFor(_ names: Set<String>) -> Bool {
      if isForThisMachine { return true }
      guard let range = hostRange ?? fields.first(where: { isNamed($0, "host") })?.value else { return true }
      var name = head[range].prefix { $0 != UInt8(ascii: ":") }
      if name.last == UInt8(ascii: ".") { name.removeLast() }
      return names.contains(String(decoding: name.map(\.lowercased), as: UTF8.self))
    }

    /// The value of the field `name`, in lower case; several are joined by commas.
    public subscript(name: StaticString) -> String? {
      var result: String?
      for field in fields where isNamed(field, name) {
        result = result.map { $0 + ", " + text(field.value) } ?? text(field.value)
      }
      return result
    }

    /// Whether one of the words in the field `name`, between commas, is `word`, whatever its case.
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
  /// The names on the way to what the path is about, without their percent-encoding; that of a folder ends in an empty one.
  ///
  /// - Returns: `nil` when it leads nowhere: an encoding is broken, or a name is `.` or `..`, or has a slash or a NUL
  ///   in it. Slashes that follow each other are one.
  public var names: [[UInt8]]? { Server.Request.names(inPath: head[pathRange]) }

  /// The same for the path of an address.
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
  /// The small letter for a capital one.
  var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
  /// Space and tab.
  var isSpace: Bool { self == 0x20 || self == 0x09 }
}

extension ArraySlice<UInt8> {
  /// Without spaces and tabs at its ends.
  var trimmingSpace: ArraySlice<UInt8> {
    var result = self.drop { $0.isSpace }
    while let last = result.last, last.isSpace { result.removeLast() }
    return result
  }
}
