package import MP4Bytes

/// The location of a playlist, and what it may refer to: files in or below the folder of the first playlist, or
/// resources on servers, but not from one to the other, nor from https to http.
public struct PlaylistLocation: Hashable, Sendable {
  /// An `http` or `https` URL, or the path of a file, percent-encoded as in a URL.
  public let reference: URIReference
  private let scope: Scope

  /// The restrictions for all references of a presentation. Up to a million locations share it.
  private final class Scope: Hashable, Sendable {
    /// The folder that must contain files; `nil` if they can be anywhere.
    let folder: Pathname?
    /// The components of its path.
    let parts: [String]?
    /// Whether a file may refer to servers.
    let allowsOutside: Bool

    init(_ reference: URIReference, allowsOutside: Bool) {
      self.allowsOutside = allowsOutside
      let isFree = allowsOutside || reference.isAbsolute
      folder = isFree ? nil : Pathname(URIReference.percentDecoded(reference.path))?.folder
      parts = isFree ? nil : PlaylistLocation.parts(of: reference.path).dropLast()
    }

    static func == (a: Scope, b: Scope) -> Bool {
      a === b || a.folder == b.folder && a.parts == b.parts && a.allowsOutside == b.allowsOutside
    }
    func hash(into hasher: inout Hasher) { hasher.combine(allowsOutside) }
  }

  /// The location of the first playlist: a URL, or a file, whose folder must contain all files unless it
  /// `allowsOutside`.
  public init(_ reference: URIReference, allowsOutside: Bool = false) {
    self.init(reference, Scope(reference, allowsOutside: allowsOutside))
  }

  /// The location of the first playlist in the file `path`.
  public init(file path: String, allowsOutside: Bool = false) {
    var reference = URIReference("")
    reference.path = PercentEncoding.encoded(path.utf8) {
      $0 > 0x2C && $0 < 0x7F && !"#%:;<=>?[\\]^`{|}".utf8.contains($0)
    }
    self.init(reference, allowsOutside: allowsOutside)
  }

  private init(_ reference: URIReference, _ scope: Scope) { (self.reference, self.scope) = (reference, scope) }

  /// Why a reference is not allowed.
  public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its scheme is not `http` or `https`, or not allowed here.
    case scheme(String)
    /// It refers from `https` to `http`.
    case insecure
    /// It is a file outside the folder.
    case outside
    /// It is empty, or not a file name.
    case notAName

    /// Whether it would be allowed from a file with `allowsOutside`.
    public var isAllowable: Bool {
      switch self {
      case .outside: true
      // Resources on a server can refer to both, so this was a file.
      case .scheme(let scheme): scheme == "http:" || scheme == "https:"
      case .insecure, .notAName: false
      }
    }

    /// The reason, as a phrase that continues "… is not allowed: ".
    public var reason: String {
      switch self {
      case .scheme(let scheme): "the scheme \(quoted(scheme)) is not supported here"
      case .insecure: "it refers from https to http, which is not encrypted"
      case .outside: "it is outside the folder of the first playlist"
      case .notAName: "it is not a file name"
      }
    }

    /// A sentence with the reason.
    public var description: String { "the reference is not allowed: \(reason)" }
  }

  /// The same location after a redirect.
  public func moved(to reference: URIReference) -> PlaylistLocation { PlaylistLocation(reference, scope) }

  /// The location to which `uri` in this playlist refers.
  public func resolving(_ uri: String) throws(Refusal) -> PlaylistLocation {
    guard !uri.isEmpty else { throw .notAName }
    let target = URIReference(uri).resolved(against: reference)
    if let scheme = target.scheme?.lowercased() {
      guard scheme == "http" || scheme == "https" else { throw .scheme(scheme + ":") }
      guard reference.isAbsolute || scope.allowsOutside else { throw .scheme(scheme + ":") }
      if reference.scheme?.lowercased() == "https", scheme == "http" { throw .insecure }
      return PlaylistLocation(target, scope)
    }
    // In a file, `//host/path` refers to a server.
    guard target.authority == nil else { throw .scheme("//") }
    try check(target.path)
    return PlaylistLocation(target, scope)
  }

  /// The path of the file, decoded; `nil` for a remote resource.
  public var path: String? { reference.isAbsolute ? nil : URIReference.percentDecoded(reference.path) }

  /// The folder that must contain files, even after resolving links; `nil` if they can be anywhere.
  package var folder: Pathname? { scope.folder }

  /// Checks that the file is in the folder, using only the decoded path components.
  private func check(_ path: String) throws(Refusal) {
    let decoded = URIReference.percentDecoded(path)
    guard !decoded.isEmpty, !decoded.utf8.contains(0), decoded.utf8.last != UInt8(ascii: "/") else { throw .notAName }
    guard let folder = scope.parts else { return }
    let slash = UInt8(ascii: "/")
    guard (decoded.utf8.first == slash) == (reference.path.utf8.first == slash) else { throw .outside }
    let parts = PlaylistLocation.parts(of: path)
    guard parts.count > folder.count, parts.starts(with: folder), parts[folder.count] != ".." else { throw .outside }
  }

  /// The decoded components of a path, without `.`, and with `..` only at the start.
  private static func parts(of path: String) -> [String] {
    var parts: [String] = []
    let decoded = URIReference.percentDecoded(path)
    for part in decoded.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    return parts
  }
}
