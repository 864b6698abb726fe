/// The encryption of a whole segment or initialization section: METHOD=AES-128, with cipher block chaining and PKCS #7
/// padding (RFC 8216, 5.2).
public struct SegmentEncryption: Hashable, Sendable {
  /// The key.
  public let key: SegmentKey
  /// The first eight bytes of the initialization vector.
  package let vectorStart: UInt64
  /// The last eight bytes of the initialization vector.
  package let vectorEnd: UInt64

  /// The 16 bytes of the initialization vector.
  public var initializationVector: [UInt8] {
    [vectorStart, vectorEnd].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
  }
}

/// A key that a playlist refers to by URI. Many segments share one.
public final class SegmentKey: Hashable, Sendable {
  /// Its location.
  public let place: PlaylistLocation
  /// The line of the playlist that declares it.
  public let line: Int

  init(_ place: PlaylistLocation, line: Int) { (self.place, self.line) = (place, line) }

  /// Whether they are at the same location.
  public static func == (a: SegmentKey, b: SegmentKey) -> Bool { a === b || a.place == b.place }
  /// Hashes the location.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}

/// The keys of the segments of a playlist. Consecutive segments usually share one.
package struct SegmentKeys: Sendable {
  /// The latest key, and its URI.
  private var key: (uri: String, base: PlaylistLocation, key: SegmentKey)?

  /// No keys.
  package init() {}

  /// The encryption of a whole segment with these keys, of the playlist at `place`.
  package mutating func encryption(
    _ keys: [EncryptionKey], _ mediaSequence: Int, at place: PlaylistLocation, line: Int
  ) throws(SegmentError) -> SegmentEncryption? {
    guard let first = keys.first(where: { $0.method == .aes128 }) else { return nil }
    guard let own = first.isIdentity ? first : keys.first(where: { $0.method == .aes128 && $0.isIdentity }) else {
      throw SegmentError(.key(.format(first.keyFormat ?? "")), line: line)
    }
    guard let uri = own.uri else { throw SegmentError(.key(.noURI), line: line) }
    let vector: (start: UInt64, end: UInt64)
    do throws(KeyTagProblem) { vector = try own.vector(mediaSequence) } catch {
      throw SegmentError(.key(error), line: line)
    }
    do throws(PlaylistLocation.Refusal) {
      return SegmentEncryption(
        key: try key(at: uri, of: place, line: line), vectorStart: vector.start, vectorEnd: vector.end)
    } catch { throw SegmentError(.refused(uri, error), line: line) }
  }

  /// The key of encrypted samples. If it cannot be fetched, the samples stay encrypted.
  mutating func sampleKey(_ keys: [EncryptionKey], at place: PlaylistLocation, line: Int) -> SegmentKey? {
    let own = keys.first { key in
      let method = key.method
      return (method == .sampleAES || method == .sampleAESCTR) && key.isIdentity
    }
    return own?.uri.flatMap { try? key(at: $0, of: place, line: line) }
  }

  private mutating func key(
    at uri: String, of place: PlaylistLocation, line: Int
  ) throws(PlaylistLocation.Refusal) -> SegmentKey {
    if let key, key.uri == uri, key.base == place { return key.key }
    let new = SegmentKey(try place.resolvingKey(uri), line: line)
    key = (uri, place, new)
    return new
  }
}

/// A problem with EXT-X-KEY.
public enum KeyTagProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The segments are encrypted as a whole, and the key belongs to a key system.
  case format(String)
  /// There is no URI.
  case noURI
  /// The initialization vector is not a hexadecimal number of at most 128 bits.
  case vector

  /// A phrase such as `EXT-X-KEY has no URI`.
  public var description: String {
    switch self {
    case .format(let format):
      "the segments are encrypted (AES-128) with a key of \(quoted(format)); only keys that can be fetched from "
        + "their URI (KEYFORMAT identity) are supported"
    case .noURI: "EXT-X-KEY has no URI, so the segments cannot be decrypted"
    case .vector: "the IV of EXT-X-KEY is not 0x followed by at most 32 hexadecimal digits"
    }
  }
}

extension EncryptionKey {
  /// The initialization vector of the segment with this media sequence number.
  func vector(_ mediaSequence: Int) throws(KeyTagProblem) -> (UInt64, UInt64) {
    guard attributes["IV"] != nil else { return (0, UInt64(clamping: mediaSequence)) }
    guard let bytes = self.initializationVector, bytes.count <= 16 else { throw .vector }
    let all = Array(repeating: 0, count: 16 - bytes.count) + bytes
    return (all[..<8].reduce(0) { $0 << 8 | UInt64($1) }, all[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }
}

extension PlaylistLocation {
  /// The location of a key; a playlist in a file can also refer to it by `file:`.
  func resolvingKey(_ uri: String) throws(Refusal) -> PlaylistLocation {
    var reference = URIReference(uri)
    guard path != nil, reference.scheme?.lowercased() == "file" else { return try resolving(uri) }
    guard ["", "localhost"].contains(reference.authority ?? "") else { throw .scheme("file:") }
    (reference.scheme, reference.authority) = (nil, nil)
    return try resolving(reference.description)
  }
}
