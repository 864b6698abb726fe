/// The conditions of a request, in the order of RFC 9110, 13.2.2.
struct Conditions {
  private let request: Server.Request
  private let tag: String?
  private let modified: Int?
  private let now: Int

  init(_ request: Server.Request, _ resource: Server.Resource, now: Int) {
    self.request = request
    tag = resource.entityTag.map { "\"\($0)\"" }
    modified = resource.modified
    self.now = now
  }

  /// 304 or 412, if a condition excludes a response with content.
  var status: Int? {
    if let wanted = request["if-match"] {
      if !matches(wanted, isStrong: true) { return 412 }
    } else if let date = date("if-unmodified-since"), let modified, modified > date {
      return 412
    }
    if let known = request["if-none-match"] {
      if matches(known, isStrong: false) { return 304 }
    } else if let date = date("if-modified-since"), let modified, modified <= date {
      return 304
    }
    return nil
  }

  /// Whether a partial response is allowed: there is no If-Range, or its validator matches.
  var allowsRange: Bool {
    guard let known = request["if-range"] else { return true }
    if known.utf8.contains(UInt8(ascii: "\"")) { return matches(known, isStrong: true) }
    // A file may change twice within one second.
    guard let date = HTTPDate.seconds(known), let modified else { return false }
    return date == modified && modified < now - 1
  }

  private func date(_ name: StaticString) -> Int? { request[name].flatMap(HTTPDate.seconds) }

  /// Whether the tag is in the list; weak tags match only in weak comparison.
  private func matches(_ list: String, isStrong: Bool) -> Bool {
    if list == "*" { return true }
    guard let tag else { return false }
    // Entity tags may contain commas, but the ones created here do not.
    return list.split(separator: ",").contains { part in
      let word = String(decoding: Array(part.utf8)[...].trimmingSpace, as: UTF8.self)
      return word == tag || (!isStrong && word == "W/" + tag)
    }
  }
}
