package import Bytes

/// Where a playlist lies, and what it may name: files in the folder of the first playlist or below, or what is on
/// servers, never one from the other, nor what came safely from where anyone can change it.
public struct PlaylistLocation: Hashable, Sendable {
  /// Where it is: an `http` or `https` URL, or the path of a file, percent-encoded as in a URL.
  public let reference: URIReference
  private let scope: Scope

  /// Where all playlists of a presentation may lead. There can be a million places, which share it.
  private final class Scope: Hashable, Sendable {
    /// The folder that files must be in; `nil` where they can be anywhere.
    let folder: Pathname?
    /// Its path in parts, by which what lies in it is known.
    let parts: [String]?
    /// Whether a file may name what is on servers.
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

  /// The place of the first playlist: a URL, or else a file, whose folder is the one that files must be in unless it
  /// `allowsOutside`.
  public init(_ reference: URIReference, allowsOutside: Bool = false) {
    self.init(reference, Scope(reference, allowsOutside: allowsOutside))
  }

  /// The place of the first playlist in the file `path`.
  public init(file path: String, allowsOutside: Bool = false) {
    var reference = URIReference("")
    for byte in path.utf8 {
      let isPlain = byte > 0x2C && byte < 0x7F && !"#%:;<=>?[\\]^`{|}".utf8.contains(byte)
      let hex = String(byte, radix: 16, uppercase: true)
      reference.path += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
    }
    self.init(reference, allowsOutside: allowsOutside)
  }

  private init(_ reference: URIReference, _ scope: Scope) { (self.reference, self.scope) = (reference, scope) }

  /// Why a reference is not followed.
  public enum Refusal: Error, Hashable, Sendable {
    /// It leads to a scheme that is not `http` or `https`, or out of where the playlist came from.
    case scheme(String)
    /// It leads from `https` to `http`.
    case insecure
    /// It is a file outside the folder.
    case outside
    /// It is empty, or no name of a file.
    case notAName

    /// Whether it would be followed from a file whose place `allowsOutside`.
    public var isAllowable: Bool {
      switch self {
      case .outside: true
      // What is on a server leads to both anyway, so this was a file.
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
  }

  /// The same place after a redirection.
  public func moved(to reference: URIReference) -> PlaylistLocation { PlaylistLocation(reference, scope) }

  /// Where `uri` in this playlist leads.
  public func resolving(_ uri: String) throws(Refusal) -> PlaylistLocation {
    guard !uri.isEmpty else { throw .notAName }
    let target = URIReference(uri).resolved(against: reference)
    if let scheme = target.scheme?.lowercased() {
      guard scheme == "http" || scheme == "https" else { throw .scheme(scheme + ":") }
      guard reference.isAbsolute || scope.allowsOutside else { throw .scheme(scheme + ":") }
      if reference.scheme?.lowercased() == "https", scheme == "http" { throw .insecure }
      return PlaylistLocation(target, scope)
    }
    // `//host/path` in a file is meant to be on a server.
    guard target.authority == nil else { throw .scheme("//") }
    try check(target.path)
    return PlaylistLocation(target, scope)
  }

  /// The path of the file, decoded; `nil` for what is on a server.
  public var path: String? { reference.isAbsolute ? nil : URIReference.percentDecoded(reference.path) }

  /// The folder in which files have to be, also through links; `nil` where they can be anywhere.
  package var folder: Pathname? { scope.folder }

  /// Checks that the file is in the folder, by the names alone: what the path means is looked at after decoding.
  private func check(_ path: String) throws(Refusal) {
    let decoded = URIReference.percentDecoded(path)
    guard !decoded.isEmpty, !decoded.utf8.contains(0), decoded.utf8.last != UInt8(ascii: "/") else { throw .notAName }
    guard let folder = scope.parts else { return }
    let slash = UInt8(ascii: "/")
    guard (decoded.utf8.first == slash) == (reference.path.utf8.first == slash) else { throw .outside }
    let parts = PlaylistLocation.parts(of: path)
    guard parts.count > folder.count, parts.starts(with: folder), parts[folder.count] != ".." else { throw .outside }
  }

  /// The names that a path consists of, decoded, without `.` and with `..` only where it leads out.
  private static func parts(of path: String) -> [String] {
    var parts: [String] = []
    let decoded = URIReference.percentDecoded(path)
    for part in decoded.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    return parts
  }
}
