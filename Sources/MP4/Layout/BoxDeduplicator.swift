import ISOBMFF
import MP4Bytes

/// Boxes of several sources, indexed by their contents, so that duplicates are found without comparing all boxes.
struct BoxDeduplicator {
  private struct Contents: Hashable {
    var type: FourCC
    var size: Int
    var hash: Int
  }
  private var places: [Contents: [(header: BoxHeader, source: any ByteSource)]] = [:]
  private var types: Set<FourCC> = []

  /// Whether there is a box of this type.
  func contains(_ type: FourCC) -> Bool { types.contains(type) }

  /// Whether there is a box with the same bytes as this one.
  func contains(_ header: BoxHeader, of source: any ByteSource) throws(MovieError) -> Bool {
    guard types.contains(header.type) else { return false }
    for known in places[try Self.contents(of: header, in: source)] ?? [] {
      if try known.source.hasSameBytes(known.header, header, of: source) { return true }
    }
    return false
  }

  mutating func insert(_ header: BoxHeader, of source: any ByteSource) throws(MovieError) {
    types.insert(header.type)
    places[try Self.contents(of: header, in: source), default: []].append((header, source))
  }

  private static func contents(of header: BoxHeader, in source: any ByteSource) throws(MovieError) -> Contents {
    var hasher = Hasher()
    var window = ByteWindow(source)
    var done = 0
    while done < header.size {
      let step = min(1 << 16, header.size - done)
      do throws(IOError) { hasher.combine(try window.slice(at: header.offset + done, count: step)) } catch {
        throw .io(error)
      }
      done += step
    }
    return Contents(type: header.type, size: header.size, hash: hasher.finalize())
  }
}
