import ISOBMFF
import MP4Bytes

/// The layout of a file whose boxes were edited.
struct EditedLayout {
  private let editor: MovieEditor
  private let source: any ByteSource
  /// The boxes that were edited or whose offsets may need correction, by item index.
  private var originals: [Int: Box] = [:]
  /// The offsets of movie fragments that can move together with all bytes after them without a correction.
  private let movable: Set<Int>
  /// The largest end of each overwritten range and those before it.
  private let overwriteEnds: [Int]
  /// The types of boxes with offsets, whose sizes may depend on the layout.
  private static let indices: Set<FourCC> = ["moov", "meta", "sidx", "ssix", "mfra"]
  /// The maximum number of rounds: each can enlarge the boxes that hold offsets, which moves the data again.
  private static let roundLimit = 8
  /// The largest movie fragment that is read at once.
  private static let fragmentLimit = 1 << 20

  /// The size of the source up to the end of its last box, including removed boxes and new media data.
  private let sourceSize: Int

  /// Changed samples, which are in no edited box, in the order of the file.
  private let splices: [SampleChanges.Splice]

  /// The layout of an edited file; `movie` is the movie of the source, if it can be read.
  init(_ editor: MovieEditor, _ movie: Movie?, splices: [SampleChanges.Splice] = []) {
    (self.editor, source, sourceSize) = (editor, editor.source, editor.mediaEnd)
    self.splices = splices
    var end = 0
    overwriteEnds = editor.overwrites.map { overwrite in
      end = max(end, overwrite.range.upperBound)
      return end
    }
    let fragments = movie?.fragments.fragments ?? []
    movable = Set(fragments.lazy.filter(\.isMovable).map(\.offset))
    for (index, item) in editor.items.enumerated() {
      if let tree = item.tree { originals[index] = editor.trees[tree] }
    }
  }

  func plan() throws(MovieError) -> OutputPlan {
    let (relocation, _) = try relocation(originals)
    if relocation.isIdentity(ofBytes: sourceSize) { return try plan(originals, nil) }
    var layout = self
    for (index, item) in editor.items.enumerated() {
      guard let type = item.type, Self.indices.contains(type), item.tree == nil else { continue }
      layout.originals[index] = try editor.tree(of: item)
    }
    return try layout.corrected()
  }

  /// The plan of a file in which boxes move.
  private func corrected() throws(MovieError) -> OutputPlan {
    var current = originals
    for _ in 0..<Self.roundLimit {
      let (relocation, sizes) = try relocation(current)
      var next = originals
      for (index, box) in originals where Self.indices.contains(box.type) {
        next[index] = try corrected(box, at: index, relocation, of: source)
      }
      let (settled, newSizes) = try self.relocation(next)
      if sizes == newSizes { return try plan(next, settled) }
      current = next
    }
    throw .impossible(file: source.name, Obstacle("offsets_do_not_settle", "its offsets do not converge"))
  }

  /// The box with corrected offsets. Its fields are read from `source`.
  private func corrected(
    _ box: Box, at index: Int, _ relocation: Relocation, of source: any ByteSource
  ) throws(MovieError) -> Box {
    var box = box
    // An `ssix` box directly follows its `sidx`.
    if box.type == "ssix", let sidx = originals[index - 1], sidx.type == "sidx" {
      try relocation.correctLevels(&box, after: sidx, of: source)
    }
    let problems = try relocation.correct(&box, of: source)
    // An offset that cannot be corrected would be wrong in the output.
    if let problem = problems.first {
      throw .impossible(file: source.name, Obstacle("lost_offset", problem.text))
    }
    return box
  }

  /// The new positions of the source bytes in a file with these boxes, and the size of each item.
  private func relocation(_ boxes: [Int: Box]) throws(MovieError) -> (Relocation, sizes: [Int]) {
    var moves: [(range: Range<Int>, to: Int)] = []
    var sizes: [Int] = []
    var position = 0
    for (index, item) in editor.items.enumerated() {
      if let box = boxes[index] {
        let serializer = try serializer(box, at: index)
        serializer.forEachMove(of: 0, from: position) { moves.append(($0, $1)) }
        sizes.append(serializer.size)
      } else if let spliced = try spliced(index) {
        moves.append((item.range.lowerBound..<spliced.payload.lowerBound, position))
        var place = position + spliced.header.count
        for part in spliced.parts {
          if !part.range.isEmpty { moves.append((part.range, place)) }
          place += part.bytes?.count ?? part.range.count
        }
        sizes.append(place - position)
      } else {
        moves.append((item.range, position))
        sizes.append(item.range.count)
      }
      position += sizes[sizes.count - 1]
    }
    moves.sort { $0.range.lowerBound < $1.range.lowerBound }
    var relocation = Relocation(keepingBytes: sourceSize)
    for move in moves { relocation.move(move.range, to: move.to) }
    return (relocation, sizes)
  }

  /// A box with changed samples.
  private struct SplicedBox {
    /// Its new header.
    var header: [UInt8]
    /// Its contents in the source.
    var payload: Range<Int>
    /// Ranges of the source, and what replaces them; `nil` if they are copied.
    var parts: [(range: Range<Int>, bytes: [UInt8]?)]
  }

  /// The box of an item with its changed samples; `nil` if it has none.
  private func spliced(_ index: Int) throws(MovieError) -> SplicedBox? {
    let item = editor.items[index]
    let first = splices.partition { $0.range.lowerBound >= item.range.lowerBound }
    let own = splices[first...].prefix { $0.range.lowerBound < item.range.upperBound }
    guard !own.isEmpty, let header = try editor.tree(of: item).header else { return nil }
    var result = SplicedBox(header: [], payload: header.payload.lowerBound..<item.range.upperBound, parts: [])
    var place = result.payload.lowerBound
    for splice in own {
      if splice.range.lowerBound > place { result.parts.append((place..<splice.range.lowerBound, nil)) }
      result.parts.append((splice.range, splice.bytes))
      place = splice.range.upperBound
    }
    if place < result.payload.upperBound { result.parts.append((place..<result.payload.upperBound, nil)) }
    var new = header
    new.size = header.headerSize + result.parts.reduce(0) { $0 + ($1.bytes?.count ?? $1.range.count) }
    if new.form == .toEnd, !closesEnd(at: index) {
      result.header = try bytes(of: header)
    } else {
      if new.size > Int(UInt32.max), new.form != .large {
        new.form = .large
        new.size += 8
      }
      if new.form == .toEnd { new.form = .compact }
      result.header = new.withRightSize ?? []
    }
    return result
  }

  private func bytes(of header: BoxHeader) throws(MovieError) -> [UInt8] {
    do throws(IOError) { return try source.bytes(in: header.offset..<header.payload.lowerBound) } catch {
      throw .io(error)
    }
  }

  /// Whether the header of a box must get an explicit size: the box extended to the end of the file, and another one
  /// now follows.
  private func closesEnd(at index: Int) -> Bool { editor.items[index].isOpen && index < editor.items.count - 1 }

  private func serializer(_ box: Box, at index: Int) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) {
      return try BoxSerializer([box], closesEnds: closesEnd(at: index))
    } catch { throw .unwritable(file: source.name, error) }
  }

  /// The parts of the file; without `relocation`, nothing moves.
  private func plan(_ boxes: [Int: Box], _ relocation: Relocation?) throws(MovieError) -> OutputPlan {
    var plan = OutputPlan(sources: [source, editor.original], diagnostics: [])
    var window = ByteWindow(source)
    for (index, item) in editor.items.enumerated() {
      var box = boxes[index]
      let start = item.range.lowerBound
      if let relocation, item.type == "moof",
        box != nil || !movable.contains(start) || !relocation.keepsTogether(from: start)
      {
        // Each of its boxes would otherwise be read on its own.
        let isRead = box == nil && item.range.count <= Self.fragmentLimit
        let contents = isRead ? try fragment(item.range, &window) : source
        let original = if let box { box } else { try editor.tree(of: item, in: contents) }
        let corrected = try self.corrected(original, at: index, relocation, of: contents)
        if boxes[index] != nil || corrected.isEdited {
          box = corrected
          // The layout was planned with the original size.
          let sizes = (try serializer(original, at: index).size, try serializer(corrected, at: index).size)
          guard sizes.0 == sizes.1 else {
            throw .impossible(
              file: source.name, Obstacle("larger_fragment", "moof: its offsets now need more bytes"))
          }
        }
      }
      if let box {
        plan.parts.append(.boxes(try serializer(box, at: index)))
      } else if let media = item.media {
        plan.parts.append(.bytes(media))
      } else if let spliced = try spliced(index) {
        plan.parts.append(.bytes(spliced.header))
        for part in spliced.parts {
          if let bytes = part.bytes { plan.parts.append(.bytes(bytes)) } else { copy(part.range, to: &plan) }
        }
      } else if closesEnd(at: index) {
        let header = try editor.tree(of: item).header
        plan.parts.append(.bytes(try header?.bytesWithRightSize(in: source) ?? []))
        copy((header?.payload.lowerBound ?? item.range.lowerBound)..<item.range.upperBound, to: &plan)
      } else {
        copy(item.range, to: &plan)
      }
    }
    return plan
  }

  /// A range of the source in memory.
  private func fragment(_ range: Range<Int>, _ window: inout ByteWindow) throws(MovieError) -> any ByteSource {
    do throws(IOError) {
      let bytes = try window.slice(at: range.lowerBound, count: range.count)
      return MemorySource(Array(bytes), name: source.name, baseOffset: range.lowerBound)
    } catch { throw .io(error) }
  }

  /// Copies a range from the file itself, which is fast, and only the overwritten bytes from memory.
  private func copy(_ range: Range<Int>, to plan: inout OutputPlan) {
    var start = range.lowerBound
    let first = overwriteEnds.indices.partition { overwriteEnds[$0] > start }
    for overwrite in editor.overwrites[first...].prefix(while: { $0.range.lowerBound < range.upperBound })
    where overwrite.range.overlaps(start..<range.upperBound) {
      let own = overwrite.range.clamped(to: start..<range.upperBound)
      plan.copy(start..<own.lowerBound, of: 1)
      plan.copy(own, of: 0)
      start = own.upperBound
    }
    plan.copy(start..<range.upperBound, of: 1)
  }
}

extension Box {
  /// Whether its fields, or those of a nested box, were changed.
  fileprivate var isEdited: Bool {
    if case .edited = fields { return true }
    return boxes.contains(where: \.isEdited)
  }
}

extension MovieError {
  /// An edited box cannot be written.
  static func unwritable(file: String, _ error: BoxError) -> MovieError {
    .impossible(file: file, Obstacle("unwritable", "an edited box cannot be written: \(error)"))
  }
}
