import ISOBMFF
import MP4Bytes

/// The order in which sources are read: each init segment before its media segments, wherever it was given.
struct SourceArrangement {
  /// The indexes of the given sources, in the order of reading.
  private(set) var order: [Int]
  /// The init segments that have been tried for each unmatched source.
  private var tried: [Int: Set<Int>] = [:]
  /// The init segment to which a source was moved.
  private var homes: [Int: Int] = [:]

  init(_ order: [Int]) { self.order = order }

  /// Moves segments that do not match the preceding init segment after the next one that has not been tried for them.
  /// Returns whether there were any.
  mutating func move(_ misfits: [Int: SegmentMisfit], _ reader: MovieInputReader) -> Bool {
    let inits = reader.groups.map(\.source).filter { $0 < order.count }
    // The order in a playlist is not changed.
    guard inits.count > 1, reader.parts.isEmpty else { return false }
    var moved: [Int: [Int]] = [:]
    for index in misfits.keys.sorted() {
      let own = reader.groups[reader.contents[index].group].source
      tried[order[index], default: []].insert(order[own])
      let known = tried[order[index]] ?? []
      // A source that itself moves is no place to move to.
      guard let next = inits.first(where: { !known.contains(order[$0]) && misfits[$0] == nil }) else {
        homes[order[index]] = nil
        continue
      }
      // Even if the source is then read with another init segment, it does not move there again.
      tried[order[index], default: []].insert(order[next])
      moved[next, default: []].append(index)
      homes[order[index]] = order[next]
    }
    let leaving = Set(moved.values.joined())
    guard !leaving.isEmpty else { return false }
    var result: [Int] = []
    for index in order.indices where !leaving.contains(index) {
      result.append(order[index])
      result += (moved[index] ?? []).map { order[$0] }
    }
    order = result
    return true
  }

  /// Diagnostics about changes to the given order.
  func diagnostics(_ given: [any ByteSource]) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if let first = order.first, first > 0 {
      diagnostics.append(
        Diagnostic(.note, given[first].name, "it is the init segment of the segments before it; read first"))
    }
    for (home, moved) in Dictionary(grouping: homes.keys, by: { homes[$0] ?? 0 }).sorted(by: { $0.key < $1.key }) {
      guard let first = moved.min() else { continue }
      let (others, home) = (counted(moved.count - 1, "other input"), given[home].name)
      let text =
        moved.count == 1
        ? "it belongs to the init segment \(home); read after it"
        : "it and \(others) belong to the init segment \(home); read after it"
      diagnostics.append(Diagnostic(.note, given[first].name, text))
    }
    return diagnostics
  }
}

extension [any ByteSource] {
  /// The indexes of the sources, with the first one that has a movie box at the start. Unchanged if none has one.
  func withInitFirst() throws(MovieError) -> [Int] {
    guard count > 1, let first = self.first, first.byteCount != nil else { return Array<Int>(indices) }
    for index in indices where try self[index].hasMovieBox() {
      return [index] + indices.filter { $0 != index }
    }
    return Array<Int>(indices)
  }
}

extension ByteSource {
  /// Whether there is a `moov` at the file level.
  fileprivate func hasMovieBox() throws(MovieError) -> Bool {
    var parser = BoxParser(self)
    var node = BoxNode()
    do throws(IOError) {
      while try parser.next(into: &node) {
        if node.type == "moov" { return true }
        parser.skipBoxes()
      }
      return false
    } catch { throw .io(error) }
  }
}
