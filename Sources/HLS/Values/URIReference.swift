/// A URI or relative reference with its five components, and its resolution (RFC 3986, 3 and 5).
public struct URIReference: Hashable, Sendable {
  /// Such as `https`; `nil` for a relative reference.
  public var scheme: String?
  /// The authority after `//`: user, host, port.
  public var authority: String?
  /// The path; may be empty.
  public var path: String
  /// The query after `?`.
  public var query: String?
  /// The fragment after `#`.
  public var fragment: String?

  /// Splits a text into its components; every text is a valid reference (RFC 3986, appendix B).
  public init(_ text: String) {
    var (rest, after) = text.utf8[...].halves(at: "#")
    fragment = after?.text
    (rest, after) = rest.halves(at: "?")
    query = after?.text
    if let colon = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
      rest[colon] == UInt8(ascii: ":"), URIReference.isScheme(rest[..<colon])
    {
      scheme = rest[..<colon].text
      rest = rest[rest.index(after: colon)...]
    }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<slash].text
      rest = rest[slash...]
    }
    path = rest.text
  }

  /// Whether it is absolute, that is, has a scheme.
  public var isAbsolute: Bool { scheme != nil }

  /// The reference resolved against `base` (RFC 3986, 5.2).
  public func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme != nil || authority != nil {
      target.path = URIReference.withoutDots(path)
    } else {
      target.authority = base.authority
      if path.isEmpty {
        target.path = base.path
        target.query = query ?? base.query
      } else {
        target.path = URIReference.withoutDots(path.utf8.first == UInt8(ascii: "/") ? path : base.merged(with: path))
      }
    }
    target.scheme = scheme ?? base.scheme
    return target
  }

  /// The values of the query parameters called `name`, as written.
  public func queryValues(_ name: String) -> [String] {
    (query ?? "").utf8[...].split(separator: UInt8(ascii: "&")).compactMap { part in
      let (key, value) = part.halves(at: "=")
      return key.elementsEqual(name.utf8) ? value?.text ?? "" : nil
    }
  }

  /// A relative path merged with the folder of this resource (RFC 3986, 5.2.3).
  private func merged(with relative: String) -> String {
    if authority != nil, path.isEmpty { return "/" + relative }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
    return String(path[...slash]) + relative
  }

  /// A path without dot segments (RFC 3986, 5.2.4).
  private static func withoutDots(_ path: String) -> String {
    let isRooted = path.utf8.first == UInt8(ascii: "/")
    var output: [Substring] = []
    let parts = path.utf8.dropFirst(isRooted ? 1 : 0).split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, part) in parts.lazy.map(Substring.init).enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case "..":
        // The parent of the root is the root. A relative path keeps `..` at its start, so that it does not hide where
        // it leads.
        if let last = output.last, isRooted || last != ".." {
          output.removeLast()
        } else if !isRooted {
          output.append(part)
        }
        if isLast, isRooted || output.last != ".." { output.append("") }
      case ".": if isLast { output.append("") }
      default: output.append(part)
      }
    }
    return (isRooted ? "/" : "") + output.joined(separator: "/")
  }

  private static func isScheme(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy { isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || "+-.".utf8.contains($0) }
  }
  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
}

extension URIReference: CustomStringConvertible {
  /// The components recombined (RFC 3986, 5.3).
  public var description: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
  }
}
