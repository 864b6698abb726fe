import MP4Bytes

/// Finds the next box after bytes that are not a box: garbage between boxes, a hole of zeros, a wrong size.
struct Resynchronization {
  /// A container in which boxes are searched for.
  struct Place {
    /// The type of the container, or `FourCC.file`.
    let parent: FourCC
    /// Its end; `Int.max` if it is unknown.
    let end: Int
  }
  let registry: BoxRegistry
  /// The nested containers that a box can belong to.
  let places: [Place]
  /// Whether only movies and movie fragments count, as in data that is declared to be media data.
  var isInMedia = false

  /// The number of positions that are examined per read: few at first, because the next box is often near.
  private static let steps = (first: 1 << 8, most: 1 << 16)

  /// The first position from `start` on at which a box is plausible; `nil` if there is none.
  func nextBox(from start: Int, upTo limit: Int, _ window: inout ByteWindow) throws(IOError) -> Int? {
    var at = start
    var step = Self.steps.first
    let end = places.last?.end ?? limit
    while at < limit {
      // Candidates at the end of a piece are examined with the next piece.
      let bytes = try window.slice(at: at, count: min(step + 15, end - at))
      let span = bytes.raw
      let last = min(step, limit - at, max(0, bytes.count - 7))
      var index = 0
      defer { window.handled &+= index }
      while index < last {
        if isInMedia {
          guard let next = span.movieType(from: index + 4, upTo: last + 4) else {
            index = last
            break
          }
          index = next - 4
        }
        if isPlausible(span, index, at: at + index) { return at + index }
        // A hole can be many gigabytes long. No type contains a zero byte.
        index += span.isZero(at: index, count: 64) ? 60 : 1
      }
      if bytes.count < step + 15 { return nil }
      at += step
      step = min(step * 4, Self.steps.most)
    }
    return nil
  }

  private func isPlausible(_ bytes: RawSpan, _ index: Int, at offset: Int) -> Bool {
    // Few positions pass this check.
    guard let size: UInt32 = bytes.bigEndian(at: index), size >= 8, let type: UInt32 = bytes.bigEndian(at: index + 4),
      let widest = places.last, Int(size) <= widest.end - offset
    else { return false }
    if isInMedia, type != FourCC("moof").rawValue, type != FourCC("moov").rawValue { return false }
    guard registry.index.first(FourCC(rawValue: type)) != nil else { return false }
    for place in places where place.mayStart(bytes, index, at: offset, registry) { return true }
    return false
  }
}

extension Resynchronization.Place {
  /// Whether the bytes at `index`, which are at `offset` in the file, look like a box that belongs here.
  func mayStart(_ bytes: RawSpan, _ index: Int, at offset: Int, _ registry: BoxRegistry) -> Bool {
    guard let size: UInt32 = bytes.bigEndian(at: index), size >= 8, Int(size) <= end - offset,
      let code: UInt32 = bytes.bigEndian(at: index + 4)
    else { return false }
    let type = FourCC(rawValue: code)
    if parent != .file { return registry.belongs(type, in: parent) }
    let inside: UInt32? = bytes.bigEndian(at: index + 12)
    switch FileBox(type) {
    case .fragment: return inside == FourCC("mfhd").rawValue
    case .movie: return inside == FourCC("mvhd").rawValue
    case .randomAccess: return inside == FourCC("tfra").rawValue
    case nil: return false
    default: return true
    }
  }
}

/// Plausibility of box types.
extension BoxRegistry {
  /// Whether boxes of this type are declared for this container, or for all containers.
  func belongs(_ type: FourCC, in parent: FourCC) -> Bool {
    var place = index.first(type)
    while let at = place {
      let containers = all[at].info.containers
      if containers.contains(parent) || containers.isEmpty { return true }
      place = index.next(after: at)
    }
    return false
  }

  /// Whether this can be a box type: it is known, or has no control characters.
  func isNameable(_ type: FourCC, in parent: FourCC) -> Bool {
    if index.first(type) != nil || type.isText { return true }
    // Metadata items have the numbers of their keys as types.
    return (parent == "ilst" || parent == "keys") && (1..<0x100_0000).contains(type.rawValue)
  }

  /// Whether the bytes after a box look like another box in a container with `left` remaining bytes, or like the zeros
  /// that end its list.
  func mayFollow(_ next: BoxStart, left: Int, in parent: FourCC) -> Bool {
    if next.isZero { return next.count == 0 || next.count == left }
    guard let size = next.size, isNameable(next.type, in: parent) else { return false }
    // A box of a known type may be cut off.
    let isKnown = index.first(next.type) != nil
    switch size {
    case 0: return true
    case 1: return next.largeSize >= 16 && (next.largeSize <= UInt64(left) || isKnown)
    case 2..<8: return false
    default: return Int(size) <= left || isKnown
    }
  }
}

/// The first bytes of a possible box, without their position.
struct BoxStart {
  /// The 32-bit size; `nil` if there are too few bytes for a header.
  let size: UInt32?
  let type: FourCC
  /// The 64-bit size, if the 32-bit size declares one.
  let largeSize: UInt64
  /// The number of bytes, and whether all are zero.
  let count: Int
  let isZero: Bool

  /// The possible box from `start` to the end of the bytes.
  init(_ bytes: RawSpan, at start: Int) {
    let code: UInt32? = bytes.bigEndian(at: start + 4)
    let size: UInt32? = code == nil ? nil : bytes.bigEndian(at: start)
    self.size = size
    type = FourCC(rawValue: code ?? 0)
    largeSize = size == 1 ? bytes.bigEndian(at: start + 8) ?? 0 : 0
    count = max(0, bytes.byteCount - start)
    // Almost all boxes have a size.
    isZero = size ?? 0 == 0 && !(start..<max(start, bytes.byteCount)).contains { bytes.bigEndian(at: $0) != UInt8(0) }
  }
}

extension FourCC {
  /// Whether it contains no control characters.
  package var isText: Bool {
    [24, 16, 8, 0].allSatisfy { (shift: UInt32) in
      let byte = rawValue >> shift & 0xff
      return byte >= 0x20 && byte != 0x7f
    }
  }
}

extension RawSpan {
  /// Whether `count` bytes from `offset` on, a multiple of 8, exist and are zero.
  fileprivate func isZero(at offset: Int, count: Int) -> Bool {
    for at in stride(from: offset, to: offset + count, by: 8) {
      guard let word: UInt64 = bigEndian(at: at), word == 0 else { return false }
    }
    return true
  }
}
