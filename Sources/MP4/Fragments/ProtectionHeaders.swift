import ISOBMFF
import MP4Bytes

/// The `pssh` boxes of movie fragments, without duplicates, which the movie box of a progressive file contains.
struct ProtectionHeaders: Sendable {
  private(set) var places: [(source: Int, header: BoxHeader)] = []
  private var known: Set<[UInt8]> = []
  /// The boxes with their bytes.
  private(set) var contents: [(header: BoxHeader, bytes: [UInt8])] = []

  /// Adds a box; returns `false` if there are more boxes than any real file has.
  mutating func add(_ bytes: [UInt8], source: Int, _ header: BoxHeader) -> Bool {
    if known.contains(bytes) { return true }
    guard known.count < 1 << 12 else { return false }
    known.insert(bytes)
    places.append((source, header))
    contents.append((header, bytes))
    return true
  }
}

extension FragmentParser {
  mutating func readProtectionHeader(_ node: BoxNode) throws(IOError) {
    let header = node.header
    if node.problem == nil, header.size <= 1 << 16 {
      let bytes = Array(try window.slice(at: header.offset, count: header.size))
      if bytes.count == header.size, table.protectionHeaders.add(bytes, source: sourceIndex, header) { return }
    }
    noteOmitted("pssh")
  }
}
