import Bytes
import ISOBMFF

/// What a track is for, according to its user data.
extension Track {
  /// A role: a value of a scheme, such as `commentary` of `urn:mpeg:dash:role:2011`. ISO/IEC 14496-12:2022, 8.10.4.
  package struct Role: Hashable, Sendable {
    package var scheme: String
    package var value: String
  }

  /// The most bytes of a name or role that are read.
  private static let mostBytes = 1 << 12

  /// The roles of the track.
  package func readRoles() throws(MovieError) -> [Role] {
    var roles: [Role] = []
    for box in userData("kind") {
      // Version and flags, then two strings that end with zero.
      let parts = try bytes(of: box).dropFirst(4).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      guard let scheme = parts.first else { continue }
      let value = parts.dropFirst().first ?? []
      roles.append(Role(scheme: String(decoding: scheme, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
    }
    return roles
  }

  /// The name that its author gave it in its user data (`name`); `nil` without one. Handler names are not used, because
  /// most are those of writers.
  package func readName() throws(MovieError) -> String? {
    guard let box = userData("name").first else { return nil }
    let name = Self.text(try bytes(of: box))
    return name.isEmpty ? nil : name
  }

  private func userData(_ type: FourCC) -> [Box] {
    properties.box.boxes.filter { $0.type == "udta" }.flatMap(\.boxes).filter { $0.type == type }
  }

  private func bytes(of box: Box) throws(MovieError) -> [UInt8] {
    let sources = samples.storage.sources
    guard let payload = box.header?.payload, sources.indices.contains(box.source) else { return [] }
    var window = ByteWindow(sources[box.source])
    do throws(IOError) {
      return Array(try window.slice(at: payload.lowerBound, count: min(payload.count, Self.mostBytes)))
    } catch { throw .io(error) }
  }

  /// Text up to a zero, on one line and without quotation marks.
  private static func text(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    let clean = text.unicodeScalars.map { scalar in
      scalar == "\"" ? "'" : scalar.value < 0x20 || scalar.value == 0x7f ? " " : scalar
    }
    var result = String(String.UnicodeScalarView(clean))[...]
    while result.last == " " { result.removeLast() }
    while result.first == " " { result.removeFirst() }
    return String(result)
  }
}
